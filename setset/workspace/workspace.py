"""A workspace, which `setset.open(path)` opens: reading, maintenance, classes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from setset.batches.ownership import Root
from setset.cards import LARGEST
from setset.database import (
    Database,
    LockPolicy,
    explorations,
    open_to_read,
    open_to_write,
    runs,
    schema,
    sql,
    storage_roots,
    views,
)
from setset.database.connection import OlderSchema, open_engine
from setset.database.models import HEAD
from setset.database.rows import require_unaltered
from setset.database.runs import Run
from setset.database.views import FinishedWork, Status
from setset.errors import BadInput, ReadOnly, SetsetError, require_between
from setset.folder import WorkspaceFolder
from setset.lazy import Shown
from setset.platform import usable_cores
from setset.progress import NoProgress, ProgressListener
from setset.workspace.counts import Count, read_counts
from setset.workspace.exploration import Exploration
from setset.workspace.stored_classes import build_catalogue, load_catalogue

if TYPE_CHECKING:
    from setset.jobs.signals import StopRequest
    from setset.maintenance.findings import Finding, Repaired
    from setset.maintenance.moved import MovedRoot
    from setset.symmetry import Catalogue, Totals

Mode = Literal["r", "a"]
DEFAULT_TARGET = 12


@dataclass(frozen=True)
class Schema:
    """Schema revision of a database (None if none is recorded), and the revision that this setset needs."""

    database: str | None
    setset: str


class Workspace(Shown):
    """A folder with a database and batch files. `setset.open` returns one; use it in a `with` statement.

    Reading never waits for a run and never delays a run. A method that writes needs mode "a". It holds the lock of the
    workspace, and raises Locked if another program has it.

    Common arguments: `size` selects one size; all sizes if None. `target` selects the exploration of one target; all
    explorations if None. `progress` is the listener that a method reports to. With `dry_run`, a method returns the plan
    and changes nothing.

    Example:
        >>> import setset
        >>> with setset.open(example) as workspace:
        ...     for count in workspace.counts():
        ...         print(count.size, count.lists, count.counts)
        3 45189 seeds for target 18
        4 681201 lists of 4 with 14 or more cards remaining
    """

    def __init__(self, path: str | Path, mode: Mode = "r", time_limit: float | None = None) -> None:
        if mode not in ("r", "a"):
            raise BadInput(f"mode {mode!r}: expected 'r' to read or 'a' to add")
        if not isinstance(path, str | os.PathLike):
            raise BadInput(f"path {path!r}: expected the folder of a workspace")
        self.path, self.mode = Path(path), mode
        self._time_limit = time_limit
        self._folder = WorkspaceFolder(self.path)
        self._opened: Database | None = None
        if mode == "r":
            self._database()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<setset.Workspace {self.path}, mode {self.mode!r}>"

    def close(self) -> None:
        """Closes the database. The workspace reopens it when needed."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # Reading

    @property
    def explorations(self) -> list[Exploration]:
        """The explorations that were begun, ordered by target."""
        return [Exploration(self, key.target) for key in explorations.find_all(self._database())]

    def exploration(self, target: int | None = None) -> Exploration:
        """Returns the exploration of a target, even if no run began it.

        If `target` is None, returns the exploration of the workspace's only target, or else of target 12.

        Raises:
            BadInput: `target` is out of range; or it is None, and the workspace has several targets, but not 12.
        """
        chosen = self._default_target() if target is None else target
        require_between("target", chosen, 4, LARGEST)
        return Exploration(self, chosen)

    def _default_target(self) -> int:
        try:
            begun = [exploration.target for exploration in self.explorations]
        except SetsetError:  # the database is missing or corrupted; the first use of the exploration raises the error
            return DEFAULT_TARGET
        if len(begun) > 1 and DEFAULT_TARGET not in begun:
            targets = " and ".join(map(str, begun))
            raise BadInput(f"this workspace has the targets {targets}: name one, such as --target {begun[0]}")
        return begun[0] if len(begun) == 1 else DEFAULT_TARGET

    def status(self, target: int | None = None) -> Status:
        """Progress of each size, running and failed expansions, batches with a defect, and the work of each host."""
        return views.status(self._database(), target)

    def counts(
        self,
        size: int | None = None,
        *,
        target: int | None = None,
        recount: bool = False,
        progress: ProgressListener | None = None,
    ) -> list[Count]:
        """Number of lists of each size, compared with counts by other programs, with the classes, and if `recount`,
        with the decoded files."""
        from setset.maintenance.proof import require_proven

        database, decoded = self._database(), None
        schema.require_sound(self._folder.database, references=False)
        require_proven(database)
        if recount:
            from setset.maintenance.check import recount_files

            with self._local_executor(progress) as executor:
                decoded = recount_files(database, size, executor, progress or NoProgress(), target)
        return read_counts(database, size, decoded, target)

    def runs(self, limit: int = 20) -> list[Run]:
        """The latest commands that wrote to the workspace, newest first."""
        latest = runs.latest(self._database(), limit)
        in_use = self._folder.is_in_use()
        # Only the latest run can be under way. Any other run without an outcome was killed.
        return [
            replace(run, outcome="killed") if run.outcome is None and (index or not in_use) else run
            for index, run in enumerate(latest)
        ]

    def finished_work(self) -> list[FinishedWork]:
        """Every finished expansion, with its process, start and end."""
        return views.finished_work(self._database())

    def in_use(self) -> bool:
        """Whether a run, or another command that writes, is under way."""
        return self._folder.is_in_use()

    def sql(self, query: str, timeout: float = 60) -> list[dict[str, Any]]:
        """Rows of a read-only query, as dictionaries. `docs/schema.md` describes the tables and views.

        Raises:
            BadInput: The query is wrong, does more than read, or takes longer than `timeout` seconds.
        """
        columns, rows = self.sql_rows(query, timeout)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def sql_rows(self, query: str, timeout: float = 60) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Columns of a read-only query, and an iterator of its rows. The query ends after `timeout` seconds."""
        from setset.workspace.tables import CLASS_PROPERTIES, class_properties

        tables = {CLASS_PROPERTIES: class_properties()} if CLASS_PROPERTIES in query.lower() else {}
        return sql.run_query(self._folder.database, query, timeout, tables)

    def sql_tables(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Describes the tables and views that a query can use. Returns columns and rows, as `sql_rows` does."""
        from setset.workspace.tables import CLASS_PROPERTIES, PROPERTIES

        tables = sql.describe_tables(self._folder.database)
        properties = ("table", CLASS_PROPERTIES, ", ".join(PROPERTIES), "all classes of lists, from the package")
        return ["kind", "name", "columns", "what it holds"], iter([*tables, properties])

    # Maintenance

    def check(
        self, *, deep: bool = False, size: int | None = None, progress: ProgressListener | None = None
    ) -> Iterator[Finding]:
        """Compares the database with the files and yields every defect.

        With `deep` it also decodes each file and derives its lists again from its sources. In mode "a" the database
        records the time of each check and its findings, unless a run is at work or the disk is read-only.
        """
        return self._check(deep, size, progress, is_recorded=self.mode == "a")

    def _check(
        self, deep: bool, size: int | None, progress: ProgressListener | None, is_recorded: bool = False
    ) -> Iterator[Finding]:
        from setset.maintenance.check import check, record_outcome

        database, listener = self._database(), progress or NoProgress()
        schema.require_sound(self._folder.database)
        beside_run = self._folder.is_in_use()
        findings: list[Finding] = []
        with self._local_executor(progress) if deep else contextlib.nullcontext() as executor:
            for finding in check(database, size, listener, executor, beside_run):
                findings.append(finding)
                yield finding
        if is_recorded and not beside_run:
            with (
                contextlib.suppress(SetsetError, OSError),
                self._folder.locked(),
                contextlib.closing(
                    Database(self._folder, open_engine(self._folder.database, read_only=False))
                ) as opened,
            ):
                record_outcome(opened, size, findings)

    def repair(
        self,
        *,
        size: int | None = None,
        batch: int | None = None,
        source: int | None = None,
        target: int | None = None,
        deep: bool = False,
        dry_run: bool = False,
        progress: ProgressListener | None = None,
    ) -> Repaired:
        """Repairs the findings of `check`. Makes lost files again, byte-identical.

        Does an expansion again if its results contradict its record. Changes nothing else.

        Args:
            batch: Rebuild this batch of `size` and `target`, whatever its state.
            source: Rebuild the files of `size` and `target` that are made from this source batch.
            deep: As in `check`.
        """
        from setset.jobs.run import make_again
        from setset.maintenance.findings import Repaired
        from setset.maintenance.repair import repair_all, repair_batches, requested_batches

        is_chosen = (batch, source) != (None, None)
        if is_chosen:
            target = self.exploration(target).target
            wanted = requested_batches(self._database(), target, size, batch, source)[0]
            if dry_run:
                return Repaired(wanted, [])
        elif dry_run:
            return Repaired.split(list(self._check(deep, size, progress)))
        listener, command = progress or NoProgress(), _repair_command(size, batch, source, target, deep)
        with (
            self._maintaining(command, progress, repairs=True) as (database, run_id),
            self._local_executor(progress) as executor,
        ):
            again = partial(make_again, database, run_id, executor, listener)
            if is_chosen and target is not None:
                return repair_batches(database, target, size, batch, source, again)
            return repair_all(database, size, executor if deep else None, listener, again)

    def roots(self) -> list[Root]:
        """Storage roots: the folders with the batch files, their states and contents."""
        return storage_roots.records(self._database(), measure=True)

    def move_root(
        self,
        old: str | Path,
        new: str | Path,
        *,
        fast: bool = False,
        incomplete: bool = False,
        progress: ProgressListener | None = None,
    ) -> MovedRoot:
        """Records that a storage root was moved to another folder, after comparing every file there.

        After a stop at any moment, the next call resumes. A call after success does nothing.

        Args:
            old: The former folder of the root, or its number.
            new: The present folder.
            fast: Compare only the names and sizes of files.
            incomplete: Accept missing and damaged files, which `repair` makes again.

        Raises:
            BadInput: `new` is not that root, or `old` still exists; nothing was changed.
        """
        from setset.maintenance.moved import move_root

        folder, command = Path(new).absolute(), f"setset roots move {old} {new}"
        with self._maintaining(command, progress) as (database, _):
            return move_root(database, str(old), folder, fast, incomplete, progress or NoProgress())

    def forget_root(self, old: str | Path, *, output: str | Path | None = None, dry_run: bool = False) -> Root:
        """Gives up a storage root that is lost for good, and returns its record. `repair` makes its files again.

        Args:
            old: The former folder of the root, or its number.
            output: Folder for the files that `repair` makes again; the workspace's own root if None.

        Raises:
            BadInput: The root still exists, or is the workspace's own.
        """
        from setset.maintenance.moved import forget_root, require_forgettable

        root = require_forgettable(self._database(), str(old))
        if not dry_run:
            with self._maintaining(f"setset roots forget {old}", None) as (database, _):
                forget_root(database, str(root.number), None if output is None else Path(output))
        return root

    def backup(self, copy: str | Path, *, force: bool = False) -> None:
        """Makes a consistent copy of the database, even during a run. With `force`, replaces an existing file."""
        self._folder.require_database()
        schema.backup(self._folder.database, Path(copy), force)

    def upgrade(self) -> Path | None:
        """Upgrades an older database to the current schema. Returns the path of the backup; None without an upgrade."""
        self._folder.require_database()
        with self._writing() as folder, folder.locked():
            return schema.upgrade(folder.database)

    def schema(self) -> Schema:
        """Schema revisions of the database and of this setset."""
        self._folder.require_database()
        return Schema(schema.revision(self._folder.database), HEAD)

    def rebuild_database(
        self, outputs: tuple[str | Path, ...] = (), progress: ProgressListener | None = None
    ) -> Path | None:
        """Makes a new database from the batch files alone. Returns the path of the old database, if there was one.

        Args:
            outputs: Folders that earlier runs got as `output`.
        """
        from setset.maintenance.rebuild import find_owner, rebuild_database

        folders = tuple(map(Path, outputs))
        with self._writing() as folder:
            find_owner(folder, folders)  # raises before a lock file is made in a folder that is no workspace
            with folder.locked():
                return rebuild_database(folder, folders, progress or NoProgress())

    # The classes of lists

    def build_classes(
        self,
        size: int = 20,
        *,
        force: bool = False,
        progress: ProgressListener | None = None,
        stop: StopRequest | None = None,
        on_built: Callable[[Totals], None] = lambda _: None,
    ) -> list[Totals]:
        """Classifies all lists of up to `size` cards, and stores the classes. Returns the totals of the new sizes.

        Args:
            size: Largest size, 0 to 20.
            force: Build existing sizes again.
            stop: Ends the build when another thread or a signal handler sets it.
            on_built: Callback that gets the totals of each new size.
        """
        with self._writing() as folder:
            return build_catalogue(folder, size, progress or NoProgress(), force, stop, on_built)

    def catalogue(self, size: int) -> Catalogue:
        """Classes of a size, from the database, or from the package if the database has none."""
        return load_catalogue(self.path, size)

    # Internals, which the objects of this package share

    def _database(self) -> Database:
        if self._opened is None:
            try:
                self._opened = open_to_read(self._folder, self._time_limit)
            except OlderSchema:
                from setset.database.archive import is_read_only, upgraded_copy

                if not is_read_only(self._folder):
                    raise
                self._folder, self._copy = upgraded_copy(self._folder)
                self._opened = open_to_read(self._folder, self._time_limit)
        return self._opened

    @contextlib.contextmanager
    def _writing(self) -> Iterator[WorkspaceFolder]:
        """Closes the database, and yields the folder to a method that writes. The next method that reads reopens the
        database."""
        if self.mode == "r":
            raise ReadOnly(f"{self.path} was opened to read: use setset.open(path, mode='a')")
        self.close()
        yield self._folder

    @contextlib.contextmanager
    def _maintaining(
        self, command: str, progress: ProgressListener | None, repairs: bool = False
    ) -> Iterator[tuple[Database, int]]:
        """Locks an existing workspace, records a run, removes leftovers. Yields the database and the id of the run."""
        from setset.maintenance.leftovers import remove_leftovers, remove_temporaries

        listener = progress or NoProgress()
        with self._writing() as folder:
            folder.require_database()
            with (
                folder.locked(),
                contextlib.closing(open_to_write(folder, policy=LockPolicy(listener))) as database,
                runs.record_run(database, command, usable_cores()) as run_id,
            ):
                if not repairs:
                    require_unaltered(database)
                remove_leftovers(database, listener)
                try:
                    yield database, run_id
                finally:
                    remove_temporaries(database)

    @contextlib.contextmanager
    def _local_executor(self, progress: ProgressListener | None) -> Iterator[Executor]:
        from setset.executors.local import LocalExecutor

        executor = LocalExecutor(usable_cores(), (progress or NoProgress()).notice)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


def _repair_command(size: int | None, batch: int | None, source: int | None, target: int | None, deep: bool) -> str:
    """Command line of a repair, for the history of the workspace."""
    options = {"--size": size, "--batch": batch, "--source": source, "--target": target}
    words = [f"{option} {value}" for option, value in options.items() if value is not None]
    return " ".join(["setset repair", *words, *(["--deep"] if deep else [])])


def open(  # noqa: A001 (as `tarfile.open`)
    path: str | Path, mode: Mode = "r", *, time_limit: float | None = None
) -> Workspace:
    """Opens a workspace: a folder with a database and batch files.

    Args:
        path: The folder.
        mode: "r" to read; "a" to read and write. With "a", a run creates a missing workspace.
        time_limit: Seconds after which a query of the database ends with Locked; no limit if None.

    Raises:
        NotAWorkspace: There is no workspace, and the mode is "r".
        SetsetError: The database is damaged or has another schema; the message says what to do.

    Example:
        >>> import setset
        >>> with setset.open(example) as workspace:
        ...     [exploration.target for exploration in workspace.explorations]
        [18]
    """
    return Workspace(path, mode, time_limit)

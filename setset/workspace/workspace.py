"""The front door: `setset.open(path)` gives a Workspace."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from setset.cards import LARGEST
from setset.database import (
    Database,
    LockPolicy,
    explorations,
    open_to_read,
    open_to_write,
    runs,
    schema,
    views,
)
from setset.database.runs import Run
from setset.database.views import FinishedWork
from setset.errors import BadInput, ReadOnly, require_between
from setset.folder import WorkspaceFolder
from setset.lazy import Shown
from setset.platform import usable_cores
from setset.progress import NoProgress, ProgressListener
from setset.workspace.counts import Count, read_counts
from setset.workspace.exploration import Exploration
from setset.workspace.roots import Root, read_roots
from setset.workspace.status import Status, read_status

if TYPE_CHECKING:
    from setset.jobs.signals import StopRequest
    from setset.maintenance.findings import Finding, Repaired
    from setset.maintenance.relocation import MovedRoot
    from setset.symmetry import Catalogue, Totals

Mode = Literal["r", "a"]


@dataclass(frozen=True)
class Schema:
    """The schema revision of a database, None if it has none, and the one that this setset wants."""

    database: str | None
    setset: str


class Workspace(Shown):
    """A folder with a database and batch files. `setset.open` gives one; use it in a `with` statement.

    Reading never waits for a run and never holds one up. What writes takes the lock of the workspace for as long
    as it lasts, and raises Locked if another program has it.

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
        """Closes the database. The workspace can be used again: it opens when it is needed."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # What is there

    @property
    def explorations(self) -> list[Exploration]:
        """The explorations that were begun, by target."""
        return [Exploration(self, key.target) for key in explorations.find_all(self._database())]

    def exploration(self, target: int = 12) -> Exploration:
        """The exploration of a target, begun or not."""
        require_between("target", target, 4, LARGEST)
        return Exploration(self, target)

    def status(self, target: int | None = None) -> Status:
        """How far each size is, what is running, failed or defective, and what each host did.

        Args:
            target: Only the exploration of this target.
        """
        return read_status(self._database(), target)

    def counts(
        self,
        size: int | None = None,
        *,
        target: int | None = None,
        recount: bool = False,
        progress: ProgressListener | None = None,
    ) -> list[Count]:
        """How many lists of each size are kept, what that counts, and whether it is right.

        Args:
            size: Only this size.
            target: Only the exploration of this target.
            recount: Decode every file, and compare.
            progress: Is told how far the decoding is.
        """
        database = self._database()
        schema.require_intact(self._folder.database)
        if not recount:
            return read_counts(database, size, target=target)
        from setset.maintenance.recount import recount_files

        with self._local_executor(progress) as executor:
            decoded = recount_files(self._database(), size, executor, progress or NoProgress(), target)
        return read_counts(self._database(), size, decoded, target)

    def runs(self, limit: int = 20) -> list[Run]:
        """The last commands that wrote to the workspace, newest first."""
        found = runs.latest(self._database(), limit)
        in_use = self._folder.is_in_use()
        # Only the last one can be under way; what another one did not say at its end, it could not say.
        return [
            replace(run, outcome="killed") if run.outcome is None and (place or not in_use) else run
            for place, run in enumerate(found)
        ]

    def finished_work(self) -> list[FinishedWork]:
        """Every expansion that was done, by which process, and from when to when."""
        return views.finished_work(self._database())

    def in_use(self) -> bool:
        """Whether a run, or another command that writes, is under way."""
        return self._folder.is_in_use()

    def sql(self, query: str, timeout: float = 60) -> list[dict[str, Any]]:
        """The rows of a read-only query, as dictionaries. `docs/schema.md` describes the tables and views.

        Raises:
            BadInput: The query is wrong, does more than read, or takes longer than `timeout` seconds.
        """
        columns, rows = self.sql_rows(query, timeout)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def sql_rows(self, query: str, timeout: float = 60) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The columns of a read-only query, and its rows as they come. It ends after `timeout` seconds."""
        from setset.database.sql import run_query

        return run_query(self._folder.database, query, timeout)

    def sql_tables(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """The tables and views that a query can use: columns and rows, as of `sql_rows`."""
        from setset.database.sql import describe_tables

        return ["kind", "name", "columns", "what it holds"], iter(describe_tables(self._folder.database))

    # Looking after it

    def check(
        self, *, deep: bool = False, size: int | None = None, progress: ProgressListener | None = None
    ) -> Iterator[Finding]:
        """Everything that is wrong: compares the database with the files. Never writes.

        Args:
            deep: Also decode each file and derive its lists again from its sources.
            size: Only this size.
            progress: Is told how far it is.
        """
        from setset.maintenance.check import check

        database, listener = self._database(), progress or NoProgress()
        schema.require_sound(self._folder.database)
        beside_run = self._folder.is_in_use()
        with self._local_executor(progress) if deep else contextlib.nullcontext() as executor:
            yield from check(database, size, listener, executor, beside_run)

    def repair(
        self,
        *,
        size: int | None = None,
        batch: int | None = None,
        target: int = 12,
        deep: bool = False,
        dry_run: bool = False,
        progress: ProgressListener | None = None,
    ) -> Repaired:
        """Rebuilds what a check finds, each file byte-identical to the one lost. Nothing else is touched.

        Where a source does not give what is recorded of it, its expansion is done again.

        Args:
            size: Only this size.
            batch: Rebuild this batch of `size` and `target`, whatever its state.
            target: Of the batch.
            deep: Also what only decoding each file and deriving its lists again can show.
            dry_run: Say what would be done, and do nothing.
            progress: Is told how it goes.
        """
        if batch is not None and size is None:
            raise BadInput("--batch needs --size")
        from setset.maintenance.findings import Repaired

        if dry_run and batch is None:
            return Repaired.split(list(self.check(deep=deep, size=size, progress=progress)))
        from setset.jobs.run import make_again
        from setset.maintenance.check import check
        from setset.maintenance.repair import batch_finding, repair_all, repair_batch

        if dry_run and batch is not None and size is not None:
            return Repaired([batch_finding(self._database(), target, size, batch)], [])
        listener = progress or NoProgress()
        with (
            self._maintaining("setset repair", progress) as (database, run_id),
            self._local_executor(progress) as executor,
        ):
            again = partial(make_again, database, run_id, executor, listener)
            if batch is not None and size is not None:
                return Repaired([repair_batch(database, target, size, batch, again)], [])
            repaired = repair_all(database, size, executor if deep else None, listener, again)
            left = [each for each in check(database, size, NoProgress()) if not each.kind.remedy.is_repair]
            return Repaired(repaired, left)

    def roots(self) -> list[Root]:
        """The storage roots: the folders with the batch files, whether they are there, and what lies in each."""
        return read_roots(self._database())

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

        Stopped at any moment, it goes on when it is called again; called again after its end, it does nothing.

        Args:
            old: The folder where it was, or its number.
            new: The folder where it is.
            fast: Compare only the names and sizes of files.
            incomplete: Also if files are missing or damaged there; then `repair` makes them again.
            progress: Is told how far it is.

        Raises:
            BadInput: `new` is not that root, or `old` is still there; nothing was changed.
        """
        from setset.maintenance.relocation import move_root

        place, command = Path(new).absolute(), f"setset roots move {old} {new}"
        with self._maintaining(command, progress) as (database, _):
            return move_root(database, str(old), place, fast, incomplete, progress or NoProgress())

    def forget_root(
        self, old: str | Path, *, output: str | Path | None = None, dry_run: bool = False
    ) -> Root:
        """Gives up a storage root that is lost for good. `repair` makes its files again, in another one.

        Args:
            old: The folder where it was, or its number.
            output: Where its files will be made again; the workspace's own root if None.
            dry_run: Say what would be given up, and do nothing.

        Returns:
            The root as it was.

        Raises:
            BadInput: It is still there, or is the workspace's own.
        """
        from setset.maintenance.relocation import forget_root, require_forgettable

        number = require_forgettable(self._database(), str(old)).id
        (found,) = [root for root in self.roots() if root.number == number]
        if not dry_run:
            with self._maintaining(f"setset roots forget {old}", None) as (database, _):
                forget_root(database, str(number), None if output is None else Path(output))
        return found

    def backup(self, copy: str | Path) -> None:
        """Makes a consistent copy of the database, even while a run is under way."""
        self._folder.require_database()
        schema.backup(self._folder.database, Path(copy))

    def upgrade(self) -> Path | None:
        """Brings an older database to the current schema; returns the backup made before, None if it was current."""
        self._folder.require_database()
        with self._writing() as folder, folder.locked():
            return schema.upgrade(folder.database)

    def schema(self) -> Schema:
        """The schema revision of the database, and the one that this setset wants."""
        self._folder.require_database()
        return Schema(schema.revision(self._folder.database), schema.HEAD)

    def rebuild_database(
        self, outputs: tuple[str | Path, ...] = (), progress: ProgressListener | None = None
    ) -> Path | None:
        """Makes a new database from the batch files alone.

        Args:
            outputs: The folders that runs were given as output.
            progress: Is told how it goes.

        Returns:
            Where the old database is kept; None if there was none.
        """
        from setset.maintenance.rebuild import find_owner, rebuild_database

        others = tuple(map(Path, outputs))
        with self._writing() as folder:
            find_owner(folder, others)  # a folder that is no workspace gets no lock file either
            with folder.locked():
                return rebuild_database(folder, others, progress or NoProgress())

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
        """Classifies all lists of up to `size` cards into the database; returns the sizes that were built.

        Args:
            size: 0 to 20.
            force: Also what is there already.
            progress: Is told what a person should know.
            stop: Ends it when it is set.
            on_built: Is called with each size when it is stored.
        """
        from setset.workspace.catalogue import build_catalogue

        with self._writing() as folder:
            return build_catalogue(folder, size, progress or NoProgress(), force, stop, on_built)

    def catalogue(self, size: int) -> Catalogue:
        """The classes of a size: from the database, or computed if it has none."""
        from setset.workspace.catalogue import load_catalogue

        return load_catalogue(self.path, size)

    # For the objects of this package

    def _database(self) -> Database:
        if self._opened is None:
            self._opened = open_to_read(self._folder, self._time_limit)
        return self._opened

    @contextlib.contextmanager
    def _writing(self) -> Iterator[WorkspaceFolder]:
        """The folder, for what writes. What was read before is read again afterwards."""
        if self.mode == "r":
            raise ReadOnly(f"{self.path} was opened to read: use setset.open(path, mode='a')")
        self.close()
        yield self._folder

    @contextlib.contextmanager
    def _maintaining(self, command: str, progress: ProgressListener | None) -> Iterator[tuple[Database, int]]:
        """The database of a workspace that is there and in which no run is at work, cleaned up before and after; and
        the number of the run that the history records."""
        from setset.maintenance import cleanup

        listener = progress or NoProgress()
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(self._writing())
            folder.require_database()
            stack.enter_context(folder.locked())
            workers = usable_cores()
            database = open_to_write(folder, policy=LockPolicy(listener.notice))
            stack.callback(database.close)
            with runs.record_run(database, command, workers) as run_id:
                cleanup.remove_leftovers(database, listener)
                try:
                    yield database, run_id
                finally:
                    cleanup.remove_temporaries(database)

    @contextlib.contextmanager
    def _local_executor(self, progress: ProgressListener | None) -> Iterator[Executor]:
        from setset.executors.local import LocalExecutor

        executor = LocalExecutor(usable_cores())
        executor.notice = (progress or NoProgress()).notice
        try:
            yield executor
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


def open(  # noqa: A001 (as `tarfile.open`)
    path: str | Path, mode: Mode = "r", *, time_limit: float | None = None
) -> Workspace:
    """Opens a workspace: a folder with a database and batch files.

    Args:
        path: The folder.
        mode: "r" to read what is there; "a" to read and add, where a run makes the workspace if it is not there.
        time_limit: Seconds after which anything that is asked of the database ends with Locked; by default none.

    Returns:
        A Workspace, best used in a `with` statement.

    Raises:
        NotAWorkspace: There is none, and the mode is "r".
        SetsetError: The database is damaged or of another version; the message says what to do.

    Example:
        >>> import setset
        >>> with setset.open(example) as workspace:
        ...     [exploration.target for exploration in workspace.explorations]
        [18]
    """
    return Workspace(path, mode, time_limit)

"""An exploration: all that a workspace knows for one target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from setset.cards import LARGEST
from setset.database import explorations
from setset.database.explorations import ExplorationKey
from setset.database.tallies import counted_parts
from setset.database.views import SizeStatus
from setset.errors import NotAWorkspace, require_between
from setset.lazy import Shown
from setset.progress import LoggedNotices, NoProgress
from setset.workspace.counts import Count
from setset.workspace.size import Size

if TYPE_CHECKING:
    from setset.database.runs import Run
    from setset.executors.base import StartExecutor
    from setset.jobs.signals import StopRequest
    from setset.maintenance.compact import CompactResult
    from setset.maintenance.remove import Removed
    from setset.progress import ProgressListener
    from setset.workspace.estimate import Estimate
    from setset.workspace.workspace import Workspace


class Exploration(Shown):
    """The lists that are kept for one target, size by size. `workspace.exploration(12)` returns one.

    Methods report to the listener `progress`.

    Example:
        >>> import setset
        >>> with setset.open(example) as workspace:
        ...     exploration = workspace.exploration(18)
        ...     print([size.size for size in exploration.sizes], exploration[3].lists)
        [3, 4] 45189
    """

    def __init__(self, workspace: Workspace, target: int) -> None:
        self._workspace = workspace
        self.target = target

    def __repr__(self) -> str:
        return f"<setset.Exploration of target {self.target} in {self._workspace.path}>"

    @property
    def pruned(self) -> bool:
        """Whether sizes below the target keep only lists that may reach the target."""
        return self._key().pruned

    @property
    def goal(self) -> tuple[tuple[int, ...], int | None]:
        """Goal of the latest run: the sizes to store, and the largest size to count without files, if any."""
        return explorations.recorded_goal(self._key())

    @property
    def sizes(self) -> list[Size]:
        """The stored sizes, complete or not."""
        return list(self)

    def __iter__(self) -> Iterator[Size]:
        return map(Size, self._key().sizes())

    def __getitem__(self, size: int) -> Size:
        """Returns a stored or completely counted size. Raises NotStored if it is neither."""
        require_between("size", size, 3, LARGEST)
        key = self._key()
        stored = next((Size(record) for record in key.sizes() if record.size == size), None)
        if stored is not None and stored.complete:
            return stored
        counted = [] if key.pruned else counted_parts(key.at(size))
        if counted:
            return Size(key.at(size), counted)
        return Size(key.size(size)) if stored is None else stored

    def __contains__(self, size: int) -> bool:
        return any(record.size == size for record in self._key().sizes())

    def _key(self) -> ExplorationKey:
        return explorations.find(self._workspace._database(), self.target, verified=True)

    def counts(self) -> list[Count]:
        """Counts of all sizes, stored or counted, compared with counts by other programs and with the classes."""
        return self._workspace.counts(target=self.target)

    def status(self) -> list[SizeStatus]:
        """Progress of each size."""
        return self._workspace.status(self.target).sizes

    def run(
        self,
        size: int,
        *,
        workers: int | None = None,
        batch_lists: int | None = None,
        output: str | Path | None = None,
        first: int = 0,
        count_only: bool = False,
        prune: bool = False,
        store: Sequence[int] = (),
        count: Sequence[int] = (),
        via: int | None = None,
        executor: str | StartExecutor = "local",
        maps: tuple[str, ...] = (),
        ship: bool = False,
        progress: ProgressListener | None = None,
        stop: StopRequest | None = None,
        command: str | None = None,
    ) -> Run:
        """Builds all missing lists up to a size, and returns the record of the run in the history.

        After Ctrl-C or a power cut, the next call resumes. The method installs no signal handler. KeyboardInterrupt
        ends it cleanly, with finished work recorded.

        Args:
            size: 3 to 20.
            workers: Worker processes; all cores if None.
            batch_lists: Maximum number of lists in a file, for sizes that begin now.
            output: Folder of the new files, such as a folder on another disk; the workspace's own if None.
            first: For the lists of `size` cards, expand only source batches with this number or a larger one.
            count_only: Count the sizes above the largest complete size, without files.
            prune: In sizes below the target, keep only lists that may reach it (docs/pruning.md). An exploration is
                pruned from its seeds on or not at all.
            store: Store only these sizes, and the small sizes that they are made from. If `store` and `count` are
                empty, store all sizes; otherwise the largest size in them must be `size`.
            count: Count these sizes without files, each directly from the size `via`, without the sizes in between.
            via: Size that the sizes in `store` and `count` are made from; chosen by the program if None.
            executor: local, dask, dask=ADDRESS, dask=SCHEDULER_FILE, MODULE:CALLABLE, or a function that takes a number
                of workers and returns a `concurrent.futures.Executor`.
            maps: For Dask workers: [HOST:]HERE=THERE means that workers (on HOST) see the folder HERE as THERE.
            ship: For Dask workers without a shared folder: send the bytes of files.
            stop: Ends the run when another thread or a signal handler sets it.
            command: Command that the history records.

        Raises:
            BadInput: An argument is out of range; nothing was changed.
            Locked: Another run is at work on the workspace.
            NoSpace: The disk is full; run again after making room.
            SetsetError: Anything else; the message says what to do.
        """
        from setset.jobs.options import RunOptions
        from setset.jobs.run import run

        output_folder = None if output is None else Path(output)
        name = command or f"Exploration({self.target}).run({size})"
        chosen = tuple(sorted(store)), tuple(sorted(count)), via
        options = RunOptions(
            size,
            self.target,
            workers,
            batch_lists,
            output_folder,
            first,
            count_only,
            prune,
            *chosen,
            name,
            executor,
            maps,
            ship,
        )
        with self._workspace._writing() as folder:
            return run(folder, options, progress or LoggedNotices(), stop)

    def estimate(
        self,
        size: int,
        *,
        workers: int | None = None,
        count_only: bool = False,
        prune: bool = False,
        store: Sequence[int] = (),
        count: Sequence[int] = (),
        via: int | None = None,
        seconds: float = 4.0,
        seed: int | None = None,
        output: str | Path | None = None,
        batch_lists: int | None = None,
        first: int = 0,
        thorough: bool = True,
    ) -> Estimate:
        """Estimates `run` with the same arguments: lists, files, bytes, time. Nothing is written.

        Uses the counts and speeds that the workspace records. The workspace need not exist.

        Args:
            seconds: Time to probe for, if a number of lists is unknown.
            seed: Random seed; the same seed gives the same probes.
            thorough: If False, first estimates in a fraction of a second, with few probes and typical speeds. If the
                run then seems long or large, estimates it again, thoroughly.

        Raises:
            BadInput: An argument is out of range.
            SetsetError: The database cannot be read.

        Example:
            >>> left = setset.open(example).exploration(18).estimate(5, seconds=1, seed=1)
            >>> [(size.size, size.due > 0, size.origin.value) for size in left.sizes]
            [(3, False, 'this workspace'), (4, False, 'this workspace'), (5, True, 'probed')]
        """
        from setset.jobs.options import RunOptions
        from setset.workspace.estimate import make_brief_estimate, make_estimate
        from setset.workspace.expectation import Probing

        folder = self._workspace.path if output is None else Path(output)
        chosen = tuple(sorted(store)), tuple(sorted(count)), via
        options = RunOptions(size, self.target, workers, batch_lists, folder, first, count_only, prune, *chosen)
        try:
            database = self._workspace._database()
        except NotAWorkspace:
            database = None
        if not thorough:
            return make_brief_estimate(database, options)
        return make_estimate(database, options, Probing(seconds, seed))

    def count(
        self, size: int, *, prune: bool = False, workers: int | None = None, progress: ProgressListener | None = None
    ) -> list[Count]:
        """Counts up to `size` as `run` does with `count_only`, and returns the counts of all sizes."""
        self.run(size, workers=workers, count_only=True, prune=prune, progress=progress)
        return self.counts()

    def compact(
        self, size: int, *, up_to: int | None = None, progress: ProgressListener | None = None
    ) -> CompactResult:
        """Merges neighbouring small files of a size into full files. Returns the numbers of files before and after.

        The lists and their order do not change.

        Args:
            size: A complete size that was not expanded.
            up_to: Merge only batches up to this number.
        """
        from setset.maintenance.compact import compact, require_compactable

        require_compactable(self._key().at(size))
        command = f"setset compact --size {size} --target {self.target}"
        with (
            self._workspace._maintaining(command, progress) as (database, _),
            self._workspace._local_executor(progress) as executor,
        ):
            record = explorations.find(database, self.target).size(size)
            return compact(record, up_to, executor, progress or NoProgress())

    def remove(
        self, size: int | None = None, *, dry_run: bool = False, progress: ProgressListener | None = None
    ) -> Removed:
        """Removes the files and rows of the exploration, or of `size` and all larger sizes, which depend on it.

        Counts that were made from smaller sizes stay. After a stop at any moment, the next call resumes. With
        `dry_run` it returns the plan and removes nothing.
        """
        from setset.maintenance.remove import plan_removal, remove

        first = 3 if size is None else size
        require_between("size", first, 3, LARGEST)
        if dry_run:
            return plan_removal(self._workspace._database(), self.target, first)[0]
        command = f"setset rm --target {self.target}" + ("" if size is None else f" --size {size}")
        with self._workspace._maintaining(command, progress) as (database, _):
            return remove(database, self.target, first, progress or NoProgress())

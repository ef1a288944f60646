"""An exploration: all that a workspace knows for one target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from setset.cards import LARGEST
from setset.database import explorations
from setset.database.explorations import ExplorationKey
from setset.errors import require_between
from setset.lazy import Shown
from setset.workspace.counts import Count
from setset.workspace.size import Size
from setset.workspace.status import SizeStatus

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
    """The lists that are kept for one target, size by size. `workspace.exploration(12)` gives one.

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
        """Whether, below the target, only lists that may reach it are kept."""
        return self._key().pruned

    @property
    def sizes(self) -> list[Size]:
        """The stored sizes, complete or not."""
        return list(self)

    def __iter__(self) -> Iterator[Size]:
        database, key = self._workspace._database(), self._key()
        return (Size(database, key, each.size) for each in explorations.sizes(database, key))

    def __getitem__(self, size: int) -> Size:
        """A stored size; BadInput if nothing of it is stored."""
        return Size(self._workspace._database(), self._key(), size)

    def __contains__(self, size: int) -> bool:
        return any(each.size == size for each in self)

    def _key(self) -> ExplorationKey:
        return explorations.find(self._workspace._database(), self.target)

    def counts(self) -> list[Count]:
        """How many lists of each size are kept, stored or counted, and whether that is right."""
        return self._workspace.counts(target=self.target)

    def status(self) -> list[SizeStatus]:
        """How far each size is."""
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
        executor: str | StartExecutor = "local",
        maps: tuple[str, ...] = (),
        ship: bool = False,
        progress: ProgressListener | None = None,
        stop: StopRequest | None = None,
        command: str | None = None,
    ) -> Run:
        """Builds all that is missing up to a size; on return all of it is stored.

        Stopped at any moment, by Ctrl-C or by a power cut, it goes on where it was when it is called again. It
        installs no signal handler; KeyboardInterrupt ends it cleanly, with what was finished recorded.

        Args:
            size: 3 to 20.
            workers: Worker processes; all cores if None.
            batch_lists: The most lists in a file, for sizes that are begun now.
            output: A folder for the new files, on another disk; the workspace's own if None.
            first: Expand only the source batches from this number on.
            count_only: Count without files, from the largest complete size on.
            prune: Below the target keep only lists that may reach it (docs/pruning.md). An exploration
                is pruned from its seeds on or not at all.
            executor: local, dask, dask=ADDRESS, dask=SCHEDULER_FILE, MODULE:CALLABLE, or a function that takes a
                number of workers and gives a `concurrent.futures.Executor`.
            maps: For Dask workers: HERE=THERE, the folder HERE is THERE for them.
            ship: For Dask workers without a common folder: send the bytes.
            progress: Is told how it goes.
            stop: Ends the run when it is set, from another thread or a signal handler.
            command: What to write into the history.

        Returns:
            The record of the run, as the history has it.

        Raises:
            BadInput: An argument cannot be taken; nothing was changed.
            Locked: Another run is at work on the workspace.
            NoSpace: The disk is full; run again after making room.
            SetsetError: Anything else; the message says what to do.
        """
        from setset.executors.dask.transfer import FileAccess
        from setset.jobs.run import RunRequest, run

        request = RunRequest(
            size=size,
            target=self.target,
            workers=workers,
            batch_lists=batch_lists,
            output=None if output is None else Path(output),
            first=first,
            count_only=count_only,
            pruned=prune,
            command=command or f"Exploration({self.target}).run({size})",
            executor=executor,
            access=FileAccess.parse(maps, ship) if maps or ship else FileAccess(),
        )
        with self._workspace._writing() as folder:
            return run(folder, request, progress, stop)

    def estimate(
        self,
        size: int,
        *,
        workers: int | None = None,
        count_only: bool = False,
        prune: bool = False,
        seconds: float = 10.0,
        seed: int | None = None,
        output: str | Path | None = None,
        batch_lists: int | None = None,
        thorough: bool = True,
    ) -> Estimate:
        """What `run` with the same arguments would take now: lists, files, bytes, time. Nothing is written.

        What the workspace knows is exact, and it knows how fast its workers were. It need not be there yet.

        Args:
            size: 3 to 20.
            workers: Worker processes; all cores of this machine if None.
            count_only: Without files, from the largest complete size on.
            prune: Of a run that prunes.
            seconds: How long to probe, if numbers of lists are not known.
            seed: For the same probes each time.
            output: A folder on the disk that the files would go to.
            batch_lists: The most lists in a file.
            thorough: Otherwise it takes a fraction of a second: few probes, and typical speeds where none is recorded.

        Raises:
            BadInput: An argument cannot be taken.
            SetsetError: The database cannot be read.

        Example:
            >>> left = setset.open(example).exploration(18).estimate(5, seconds=1, seed=1)
            >>> [(size.size, size.due > 0, size.origin.value) for size in left.sizes]
            [(3, False, 'this workspace'), (4, False, 'this workspace'), (5, True, 'probed')]
        """
        from setset.errors import NotAWorkspace
        from setset.workspace.estimate import EstimateRequest, make_estimate
        from setset.workspace.expectation import BRIEF, Probing

        folder = self._workspace.path if output is None else Path(output)
        probing = Probing(seconds, seed) if thorough else BRIEF
        request = EstimateRequest(
            size, self.target, workers, count_only, folder, batch_lists, probing, thorough, prune
        )
        try:
            database = self._workspace._database()
        except NotAWorkspace:
            return make_estimate(None, request)
        return make_estimate(database, request)

    def count(
        self,
        size: int,
        *,
        prune: bool = False,
        workers: int | None = None,
        progress: ProgressListener | None = None,
    ) -> list[Count]:
        """Counts every size beyond the largest complete one up to `size`, without files.

        Args:
            size: 4 to 20.
            prune: As in `run`.
            workers: Worker processes; all cores if None.
            progress: Is told how it goes.

        Returns:
            The counts of all sizes.
        """
        self.run(size, workers=workers, count_only=True, prune=prune, progress=progress)
        return self.counts()

    def compact(
        self, size: int, *, up_to: int | None = None, progress: ProgressListener | None = None
    ) -> CompactResult:
        """Merges neighbouring small files of a size into full ones. The lists and their order do not change.

        Args:
            size: A size that is complete, and from which nothing was derived yet.
            up_to: Only batches up to this number.
            progress: Is told how it goes.

        Returns:
            How many files there were and are.
        """
        from setset.maintenance.compact import compact, require_compactable
        from setset.progress import NoProgress

        require_compactable(self._workspace._database(), self._key(), size)
        command = f"setset compact --size {size} --target {self.target}"
        with (
            self._workspace._maintaining(command, progress) as (database, _),
            self._workspace._local_executor(progress) as executor,
        ):
            key = explorations.find(database, self.target)
            return compact(database, key, size, up_to, executor, progress or NoProgress())

    def remove(
        self, size: int | None = None, *, dry_run: bool = False, progress: ProgressListener | None = None
    ) -> Removed:
        """Removes the exploration, or its sizes from one on: files and rows.

        A size never goes without those above it, which are proven by it. What was counted from smaller sizes stays.
        Stopped at any moment, it goes on when it is called again.

        Args:
            size: The smallest size to remove; all of the exploration if None.
            dry_run: Say what would be removed, and do nothing.
            progress: Is told how it goes.

        Returns:
            What was removed, by size.
        """
        from setset.maintenance.remove import plan_removal, remove
        from setset.progress import NoProgress

        first = 3 if size is None else size
        require_between("size", first, 3, LARGEST)
        if dry_run:
            return plan_removal(self._workspace._database(), self.target, first)
        command = f"setset rm --target {self.target}" + ("" if size is None else f" --size {size}")
        with self._workspace._maintaining(command, progress) as (database, _):
            return remove(database, self.target, first, progress or NoProgress())

"""An exploration: all that a workspace knows for one target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from setset.database import explorations
from setset.database.explorations import ExplorationKey
from setset.lazy import Shown
from setset.workspace.counts import Count, Counts
from setset.workspace.size import Size
from setset.workspace.status import SizeStatus

if TYPE_CHECKING:
    from setset.executors.base import StartExecutor
    from setset.jobs.signals import StopRequest
    from setset.maintenance.compact import CompactResult
    from setset.progress import ProgressListener
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
        return Counts(count for count in self._workspace.counts() if count.target == self.target)

    def status(self) -> list[SizeStatus]:
        """How far each size is."""
        return [size for size in self._workspace.status().sizes if size.target == self.target]

    def run(
        self,
        size: int,
        *,
        workers: int | None = None,
        batch_lists: int | None = None,
        output: str | Path | None = None,
        first: int = 0,
        count_only: bool = False,
        compact: bool = True,
        executor: str | StartExecutor = "local",
        maps: tuple[str, ...] = (),
        ship: bool = False,
        progress: ProgressListener | None = None,
        stop: StopRequest | None = None,
        command: str | None = None,
    ) -> None:
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
            compact: Merge small files after sizes from 13 on.
            executor: local, dask, dask=ADDRESS, dask=SCHEDULER_FILE, MODULE:CALLABLE, or a function that takes a
                number of workers and gives a `concurrent.futures.Executor`.
            maps: For Dask workers: HERE=THERE, the folder HERE is THERE for them.
            ship: For Dask workers without a common folder: send the bytes.
            progress: Is told how it goes.
            stop: Ends the run when it is set, from another thread or a signal handler.
            command: What to write into the history.

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
            compact=compact,
            command=command or f"Exploration({self.target}).run({size})",
            executor=executor,
            access=FileAccess.parse(maps, ship),
        )
        with self._workspace._writing() as folder:
            run(folder, request, progress, stop)

    def count(
        self, size: int, *, workers: int | None = None, progress: ProgressListener | None = None
    ) -> list[Count]:
        """Counts every size beyond the largest complete one up to `size`, without files.

        Args:
            size: 4 to 20.
            workers: Worker processes; all cores if None.
            progress: Is told how it goes.

        Returns:
            The counts of all sizes.
        """
        self.run(size, workers=workers, count_only=True, progress=progress)
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
            self._workspace._maintaining(command, progress) as database,
            self._workspace._local_executor() as executor,
        ):
            key = explorations.find(database, self.target)
            return compact(database, key, size, up_to, executor, progress or NoProgress())

"""Options of a run, which an estimate of the run takes too."""

from dataclasses import dataclass
from pathlib import Path

from setset.batches.format import MOST_LISTS
from setset.cards import LARGEST
from setset.errors import BadInput, require_between
from setset.executors.base import StartExecutor

BATCH_LISTS = 16_000_000
"""Lists in a full file: some 200 kB, a second of work to expand."""
PRUNED_BATCH_LISTS = 1_000_000
"""Lists in a full file of a pruned exploration. They take longer: most time goes into children that are dropped."""
COUNT_FROM = 6
"""Size that a count in a new workspace stores first: seconds of work, some megabytes, files for many workers."""
PRUNED_COUNT_FROM = 8


@dataclass(frozen=True)
class RunOptions:
    """Options of a run."""

    size: int
    target: int = 12
    workers: int | None = None
    """All cores if None."""
    batch_lists: int | None = None
    """Maximum number of lists in a file. The default depends on `pruned`."""
    output: Path | None = None
    """Folder of new files; the workspace's own if None."""
    first: int = 0
    """Number of the first source batch to expand."""
    count_only: bool = False
    pruned: bool = False
    """Keep only lists that may reach the target."""
    command: str = "setset run"
    """Command that the history records."""
    executor: str | StartExecutor = "local"
    maps: tuple[str, ...] = ()
    """HERE=THERE for workers that see the folder HERE as THERE."""
    ship: bool = False
    """Send the bytes of files to workers that share no folder."""

    def validate(self) -> None:
        """Refuses options that a run cannot take, naming the option."""
        require_between("--size", self.size, 3, LARGEST)
        require_between("--target", self.target, 4, LARGEST)
        if self.workers is not None:
            require_between("--workers", self.workers, 1)
        if self.batch_lists is not None:
            require_between("--batch-lists", self.batch_lists, 1, MOST_LISTS)
        if self.first and self.size == 3:
            raise BadInput("--from cannot be used with --size 3, which has only one source, the seeds")
        if self.first and self.count_only:
            raise BadInput("--from cannot be combined with --count-only")

    @property
    def lists_per_file(self) -> int:
        """Lists in a full file of a size that begins now."""
        return self.batch_lists or (PRUNED_BATCH_LISTS if self.pruned else BATCH_LISTS)

    @property
    def count_from(self) -> int:
        """Size that a count stores first where no size is complete."""
        return PRUNED_COUNT_FROM if self.pruned else COUNT_FROM

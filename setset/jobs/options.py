"""Options of a run and of its estimate."""

from dataclasses import dataclass
from pathlib import Path

from setset.batches.format import MOST_LISTS
from setset.cards import LARGEST
from setset.errors import BadInput, require_between
from setset.executors.base import StartExecutor

BATCH_LISTS = 16_000_000
"""Number of lists in a full file, unless the size is in `LARGE_BATCH_LISTS`."""
LARGE_BATCH_LISTS = dict(zip(range(9, LARGEST + 1), (128, 128, 128, 160, 128, 64, 32, 16, 8, 4, 4, 4), strict=True))
"""Millions of lists in a full file, by size. Such a file has 1 to 7 MB. Reading its last list takes half a second."""
FEW_KEPT = 13
"""For targets above this number, a run drops most lists smaller than the target. Each kept list then takes more bytes
and time."""
PRUNED_BATCH_LISTS = 1_000_000
"""Number of lists in a full file of a pruned exploration. Small, since a pruned run drops most lists, and so needs much
time per kept list."""
PRUNED_TARGETS = (19, 20)
"""Targets that can be pruned. For smaller targets pruning takes more time than it saves (docs/pruning.md)."""
DEEP_SOURCE = 8
"""Default size of the source batches from which the sizes in `store` and `count` are made directly."""
COUNT_FROM = 6
"""In a new workspace, a count first stores the sizes up to this one, within seconds. Their files keep many workers
busy."""
PRUNED_COUNT_FROM = 8


@dataclass(frozen=True)
class RunOptions:
    """Options of a run."""

    size: int
    target: int = 12
    workers: int | None = None
    """Number of workers; one per usable core if None."""
    batch_lists: int | None = None
    """Maximum number of lists in a file; chosen by `lists_in_file` if None."""
    output: Path | None = None
    """Folder of new files; the workspace's own if None."""
    first: int = 0
    """Number of the first source batch to expand when the run makes the lists of `size` cards."""
    count_only: bool = False
    pruned: bool = False
    """Keep only lists that may reach the target."""
    store: tuple[int, ...] = ()
    """Sizes to store, made directly from the size `source_size`. Without `store` and `count`, every size is stored."""
    count: tuple[int, ...] = ()
    """Sizes to count without files, each directly from the lists of size `source_size`."""
    via: int | None = None
    """Source size of the sizes in `store` and `count`; chosen by `source_size` if None."""
    command: str = "setset run"
    """Command to record for `setset history`."""
    executor: str | StartExecutor = "local"
    maps: tuple[str, ...] = ()
    """[HOST:]HERE=THERE: workers (on HOST) see the folder HERE as THERE."""
    ship: bool = False
    """Send the bytes of files to workers that share no folder."""

    def validate(self) -> None:
        """Raises BadInput, which names the option at fault, if an option is out of range or contradicts another."""
        require_between("--size", self.size, 3, LARGEST)
        require_between("--target", self.target, 4, LARGEST)
        if self.workers is not None:
            require_between("--workers", self.workers, 1)
        if self.batch_lists is not None:
            require_between("--batch-lists", self.batch_lists, 1, MOST_LISTS)
        if self.pruned and self.target not in PRUNED_TARGETS:
            raise BadInput(f"--prune is for targets 19 and 20: for target {self.target} it takes longer than without")
        if self.first and self.size == 3:
            raise BadInput("--from cannot be used with --size 3, which has only one source, the seeds")
        if self.first and self.count_only:
            raise BadInput("--from cannot be combined with --count-only")
        if self.chosen:
            self._validate_chosen()
        elif self.via is not None:
            raise BadInput("--via needs --store or --count with the sizes to make from it")

    def _validate_chosen(self) -> None:
        name = "--store" if self.store else "--count"
        for option, value in {"--count-only": self.count_only, "--prune": self.pruned, "--from": self.first}.items():
            if value:
                raise BadInput(f"{name} cannot be combined with {option}")
        for size in self.store:
            require_between("--store", size, 3, self.size)
        for size in self.count:
            require_between("--count", size, 4, self.size)
        for size in sorted({*self.store} & {*self.count}):
            raise BadInput(f"size {size} is in --store and --count: leave it out of --count (--store counts as well)")
        if max(self.chosen) < self.size:
            raise BadInput(f"{name} ends with {max(self.chosen)}, so give --size {max(self.chosen)}, not {self.size}")
        if self.via is not None:
            require_between("--via", self.via, 3, max(self._largest_source, 3))

    @property
    def chosen(self) -> tuple[int, ...]:
        """Sizes that `store` and `count` name; empty if every size is stored."""
        return tuple(sorted({*self.store, *self.count}))

    @property
    def source_size(self) -> int:
        """Size whose batches are the sources of the sizes in `store` and `count`.

        The default size has many small files. They keep many workers busy, and a killed worker loses little work.
        """
        if self.via is not None:
            return self.via
        is_deep = max(self.chosen) > DEEP_SOURCE
        return max(3, min(DEEP_SOURCE, self._largest_source if is_deep else min(self.chosen) - 1))

    @property
    def _largest_source(self) -> int:
        """Upper limit of `source_size`: below the smallest size in `count`, or without `count`, below the largest in
        `store`."""
        return min(max(self.chosen), *self.count, LARGEST) - 1

    @property
    def via_size(self) -> int:
        """Size whose batches are the sources of all larger sizes. LARGEST if each size is made from the size before."""
        return self.source_size if self.chosen else LARGEST

    @property
    def stored_sizes(self) -> tuple[int, ...]:
        """All sizes that the run stores, in ascending order."""
        if not self.chosen:
            return tuple(range(3, self.size + 1))
        return tuple(sorted({*range(3, self.source_size + 1), *self.store}))

    def lists_in_file(self, size: int) -> int:
        """Number of lists in a full file, for a size without files yet."""
        if self.batch_lists:
            return self.batch_lists
        if self.pruned:
            return PRUNED_BATCH_LISTS
        if size < self.target > FEW_KEPT:
            return BATCH_LISTS if size <= FEW_KEPT else BATCH_LISTS // 4
        return 1_000_000 * LARGE_BATCH_LISTS[size] if size in LARGE_BATCH_LISTS else BATCH_LISTS

    @property
    def count_from(self) -> int:
        """Largest size that a count stores first, if the workspace has no complete size."""
        return PRUNED_COUNT_FROM if self.pruned else COUNT_FROM

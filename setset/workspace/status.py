"""How far a workspace is: progress of each size, what is running or wrong, what each host did."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from setset.database import Database, roots, runs, views
from setset.database.models import Work
from setset.database.views import StageProgress, Throughput
from setset.workspace.roots import Root, read_roots


class SizeState(enum.StrEnum):
    """Where a size stands."""

    COMPLETE = "complete"
    DEFECTIVE = "defective"
    """Complete, but a file of it is damaged."""
    ABSENT = "absent"
    """Complete, but files of it are in a storage root that is gone."""
    RUNNING = "running"
    STOPPED = "stopped"
    """Not complete, and no run is working on it."""
    FAILED = "failed"
    """Not complete, and some of its expansions were given up."""


@dataclass(frozen=True)
class SizeStatus:
    """How far one size is. A size that is only counted has no batches and no bytes."""

    target: int
    size: int
    work: str
    source_size: int
    sources: int
    expanded: int
    running: int
    failed: int
    batches: int | None
    defects: int | None
    lists: int
    bytes: int | None
    share: float
    lists_per_second: float | None
    seconds_left: float | None
    state: SizeState
    pruned: bool = False
    """Whether only lists that may reach the target are kept."""


class ItemState(enum.StrEnum):
    """Why something is listed beside the sizes."""

    RUNNING = "running"
    FAILED = "failed"
    DEFECTIVE = "defective"


@dataclass(frozen=True)
class StatusItem:
    """An expansion that is running or failed, or a batch with a defect."""

    target: int
    size: int
    state: ItemState
    what: str
    detail: str


@dataclass(frozen=True)
class Status:
    """All that `setset status` shows.

    Example:
        >>> [(size.size, size.state.value) for size in setset.open(example).status().sizes]
        [(3, 'complete'), (4, 'complete')]
    """

    sizes: list[SizeStatus]
    items: list[StatusItem]
    hosts: list[Throughput]
    roots: list[Root]


def read_status(database: Database, target: int | None = None) -> Status:
    """The status of all explorations, or of one, now."""
    in_use = database.folder.is_in_use()
    workers = runs.last_workers(database)
    absent = roots.sizes_in(database, roots.gone(database))
    sizes = [
        _size_status(stage, workers, in_use, (stage.target, stage.size) in absent)
        for stage in views.progress(database)
    ]
    return Status(
        [size for size in sizes if target in (None, size.target)],
        _items(database, target, in_use),
        [host for host in views.throughput(database) if target in (None, host.target)],
        read_roots(database),
    )


def _size_status(stage: StageProgress, workers: int, in_use: bool, absent: bool) -> SizeStatus:
    total, done = stage.source_lists or 0, stage.source_lists_done
    share = 1.0 if stage.complete else done / total if total else stage.expanded / max(stage.sources, 1)
    rate = stage.lists_out * stage.workers / stage.seconds if stage.seconds and stage.lists_out else None
    left = None
    if stage.seconds and done and not stage.complete:
        left = (total - done) * stage.seconds / done / workers
    return SizeStatus(
        stage.target,
        stage.size,
        stage.work,
        stage.source_size,
        stage.sources,
        stage.expanded,
        stage.running,
        stage.failed,
        stage.batches if stage.work is Work.STORE else None,
        stage.defects,
        stage.lists or 0,
        stage.bytes,
        share,
        rate,
        left,
        _state(stage, in_use, absent and stage.work is Work.STORE),
        stage.pruned,
    )


def _state(stage: StageProgress, in_use: bool, absent: bool) -> SizeState:
    if stage.complete and absent:
        return SizeState.ABSENT
    if stage.complete:
        return SizeState.DEFECTIVE if stage.defects else SizeState.COMPLETE
    if stage.failed:
        return SizeState.FAILED
    return SizeState.RUNNING if stage.running and in_use else SizeState.STOPPED


def _items(database: Database, target: int | None, in_use: bool) -> list[StatusItem]:
    found = [
        StatusItem(
            each.target,
            each.size,
            ItemState.RUNNING,
            f"source {each.source} of size {each.source_size}",
            f"attempt {each.attempts + 1}, run by pid {each.pid} on {each.host}",
        )
        for each in (views.running(database, target) if in_use else ())
    ]
    for defect in views.defects(database, target):
        state = ItemState.FAILED if defect.what.startswith("failed ") else ItemState.DEFECTIVE
        found.append(StatusItem(defect.target, defect.size, state, defect.path, defect.what))
    return found

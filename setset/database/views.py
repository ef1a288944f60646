"""Records read from the SQL views, which users can query too: status, progress, counts, throughput."""

import datetime
import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, get_type_hints

from sqlalchemy import Row, text

from setset import activity
from setset.activity import Activity, WorkerActivity
from setset.batches.ownership import Root
from setset.database import explorations, runs, storage_roots
from setset.database.connection import Database
from setset.database.expansions import find_stale_counts
from setset.database.models import Work
from setset.database.rows import altered_rows, exchanged_targets
from setset.lazy import Shown

MOST_PROBLEMS = 100
"""Maximum number of items that `status` lists per state."""


class SizeState(enum.StrEnum):
    """State of a size."""

    COMPLETE = "complete"
    DEFECTIVE = "defective"
    """Complete, but a file is damaged, the latest check found another problem, or a row was changed by hand."""
    ABSENT = "absent"
    """Complete, but some of its files are in a missing storage root."""
    RUNNING = "running"
    STOPPED = "stopped"
    """Not complete, and no run is working on it."""
    FAILED = "failed"
    """Not complete, and a run gave up some of its expansions."""


@dataclass(frozen=True)
class SizeStatus:
    """Progress of one size. A size that is only counted has no batches and no bytes."""

    target: int
    size: int
    work: Work
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
    """Whether the exploration keeps only lists that may reach the target."""
    checked_at: str | None = None
    """Time of the latest check of the size's files, if there was one."""
    findings: int | None = None
    """Number of problems that the latest check found."""

    @property
    def is_stored(self) -> bool:
        """Whether all lists of the size are in files."""
        return self.work is Work.STORE and self.state in (SizeState.COMPLETE, SizeState.DEFECTIVE)


class ItemState(enum.StrEnum):
    """State of an item of `setset status`."""

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
    host: str | None = None
    """Host of the worker that executes the expansion, if it is running and the worker is known."""
    since: str | None = None


@dataclass(frozen=True)
class Throughput:
    """Work of a host on one size, and the speed of one of its workers."""

    target: int
    size: int
    work: str
    host: str
    expansions: int
    lists: int
    seconds: float
    lists_per_second: float | None
    last_finished: str


@dataclass(frozen=True)
class Status(Shown):
    """All that `setset status` shows.

    Example:
        >>> [(size.size, size.state.value) for size in setset.open(example).status().sizes]
        [(3, 'complete'), (4, 'complete')]
    """

    sizes: list[SizeStatus]
    items: list[StatusItem]
    hosts: list[Throughput]
    roots: list[Root]
    altered: list[str]
    """Rows that were changed by hand, or refer to a row that is gone. With such a row, no size is shown as complete."""
    workers: list[WorkerActivity] = field(default_factory=list)
    """Workers of the run that is under way, and the task of each."""
    dashboard: str | None = None
    """URL of the dashboard of the cluster's scheduler, if there is one."""


@dataclass(frozen=True)
class FinishedWork:
    """A finished expansion, with its process, start and end."""

    target: int
    size: int
    work: str
    source_size: int
    source: int
    host: str | None
    pid: int | None
    lists: int
    seconds: float
    started_at: str
    finished_at: str


@dataclass(frozen=True)
class CountedSize:
    """Number of lists of a size that are kept for a target: a row of the view `counts`."""

    target: int
    size: int
    lists: int
    complete: bool
    origin: str
    pruned: bool
    class_sum: int | None
    """Number of all lists of the size, by the catalogue of classes. None if the size is below the target or not in the
    catalogue."""


_Record = TypeVar("_Record")
_CONVERTED = (bool, Work, SizeState)


def _read(database: Database, record: type[_Record], query: str, **values: object) -> list[_Record]:
    """Reads records from a query that has a column per field. Converts flags and enums."""
    types = {name: kind for name, kind in get_type_hints(record).items() if kind in _CONVERTED}
    return database.read(
        text(query).bindparams(**values),
        lambda row: record(**{**row._mapping, **{name: types[name](row._mapping[name]) for name in types}}),
    )


def status(database: Database, target: int | None = None) -> Status:
    """Current status of all explorations, or of the exploration of one target."""
    in_use, all_roots = database.folder.is_in_use(), storage_roots.records(database, measure=True)
    absent = storage_roots.sizes_in(database, [root for root in all_roots if root.is_gone])
    measured = progress(database, runs.last_workers(database), in_use)
    # During a run, skip this: the run verifies the rows itself, and reading all of them here would slow it down.
    altered = [] if in_use else _altered(database, measured)
    sizes = []
    for size in measured:
        state = SizeState.DEFECTIVE if altered and size.state is SizeState.COMPLETE else size.state
        state = SizeState.ABSENT if size.is_stored and (size.target, size.size) in absent else state
        if target in (None, size.target):
            sizes.append(replace(size, state=state))
    running = activity.read(database.folder, runs.last_id(database)) if in_use else Activity()
    return Status(
        sizes,
        items(database, target, in_use, running),
        [host for host in throughput(database) if target in (None, host.target)],
        all_roots,
        altered[:MOST_PROBLEMS],
        list(running.workers),
        running.dashboard,
    )


def _altered(database: Database, sizes: Sequence[SizeStatus]) -> list[str]:
    """Names of rows changed by hand, of rows that refer to missing rows, of stale counts, and of sizes without
    expansions."""
    broken = database.read(text("PRAGMA foreign_key_check"), lambda row: f"row {row.rowid} of the table {row.table}")
    shown = {(size.target, size.size) for size in sizes}
    begun = [(exploration, size) for exploration in explorations.find_all(database) for size in exploration.sizes()]
    stale = {(exploration.target, count.size) for exploration, size in begun for count in find_stale_counts(size)}
    return [
        *(str(row) for row in altered_rows(database) if not row.is_history),
        *broken,
        *exchanged_targets(database),
        *(f"the count of size {size} of target {target}" for target, size in sorted(stale)),
        *(
            f"{size} of target {exploration.target}"
            for exploration, size in begun
            if (exploration.target, size.size) not in shown
        ),
    ]


def progress(database: Database, workers: int = 1, in_use: bool = False) -> list[SizeStatus]:
    """Progress of each size of each target. Estimates the remaining time for this number of workers.

    `in_use` tells whether a run is under way.
    """
    query = """
        WITH staffed AS (
          SELECT x.target, e.work, e.size, e.source_size, SUM(e.seconds * r.workers) / SUM(e.seconds) AS workers
          FROM expansions e JOIN explorations x ON x.id = e.exploration_id JOIN runs r ON r.id = e.run_id
          WHERE e.seconds > 0 AND r.workers > 0 GROUP BY 1, 2, 3, 4
        )
        SELECT target, size, work, source_size, sources, expanded, running, failed, batches, defects,
               COALESCE(lists, 0) AS lists, bytes,
               CASE WHEN complete THEN 1.0 WHEN source_lists THEN 1.0 * source_lists_done / source_lists
                    ELSE 1.0 * expanded / MAX(sources, 1) END AS share,
               NULLIF(lists_out, 0) * COALESCE(workers, 1.0) / seconds AS lists_per_second,
               CASE WHEN complete THEN NULL ELSE (COALESCE(source_lists, 0) - source_lists_done)
                    * NULLIF(seconds, 0) / source_lists_done / :workers END AS seconds_left,
               CASE WHEN complete THEN IIF(defects OR findings, 'defective', 'complete') WHEN failed THEN 'failed'
                    WHEN running AND :in_use THEN 'running' ELSE 'stopped' END AS state,
               pruned, checked_at, findings
        FROM progress LEFT JOIN staffed USING (target, work, size, source_size)
        ORDER BY target, size, work DESC, source_size
        """
    return _read(database, SizeStatus, query, workers=workers, in_use=in_use)


def items(
    database: Database, target: int | None = None, in_use: bool = False, running: Activity | None = None
) -> list[StatusItem]:
    """Failed expansions, batches with a defect, and if a run is under way (`in_use`), running expansions.

    If `running` names workers, each running item gets its worker and its start time.
    """
    query = """
        WITH listed AS (
          SELECT x.target, e.size, e.state, e.source AS number, e.source_size, e.attempts, r.pid, r.host, NULL AS path,
                 e.error
          FROM expansions e JOIN explorations x ON x.id = e.exploration_id LEFT JOIN runs r ON r.id = e.run_id
          WHERE e.state = 'failed' OR (e.state = 'running' AND :in_use)
          UNION ALL
          SELECT x.target, b.size, 'defective', b.number, NULL, NULL, NULL, NULL, b.path, b.defect
          FROM batches b JOIN explorations x ON x.id = b.exploration_id WHERE b.defect IS NOT NULL
        ), ranked AS (
          SELECT *, ROW_NUMBER() OVER (PARTITION BY state ORDER BY target, size, number) AS position
          FROM listed WHERE target = COALESCE(:target, target)
        )
        SELECT * FROM ranked WHERE position <= :most ORDER BY state <> 'running', target, size, state DESC, number
        """
    workers = running.workers if running else ()
    worker_of = {
        (task.size, task.source_size, task.source): (worker.host, task.since)
        for worker in workers
        for task in worker.tasks
        if task.since
    }

    def record(row: Row[Any]) -> StatusItem:
        key, source = (row.target, row.size, ItemState(row.state)), f"source {row.number} of size {row.source_size}"
        if row.state == ItemState.DEFECTIVE:
            return StatusItem(*key, row.path, row.error)
        if row.state == ItemState.FAILED:
            return StatusItem(*key, source, f"failed {row.attempts} times: {row.error or ''}")
        host, since = worker_of.get((row.size, row.source_size, row.number), (None, None))
        assigned = f"on {host} since {since}" if host else "waiting for a worker"
        by = assigned if workers else f"run by pid {row.pid} on {row.host}"
        return StatusItem(*key, source, f"attempt {row.attempts + 1}, {by}", host, since)

    return database.read(text(query).bindparams(target=target, in_use=in_use, most=MOST_PROBLEMS), record)


def throughput(database: Database) -> list[Throughput]:
    """Work of each host on each size. Leaves out results of `setset db rebuild`, which have no host."""
    query = """
        SELECT target, size, work, host, expansions, COALESCE(lists, 0) AS lists,
               COALESCE(seconds, 0.0) AS seconds, lists_per_second, last_finished
        FROM throughput WHERE host IS NOT NULL
        """
    return _read(database, Throughput, query)


def finished_work(database: Database) -> list[FinishedWork]:
    """Finished expansions, ordered by source. Leaves out results of `setset db rebuild`, which have no times."""
    query = text(
        "SELECT target, size, work, source_size, source, host, pid, COALESCE(lists_out, 0), seconds, started_at, "
        "recorded_at FROM timeline WHERE seconds IS NOT NULL AND recorded_at IS NOT NULL "
        "ORDER BY target, size, work, source_size, source"
    )

    def record(row: Row[Any]) -> FinishedWork:
        # Use the worker's clock. Old versions recorded only when the coordinator got the result.
        took, parse = datetime.timedelta(seconds=row.seconds), datetime.datetime.fromisoformat
        start = parse(row.started_at) if row.started_at else parse(row.recorded_at) - took
        times = (time.isoformat(timespec="milliseconds") for time in (start, start + took))
        return FinishedWork(*(*row[:9], *times))

    return database.read(query, record)


def counts(database: Database) -> list[CountedSize]:
    """Number of lists kept for each target and size."""
    query = """
        SELECT c.target, c.size, c.lists, c.complete, c.origin, c.pruned, k.lists AS class_sum
        FROM counts c LEFT JOIN catalogue k ON k.size = c.size AND c.size >= c.target ORDER BY c.target, c.size
        """
    return _read(database, CountedSize, query)

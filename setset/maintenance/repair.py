"""Rebuilding batches: each is derived from its sources, so nothing that is lost is lost for good."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor

from setset.database import Database, batches, expansions, explorations, roots
from setset.database.batches import StoredBatch
from setset.errors import NoSpace, SetsetError
from setset.executors.base import ATTEMPTS, WorkerDied
from setset.maintenance.derive import expand_task, rebuild_task
from setset.maintenance.findings import Finding
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, Task, TaskResult


def repair(database: Database, executor: Executor, findings: Iterable[Finding]) -> None:
    """Repairs findings that can be repaired, in their order: smallest sizes first. What fails does not keep it
    from the others; the first such error is raised at the end."""
    failures: list[SetsetError] = []
    for finding in findings:
        try:
            if finding.batch is not None:
                rebuild_batch(database, executor, finding.batch)
            elif finding.source is not None and finding.target is not None and finding.size is not None:
                _rerun_expansion(database, executor, finding.target, finding.size, finding.source)
        except NoSpace:
            raise
        except SetsetError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def rebuild_batch(database: Database, executor: Executor, batch: StoredBatch) -> None:
    """Rebuilds one batch, byte-identical."""
    result = execute_with_retries(database, executor, batch.target, lambda: rebuild_task(database, batch))
    batches.record_rebuilt(database, batch, result.batches[0])


def execute_with_retries(
    database: Database, executor: Executor, target: int, get_task: Callable[[], Task]
) -> TaskResult:
    """Executes a task. Rebuilds its sources first if they are defective, and tries again if a worker dies."""
    deaths, rebuilt = 0, set[int]()
    while True:
        try:
            return executor.submit(execute, get_task()).result()
        except BadSource as bad:
            if bad.number in rebuilt:
                raise SetsetError(f"{bad}, even after it was rebuilt: is the disk sound?") from bad
            rebuilt.add(bad.number)
            exploration = explorations.find(database, target)
            rebuild_batch(database, executor, batches.get(database, exploration, bad.size, bad.number))
        except WorkerDied:
            deaths += 1
            if deaths == ATTEMPTS:
                raise


def _rerun_expansion(database: Database, executor: Executor, target: int, size: int, source: int) -> None:
    """Does a whole expansion again whose records do not add up."""
    exploration = explorations.find(database, target)
    held = batches.in_order(database, exploration, size, (source, source))
    root_id = next((batch.root_id for batch in held), None) or roots.use_root(database, None)
    result = execute_with_retries(
        database, executor, target, lambda: expand_task(database, exploration, size, source, root_id)
    )
    expansions.replace_outcome(database, exploration, size, source, root_id, result)

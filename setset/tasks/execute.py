"""What the coordinator hands to executors.

`worker`, and the compiler that it needs, is loaded in worker processes alone: without them the coordinator starts
sooner and stays smaller.
"""

from __future__ import annotations

from setset.tasks.kinds import CompareTask, Task, TaskResult


def execute(task: Task) -> TaskResult:
    """Executes a task. The same task always writes the same bytes."""
    from setset.tasks import worker

    return worker.execute(task)


def compare(task: CompareTask) -> tuple[str | None, ...]:
    """What is wrong with each batch file of a task, compared with what its sources expand to; None if nothing."""
    from setset.tasks import worker

    return worker.compare(task)


def recount(path: str, digest: str) -> int:
    """How many lists a file holds, by decoding them."""
    from setset.tasks import worker

    return worker.recount(path, digest)

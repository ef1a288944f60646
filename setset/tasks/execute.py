"""Functions that the coordinator submits to executors.

`worker`, and the compiler that it needs, is loaded in worker processes alone: without them the coordinator starts
sooner and stays smaller.
"""

from setset.tasks.kinds import CompareTask, MergeTask, Task, TaskResult


def execute(task: Task | MergeTask) -> TaskResult:
    """Executes a task. The same task always writes the same bytes."""
    from setset.tasks import worker

    return worker.execute(task)


def compare(task: CompareTask) -> tuple[str | None, ...]:
    """Difference between each batch file of a task and the lists of its sources; None if there is none."""
    from setset.tasks import worker

    return worker.compare(task)


def recount(path: str, digest: str) -> int:
    """Number of lists in a file, by decoding them."""
    from setset.tasks import worker

    return worker.recount(path, digest)

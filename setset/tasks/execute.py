"""Functions that the coordinator submits to executors.

Only worker processes import the module `worker` and the compiler. So the coordinator starts sooner and needs less
memory.
"""

from setset.tasks.kinds import CompareTask, MergeTask, Task, TaskResult


def execute(task: Task | MergeTask) -> TaskResult:
    """Executes a task. The same task always writes the same bytes."""
    from setset.tasks import worker

    return worker.execute(task)


def compare(task: CompareTask) -> tuple[str | None, ...]:
    """Compares batch files with the expansions of their sources. Returns the difference of each file; None if equal."""
    from setset.tasks import worker

    return worker.compare(task)


def recount(path: str, digest: str) -> int:
    """Decodes a file, and returns its number of lists."""
    from setset.tasks import worker

    return worker.recount(path, digest)

"""The queue of a workspace: prove what is recorded, plan what is missing, and work until nothing is left.

Whatever makes batch files or counts goes through here: run, repair and count.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

from setset.database import Database, expansions, roots
from setset.database.expansions import Job
from setset.database.explorations import ExplorationKey
from setset.errors import SetsetError
from setset.jobs.coordinator import Coordinator
from setset.jobs.signals import StopRequest
from setset.maintenance import proof
from setset.platform import usable_cores
from setset.progress import ProgressListener

MOST_ROUNDS = 20
"""As many as there are sizes: what is done again for one size may have to be done again for those above it."""


def work_through(
    database: Database,
    job: Job,
    get_executor: Callable[[], Executor],
    workers: int,
    progress: ProgressListener,
    stop: StopRequest,
) -> None:
    """Does all that a job asks for. On return it is proven. The executor is started only if there is work."""
    for _ in range(MOST_ROUNDS):
        proof.forget_unproven(database, job.exploration, job.largest_stored, progress)
        expansions.plan(database, job)
        if not expansions.any_claimable(database, job):
            return
        Coordinator(database, job, get_executor(), workers, progress, stop).work()
    raise SetsetError(
        "what was done again is not proven either: is the disk sound? 'setset check --deep' tells more"
    )


def make_again(
    database: Database,
    run_id: int,
    executor: Executor,
    progress: ProgressListener,
    exploration: ExplorationKey,
    largest: int,
) -> None:
    """Makes what was forgotten of an exploration again, up to a size, and nothing else."""
    root_id = roots.use_root(database, None, refill=True)
    steps = expansions.recorded_steps(database, exploration, largest)
    to = roots.destinations(database)
    job = Job(run_id, exploration, steps, root_id, to, batch_lists=1, only_forgotten=True)
    work_through(database, job, lambda: executor, usable_cores(), progress, StopRequest())

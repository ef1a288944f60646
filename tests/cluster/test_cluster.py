"""The same exploration on a Dask cluster: the same bytes, whoever joins, leaves or dies on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from setset.errors import BadInput
from setset.executors.dask.transfer import Reach
from setset.executors.local import ExecutorLost, starter
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.jobs.run import Request, explore
from tests.cluster.conftest import BATCH_LISTS, ENVIRONMENT, SIZE, TARGET, Cluster, finish, run, until
from tests.jobs.conftest import BATCHES, digests, rows

distributed = pytest.importorskip("distributed")

HERE = os.uname().nodename
STUMBLING = ("--preload", str(Path(__file__).parent / "fence.py"))


def made(workspace: Path) -> int:
    """How many files of the last size there are."""
    return len(list(workspace.glob(f"batches/t{TARGET}/s{SIZE:02d}/*.setset")))


def assert_same(workspace: Path, alone: Path) -> None:
    assert digests(workspace) == digests(alone)
    assert rows(workspace, BATCHES) == rows(alone, BATCHES)


@pytest.mark.parametrize("ship", [False, True], ids=["shared folder", "--ship"])
def test_bytes_do_not_depend_on_who_dies_and_who_joins(
    ship: bool, cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    """One of two workers is killed in the middle and another one joins.

    With --ship no worker can open anything in the workspace: a run that ends well shows that none needs to.
    """
    workspace = tmp_path / "w"
    options = STUMBLING if ship else ()
    fence = {"SETSET_TEST_FENCE": str(workspace)} if ship else {}
    victim = cluster.worker(*options, **fence)
    cluster.worker(*options, **fence)
    process = run("-w", str(workspace), "--executor", f"dask={cluster.file}", *(["--ship"] if ship else []))
    until(lambda: made(workspace) > 20 or process.poll() is not None, "the first files")
    before = made(workspace)
    victim.send_signal(signal.SIGKILL)
    cluster.worker(*options, **fence)
    code, said = finish(process)
    assert code == 0, said
    assert before < made(alone), "the worker was killed too late to matter"
    assert "given up" not in said
    assert_same(workspace, alone)


def test_a_worker_sees_the_storage_under_a_path_of_its_own(
    cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    """--map: the coordinator's folder is the worker's by another name; its own name is closed to the worker."""
    workspace, elsewhere = tmp_path / "w", tmp_path / "mounted"
    elsewhere.symlink_to(tmp_path)
    cluster.worker("--nthreads", "2", *STUMBLING, SETSET_TEST_FENCE=str(workspace))
    process = run(
        "-w", str(workspace), "--executor", f"dask={cluster.address}", "--map", f"{tmp_path}={elsewhere}"
    )
    code, said = finish(process)
    assert code == 0, said
    assert_same(workspace, alone)


@pytest.mark.parametrize("mapped", [True, False], ids=["--map to nowhere", "no such folder"])
def test_workers_that_do_not_see_the_storage_get_one_line(
    mapped: bool, cluster: Cluster, tmp_path: Path
) -> None:
    workspace = tmp_path / "w"
    fence = {} if mapped else {"SETSET_TEST_FENCE": str(workspace)}
    for _ in range(2):
        cluster.worker(*(() if mapped else STUMBLING), **fence)
    maps = ("--map", f"{tmp_path}=/nowhere") if mapped else ()
    code, said = finish(run("-w", str(workspace), "--executor", f"dask={cluster.file}", *maps, "-q"))
    assert code == 1
    (line,) = said.splitlines()
    root = "/nowhere/w/batches" if mapped else f"{workspace}/batches"
    assert f"worker on {HERE} cannot see the storage root {root}: mount it there" in line
    assert rows(workspace, "SELECT attempts, state FROM expansions") == [(0, "planned")]


@pytest.mark.parametrize(("threads", "cluster"), [("1", 3), ("4", 0)], indirect=["cluster"])
def test_an_expansion_that_kills_its_worker_is_given_up_and_named(
    threads: str, cluster: Cluster, tmp_path: Path
) -> None:
    """Three times, under a nanny that starts the worker again; the orders beside it are not blamed, though Dask, if
    it does not try again by itself, says of each of them that it killed the worker."""
    workspace = tmp_path / "w"
    cluster.worker("--nanny", "--nthreads", threads, *STUMBLING, SETSET_TEST_POISON="s04/0000000-001.setset")
    smaller = ("--batch-lists", "200000")
    code, said = finish(run("-w", str(workspace), "--executor", f"dask={cluster.file}", *smaller, size=5))
    assert code == 1, said
    assert (
        f"setset: the expansion of batch 1 of size 4 failed 3 times: WorkerDied: the worker on {HERE} died"
        in said.splitlines()[-1]
    )
    done = rows(workspace, "SELECT state, attempts FROM expansions WHERE size = 5 ORDER BY source")
    assert done == [("done", 1), ("failed", 3)] + [("done", 1)] * (len(done) - 2)
    assert len(done) > 2


class Saboteur(Unwatched):
    """Does something to the cluster in the middle of the last size."""

    def __init__(self, cluster: Cluster, number: int) -> None:
        self._cluster, self._number, self._size = cluster, number, 0

    def begin(self, size: int, what: str, jobs: int, lists_in: int) -> None:  # noqa: ARG002
        self._size = size

    def advance(self, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        if self._size == SIZE:
            self._cluster.scheduler.send_signal(self._number)


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "vanishes"])
def test_a_lost_scheduler_ends_the_run(
    number: signal.Signals, cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    """After a bounded wait, in one line; nothing is lost, and the next run, here without a cluster, goes on."""
    from setset.executors.dask.client import Patience
    from setset.executors.dask.executor import start_dask

    cluster.worker()
    workspace, request = Workspace(tmp_path / "w"), Request(SIZE, TARGET, 1, BATCH_LISTS)
    start = partial(start_dask, str(cluster.file), Reach(), patience=Patience(silence=2))
    with pytest.raises(
        ExecutorLost, match=r"^the Dask scheduler has not answered for 2 seconds; what was finis"
    ):
        explore(workspace, request, Saboteur(cluster, number), start)
    states = dict(
        rows(workspace.path, "SELECT state, COUNT(*) FROM expansions WHERE size = 6 GROUP BY state")
    )
    assert states.keys() == {"done", "planned"}
    explore(workspace, request, Unwatched())
    assert_same(workspace.path, alone)


def cancel(client: Any) -> None:
    client.run_on_scheduler(_cancel)


def _cancel(dask_scheduler: Any) -> None:
    """What happens to orders when somebody else calls `Client.cancel(force=True)`."""
    mine = [key for key in dask_scheduler.tasks if str(key).startswith("setset-")]
    dask_scheduler.stimulus_cancel(
        keys=mine, client=next(iter(dask_scheduler.clients)), force=True, reason="test", msg="test"
    )


def forget(client: Any) -> None:
    client.run_on_scheduler(_forget)


def _forget(dask_scheduler: Any) -> None:
    """The scheduler loses the orders that the workers have, and tells nobody."""
    for worker in dask_scheduler.workers.values():
        for task in list(worker.processing):
            worker.processing.remove(task)
            dask_scheduler.tasks.pop(task.key)


def pause(client: Any) -> None:
    """What Dask does to a worker that is short of memory."""
    client.run(_pause, workers=list(client.scheduler_info()["workers"])[:1])


def _pause(dask_worker: Any) -> None:
    dask_worker.status = distributed.core.Status.paused


class Meddler(Unwatched):
    """Does something to the cluster, once, in the middle of the last size."""

    def __init__(self, cluster: Cluster, what: Callable[..., None]) -> None:
        self._cluster, self._what, self._size = cluster, what, 0
        self.heard: list[str] = []

    def begin(self, size: int, what: str, jobs: int, lists_in: int) -> None:  # noqa: ARG002
        self._size = size

    def advance(self, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        if self._size == SIZE:
            self._size = 0
            with distributed.Client(self._cluster.address, set_as_default=False) as client:
                self._what(client)

    def notice(self, text: str) -> None:
        self.heard.append(text)


@pytest.mark.parametrize(("what", "said"), [(cancel, False), (forget, True), (pause, False)])
def test_orders_that_nobody_carries_out_are_given_again(
    what: Callable[..., None], said: bool, cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    from setset.executors.dask.client import Patience
    from setset.executors.dask.executor import start_dask

    cluster.worker()
    cluster.worker()
    workspace, meddler = Workspace(tmp_path / "w"), Meddler(cluster, what)
    start = partial(start_dask, str(cluster.file), Reach(), patience=Patience(missing=1, beat=0.2))
    explore(workspace, Request(SIZE, TARGET, 2, BATCH_LISTS), meddler, start)
    assert_same(workspace.path, alone)
    assert any("the Dask scheduler lost the order; trying again" in text for text in meddler.heard) == said


def test_dask_says_nothing_of_its_own() -> None:
    """It gives some of its loggers a level of their own."""
    words = (
        "import logging, setset.executors.dask.executor; "
        "names = [n for n in logging.root.manager.loggerDict if n.split('.')[0] in ('distributed', 'tornado')]; "
        "print('distributed.client' in names, [n for n in names if logging.getLogger(n).isEnabledFor(logging.ERROR)])"
    )
    said = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert said.stdout == "True []\n"


def test_no_worker_ends_the_run(cluster: Cluster, tmp_path: Path) -> None:
    from setset.executors.dask.client import Patience
    from setset.executors.dask.executor import start_dask

    start = partial(start_dask, cluster.address, Reach(), patience=Patience(empty=1))
    with pytest.raises(ExecutorLost, match="no worker of the Dask cluster was ready for 1 seconds"):
        explore(Workspace(tmp_path / "w"), Request(3), Unwatched(), start)


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['distributed'] = None; sys.argv[0] = 'setset'\n"
        "from setset.cli import main; main()"
    )
    arguments = ["run", "--size", "3", "--executor", "dask", "-w", str(tmp_path / "w")]
    found = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (
        1,
        "setset: a Dask cluster is an extra: pip install 'setset[dask]'\n",
    )
    assert not (tmp_path / "w").exists()


def test_a_run_without_dask_does_not_import_it() -> None:
    code = (
        "import sys; import setset.jobs.run, setset.cli.run\n"
        "print({'dask', 'distributed'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    assert found.stdout == "set()\n"


def test_any_other_executor_fits_the_same_door(tmp_path: Path) -> None:
    """As mpi4py.futures:MPIPoolExecutor does."""
    start = starter("concurrent.futures:ThreadPoolExecutor", Reach())
    explore(Workspace(tmp_path / "w"), Request(4), Unwatched(), start)
    assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]


@pytest.mark.parametrize(
    "name", ["", "dusk", "dask=", "nowhere:Executor", "os:Executor", "os:path", "math:sqrt", "math:pi"]
)
def test_an_unknown_executor_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--executor"):
        explore(Workspace(tmp_path / "w"), Request(3), Unwatched(), starter(name, Reach()))

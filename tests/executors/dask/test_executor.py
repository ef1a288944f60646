"""The same exploration on a Dask cluster: the same bytes, whoever joins, leaves or dies on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from setset.errors import SetsetError
from setset.executors.base import ExecutorLost
from setset.executors.dask.transfer import FileAccess
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import run
from setset.progress import Activity, NoProgress
from tests.executors.dask.conftest import BATCH_LISTS, ENVIRONMENT, LONGEST, Cluster, finish, start_run, until
from tests.small import BATCHES, COUNTS, SIZE, TARGET, digests, rows

pytest.importorskip("distributed")

import distributed

from setset.executors.dask.client import Timeouts
from setset.executors.dask.executor import DaskExecutor

pytestmark = [pytest.mark.cluster, pytest.mark.posix("sends signals")]

HERE = socket.gethostname()
FAILING = ("--preload", str(Path(__file__).parent / "failing_files.py"))


def assert_same(workspace: Path, alone: Path) -> None:
    assert digests(workspace) == digests(alone)
    assert rows(workspace, BATCHES) == rows(alone, BATCHES)


class Disturb(NoProgress):
    """Takes the next step after each task of the last size. A step that returns 0 is taken again."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self._steps, self._size = list(steps), 0
        self.heard: list[str] = []

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:  # noqa: ARG002
        self._size = size

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        if self._size == SIZE and self._steps and self._steps[0]() != 0:
            self._steps.pop(0)

    def notice(self, text: str) -> None:
        self.heard.append(text)


def _cancel(dask_scheduler: Any) -> int:
    """Cancels tasks as `Client.cancel(force=True)` of another client would."""
    mine = [key for key in dask_scheduler.tasks if str(key).startswith("setset-")]
    dask_scheduler.stimulus_cancel(
        keys=mine, client=next(iter(dask_scheduler.clients)), force=True, reason="test", msg="test"
    )
    return len(mine)


def _forget(dask_scheduler: Any) -> int:
    """The scheduler loses the tasks that the workers have, and tells nobody."""
    lost = 0
    for worker in dask_scheduler.workers.values():
        for task in list(worker.processing):
            worker.processing.remove(task)
            dask_scheduler.tasks.pop(task.key)
            lost += 1
    return lost


def _never_try_again(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 0


def _pause(dask_worker: Any, pause: bool = True) -> None:
    """Pauses a worker, as Dask does when memory is short."""
    dask_worker.status = distributed.core.Status.paused if pause else distributed.core.Status.running


@pytest.mark.parametrize("ship", [False, True], ids=["shared folder", "--ship"])
def test_bytes_do_not_depend_on_who_dies_and_who_joins(
    ship: bool, cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    """The scheduler loses tasks and cancels tasks, one of two workers dies, Dask pauses the other, and a third joins.

    With --ship no worker can open anything in the workspace: a run that ends well shows that none needs to.
    """
    folder = WorkspaceFolder(tmp_path / "w")
    options = FAILING if ship else ()
    hidden = {"SETSET_TEST_UNREADABLE": str(folder.path)} if ship else {}
    survivor, victim = (cluster.worker(*options, **hidden) for _ in range(2))
    # A result, too, must arrive within the limit for lost tasks.
    timeouts = Timeouts(lost_task=5, interval=0.2)
    start = partial(DaskExecutor, str(cluster.file), FileAccess(ship=ship), timeouts=timeouts)
    with cluster.client(workers=2) as client:
        (address,) = (address for address, pid in client.run(os.getpid).items() if pid == survivor.pid)
        listener = Disturb(
            partial(client.run_on_scheduler, _forget),
            partial(client.run_on_scheduler, _cancel),
            victim.kill,
            partial(client.run, _pause, workers=[address]),
            partial(cluster.worker, *options, **hidden),
        )
        run(folder, RunOptions(SIZE, TARGET, 2, BATCH_LISTS, executor=start), listener)
    heard = "\n".join(listener.heard)
    assert "the Dask scheduler lost the task; trying again" in heard
    assert f"a worker on {HERE} left" in heard
    assert f"worker on {HERE} is paused by Dask (short of memory" in heard
    assert f"a worker on {HERE} joined" in heard
    assert "given up" not in heard
    assert_same(folder.path, alone)


def test_workers_need_to_see_the_storage_which_may_have_another_path_there(
    cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    """The coordinator's path is closed to the workers. They are refused in one line, until --map names a path of
    theirs. A map for a host goes before a map for all."""
    workspace, elsewhere = tmp_path / "w", tmp_path / "mounted"
    elsewhere.symlink_to(tmp_path)
    for _ in range(2):
        cluster.worker(*FAILING, SETSET_TEST_UNREADABLE=str(workspace))
    nowhere = f"{tmp_path}=/nowhere"
    for maps, root in ([], f"{workspace}/batches"), ([nowhere], "/nowhere/w/batches"):
        start = partial(DaskExecutor, str(cluster.file), FileAccess.parse(maps, ship=False))
        with pytest.raises(SetsetError, match=f"worker on {HERE} cannot see the storage root {root}: mount") as refused:
            run(WorkspaceFolder(workspace), RunOptions(SIZE, TARGET, 1, BATCH_LISTS, executor=start))
        assert str(refused.value).count(HERE) == 1
        assert rows(workspace, "SELECT attempts, state FROM expansions") == [(0, "planned")]
    maps = ["--map", nowhere, "--map", f"{HERE}:{tmp_path}={elsewhere}"]
    code, said = finish(start_run("-w", str(workspace), "--executor", f"dask={cluster.address}", *maps))
    assert code == 0, said
    assert_same(workspace, alone)


def test_an_expansion_that_kills_its_worker_is_given_up_and_named(cluster: Cluster, tmp_path: Path) -> None:
    """Three times, under a nanny that starts the worker again; the tasks beside it are not blamed, though Dask, if
    it does not try again by itself, says of each of them that it killed the worker."""
    workspace = tmp_path / "w"
    deadly = {
        "SETSET_TEST_DEADLY": "s04/0000000-001.setset",
        "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver",
    }
    cluster.worker("--nanny", "--nthreads", "4", *FAILING, **deadly)
    with cluster.client(workers=1) as client:
        client.run_on_scheduler(_never_try_again)
    code, said = finish(start_run("-w", str(workspace), "--executor", f"dask={cluster.file}"))
    assert code == 1, said
    assert (
        f"setset: the expansion of batch 1 of size 4 failed 3 times: WorkerDied: the worker on {HERE} died"
        in said.splitlines()[-1]
    )
    done = rows(workspace, "SELECT state, attempts FROM expansions WHERE size = 5 ORDER BY source")
    assert done == [("done", 1), ("failed", 3)] + [("done", 1)] * (len(done) - 2)
    assert len(done) > 2


def test_a_lost_scheduler_ends_the_run(cluster: Cluster, alone: Path, tmp_path: Path) -> None:
    """After a bounded wait, in one line, whether it hangs or is killed. Nothing is lost: the next run goes on."""
    cluster.worker()
    folder, options = WorkspaceFolder(tmp_path / "w"), RunOptions(SIZE, TARGET, 1, BATCH_LISTS)
    start = partial(DaskExecutor, str(cluster.file), FileAccess(), timeouts=Timeouts(scheduler=3))
    for number in signal.SIGSTOP, signal.SIGKILL:
        listener = Disturb(partial(cluster.scheduler.send_signal, number))
        with pytest.raises(ExecutorLost, match=r"^the Dask scheduler has not answered for 3 seconds; what was finis"):
            run(folder, replace(options, executor=start), listener)
        query = f"SELECT state, COUNT(*) FROM expansions WHERE size = {SIZE} GROUP BY state"
        assert dict(rows(folder.path, query)).keys() == {"done", "planned"}
        cluster.scheduler.send_signal(signal.SIGCONT)
    run(folder, replace(options, executor=ThreadPoolExecutor))
    assert_same(folder.path, alone)


def test_dask_says_nothing_of_its_own() -> None:
    """It gives some of its loggers a level of their own."""
    words = (
        "import logging, setset.executors.dask.executor; "
        "names = [n for n in logging.root.manager.loggerDict if n.split('.')[0] in ('distributed', 'tornado')]; "
        "print('distributed.client' in names, [n for n in names if logging.getLogger(n).isEnabledFor(logging.ERROR)])"
    )
    said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert said.stdout == "True []\n"


def test_a_run_without_a_ready_worker_ends_and_the_next_run_counts_as_without_a_cluster(
    cluster: Cluster, tmp_path: Path
) -> None:
    """The only worker is short of memory before the run begins. A line names it. After that --store, --count and
    --count-only, one after the other."""
    cluster.worker()
    start = partial(DaskExecutor, str(cluster.file), FileAccess())
    impatient = partial(start, timeouts=Timeouts(no_workers=1, line=0.5, interval=0.1))
    listener = Disturb()
    with cluster.client(workers=1) as client:
        (address,) = client.scheduler_info()["workers"]
        client.run(_pause)
        with pytest.raises(ExecutorLost, match="no worker of the Dask cluster was ready for 1 seconds"):
            run(WorkspaceFolder(tmp_path / "w"), RunOptions(3, executor=impatient), listener)
        client.run(_pause, pause=False)
    assert any(f"waiting for a worker: {address} is paused by Dask (short" in text for text in listener.heard)
    for name, executor in ("cluster", start), ("alone", ThreadPoolExecutor):
        for chosen in RunOptions(5, store=(4,), count=(5,)), RunOptions(6, count_only=True):
            options = replace(chosen, target=18, workers=1, batch_lists=100_000, executor=executor)
            run(WorkspaceFolder(tmp_path / name), options)
    assert_same(tmp_path / "cluster", tmp_path / "alone")
    counts = rows(tmp_path / "cluster", COUNTS)
    assert {row[1] for row in counts if row[3]} == {3, 4, 5, 6}
    assert counts == rows(tmp_path / "alone", COUNTS)


def test_adapt_starts_workers_for_a_run_that_waits_and_ends_them_after_it(tmp_path: Path) -> None:
    kernels = {"NUMBA_CACHE_DIR": ""}  # compiled already
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None, env=kernels) as cluster:
        cluster.adapt(minimum=0, maximum=1, interval="100ms")
        start = partial(DaskExecutor, cluster.scheduler_address, FileAccess(), timeouts=Timeouts(no_workers=LONGEST))
        run(WorkspaceFolder(tmp_path / "w"), RunOptions(4, executor=start))
        until(lambda: not cluster.scheduler.workers, "the end of the workers")
    assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]

"""The same exploration on a Dask cluster: the same bytes, whoever joins, leaves or dies on the way."""

from __future__ import annotations

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

from setset.executors.base import ExecutorLost
from setset.executors.dask.transfer import FileAccess
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import run
from setset.progress import Activity, NoProgress
from tests.executors.dask.conftest import (
    BATCH_LISTS,
    ENVIRONMENT,
    LONGEST,
    SIZE,
    TARGET,
    Cluster,
    finish,
    start_run,
    until,
)
from tests.small import BATCHES, COUNTS, digests, rows

distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.cluster, pytest.mark.posix("sends signals")]

HERE = socket.gethostname()
FAILING = ("--preload", str(Path(__file__).parent / "failing_files.py"))


def made(workspace: Path) -> int:
    """How many files of the last size there are."""
    return len(list(workspace.glob(f"batches/t{TARGET}/s{SIZE:02d}/*.setset")))


def assert_same(workspace: Path, expected: Path) -> None:
    assert digests(workspace) == digests(expected)
    assert rows(workspace, BATCHES) == rows(expected, BATCHES)


@pytest.mark.parametrize("ship", [False, True], ids=["shared folder", "--ship"])
def test_bytes_do_not_depend_on_who_dies_and_who_joins(
    ship: bool, cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    """One of two workers is killed in the middle and another one joins.

    With --ship no worker can open anything in the workspace: a run that ends well shows that none needs to.
    """
    workspace = tmp_path / "w"
    options = FAILING if ship else ()
    hidden = {"SETSET_TEST_UNREADABLE": str(workspace)} if ship else {}
    victim = cluster.worker(*options, **hidden)
    cluster.worker(*options, **hidden)
    process = start_run("-w", str(workspace), "--executor", f"dask={cluster.file}", *(["--ship"] if ship else []))
    until(lambda: made(workspace) > 20 or process.poll() is not None, "the first files")
    before = made(workspace)
    victim.send_signal(signal.SIGKILL)
    cluster.worker(*options, **hidden)
    code, errors = finish(process)
    assert code == 0, errors
    assert before < made(alone), "the worker was killed too late to matter"
    assert "given up" not in errors
    assert_same(workspace, alone)


def test_a_cluster_with_certificates(tmp_path: Path) -> None:
    """Scheduler, workers and coordinator have certificates of one authority; whoever has none is not let in."""
    made_for_this = distributed.Security.temporary()
    paths = {}
    for name, content in (
        ("CA_FILE", made_for_this.tls_ca_file),
        ("CERT", made_for_this.tls_client_cert),
        ("KEY", made_for_this.tls_client_key),
    ):
        paths[name] = tmp_path / f"{name}.pem"
        paths[name].write_text(content)
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    certificates = {f"{prefix}CA_FILE": str(paths["CA_FILE"])}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        certificates |= {f"{prefix}{role}__CERT": str(paths["CERT"]), f"{prefix}{role}__KEY": str(paths["KEY"])}
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster", "tls", **certificates, DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION="True")
    try:
        assert cluster.address.startswith("tls://")
        cluster.worker(**certificates)
        command = [sys.executable, "-m", "setset", "run", "--size", "4", "-q", "-w", str(tmp_path / "w")]
        command += ["--executor", f"dask={cluster.address}"]
        result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert (result.returncode, result.stdout) == (1, "")
        assert "no Dask scheduler answers" in result.stderr
        subprocess.run(command, env={**ENVIRONMENT, **certificates}, check=True)
    finally:
        cluster.close()
    assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]


def test_a_worker_sees_the_storage_under_a_path_of_its_own(cluster: Cluster, alone: Path, tmp_path: Path) -> None:
    """--map: the coordinator's folder is the worker's by another name; its own name is closed to the worker."""
    workspace, mounted = tmp_path / "w", tmp_path / "mounted"
    mounted.symlink_to(tmp_path)
    cluster.worker("--nthreads", "2", *FAILING, SETSET_TEST_UNREADABLE=str(workspace))
    process = start_run("-w", str(workspace), "--executor", f"dask={cluster.address}", "--map", f"{tmp_path}={mounted}")
    code, errors = finish(process)
    assert code == 0, errors
    assert_same(workspace, alone)


@pytest.mark.parametrize("mapped", [True, False], ids=["--map to nowhere", "no such folder"])
def test_workers_that_do_not_see_the_storage_get_one_line(mapped: bool, cluster: Cluster, tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    hidden = {} if mapped else {"SETSET_TEST_UNREADABLE": str(workspace)}
    for _ in range(2):
        cluster.worker(*(() if mapped else FAILING), **hidden)
    maps = ("--map", f"{tmp_path}=/nowhere") if mapped else ()
    code, errors = finish(start_run("-w", str(workspace), "--executor", f"dask={cluster.file}", *maps, "-q"))
    assert code == 1
    (line,) = errors.splitlines()
    root = "/nowhere/w/batches" if mapped else f"{workspace}/batches"
    assert f"worker on {HERE} cannot see the storage root {root}: mount it there" in line
    assert rows(workspace, "SELECT attempts, state FROM expansions") == [(0, "planned")]


@pytest.mark.parametrize(("threads", "cluster"), [("1", 3), ("4", 0)], indirect=["cluster"])
def test_an_expansion_that_kills_its_worker_is_given_up_and_named(
    threads: str, cluster: Cluster, tmp_path: Path
) -> None:
    """Three times, under a nanny that starts the worker again; the tasks beside it are not blamed, though Dask, if
    it does not try again by itself, says of each of them that it killed the worker."""
    workspace = tmp_path / "w"
    cluster.worker("--nanny", "--nthreads", threads, *FAILING, SETSET_TEST_DEADLY="s04/0000000-001.setset")
    smaller = ("--batch-lists", "200000")
    code, errors = finish(start_run("-w", str(workspace), "--executor", f"dask={cluster.file}", *smaller, size=5))
    assert code == 1, errors
    assert (
        f"setset: the expansion of batch 1 of size 4 failed 3 times: WorkerDied: the worker on {HERE} died"
        in errors.splitlines()[-1]
    )
    states = rows(workspace, "SELECT state, attempts FROM expansions WHERE size = 5 ORDER BY source")
    assert states == [("done", 1), ("failed", 3)] + [("done", 1)] * (len(states) - 2)
    assert len(states) > 2


class SignalScheduler(NoProgress):
    """Sends the scheduler a signal in the middle of the last size."""

    def __init__(self, cluster: Cluster, number: int) -> None:
        self._cluster, self._number, self._size = cluster, number, 0

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:  # noqa: ARG002
        self._size = size

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        if self._size == SIZE:
            self._cluster.scheduler.send_signal(self._number)


@pytest.mark.parametrize("name", ["SIGSTOP", "SIGKILL"], ids=["hangs", "vanishes"])
def test_a_lost_scheduler_ends_the_run(name: str, cluster: Cluster, alone: Path, tmp_path: Path) -> None:
    """After a bounded wait, in one line; nothing is lost, and the next run, here without a cluster, goes on."""
    from setset.executors.dask.client import Timeouts
    from setset.executors.dask.executor import DaskExecutor

    cluster.worker()
    folder, request = WorkspaceFolder(tmp_path / "w"), RunOptions(SIZE, TARGET, 1, BATCH_LISTS)
    start = partial(DaskExecutor, str(cluster.file), FileAccess(), timeouts=Timeouts(scheduler=2))
    with pytest.raises(ExecutorLost, match=r"^the Dask scheduler has not answered for 2 seconds; what was finis"):
        run(folder, replace(request, executor=start), SignalScheduler(cluster, getattr(signal, name)))
    states = dict(rows(folder.path, "SELECT state, COUNT(*) FROM expansions WHERE size = 6 GROUP BY state"))
    assert states.keys() == {"done", "planned"}
    run(folder, request)
    assert_same(folder.path, alone)


def cancel(client: Any) -> None:
    client.run_on_scheduler(_cancel)


def _cancel(dask_scheduler: Any) -> None:
    """Cancels tasks as `Client.cancel(force=True)` of another client would."""
    keys = [key for key in dask_scheduler.tasks if str(key).startswith("setset-")]
    dask_scheduler.stimulus_cancel(
        keys=keys, client=next(iter(dask_scheduler.clients)), force=True, reason="test", msg="test"
    )


def forget(client: Any) -> None:
    client.run_on_scheduler(_forget)


def _forget(dask_scheduler: Any) -> None:
    """The scheduler loses the tasks that the workers have, and tells nobody."""
    for worker in dask_scheduler.workers.values():
        for task in list(worker.processing):
            worker.processing.remove(task)
            dask_scheduler.tasks.pop(task.key)


def pause(client: Any) -> None:
    """Pauses a worker, as Dask does when memory is short."""
    client.run(_pause, workers=list(client.scheduler_info()["workers"])[:1])


def _pause(dask_worker: Any) -> None:
    dask_worker.status = distributed.core.Status.paused


class Disturb(NoProgress):
    """Does something to the cluster, once, in the middle of the last size."""

    def __init__(self, cluster: Cluster, what: Callable[..., None]) -> None:
        self._cluster, self._what, self._size = cluster, what, 0
        self.heard: list[str] = []

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:  # noqa: ARG002
        self._size = size

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        if self._size == SIZE:
            self._size = 0
            with distributed.Client(self._cluster.address, set_as_default=False) as client:
                self._what(client)

    def notice(self, text: str) -> None:
        self.heard.append(text)


@pytest.mark.parametrize(("what", "said"), [(cancel, False), (forget, True), (pause, False)])
def test_tasks_that_nobody_executes_are_assigned_again(
    what: Callable[..., None], said: bool, cluster: Cluster, alone: Path, tmp_path: Path
) -> None:
    from setset.executors.dask.client import Timeouts
    from setset.executors.dask.executor import DaskExecutor

    cluster.worker()
    cluster.worker()
    folder, disturb = WorkspaceFolder(tmp_path / "w"), Disturb(cluster, what)
    # A result, too, must arrive within this limit, so only the test that waits for it has a short one.
    timeouts = Timeouts(lost_task=3 if said else LONGEST, interval=0.2)
    start = partial(DaskExecutor, str(cluster.file), FileAccess(), timeouts=timeouts)
    run(folder, RunOptions(SIZE, TARGET, 2, BATCH_LISTS, executor=start), disturb)
    assert_same(folder.path, alone)
    assert any("the Dask scheduler lost the task; trying again" in text for text in disturb.heard) == said
    assert any(f"worker on {HERE} is paused by Dask (short of memory" in text for text in disturb.heard) == (
        what is pause
    )


def test_dask_says_nothing_of_its_own() -> None:
    """It gives some of its loggers a level of their own, and warns of workers with other versions of pandas."""
    words = (
        "import logging, warnings, distributed.versions, setset.executors.dask.executor; "
        "warnings.warn('a table', distributed.versions.VersionMismatchWarning); "
        "names = [n for n in logging.root.manager.loggerDict if n.split('.')[0] in ('distributed', 'tornado')]; "
        "print('distributed.client' in names, [n for n in names if logging.getLogger(n).isEnabledFor(logging.ERROR)])"
    )
    result = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert (result.stdout, result.stderr) == ("True []\n", "")


def test_no_worker_ends_the_run(cluster: Cluster, tmp_path: Path) -> None:
    """The only one is short of memory before the run begins. A line names it."""
    from setset.executors.dask.client import Timeouts
    from setset.executors.dask.executor import DaskExecutor

    cluster.worker()
    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=LONGEST)
        (address,) = client.scheduler_info()["workers"]
        pause(client)
    start = partial(
        DaskExecutor, cluster.address, FileAccess(), timeouts=Timeouts(no_workers=1, line=0.5, interval=0.1)
    )
    listener = Disturb(cluster, pause)
    with pytest.raises(ExecutorLost, match="no worker of the Dask cluster was ready for 1 seconds"):
        run(WorkspaceFolder(tmp_path / "w"), RunOptions(3, executor=start), listener)
    assert any(f"waiting for a worker: {address} is paused by Dask (short" in text for text in listener.heard)


def test_a_run_waits_for_a_healthy_worker_beside_a_sick_one(cluster: Cluster, tmp_path: Path) -> None:
    """The healthy one starts once the sick one is named."""
    from setset.executors.dask.client import Timeouts
    from setset.executors.dask.executor import DaskExecutor

    cluster.worker(*FAILING, SETSET_TEST_UNREADABLE=str(tmp_path))
    heard: list[str] = []

    class StartAnother(NoProgress):
        def notice(self, text: str) -> None:
            if "cannot see the storage root" in text and not heard:
                cluster.worker()
            heard.append(text)

    start = partial(DaskExecutor, cluster.address, FileAccess(), timeouts=Timeouts(other_workers=LONGEST))
    run(WorkspaceFolder(tmp_path / "w"), RunOptions(4, executor=start), StartAnother())
    assert f"waiting for a worker: {HERE} cannot see the storage root" in "\n".join(heard)
    assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]


def test_counts_and_chosen_sizes_are_those_of_a_run_without_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    """--store, --count and --count-only, one after the other."""
    from setset.executors.dask.executor import DaskExecutor

    cluster.worker()
    executors = {"cluster": partial(DaskExecutor, str(cluster.file), FileAccess()), "alone": ThreadPoolExecutor}
    for name, executor in executors.items():
        for request in (RunOptions(5, store=(4,), count=(5,)), RunOptions(6, count_only=True)):
            options = replace(request, target=18, workers=1, batch_lists=200_000, executor=executor)
            run(WorkspaceFolder(tmp_path / name), options)
    assert_same(tmp_path / "cluster", tmp_path / "alone")
    counts = rows(tmp_path / "cluster", COUNTS)
    assert {row[1] for row in counts if row[3]} == {3, 4, 5, 6}
    assert counts == rows(tmp_path / "alone", COUNTS)


def test_adapt_starts_workers_for_a_run_that_waits_and_ends_them_after_it(tmp_path: Path) -> None:
    from setset.executors.dask.client import Timeouts
    from setset.executors.dask.executor import DaskExecutor

    kernels = {"NUMBA_CACHE_DIR": ""}  # compiled already
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None, env=kernels) as cluster:
        cluster.adapt(minimum=0, maximum=1, interval="100ms")
        start = partial(DaskExecutor, cluster.scheduler_address, FileAccess(), timeouts=Timeouts(no_workers=LONGEST))
        run(WorkspaceFolder(tmp_path / "w"), RunOptions(4, executor=start))
        until(lambda: not cluster.scheduler.workers, "the end of the workers")
    assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]

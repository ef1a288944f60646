"""Processes or threads that cannot be started, and remains of a killed group."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from setset.errors import SetsetError
from setset.executors import local
from setset.executors.base import ExecutorLost
from setset.executors.local import LocalExecutor
from setset.spawning import spawn_context
from tests.service import service


def test_a_process_that_cannot_be_started_fails_the_task_and_hangs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(local, "WorkerProcess", refuse)
    executor = LocalExecutor(2)
    try:
        error = executor.submit(abs, -1).exception(timeout=120)
        assert isinstance(error, ExecutorLost)
        assert "no worker process can start: [Errno 11] Resource temporarily unavailable" in str(error)
        assert executor.submit(abs, -2).exception(timeout=120) is error, "also what comes later"
    finally:
        executor.shutdown(wait=False)


def test_a_worker_that_cannot_be_started_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    original, started, notices = local.WorkerProcess, [], list[str]()
    listening, given_up = threading.Event(), threading.Event()

    def start_one() -> local.WorkerProcess:
        if started:
            assert listening.wait(120)
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        started.append(True)
        return original()

    def hear(text: str) -> None:
        notices.append(text)
        if text.endswith("workers left: 1"):
            given_up.set()

    monkeypatch.setattr(local, "WorkerProcess", start_one)
    executor = LocalExecutor(2)
    executor.notice = hear
    listening.set()
    try:
        assert [executor.submit(abs, -n).result(timeout=120) for n in range(4)] == [0, 1, 2, 3]
        assert given_up.wait(120), notices
    finally:
        executor.shutdown(wait=True)


@pytest.mark.posix("sets limits of a process")
@pytest.mark.parametrize("processes", [1, 3, 4])
def test_a_limit_on_processes_is_one_line(processes: int) -> None:
    """`ulimit -u`: too few for the threads of the run, or for its processes."""
    if os.geteuid() != 0:
        pytest.skip("only root can become a user who has no other processes, which would count too")
    with service() as user:
        run = ("-m", "setset", "run", "--size", "3", "--target", "18", "--workers", "2")
        result = user.run(*run, processes=processes, seconds=120)
        assert result.returncode == 1
        last = result.stderr.splitlines()[-1]
        assert last.startswith(("setset: cannot start 2 workers: ", "setset: no worker process can start: "))
        assert last.endswith("try fewer with --workers, or see the limit on processes ('ulimit -u')")
        assert "Traceback" not in result.stderr


def test_a_thread_that_cannot_be_started_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(SetsetError, match=r"cannot start 3 workers.*try fewer with --workers"):
        LocalExecutor(3)


@pytest.mark.posix("duplicates the end of a pipe")
@pytest.mark.parametrize("moment", ["before it is ready", "at a call"])
def test_a_process_that_dies_is_noticed_while_its_end_of_the_pipe_is_open(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where this process keeps a handle of that end until the new process has taken it over."""
    context = spawn_context()
    own_end, worker_end = context.Pipe()
    monkeypatch.setattr(context, "Pipe", lambda: (own_end, worker_end))
    monkeypatch.setattr(local, "spawn_context", lambda: context)
    descriptor = os.dup(worker_end.fileno())
    process = local.WorkerProcess()
    answers: list[object] = []
    try:
        if moment == "at a call":
            assert process.wait_until_ready(lambda _: None) is None
            ask = threading.Thread(target=lambda: answers.append(process.call(partial(time.sleep, 600))), daemon=True)
        else:
            ask = threading.Thread(target=lambda: answers.append(process.wait_until_ready(lambda _: None)), daemon=True)
        ask.start()
        time.sleep(0.1)
        process.kill()
        ask.join(20)
        assert answers in ([None], ["it ended with code -9"]), "it waits for ever"
    finally:
        os.close(descriptor)


@pytest.mark.posix("the thread that sees the parent end differs")
def test_a_worker_that_cannot_start_a_thread_is_one_line() -> None:
    """`pids.max`: the process has started, and has room for nothing else."""
    program = (
        "import threading; from functools import partial; from multiprocessing import Pipe\n"
        "from setset.executors import local\n"
        'def refuse(thread): raise RuntimeError("can\'t start new thread")\n'
        "threading.Thread.start = refuse\n"
        "here, there = Pipe()\n"
        "local._work(there)\n"
        "print(here.recv(), local._answer(partial(local._execute, threading.Thread().start)), flush=True)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    refused = '(True, RuntimeError("can\'t start new thread"))'
    lost = f'(True, ExecutorLost("a worker cannot start a thread (can\'t start new thread): {local.TRY_FEWER}"))'
    assert (result.stdout, result.stderr) == (f"{refused} {lost}\n", "")


@pytest.mark.posix("sends signals")
@pytest.mark.chaos
def test_a_killed_process_group_leaves_nothing_in_shared_memory(tmp_path: Path) -> None:
    shared = Path("/dev/shm")
    if not shared.is_dir():
        pytest.skip("no /dev/shm to look into")
    command = [sys.executable, "-m", "setset", "run", "--size", "7", "-q", "-w", str(tmp_path / "w")]
    with subprocess.Popen(command, start_new_session=True) as run:
        while not list(tmp_path.glob("w/batches/t12/s05/*.setset")):
            assert run.poll() is None
            time.sleep(0.05)
        names = {path.name for path in shared.iterdir() if _is_of(path, run.pid)}
        os.killpg(run.pid, signal.SIGKILL)
    assert names == set()


def _is_of(path: Path, pid: int) -> bool:
    """Whether a process has a file of shared memory open or mapped."""
    try:
        return path.name in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    except OSError:
        return False

"""Scenarios 1, 2, 7, 8, 11, 13 and 14: kills, locks, signals, clocks and a disk that goes, on real processes."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shutil
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable

import pytest

from setset.database.connection import BUSY_SECONDS
from tests.chaos.processes import CHECKOUT, Outcome, setset, wait_until
from tests.chaos.promises import require_same, require_whole, started
from tests.chaos.rounds import Reference, Sandbox, rows

pytestmark = pytest.mark.chaos

Copied = Callable[[], Sandbox]


def paused_between_commits(pid: int, sandbox: Sandbox) -> bool:
    """Stop a coordinator; let it go on, and say no, if it holds the database just now: readers wait for commits."""
    os.kill(pid, signal.SIGSTOP)
    with contextlib.closing(sqlite3.connect(sandbox.database, timeout=0)) as connection:
        try:
            connection.execute("SELECT COUNT(*) FROM runs").fetchone()
        except sqlite3.OperationalError:
            os.kill(pid, signal.SIGCONT)
            return False
    return True


def test_01_a_killed_worker_is_replaced(sandbox: Sandbox, reference: Reference) -> None:
    sandbox.workers = 2
    process = sandbox.start()
    assert wait_until(started(sandbox, 3))
    for worker in process.workers():
        worker.kill()
    outcome = sandbox.finish(process)
    assert outcome.code == 0, outcome.output
    assert "the worker process died" in outcome.output
    require_same(sandbox, reference)


def test_01_what_kills_its_worker_three_times_is_given_up(sandbox: Sandbox, reference: Reference) -> None:
    process = sandbox.start()
    while process.running:
        for worker in process.workers():
            with contextlib.suppress(Exception):
                worker.kill()
    outcome = sandbox.finish(process)
    assert outcome.code == 1
    # Killed at work, or already while it started.
    last = outcome.output.splitlines()[-1]
    assert "the seeds failed 3 times: WorkerDied" in last or "no worker process can start" in last
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


@pytest.mark.parametrize("files", [0, 4, 50])
def test_02_a_killed_coordinator_takes_its_workers_along_and_loses_nothing(
    sandbox: Sandbox, reference: Reference, files: int
) -> None:
    sandbox.workers = 2
    process = sandbox.start()
    assert wait_until(started(sandbox, files))
    process.popen.kill()
    assert process.end().code == 128 + signal.SIGKILL
    assert process.orphans(3.0) == []
    finished = {path: path.stat().st_mtime_ns for path in sandbox.files()}
    assert sandbox.go_on().code == 0
    unchanged = [path for path, mtime in finished.items() if path.stat().st_mtime_ns == mtime]
    assert len(unchanged) >= len(finished) - 30, "files of finished expansions are taken over"
    require_same(sandbox, reference)


def test_07_a_second_coordinator_leaves_at_once(sandbox: Sandbox, reference: Reference) -> None:
    process = sandbox.start()
    assert wait_until(started(sandbox, 1))
    assert wait_until(lambda: paused_between_commits(process.popen.pid, sandbox))
    second = setset("run", *sandbox.arguments())
    assert second.code == 11
    assert f"pid {process.popen.pid} on {socket.gethostname()}" in second.output
    for arguments in (["status"], ["sql", "SELECT COUNT(*) FROM batches"], ["count"]):
        assert sandbox.command(*arguments).code == 0
    # Files that workers have just written are not recorded yet; that is no fault.
    checked = sandbox.command("check")
    assert checked.code == 0, checked.output
    assert "is being written: it can be checked when the run is over" in checked.output
    process.popen.send_signal(signal.SIGCONT)
    assert sandbox.finish(process).code == 0
    require_same(sandbox, reference)


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN"])
def test_08_a_database_that_is_held_is_waited_for(sandbox: Sandbox, reference: Reference, lock: str) -> None:
    """A writer elsewhere, and a reader who keeps commits waiting."""
    process = sandbox.start()
    assert wait_until(sandbox.database.exists)
    connection = sqlite3.connect(sandbox.database, isolation_level=None, timeout=10)
    connection.execute(lock)
    connection.execute("SELECT COUNT(*) FROM runs").fetchone()
    time.sleep(BUSY_SECONDS + 1.5)
    connection.execute("ROLLBACK")
    connection.close()
    outcome = sandbox.finish(process)
    assert outcome.code == 0, outcome.output
    assert "the database is held by another program; waiting for it" in outcome.output
    require_same(sandbox, reference)


def test_08_ctrl_c_ends_the_waiting(copied: Copied, reference: Reference) -> None:
    sandbox = copied()
    connection = sqlite3.connect(sandbox.database, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    process = sandbox.start()
    time.sleep(4)
    process.interrupt()
    assert sandbox.finish(process).code == 130
    connection.execute("ROLLBACK")
    connection.close()
    require_same(sandbox, reference)


@pytest.mark.parametrize(
    ("number", "code", "files"), [(signal.SIGINT, 130, 10), (signal.SIGTERM, 143, 0), (signal.SIGHUP, 129, 10)]
)
def test_11_a_signal_ends_the_run_within_seconds(
    sandbox: Sandbox, reference: Reference, number: int, code: int, files: int
) -> None:
    process = sandbox.start()
    assert wait_until(lambda: sandbox.database.exists() and len(sandbox.files()) >= files)
    process.interrupt(number)
    start = time.monotonic()
    outcome = sandbox.finish(process)
    assert outcome.code == code, outcome.output
    assert time.monotonic() - start < 30, "seconds, on a machine that does other things too"
    assert "'setset run' resumes" in outcome.advice(sandbox.workspace)
    require_whole(sandbox)
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


def test_11_an_orderly_end_is_no_attempt(sandbox: Sandbox, reference: Reference) -> None:
    """A service or a batch system signals the whole group, workers and all, as often as it likes."""
    for files in (1, 16):
        process = sandbox.start()
        assert wait_until(started(sandbox, files))
        process.interrupt(signal.SIGTERM)
        outcome = sandbox.finish(process)
        assert outcome.code == 143, outcome.output
        assert "trying again" not in outcome.output
        attempts = rows(sandbox.database, "SELECT attempts, error FROM expansions WHERE state != 'done' AND attempts")
        assert attempts == []
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


def _shown(terminal: int) -> bool:
    """Reads what was written to a terminal, or who writes would have to wait."""
    while select.select([terminal], [], [], 0)[0]:
        os.read(terminal, 4096)
    return True


def test_11_a_closed_terminal_ends_the_run_in_order(sandbox: Sandbox, reference: Reference) -> None:
    terminal, child_end = pty.openpty()
    process = sandbox.start(terminal=child_end)
    os.close(child_end)
    assert wait_until(lambda: _shown(terminal) and len(sandbox.files()) >= 8)
    os.close(terminal)
    assert sandbox.finish(process).code == 129
    last = rows(sandbox.database, "SELECT outcome FROM runs ORDER BY id DESC LIMIT 1")
    assert last == [("interrupted; what was finished is recorded, 'setset run' resumes",)]
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


def test_11_nohup_outlives_its_terminal(sandbox: Sandbox, reference: Reference) -> None:
    process = sandbox.start(nohup=True)
    assert wait_until(started(sandbox, 8))
    process.interrupt(signal.SIGHUP)
    assert sandbox.finish(process).code == 0
    require_same(sandbox, reference)


def test_11_ctrl_c_does_not_wait_for_the_compiler(sandbox: Sandbox) -> None:
    node = sandbox.folder / "node"
    node.mkdir()
    process = sandbox.start(TMPDIR=str(node), NUMBA_CACHE_DIR=str(sandbox.folder / "numba"))
    assert wait_until(lambda: bool(list(node.glob("setset-numba-*/lock"))))
    process.interrupt()
    outcome = sandbox.finish(process)
    assert outcome.code == 130, outcome.output
    assert "first run: compiling" in outcome.output
    assert [path.name for path in node.glob("setset-numba-*/*")] == ["lock"], "it would be marked as done"
    assert sandbox.orphans == []


def test_11_ctrl_c_while_it_starts_is_one_line(sandbox: Sandbox) -> None:
    folder = sandbox.folder / "early"
    folder.mkdir()
    (folder / "click.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    outcome = sandbox.finish(sandbox.start(PYTHONPATH=f"{folder}{os.pathsep}{CHECKOUT}"))
    assert (outcome.code, outcome.output) == (130, "setset: interrupted\n")


def test_11_the_second_ctrl_c_is_immediate(sandbox: Sandbox, reference: Reference) -> None:
    process = sandbox.start()
    assert wait_until(started(sandbox, 2))
    workers = process.workers()
    for worker in workers:
        worker.suspend()
    process.interrupt()
    time.sleep(0.5)
    # It waits for what is in flight, unless all was done before its workers could be held.
    was_done = not process.running
    process.interrupt()
    assert wait_until(lambda: not process.running, 4.0)
    assert sandbox.finish(process).code in ((0, 130) if was_done else (130,))
    require_whole(sandbox)
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


JUMPING = """
import random, time
_time, _moments = time.time, random.Random(1)
time.time = lambda: _time() + _moments.choice([-86400.0, 0.0, 86400.0])
"""


def test_13_a_clock_that_jumps_decides_nothing(sandbox: Sandbox, reference: Reference) -> None:
    """In every process the clock jumps by a day and back, and files are older or younger than they are."""
    jumping = sandbox.folder / "jumping"
    jumping.mkdir()
    (jumping / "sitecustomize.py").write_text(JUMPING)
    process = sandbox.start(PYTHONPATH=f"{jumping}{os.pathsep}{CHECKOUT}")
    assert wait_until(started(sandbox, 10))
    process.popen.kill()
    sandbox.finish(process)
    for number, path in enumerate(sandbox.files()):
        os.utime(path, (0, 0) if number % 2 else (2e9, 2e9))
    outcome = sandbox.finish(sandbox.start(PYTHONPATH=f"{jumping}{os.pathsep}{CHECKOUT}"))
    assert outcome.code == 0
    sizes = json.loads(sandbox.command("status", "--json").output)["sizes"]
    assert all(size["lists_per_second"] > 0 and size["seconds_left"] is None for size in sizes)
    require_same(sandbox, reference)


@pytest.mark.parametrize("mount_point", [False, True])
def test_14_an_output_disk_that_disappears_loses_nothing(
    sandbox: Sandbox, reference: Reference, mount_point: bool
) -> None:
    sandbox.elsewhere = True
    process = sandbox.start()
    assert wait_until(started(sandbox, 6))
    away = sandbox.folder / "away"
    sandbox.root.rename(away)
    if mount_point:
        sandbox.root.mkdir()
    outcome = sandbox.finish(process)
    assert outcome.code == 1
    assert "is gone: bring it back" in outcome.output.splitlines()[-1]
    second_outcome = sandbox.run()
    assert (second_outcome.code, second_outcome.output.count("\n")) == (1, 1)
    assert "is gone: bring it back" in second_outcome.output
    assert not sandbox.root.exists() or not list(sandbox.root.iterdir())
    shutil.rmtree(sandbox.root, ignore_errors=True)
    away.rename(sandbox.root)
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


def test_14_an_output_disk_that_comes_back_in_time_is_not_noticed(sandbox: Sandbox, reference: Reference) -> None:
    sandbox.elsewhere = True
    process = sandbox.start()
    assert wait_until(started(sandbox, 6))
    away = sandbox.folder / "away"
    sandbox.root.rename(away)
    timer = threading.Timer(0.7, lambda: away.rename(sandbox.root))
    timer.start()
    outcome: Outcome = sandbox.finish(process)
    timer.join()
    assert outcome.code in (0, 1), outcome.output
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)

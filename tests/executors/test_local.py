"""Worker processes on this machine: a death is blamed on one task, and the others go on."""

from __future__ import annotations

import operator
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, wait

import psutil
import pytest

from setset.executors.base import WorkerDied, worker_count
from setset.executors.local import LocalExecutor, WorkerProcess

LONGEST = 400
"""Seconds after which a test fails instead of hanging."""


@pytest.fixture
def two() -> Iterator[LocalExecutor]:
    """Two workers."""
    executor = LocalExecutor(2)
    yield executor
    executor.shutdown(wait=False, cancel_futures=True)


def test_tasks_are_executed_elsewhere_and_their_errors_come_back(two: LocalExecutor) -> None:
    sums = [two.submit(operator.add, number, 1) for number in range(20)]
    failing = two.submit(operator.truediv, 1, 0)
    assert [future.result(LONGEST) for future in sums] == list(range(1, 21))
    assert isinstance(failing.exception(LONGEST), ZeroDivisionError)
    pids = {two.submit(os.getpid).result(LONGEST) for _ in range(10)}
    assert os.getpid() not in pids
    assert len(pids) <= 2
    assert worker_count(two, 2) == 2


def test_tasks_may_take_keyword_arguments(two: LocalExecutor) -> None:
    assert two.submit(int, "10", base=2).result() == 2


def test_a_death_is_blamed_on_the_task_that_ran(two: LocalExecutor) -> None:
    """With a `ProcessPoolExecutor` of two processes all that wait would fail."""
    futures = [two.submit(os._exit, 3) if n in (4, 5, 9) else two.submit(abs, n) for n in range(20)]
    wait(futures, LONGEST)
    victims = [n for n, future in enumerate(futures) if isinstance(future.exception(0), WorkerDied)]
    assert victims == [4, 5, 9]
    assert [future.result() for n, future in enumerate(futures) if n not in victims] == [
        n for n in range(20) if n not in victims
    ]


def test_a_worker_that_dies_idle_is_replaced() -> None:
    executor = LocalExecutor(1)
    try:
        first = executor.submit(os.getpid).result(LONGEST)
        psutil.Process(first).kill()
        deadline = time.monotonic() + LONGEST
        second = first
        while second == first and time.monotonic() < deadline:
            try:
                second = executor.submit(os.getpid).result(LONGEST)
            except WorkerDied:
                continue
        assert second != first
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def test_what_waits_is_cancelled_and_what_runs_is_finished() -> None:
    executor = LocalExecutor(1)
    running = executor.submit(time.sleep, 1)
    waiting = [executor.submit(abs, -1) for _ in range(5)]
    deadline = time.monotonic() + LONGEST
    while not running.running():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    executor.shutdown(wait=True, cancel_futures=True)
    assert running.result(0) is None
    for future in waiting:
        with pytest.raises(CancelledError):
            future.result(0)


def test_workers_end_at_once_if_nobody_waits() -> None:
    executor = LocalExecutor(2)
    pids = {executor.submit(os.getpid).result(LONGEST) for _ in range(10)}
    futures = [executor.submit(time.sleep, 600) for _ in range(2)]
    deadline = time.monotonic() + LONGEST
    while not all(future.running() for future in futures):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    start = time.monotonic()
    executor.shutdown(wait=False, cancel_futures=True)
    assert time.monotonic() - start < 60
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert all(isinstance(future.exception(LONGEST), WorkerDied) for future in futures)


class Watched(LocalExecutor):
    """Notes in which order its workers are started. The first one gives the others some seconds to be sooner."""

    def __init__(self, workers: int, seconds: float) -> None:
        self.started: list[int] = []
        self.others = threading.Event()
        self.seconds = seconds
        super().__init__(workers)

    def _start(self, place: int) -> WorkerProcess | str:
        if place == 0:
            self.others.wait(self.seconds)
        else:
            self.others.set()
        self.started.append(place)
        return super()._start(place)


def test_the_first_worker_starts_alone() -> None:
    """Two that load the compiler at the same time are both late."""
    with Watched(3, seconds=0.3) as executor:
        assert executor.submit(len, "ab").result(timeout=60) == 2
        assert executor.started[0] == 0


def test_the_others_do_not_wait_for_it_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setset.executors.local.HEAD_START", 0.05)
    with Watched(2, seconds=60) as executor:
        assert executor.submit(len, "ab").result(timeout=60) == 2
        assert executor.started[0] == 1

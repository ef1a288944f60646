"""The coordinator: the only writer of the database. It claims expansions, hands them to an executor and
records what comes back, all that is there in one transaction."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from types import FrameType

from setset.database import expansions
from setset.database import runs as logbook
from setset.database.expansions import Claim
from setset.database.models import State
from setset.database.store import Store
from setset.errors import Interrupted, NoSpace, SetsetError
from setset.executors.local import ExecutorLost, size_of
from setset.folder import RootGone, owner
from setset.jobs.progress import Watcher
from setset.tasks.execute import carry_out
from setset.tasks.kinds import BadSource, Job, Report

ATTEMPTS = 3
"""An expansion that failed this often is given up until the next run."""
WINDOW = 3
"""Orders in flight for each worker, so that none waits while the coordinator writes or for a message."""
DRAIN_SECONDS = 5.0
"""How long an interrupted run waits for what is in flight."""


class Stop:
    """Whether a signal asked the run to end. The second one ends it at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.at_once = threading.Event()

    def __bool__(self) -> bool:
        return self.signal is not None

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is None:
            self.signal = number
        elif not self.at_once.is_set():
            # Whatever the run is waiting for, it is left: files are whole or absent, transactions too.
            self.at_once.set()
            self.raise_if_set()

    @contextmanager
    def listening(self) -> Iterator[Stop]:
        """Takes SIGINT and SIGTERM for as long as the context lasts."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {number: signal.signal(number, self._receive) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def raise_if_set(self) -> None:
        if self.signal is not None:
            raise Interrupted(
                self.signal, "interrupted; what was finished is recorded, 'setset run' goes on from there"
            )


class Failed(SetsetError):
    """Some expansions were given up."""

    def __init__(self, failures: list[tuple[Job, str]]) -> None:
        super().__init__(failures)
        self.failures = failures

    def __str__(self) -> str:
        job, error = self.failures[0]
        more = f" (and {len(self.failures) - 1} more, see 'setset status')" if len(self.failures) > 1 else ""
        return f"{job} failed {ATTEMPTS} times: {error}{more}; 'setset run' tries again"


class Shift:
    """Works through one claim: from the first order handed out to the last report recorded."""

    def __init__(
        self,
        store: Store,
        claim: Claim,
        executor: Executor,
        workers: int,
        watcher: Watcher,
        stop: Stop,
        mend: Callable[[BadSource], None],
    ) -> None:
        self._store, self._claim, self._executor = store, claim, executor
        self._workers = workers
        self._watcher, self._stop, self._mend = watcher, stop, mend
        self._flying: dict[Future[Report], Job] = {}
        self._done: list[tuple[Job, Report]] = []
        self._again: list[tuple[Job, State, str]] = []
        self._failures: list[tuple[Job, str]] = []
        self._full: NoSpace | None = None
        self._landing = False
        self._lost: ExecutorLost | None = None

    def work(self) -> None:
        """Carries out all that is due. Raises what kept it from that, after recording what was finished."""
        try:
            self._turn(self._room())
            while self._flying:
                self._collect(0.2)
                if self._stop or self._lost:
                    break
                if self._done or self._again or self._joined():
                    self._turn(0 if self._full else self._room())
        finally:
            self._land()
        self._stop.raise_if_set()
        if self._lost:
            raise self._lost
        if self._full:
            raise self._out_of_space(self._full)
        if self._failures:
            raise Failed(self._failures)

    def _joined(self) -> bool:
        """Whether there are more workers than orders were handed out for."""
        return size_of(self._executor, self._workers) > self._workers

    def _room(self) -> int:
        """How many more orders may be in flight, with the workers that there are now."""
        workers = max(1, size_of(self._executor, self._workers))
        if workers != self._workers:
            self._workers = workers
            logbook.set_workers(self._store, self._claim.run_id, workers)
        return max(0, WINDOW * workers - len(self._flying))

    def _turn(self, want: int) -> None:
        """Records what came back and hands out what is due next."""

        jobs = expansions.turn(self._store, self._done, self._again, self._claim, want)
        done, self._done, self._again = self._done, [], []
        for job in jobs:
            self._flying[self._executor.submit(carry_out, job.order)] = job
        for job, report in done:
            counted = dict(report.counts).get(self._claim.size, 0)
            self._watcher.advance(job.lists_in, sum(batch.lists for batch in report.batches) + counted)

    def _collect(self, seconds: float) -> None:
        for future in wait(self._flying, timeout=seconds, return_when=FIRST_COMPLETED).done:
            job = self._flying.pop(future)
            if future.cancelled():
                self._put_back(job)
                continue
            error = future.exception()
            if error is None:
                self._done.append((job, future.result()))
            elif self._landing:
                self._put_back(job)
            elif isinstance(error, NoSpace):
                self._full = error
                self._put_back(job)
            elif isinstance(error, ExecutorLost):
                self._lost = error
                self._put_back(job)
            elif isinstance(error, BadSource):
                self._make_again(job, error)
            elif isinstance(error, (OSError, SetsetError, MemoryError)):
                self._require_root()
                self._try_again(job, f"{type(error).__name__}: {error}")
            else:
                raise error

    def _make_again(self, job: Job, bad: BadSource) -> None:
        self._watcher.notice(f"{bad}; making it again")
        try:
            self._mend(bad)
        except NoSpace as error:
            self._full = error
            self._put_back(job)
        except RootGone:
            # No fault of this expansion, and the others would meet it too.
            self._put_back(job)
            raise
        except (OSError, SetsetError) as error:
            self._require_root()
            self._try_again(job, f"{bad}, and cannot be made again: {error}")
        else:
            self._try_again(job, str(bad))

    def _put_back(self, job: Job) -> None:
        self._again.append((job, State.PLANNED, ""))

    def _try_again(self, job: Job, error: str) -> None:
        tried = Job(job.expansion_id, job.lists_in, job.attempts + 1, job.order)
        given_up = tried.attempts >= ATTEMPTS
        if given_up:
            self._failures.append((tried, error))
        self._watcher.notice(f"{job}: {error}; {'given up' if given_up else 'trying again'}")
        self._again.append((tried, State.FAILED if given_up else State.PLANNED, error))

    def _require_root(self) -> None:
        """A disk that has gone away is not the fault of any expansion."""
        for _ in range(ATTEMPTS):
            if owner(self._claim.root) is not None:
                return
            time.sleep(1)
        raise RootGone(self._claim.root)

    def _land(self) -> None:
        """Ends the shift: drops what has not begun, waits for the rest, records."""
        self._landing = True
        for future in self._flying:
            future.cancel()
        deadline = time.monotonic() + (DRAIN_SECONDS if self._stop else 600)
        while self._flying and time.monotonic() < deadline and not self._stop.at_once.is_set():
            self._collect(0.2)
        for job in self._flying.values():
            self._put_back(job)
        self._turn(0)

    def _out_of_space(self, error: NoSpace) -> NoSpace:
        """Says about how much is needed, from what the expansions before it took."""
        claim = self._claim
        _, left = expansions.remaining(
            self._store, claim.exploration, claim.work, claim.size, claim.source_size, claim.first
        )
        found, taken = self._store.stored(claim.exploration, claim.size)
        each = taken / found if found else 0.05
        need = left * 10 * each / 1e6
        return NoSpace(
            f"{error}; about {max(need, 1):,.0f} MB more are needed for size {claim.size}: make room in {claim.root}, "
            "or give another folder with --output, and run again"
        )


def default_workers() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""The coordinator: the only writer of the database. It claims expansions, hands them to an executor and
records what comes back, all that is there in one transaction.

When the last expansions of a stage are under way, the first ones of the next stage are handed out, as far as their
sources have numbers, so that no worker waits. Its coordinator takes over when this stage has ended well.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from setset.batches.roots import RootGone, RootState, require_root, root_state
from setset.database import Database, batches, expansions, runs
from setset.database.expansions import Claim, ClaimedExpansion, Unfinished
from setset.database.models import State
from setset.errors import NoSpace, SetsetError
from setset.executors.base import ATTEMPTS, ExecutorLost, worker_count
from setset.jobs.signals import StopRequest
from setset.progress import ProgressListener
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, TaskResult

WINDOW = 3
"""Tasks in flight for each worker, so that none waits while the coordinator writes or for a message."""
RECORD_SECONDS = 0.5
"""How long what came back may wait to be recorded together with more, if no worker has to wait for that."""
DRAIN_SECONDS = 5.0
"""How long an interrupted run waits for what is in flight."""


class ExpansionsFailed(SetsetError):
    """Some expansions were given up."""

    def __init__(self, failures: list[tuple[ClaimedExpansion, str]]) -> None:
        super().__init__(failures)
        self.failures = failures

    def __str__(self) -> str:
        expansion, error = self.failures[0]
        more = f" (and {len(self.failures) - 1} more, see 'setset status')" if len(self.failures) > 1 else ""
        return f"{expansion} failed {ATTEMPTS} times: {error}{more}; 'setset run' tries again"


class Coordinator:
    """Works through one claim: from the first task handed out to the last result recorded."""

    def __init__(
        self,
        database: Database,
        claim: Claim,
        executor: Executor,
        workers: int,
        progress: ProgressListener,
        stop: StopRequest,
        repair_source: Callable[[BadSource], None],
        get_next: Callable[[], Coordinator | None] = lambda: None,
    ) -> None:
        self._database, self.claim, self._executor = database, claim, executor
        self._workers = workers
        self._progress, self._stop, self._repair_source = progress, stop, repair_source
        self._get_next = get_next
        self._next: Coordinator | None = None
        self._is_ahead = True
        self._in_flight: dict[Future[TaskResult], ClaimedExpansion] = {}
        self._finished: list[tuple[ClaimedExpansion, TaskResult]] = []
        self._unfinished: list[Unfinished] = []
        self._failures: list[tuple[ClaimedExpansion, str]] = []
        self._no_space: NoSpace | None = None
        self._draining = False
        self._lost: ExecutorLost | None = None

    def work(self) -> Coordinator | None:
        """Does all that is due. Raises what kept it from that, after recording what was finished.

        Returns the coordinator of the next stage, if some of that is under way already.
        """
        self._is_ahead = False
        try:
            self._work()
        except BaseException:
            if self._next:
                self._next._drain()
            raise
        return self._next

    def start_ahead(self, want: int) -> None:
        """Hands out up to so many of the first expansions of a stage whose turn has not come yet."""
        expansions.plan(self._database, self.claim.stage)
        self._record_and_claim(want)

    def _work(self) -> None:
        try:
            self._record_and_claim(self._room())
            due = time.monotonic() + RECORD_SECONDS
            while self._in_flight:
                self._collect(0.2)
                if self._stop or self._lost:
                    break
                if not self._unfinished and self._all_have_more() and time.monotonic() < due:
                    continue
                due = time.monotonic() + RECORD_SECONDS
                if self._finished or self._unfinished or self._workers_joined():
                    self._record_and_claim(0 if self._no_space else self._room())
        except KeyboardInterrupt:
            # Without a handler of signals, as in a library: what is in flight has a few seconds, as with one.
            self._stop.receive(signal.SIGINT)
            raise
        finally:
            self._drain()
        self._stop.raise_if_set()
        if self._lost:
            raise self._lost
        if self._no_space:
            raise self._out_of_space(self._no_space)
        if self._failures:
            raise ExpansionsFailed(self._failures)

    def _all_have_more(self) -> bool:
        """Whether a task waits for each worker, besides the one that it is at."""
        return self._handed_out() > 2 * self._workers

    def _workers_joined(self) -> bool:
        """Whether there are more workers than tasks were handed out for."""
        return worker_count(self._executor, self._workers) > self._workers

    def _room(self) -> int:
        """How many more tasks may be in flight, with the workers that there are now."""
        workers = max(1, worker_count(self._executor, self._workers))
        if workers != self._workers:
            self._workers = workers
            runs.set_workers(self._database, self.claim.run_id, workers)
        return max(0, WINDOW * workers - self._handed_out())

    def _handed_out(self) -> int:
        return len(self._in_flight) + (len(self._next._in_flight) if self._next else 0)

    def _record_and_claim(self, want: int) -> None:
        """Records what came back and hands out what is due next."""
        claimed = expansions.record_and_claim(
            self._database, self.claim, self._finished, self._unfinished, want
        )
        finished, self._finished, self._unfinished = self._finished, [], []
        for expansion in claimed:
            self._in_flight[self._executor.submit(execute, expansion.task)] = expansion
        if self._is_ahead:
            # What is heard now is about the stage before.
            return
        for expansion, result in finished:
            counted = dict(result.counts).get(self.claim.stage.size, 0)
            self._progress.advance(expansion.lists_in, result.lists + counted)
        if want > len(claimed) and self._handed_out() < 2 * self._workers:
            self._next = self._next or self._get_next()
            if self._next:
                self._next.start_ahead(self._room())

    def _collect(self, seconds: float) -> None:
        for future in wait(self._in_flight, timeout=seconds, return_when=FIRST_COMPLETED).done:
            expansion = self._in_flight.pop(future)
            if future.cancelled():
                self._put_back(expansion)
                continue
            error = future.exception()
            if error is None:
                self._finished.append((expansion, future.result()))
            elif self._draining or self._stop:
                # Whatever went wrong by then: a worker that ends with the run is nobody's failure.
                self._put_back(expansion)
            elif isinstance(error, NoSpace):
                self._no_space = error
                self._put_back(expansion)
            elif isinstance(error, ExecutorLost):
                self._lost = error
                self._put_back(expansion)
            elif isinstance(error, BadSource):
                self._repair_and_retry(expansion, error)
            elif isinstance(error, (OSError, SetsetError, MemoryError)):
                self._require_root()
                self._retry(expansion, f"{type(error).__name__}: {error}")
            else:
                raise error

    def _repair_and_retry(self, expansion: ClaimedExpansion, bad: BadSource) -> None:
        self._progress.notice(f"{bad}; rebuilding it")
        try:
            self._repair_source(bad)
        except NoSpace as error:
            self._no_space = error
            self._put_back(expansion)
        except RootGone:
            # No fault of this expansion, and the others would meet it too.
            self._put_back(expansion)
            raise
        except (OSError, SetsetError) as error:
            self._require_root()
            self._retry(expansion, f"{bad}, and cannot be rebuilt: {error}")
        else:
            self._retry(expansion, str(bad))

    def _put_back(self, expansion: ClaimedExpansion) -> None:
        self._unfinished.append(Unfinished(expansion, State.PLANNED, ""))

    def _retry(self, expansion: ClaimedExpansion, error: str) -> None:
        tried = expansion.tried_again()
        given_up = tried.attempts >= ATTEMPTS
        if given_up:
            self._failures.append((tried, error))
        self._progress.notice(f"{expansion}: {error}; {'given up' if given_up else 'trying again'}")
        self._unfinished.append(Unfinished(tried, State.FAILED if given_up else State.PLANNED, error))

    def _require_root(self) -> None:
        """A disk that has gone away, or whose token is damaged, is not the fault of any expansion."""
        owner = self.claim.destination.owner
        for _ in range(ATTEMPTS):
            if root_state(self.claim.root, owner) is not RootState.MISSING:
                break
            time.sleep(1)
        require_root(self.claim.root, owner)

    def _drain(self) -> None:
        """Drops what has not begun, waits for the rest, records."""
        self._draining = True
        # Not left to `wait`: what is cancelled before a worker could take it never counts as done there.
        for future in [each for each in self._in_flight if each.cancel()]:
            self._put_back(self._in_flight.pop(future))
        deadline = time.monotonic() + (DRAIN_SECONDS if self._stop else 600)
        while self._in_flight and time.monotonic() < deadline and not self._stop.at_once.is_set():
            self._collect(0.2)
        for expansion in self._in_flight.values():
            self._put_back(expansion)
        self._record_and_claim(0)

    def _out_of_space(self, error: NoSpace) -> NoSpace:
        """Says about how much is needed, from what the expansions before it took, or else those of the size before."""
        claim, stage = self.claim, self.claim.stage
        _, left = expansions.remaining(self._database, stage, claim.first)
        known = (
            batches.totals(self._database, stage.exploration, size) for size in (stage.size, stage.size - 1)
        )
        lists, taken = next((totals for totals in known if totals[0]), (1, 0))
        need = left * 10 * taken / lists / 1e6
        return NoSpace(
            f"{error}; about {max(need, 1):,.0f} MB more are needed for size {stage.size}: make room in {claim.root}, "
            "or give another folder with --output, and run again"
        )

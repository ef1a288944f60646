"""Many calls with a few of them in flight at a time, their results in the order of the calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from setset.executors.base import ATTEMPTS, WorkerDied

AHEAD = 16

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def submit_ahead(
    items: Iterable[_Item], submit: Callable[[_Item], Future[_Result]], ahead: int = AHEAD
) -> Iterator[tuple[_Item, Future[_Result]]]:
    """Submits each item and gives it back with its finished future, in order, with at most `ahead` in flight.

    An item whose worker died is submitted again.
    """
    waiting: deque[tuple[_Item, Future[_Result]]] = deque()
    for item in items:
        waiting.append((item, submit(item)))
        if len(waiting) >= ahead:
            yield _finished(*waiting.popleft(), submit)
    while waiting:
        yield _finished(*waiting.popleft(), submit)


def _finished(
    item: _Item, future: Future[_Result], submit: Callable[[_Item], Future[_Result]]
) -> tuple[_Item, Future[_Result]]:
    for _ in range(1, ATTEMPTS):
        if not isinstance(future.exception(), WorkerDied):
            break
        future = submit(item)
    return item, future

"""Submits many calls to an executor, a limited number ahead, and yields the results in the order of the calls."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from typing import TypeVar

from setset.executors.base import ATTEMPTS, WorkerDied

AHEAD = 16

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def submit_ahead(
    items: Iterable[_Item], submit: Callable[[_Item], Future[_Result]], ahead: int = AHEAD
) -> Iterator[tuple[_Item, Future[_Result]]]:
    """Submits each item and yields it with its finished future, in order. At any moment, at most `ahead` submitted
    items are not yielded yet.

    If the worker of an item dies, submits the item again, up to ATTEMPTS times in total.
    """
    waiting: deque[tuple[_Item, Future[_Result]]] = deque()
    rest = iter(items)
    while True:
        waiting.extend((item, submit(item)) for item in islice(rest, ahead - len(waiting)))
        if not waiting:
            return
        item, future = waiting.popleft()
        for _ in range(1, ATTEMPTS):
            if isinstance(future.exception(), WorkerDied):
                future = submit(item)
        yield item, future

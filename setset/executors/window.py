"""Many calls with a few of them in flight at a time, their results in the order of the calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

AHEAD = 16

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def submit_ahead(
    items: Iterable[_Item], submit: Callable[[_Item], Future[_Result]], ahead: int = AHEAD
) -> Iterator[tuple[_Item, Future[_Result]]]:
    """Submits each item and gives it back with its future, in order, with at most `ahead` in flight."""
    waiting: deque[tuple[_Item, Future[_Result]]] = deque()
    for item in items:
        waiting.append((item, submit(item)))
        if len(waiting) >= ahead:
            yield waiting.popleft()
    yield from waiting

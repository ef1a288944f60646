"""Many calls, a few at a time."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.executors.base import ATTEMPTS, WorkerDied
from setset.executors.window import AHEAD, submit_ahead


def finished(number: int) -> Future[int]:
    future: Future[int] = Future()
    future.set_result(10 * number)
    return future


@given(st.lists(st.integers()), st.integers(1, 20))
def test_each_item_comes_back_in_order_with_its_own_future(items: list[int], ahead: int) -> None:
    results = [(item, future.result()) for item, future in submit_ahead(items, finished, ahead)]
    assert results == [(item, 10 * item) for item in items]


@pytest.mark.parametrize("ahead", [1, 2, AHEAD])
def test_so_many_are_in_flight_and_no_more(ahead: int) -> None:
    submitted: list[int] = []

    def submit(number: int) -> Future[int]:
        submitted.append(number)
        return finished(number)

    for index, _ in enumerate(submit_ahead(range(100), submit, ahead)):
        assert len(submitted) == min(index + ahead, 100)


def test_nothing_is_submitted_before_it_is_asked_for() -> None:
    """If the caller stops after an error or a signal, the rest is never submitted."""
    submitted: list[int] = []

    def submit(number: int) -> Future[int]:
        submitted.append(number)
        return finished(number)

    results = submit_ahead(iter(range(100)), submit, 4)
    assert submitted == []
    next(results)
    assert submitted == [0, 1, 2, 3]


def test_a_call_that_fails_is_told_in_its_turn() -> None:
    def submit(number: int) -> Future[int]:
        future = finished(number)
        if number == 1:
            future = Future()
            future.set_exception(ZeroDivisionError())
        return future

    errors = [future.exception() for _, future in submit_ahead(range(3), submit)]
    assert [type(error) for error in errors] == [type(None), ZeroDivisionError, type(None)]


@pytest.mark.parametrize("deaths", [1, ATTEMPTS - 1, ATTEMPTS])
def test_a_call_whose_worker_died_is_tried_again(deaths: int) -> None:
    tries = 0

    def submit(number: int) -> Future[int]:
        nonlocal tries
        future = finished(number)
        if number == 1:
            tries += 1
            if tries <= deaths:
                future = Future()
                future.set_exception(WorkerDied("gone"))
        return future

    errors = [future.exception() for _, future in submit_ahead(range(3), submit)]
    assert tries == min(deaths + 1, ATTEMPTS)
    assert [error is None for error in errors] == [True, deaths < ATTEMPTS, True]

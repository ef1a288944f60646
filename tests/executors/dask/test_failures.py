"""When a run says what it waits for."""

from setset.executors.dask.failures import REPEAT, WaitingLine


def test_a_line_after_some_seconds_and_again_every_minute() -> None:
    line = WaitingLine(2)
    assert [line.update("for a", now) for now in (10, 11, 12, 13)] == [[], [], ["for a"], []]
    assert line.update("for b", 14) == ["for b"], "a new reason, and the run waits already"
    assert line.update("for b", 14 + REPEAT) == ["for b"]
    assert line.update("", 99) == []
    assert line.update("for b", 100) == []


def test_a_wait_that_began_before_is_said_at_once() -> None:
    assert WaitingLine(2).update("for the scheduler", 10, since=7) == ["for the scheduler"]

"""Progress of a whole run."""

from __future__ import annotations

from types import SimpleNamespace as Some

import pytest

from setset.web import whole
from setset.web.whole import Pace, Segment, _speed


def test_the_first_answer_follows_the_recorded_speed() -> None:
    """Before the page has watched for some seconds. The size at work takes three quarters of the run."""
    segments = [Segment(7, "store", 1.0, 0.25, False), Segment(8, "store", 0.2, 0.75, False)]
    mine = {
        ("store", 7): Some(lists=100, running=0, lists_per_second=50.0),
        ("store", 8): Some(lists=60, running=2, lists_per_second=10.0),
    }
    estimate = Some(seconds=2.0, sizes=[Some(size=7, lists=100), Some(size=8, lists=300)])
    run = Some(id=1, outcome=None)
    found = _speed(segments, mine, run, estimate, Pace())  # type: ignore[arg-type]
    assert (round(found["share"], 3), found["lists_per_second"]) == (0.4, 10.0)
    assert round(found["seconds_left"], 6) == 300 / 10.0 / 0.75 * 0.6
    mine["store", 8].lists_per_second = None
    assert _speed(segments, mine, run, estimate, Pace())["seconds_left"] == 2.0  # type: ignore[arg-type]


def test_then_it_follows_the_last_minute() -> None:
    pace = Pace(run=1)
    pace.seen.extend([(0.0, 0.0, 0), (50.0, 0.1, 1000), (70.0, 0.3, 5000)])
    assert pace.speed() == ((0.3 - 0.1) / 20, 200.0)
    assert pace.sparkline() == [20, 200]


def test_the_pace_of_a_run_is_that_of_its_last_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.5, 10.0, 20.0, 100.0, 130.0, 140.0])
    monkeypatch.setattr(whole.time, "monotonic", lambda: next(clock))
    pace = Pace()
    assert pace.speed() is None
    for done, lists in ((0.0, 0), (0.1, 1), (0.2, 1_000), (0.3, 3_000), (0.4, 4_000), (0.7, 10_000)):
        pace.note(1, done, lists)
    share, lists_per_second = pace.speed() or (0, 0)
    assert (round(share, 6), lists_per_second) == (0.01, 200.0)
    assert pace.sparkline() == [100, 200, 12, 200]
    pace.note(2, 0.0, 0)
    assert (len(pace.seen), pace.speed()) == (1, None)

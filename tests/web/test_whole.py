"""Progress of a whole run."""

from __future__ import annotations

from types import SimpleNamespace as Some

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

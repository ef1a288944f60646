"""Progress on a terminal: notices come from any thread, and with any text."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from rich.progress import Progress

import setset
from setset.progress import Activity
from setset.show.progress import Bars, Lines, _RunProgress
from tests.terminal import plain


def test_a_notice_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    bars = Bars(None)
    bars.notice("worker on h cannot see /tmp/[caps]/x[/caps]y")
    assert "worker on h cannot see /tmp/[caps]/x[/caps]y" in capsys.readouterr().err


def test_there_is_one_display_however_many_threads_have_something_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    displays = []
    start = Bars._start

    def start_slowly(bars: Bars) -> Progress:
        time.sleep(0.05)
        displays.append(start(bars))
        return displays[-1]

    monkeypatch.setattr(Bars, "_start", start_slowly)
    bars = Bars(None)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(bars.notice, "abcdefgh"))
    assert len(displays) == 1


@pytest.mark.posix("the bars of Rich differ on a console of Windows")
@pytest.mark.parametrize("no_colour", [False, True])
def test_an_empty_bar_can_be_seen(
    no_colour: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    bars = Bars(None)
    bars.begin(5, Activity.STORE, tasks=2, lists_in=10)
    bars.close()
    (line, *_) = (line for line in plain(capsys.readouterr().err).splitlines() if "lists of 5" in line)
    assert ("|" in line, "━" in line) == (no_colour, not no_colour)


def test_one_list(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.begin(20, Activity.STORE, tasks=1, lists_in=1)
    lines.advance(20, 1, 1)
    lines.end(20)
    assert capsys.readouterr().err.startswith("lists of 20: 1 list, ")


def test_the_bar_of_a_run_that_resumes_goes_on_where_it_stood() -> None:
    """It knows other speeds by then, measured on a machine that was busy, and may have estimated otherwise."""
    estimate = setset.estimate(7, seconds=0, seed=1)
    progress = _RunProgress(estimate)
    for size in (3, 4, 5, 6):
        progress.set_done(size, 1.0)
    progress.set_done(7, 0.25)
    sizes = tuple(
        replace(
            size,
            due=0 if size.size < 7 else size.lists * 3 // 4,
            whole_seconds=size.whole_seconds * (50 if size.size < 7 else 0.2),
        )
        for size in estimate.sizes
    )
    resumed = _RunProgress(replace(estimate, sizes=sizes))
    assert resumed.share == pytest.approx(progress.share)
    assert resumed.share_of_size(7) == pytest.approx(0.25)
    assert 0 < progress.share < 1


def test_a_size_that_is_done_again_does_not_take_the_bar_back() -> None:
    progress = _RunProgress(setset.estimate(7, seconds=0, seed=1))
    progress.set_done(6, 1.0)
    before = progress.share
    progress.set_done(6, 0.0)
    assert progress.share == before


def test_a_size_is_told_of_while_another_is_under_way(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.begin(6, Activity.STORE, tasks=2, lists_in=20)
    lines.begin(5, Activity.STORE, tasks=1, lists_in=5)
    lines.advance(5, 5, 7)
    lines.end(5)
    lines.advance(6, 10, 100)
    lines.end(6)
    messages = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in messages] == ["lists of 5: 7 lists", "lists of 6: 100 lists"]
    assert messages[1].endswith("1 of 2 done")

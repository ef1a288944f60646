"""What a terminal shows of a run: notices come from any thread, and with any text."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from rich.progress import Progress

from setset.progress import Activity
from setset.show.progress import Bars, Lines
from tests.terminal import plain


def test_a_notice_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    bars = Bars(None)
    bars.notice("worker on h cannot see /tmp/[caps]/x[/caps]y")
    assert "worker on h cannot see /tmp/[caps]/x[/caps]y" in capsys.readouterr().err


def test_there_is_one_display_however_many_threads_have_something_to_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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

"""What a terminal shows of a run: notices come from any thread, and with any text."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from rich.progress import Progress

from setset.show.progress import Bars


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

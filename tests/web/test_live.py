"""The thread that looks for all viewers: whatever goes wrong, it says so and goes on."""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import setset
from setset.web import live
from setset.web.live import Live
from setset.web.site import Site
from tests.web.conftest import HOSTS


@pytest.fixture
def site(reference: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(live, "INTERVAL", 0.01)
    instance = Site(reference, HOSTS)
    yield instance
    instance.ending.set()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ESTALE, "Stale file handle <b>\udcff"), RuntimeError("Stale file handle <b>"), MemoryError("Stale")],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("place", ["watch", "render"])
def test_an_error_is_told_and_the_thread_goes_on(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, place: str
) -> None:
    failing = threading.Event()
    changed = setset.Watch.changed

    def fail() -> None:
        if failing.is_set():
            raise error

    def watch(self: setset.Watch) -> bool:
        if place == "watch":
            fail()
        return changed(self) or failing.is_set()

    def render() -> str:
        fail()
        return "all is well"

    monkeypatch.setattr(setset.Watch, "changed", watch)
    monkeypatch.setattr(live, "REST", 0)
    page = Live(site, render)
    page.viewers = 1
    page.start()
    wait_for(lambda: b"all is well" in page._event)
    failing.set()
    wait_for(lambda: b"Stale" in page._event)
    assert page._event.startswith(b'event: progress\ndata: <p class="problem">Progress cannot be read (')
    assert b"<b>" not in page._event
    time.sleep(0.1)
    failing.clear()
    wait_for(lambda: b"all is well" in page._event)
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1, "once, not at every look"

"""The limits --max-time and --max-disk of a run. A run that reaches a limit stops cleanly, and the next run resumes."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from setset.errors import Interrupted, SetsetError

if TYPE_CHECKING:
    from setset import StopRequest

SECONDS_BETWEEN_LOOKS = 0.5


class Amount(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.3 on
    """Type of an option: a number with a unit, such as 8h or 20GB. Converts it to seconds or bytes."""

    def __init__(self, name: str, units: dict[str, float], example: str) -> None:
        self.name, self._units, self._example = name, units, example

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([a-z]*)", str(value).strip().lower())
        unit = self._units.get(match[2]) if match else None
        if match is None or unit is None or not float(match[1]):
            self.fail(f"{value!r}, expected a number with a unit, such as {self._example}", param, ctx)
        return float(match[1]) * unit


TIME = Amount("time", {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}, "90s, 45m or 8h")
DISK = Amount("bytes", {"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}, "500MB or 20GB")


@contextlib.contextmanager
def limited(stop: StopRequest, workspace: Path, seconds: float | None, size: float | None) -> Iterator[None]:
    """Stops the run in the block when it reaches its time limit, or when its new files reach the size limit.

    Raises:
        SetsetError: The run reached a limit before its end.
    """
    reached: list[str] = []
    ended = threading.Event()
    began = time.monotonic()

    def watch() -> None:
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            if seconds is not None and time.monotonic() - began >= seconds:
                reached.append("--max-time")
            elif size is not None and _bytes_added(workspace) >= size:
                reached.append("--max-disk")
            if reached:
                stop.receive(signal.SIGTERM)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    if seconds is not None or size is not None:
        watcher.start()
    try:
        yield
    except Interrupted as error:
        if not reached:
            raise
        raise SetsetError(f"stopped by {reached[0]}: finished work is recorded, 'setset run' resumes") from error
    finally:
        ended.set()


def _bytes_added(workspace: Path) -> int:
    """Number of bytes of the files that the run has made so far; 0 if the database cannot be read."""
    import setset

    with contextlib.suppress(SetsetError, OSError), setset.open(workspace) as opened:
        return opened.runs(1)[0].bytes_added
    return 0

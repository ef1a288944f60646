"""What a run that nobody watches tells: events as JSON lines, and a log file. docs/unattended.md describes both."""

from __future__ import annotations

import contextlib
import datetime
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from setset.errors import BadInput, SetsetError
from setset.progress import Activity, ProgressListener
from setset.show.formatting import byte_count, duration, how_many, number, printable, to_json

Event = dict[str, Any]
Sink = Callable[[Event], None]

SECONDS_BETWEEN_EVENTS = 1.0
SECONDS_BETWEEN_LOG_LINES = 30.0


class NoEvents:
    """For a run whose events go nowhere."""

    def emit(self, event: str, **values: Any) -> None: ...

    def beside(self, progress: ProgressListener) -> ProgressListener:
        return progress


@contextlib.contextmanager
def run_events(as_json: bool, log: Path | None) -> Iterator[NoEvents | Events]:
    """Sends the events of a run to standard output, a log or both. An error that ends the run is the last event."""
    with contextlib.ExitStack() as stack:
        sinks: list[Sink] = [_json_sink()] if as_json else []
        if log is not None:
            try:
                file = stack.enter_context(log.open("a", encoding="utf-8", errors="backslashreplace"))
            except OSError as error:
                raise BadInput(f"--log {log}: {error.strerror}") from error
            sinks.append(_log_sink(file))
        events = Events(sinks)
        try:
            yield events
        except SetsetError as error:
            events.emit("stopped", reason=str(error), exit_code=error.exit_code)
            raise


class Events:
    """A listener that tells its sinks what it hears, with the time."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = sinks
        self._lock = threading.Lock()  # workers that come and go are noticed in a thread of their own
        self._sizes: dict[int, _SizeState] = {}

    def emit(self, event: str, **values: Any) -> None:
        """Tells an event."""
        moment = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        with self._lock:
            for sink in self._sinks:
                sink({"event": event, "time": moment.replace("+00:00", "Z"), **values})

    def beside(self, progress: ProgressListener) -> ProgressListener:
        """A listener that tells both what it hears."""
        return Several(progress, self)

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self._sizes[size] = _SizeState(activity, tasks, lists_in)
        self.emit("size_begun", size=size, activity=activity.value, expansions=tasks, lists_in=lists_in)

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        state = self._sizes[size]
        state.done, state.read, state.found = state.done + 1, state.read + lists_in, state.found + lists_out
        self.emit("expansion_done", size=size, lists_in=lists_in, lists_out=lists_out)
        if time.monotonic() - state.told >= SECONDS_BETWEEN_EVENTS:
            state.told = time.monotonic()
            share = state.read / state.lists_in if state.lists_in else state.done / max(state.tasks, 1)
            spent = state.told - state.began
            left = spent / share - spent if 0 < share <= 1 else None
            shown = {"share": round(share, 4), "seconds_left": _rounded(left)}
            self.emit("progress", size=size, **state.as_event(), **shown)

    def notice(self, text: str) -> None:
        self.emit("warning", text=text)

    def end(self, size: int) -> None:
        state = self._sizes.pop(size)
        event = "size_complete" if state.done >= state.tasks else "size_stopped"
        self.emit(event, size=size, **state.as_event(), seconds=_rounded(time.monotonic() - state.began))


class _SizeState:
    """How far a size is."""

    def __init__(self, activity: Activity, tasks: int, lists_in: int) -> None:
        self.activity, self.tasks, self.lists_in = activity, tasks, lists_in
        self.began = self.told = time.monotonic()
        self.done = self.read = self.found = 0

    def as_event(self) -> Event:
        return {
            "activity": self.activity.value,
            "done": self.done,
            "expansions": self.tasks,
            "lists": self.found,
        }


class Several:
    """Tells several listeners what it hears."""

    def __init__(self, *listeners: ProgressListener) -> None:
        self._listeners = listeners

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        for each in self._listeners:
            each.begin(size, activity, tasks, lists_in)

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        for each in self._listeners:
            each.advance(size, lists_in, lists_out)

    def notice(self, text: str) -> None:
        for each in self._listeners:
            each.notice(text)

    def end(self, size: int) -> None:
        for each in self._listeners:
            each.end(size)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _json_sink() -> Sink:
    """One object a line on standard output. Who stops reading does not stop the run."""

    def write(event: Event) -> None:
        try:
            sys.stdout.write(to_json(event) + "\n")
            sys.stdout.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    return write


def _log_sink(file: IO[str]) -> Sink:
    """One line an event. A disk that is full does not stop the run."""
    last = -SECONDS_BETWEEN_LOG_LINES

    def write(event: Event) -> None:
        nonlocal last
        if event["event"] == "expansion_done":
            return
        if event["event"] == "progress":
            if time.monotonic() - last < SECONDS_BETWEEN_LOG_LINES:
                return
            last = time.monotonic()
        with contextlib.suppress(OSError, ValueError):
            file.write(f"{event['time']} {printable(in_words(event))}\n")
            file.flush()

    return write


def in_words(event: Event) -> str:
    """An event as a line for people, without its time."""
    kind = event["event"]
    match kind:
        case "started":
            return f"started: {event['command']} (setset {event['version']}, pid {event['pid']} on {event['host']})"
        case "size_begun":
            sources = (
                f"{how_many(event['expansions'], 'expansion')}, {number(event['lists_in'])} lists to read"
            )
            return f"size {event['size']}: {event['activity']} begun, {sources}"
        case "progress":
            left = duration(event["seconds_left"])
            return f"size {event['size']}: {event['share']:.1%}, {number(event['lists'])} lists, {left} left"
        case "size_complete" | "size_stopped":
            done = f"{number(event['done'])} of {how_many(event['expansions'], 'expansion')}"
            how = f"{number(event['lists'])} lists, {done} in {duration(event['seconds'])}"
            return f"size {event['size']}: {kind.removeprefix('size_')}, {how}"
        case "warning":
            return f"warning: {event['text']}"
        case "stopped":
            return f"stopped: {event['reason']} (exit code {event['exit_code']})"
        case _:
            files = f"{how_many(event['files_added'], 'file')} ({byte_count(event['bytes_added'])})"
            made = f"{how_many(event['lists_added'], 'list')} in {files}, {number(event['lists_counted'])} counted"
            return f"finished: {made}, in {duration(event['seconds'])}, {event['folder']}"

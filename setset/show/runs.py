"""Writes the events of a run as JSON lines and to a log file, and prints the closing lines of a run.

docs/unattended.md describes the events and the log.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from setset import __version__
from setset.errors import BadInput, SetsetError
from setset.progress import Activity, NoProgress, ProgressListener
from setset.show.commands import command_line, pasteable
from setset.show.formatting import byte_count, duration, fields, how_many, number, print_line, printable, to_json
from setset.show.progress import Meter

if TYPE_CHECKING:
    from setset.database.runs import Run

Event = dict[str, Any]
Sink = Callable[[Event], None]

SECONDS_BETWEEN_EVENTS = 1.0
SECONDS_BETWEEN_LOG_LINES = 30.0


@contextlib.contextmanager
def run_events(as_json: bool, log: Path | None) -> Iterator[Events]:
    """Yields a listener that writes the events of a run to stdout, to a log file, or both. If an error ends the run,
    the last event reports the error."""
    with contextlib.ExitStack() as stack:
        sinks: list[Sink] = [_print_event] if as_json else []
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
            events.emit("stopped", reason=pasteable(str(error)), exit_code=error.exit_code)
            raise


class Events:
    """Progress listener that turns the calls of a run into events for sinks (functions that print or log an event).
    Forwards each call to a second listener, such as a progress bar."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = sinks
        self._second: ProgressListener = NoProgress()
        self._lock = threading.Lock()  # another thread reports workers that connect or leave
        self._meters: dict[int, Meter] = {}
        self._last_emitted: dict[int, float] = {}

    def emit(self, event: str, **values: Any) -> None:
        """Sends an event, with the current time, to all sinks."""
        moment = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        with self._lock:
            for sink in self._sinks:
                sink({"event": event, "time": moment.replace("+00:00", "Z"), **values})

    def forward_to(self, progress: ProgressListener) -> ProgressListener:
        """Sets `progress` as the second listener. Returns the listener for the run: this listener, or just `progress`
        if there are no sinks."""
        self._second = progress
        return self if self._sinks else progress

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:
        self._second.begin(size, activity, tasks, lists_in)
        self._meters[size] = Meter(size, activity, tasks, lists_in)
        self._last_emitted[size] = 0.0
        self.emit("size_begun", size=size, activity=activity.value, expansions=tasks, lists_in=lists_in)

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:
        self._second.advance(size, lists_in, lists_out)
        meter = self._meters[size]
        meter.advance(lists_in, lists_out)
        self.emit("expansion_done", size=size, lists_in=lists_in, lists_out=lists_out)
        if meter.spent - self._last_emitted[size] >= SECONDS_BETWEEN_EVENTS:
            self._last_emitted[size] = meter.spent
            left = None if meter.left is None else round(meter.left, 3)
            self._emit_state("progress", size, share=round(meter.share, 4), seconds_left=left)

    def notice(self, text: str) -> None:
        self._second.notice(text)
        self.emit("warning", text=pasteable(text))

    def waiting(self, text: str) -> None:
        self._second.waiting(text)
        self.emit("warning", text=pasteable(text))

    def end(self, size: int) -> None:
        self._second.end(size)
        meter = self._meters[size]
        event = "size_complete" if meter.finished else "size_stopped"
        self._emit_state(event, size, seconds=round(meter.spent, 3))

    def _emit_state(self, event: str, size: int, **values: Any) -> None:
        meter = self._meters[size]
        state = {"activity": meter.activity.value, "done": meter.done, "expansions": meter.tasks}
        self.emit(event, size=size, **state, lists=meter.lists_found, **values)


def _print_event(event: Event) -> None:
    """Prints an event as a JSON line. After a write error, later events are dropped, so that the run continues."""
    try:
        sys.stdout.write(to_json(event) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _log_sink(file: IO[str]) -> Sink:
    """Makes a sink that writes events to a log file, one per line. Ignores write errors, so that the run continues."""
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
    """Describes an event in words for the log, without its time."""
    kind = event["event"]
    match kind:
        case "started":
            return f"started: {event['command']} (setset {event['version']}, pid {event['pid']} on {event['host']})"
        case "size_begun":
            sources = f"{how_many(event['expansions'], 'expansion')}, {number(event['lists_in'])} lists to read"
            return f"size {event['size']}: {event['activity']} begun, {sources}"
        case "progress":
            left = duration(event["seconds_left"])
            return f"size {event['size']}: {event['share']:.1%}, {number(event['lists'])} lists, {left} left"
        case "size_complete" | "size_stopped":
            done = f"{number(event['done'])} of {how_many(event['expansions'], 'expansion')}"
            work = f"{number(event['lists'])} lists, {done} in {duration(event['seconds'])}"
            return f"size {event['size']}: {kind.removeprefix('size_')}, {work}"
        case "warning":
            return f"warning: {event['text']}"
        case "stopped":
            return f"stopped: {event['reason']} (exit code {event['exit_code']})"
        case _:
            files = f"{how_many(event['files_added'], 'file')} ({byte_count(event['bytes_added'])})"
            work = f"{how_many(event['lists_added'], 'list')} in {files}, {number(event['lists_counted'])} counted"
            return f"finished: {work}, in {duration(event['seconds'])}, {event['folder']}"


def describe_start(command: str, workspace: Path, target: int, size: int) -> dict[str, Any]:
    """Returns the values of the event `started`."""
    return {
        "command": command,
        "version": __version__,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "workspace": str(workspace.absolute()),
        "target": target,
        "size": size,
    }


def describe_end(run: Run, folder: Path, seconds: float) -> dict[str, Any]:
    """Returns the values of the event `finished`."""
    return {
        "run": run.id,
        **fields(run, "lists_added", "lists_counted"),
        "files_added": run.batches_added,
        "bytes_added": run.bytes_added,
        "folder": str(folder.absolute()),
        "seconds": round(seconds, 3),
    }


def print_end(
    run: Run, target: int, size: int, folder: Path, seconds: float, pruned: bool = False, first: int = 0
) -> None:
    """Prints the closing lines of a run on stderr: lists made, folder, time taken, and the next commands."""
    lines = []
    if run.lists_added:
        files = f"{how_many(run.batches_added, 'file')} ({byte_count(run.bytes_added)})"
        lines.append(f"made {number(run.lists_added)} lists in {files} in {duration(seconds)}: {folder}")
    if run.lists_counted:
        lines.append(f"counted {number(run.lists_counted)} lists of {size} cards in {duration(seconds)}")
    if run.repaired:
        lines.append(f"made again in {duration(seconds)}: {run.repaired}")
    if not lines:
        lines.append(f"nothing to do: all lists up to size {size} for target {target} exist already")
    lines.append(f"next: {_following(run, target, size, ' --prune' if pruned else '', first)}")
    with contextlib.suppress(OSError, ValueError):
        for line in lines:
            print_line(line, err=True)


def _following(run: Run, target: int, size: int, rule: str, first: int) -> str:
    """Returns the commands to suggest after a run."""
    option = "" if target == 12 else f" --target {target}"
    if run.lists_counted:
        return command_line("count")
    if first:  # the run began at a later source, and its files get numbers only after files of earlier sources exist
        return f"{command_line(f'run {size}{option}{rule}')}, which expands the sources before {first}"
    larger = f", or {command_line(f'run {size + 1}{option}{rule}')}" if size < 20 else ""
    return command_line(f"lists {size}{option}") + larger

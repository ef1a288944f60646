"""Real runs of setset in processes of their own, and all that becomes of those processes."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from setset.errors import quoted

CHECKOUT = Path(__file__).resolve().parents[2]
MARK = "SETSET_CHAOS"
PATIENCE = 600.0
"""Seconds after which a command counts as hanging."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it said."""

    code: int
    output: str

    @property
    def traceback(self) -> bool:
        return "Traceback (most recent call last)" in self.output

    def advice(self, workspace: Path) -> str:
        """Output, with commands for this workspace shortened to 'setset repair'."""
        option = re.escape(f" -w {quoted(workspace)}'")
        return re.sub(rf"'(?:python -m )?setset ([a-z][^']*?){option}", r"'setset \1'", self.output)


class Process:
    """One command, the leader of a process group of its own, as a shell would start it."""

    def __init__(
        self,
        *arguments: str,
        most_file_bytes: int | None = None,
        terminal: int | None = None,
        nohup: bool = False,
        **environment: str,
    ) -> None:
        self.mark = uuid.uuid4().hex
        self.outcome: Outcome | None = None
        variables = {**os.environ, "PYTHONPATH": str(CHECKOUT), **environment, MARK: self.mark}
        # Bytecode is kept, or every process of every round would compile the package anew.
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        code = [sys.executable, "-m", "setset"]
        if most_file_bytes is not None:
            limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most_file_bytes}, {most_file_bytes}))"
            code = [
                sys.executable,
                "-c",
                f"import resource, runpy, sys; {limit}; runpy.run_module('setset', run_name='__main__')",
            ]
        if terminal is not None:  # not only its output: what the system signals when it is closed
            control = "import fcntl, os, sys, termios; fcntl.ioctl(2, termios.TIOCSCTTY, 0)"
            code = [sys.executable, "-c", f"{control}; os.execv(sys.executable, sys.argv[1:])", *code]
        if nohup:
            code = ["nohup", *code]
        self.popen = subprocess.Popen(
            [*code, *arguments],
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=variables,
            start_new_session=True,
        )

    @property
    def running(self) -> bool:
        return self.popen.poll() is None

    def family(self) -> list[psutil.Process]:
        """All living descendants of this command, orphans included."""
        mark = f"{MARK}={self.mark}".encode()
        processes = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(psutil.Error, OSError):
                # A process that has ended and waits to be fetched has no environment.
                if mark in (entry / "environ").read_bytes():
                    processes.append(psutil.Process(int(entry.name)))
        return processes

    def workers(self) -> list[psutil.Process]:
        """The worker processes, youngest last; not multiprocessing's own."""
        workers = []
        for process in self.family():
            with contextlib.suppress(psutil.Error):
                if process.pid != self.popen.pid and "spawn_main" in " ".join(process.cmdline()):
                    workers.append(process)
        return sorted(workers, key=lambda process: process.pid)

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Sends the signal to the whole group, as Ctrl-C does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, number)

    def end(self) -> Outcome:
        """Waits for the end. A command that hangs is killed, with all that stems from it, and said to hang."""
        if self.outcome is None:
            self.outcome = self._end()
        return self.outcome

    def _end(self) -> Outcome:
        try:
            output, _ = self.popen.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            for process in self.family():
                with contextlib.suppress(psutil.Error):
                    process.kill()
            return Outcome(-1000, f"hangs after {PATIENCE} s: {self.popen.communicate()[0]}")
        code = self.popen.returncode
        # A shell reports death by a signal as 128 and its number.
        return Outcome(128 - code if code < 0 else code, output or "")

    def orphans(self, seconds: float = 5.0) -> list[int]:
        """Processes still alive `seconds` after the end."""
        deadline = time.monotonic() + seconds
        while (processes := self.family()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return [process.pid for process in processes]


def setset(*arguments: str) -> Outcome:
    """Runs a command to its end."""
    return Process(*arguments).end()


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True

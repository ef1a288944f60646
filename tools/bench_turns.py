"""Compares the wall time of commands that run in turns of some seconds: each command is stopped while another runs.

The speed of a shared machine changes by half from one minute to the next. Commands that run in turns all meet the same
conditions.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

TURN_SECONDS, LONG_TURN_SECONDS = 2.0, 10.0
"""Seconds per turn, short and long. After each stop a program of several processes loses time, because all its timers
are due. So programs that run for minutes have longer turns."""


@dataclass
class Contestant:
    """A command in a comparison, the seconds that it has run, and the peak memory of its largest process."""

    words: Sequence[str]
    seconds: float = 0.0
    memory: int = 0
    memory_of_child: int = 0
    _process: psutil.Popen | None = field(default=None, repr=False)

    def take_turn(self, seconds: float) -> bool:
        """Lets the command run for some seconds. Returns False if the command has ended."""
        start = time.monotonic()
        if self._process is None:
            self._process = psutil.Popen(self.words, stdout=subprocess.DEVNULL, start_new_session=True)
        else:
            os.killpg(self._process.pid, signal.SIGCONT)
        try:
            code = self._process.wait(timeout=seconds)
        except psutil.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGSTOP)
            self.seconds += time.monotonic() - start
            self._weigh(self._process)
            return True
        self.seconds += time.monotonic() - start
        if code != 0:
            raise SystemExit(f"failed: {' '.join(self.words)}")
        return False

    def _weigh(self, process: psutil.Popen) -> None:
        self.memory = peak(process.pid)
        for child in process.children(recursive=True):
            with contextlib.suppress(OSError):  # the process has just ended
                self.memory_of_child = max(self.memory_of_child, peak(child.pid))

    def kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


def take_turns(contestants: Sequence[Contestant], seconds: float = TURN_SECONDS) -> None:
    """Runs all commands in turns until all have ended."""
    running = list(contestants)
    try:
        while running:
            running = [contestant for contestant in running if contestant.take_turn(seconds)]
    finally:
        for contestant in running:
            contestant.kill()


def peak(pid: int) -> int:
    """Peak resident memory of a process in bytes, as the operating system recorded it."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM"):
            return 1024 * int(line.split()[1])
    return 0

"""A command on a terminal with somebody in front of it: what is on the screen, and what is typed."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import threading
import time
from pathlib import Path

import pyte

from tests.cli.conftest import SETSET

PATIENCE = 400.0
"""Seconds, on a busy machine."""


class Screen:
    """A setset command on a pseudo-terminal of 80 columns, or as many as are asked for."""

    def __init__(self, *arguments: str, workspace: Path, columns: int = 80) -> None:
        import fcntl
        import pty
        import termios

        self._screen = pyte.Screen(columns, 40)
        self._stream = pyte.ByteStream(self._screen)
        self._terminal, child_end = pty.openpty()
        fcntl.ioctl(child_end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        left_out = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}
        inherited = {name: value for name, value in os.environ.items() if name not in left_out}
        variables = {**inherited, "TERM": "xterm-256color", "SETSET_WORKSPACE": str(workspace)}
        self._process = subprocess.Popen(
            [*SETSET, *arguments], stdin=child_end, stdout=child_end, stderr=child_end, env=variables
        )
        os.close(child_end)

    @property
    def lines(self) -> list[str]:
        """Lines on the screen that are not empty."""
        return [line.rstrip() for line in self._screen.display if line.strip()]

    def line(self, start: str) -> str:
        """The one line that starts so, or nothing."""
        lines = [line for line in self.lines if line.startswith(start)]
        assert len(lines) <= 1, lines
        return lines[0] if lines else ""

    def percent(self, start: str) -> int:
        """Percentage that the bar with this title shows."""
        words = self.line(start).split()
        return int(words[words.index("%") - 1])

    def wait_for(self, text: str) -> None:
        """Until the screen shows this."""
        deadline = time.monotonic() + PATIENCE
        while not any(text in line for line in self.lines):
            assert time.monotonic() < deadline, self.lines
            assert self._read(), self.lines

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def interrupt_until_it_ends(self) -> None:
        """Repeats Ctrl-C, because Python misses a Ctrl-C just before it starts to wait for input."""

        def insist() -> None:
            while self._process.poll() is None:
                self.interrupt()
                time.sleep(1)

        threading.Thread(target=insist, daemon=True).start()

    def wait(self) -> int:
        """Until the command has ended; its exit code."""
        while self._read():
            pass
        os.close(self._terminal)
        return self._process.wait(PATIENCE)

    def _read(self) -> bool:
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # Linux says so when the last writer is gone
            return False
        self._stream.feed(data)
        return bool(data)

"""Asking a run to stop. The command line takes signals for that; a library leaves them alone."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from setset import platform
from setset.errors import Interrupted

TOGETHER = 1.0
"""Seconds within which signals are one request: some who ask a group of processes to end ask its leader twice."""
STOPPED = "interrupted; what was finished is recorded, 'setset run' goes on from there"


@dataclass(eq=False)
class StopRequest:
    """Whether a run was asked to end, and by which signal. The second Ctrl-C ends it at once.

    Example:
        >>> stop = setset.StopRequest()
        >>> stop.receive(2)
        >>> try:
        ...     setset.open(example.parent / "new", mode="a").exploration(18).run(size=3, stop=stop)
        ... except setset.Interrupted as error:
        ...     print(error.exit_code)
        130
    """

    signal: int | None = None
    at_once: threading.Event = field(default_factory=threading.Event)
    _since: float = 0.0

    def __bool__(self) -> bool:
        return self.signal is not None

    def receive(self, number: int, _frame: FrameType | None = None) -> None:
        """Handles a signal."""
        if self.signal is None:
            self.signal, self._since = number, time.monotonic()
        elif number != signal.SIGINT and time.monotonic() - self._since < TOGETHER:
            return
        elif not self.at_once.is_set():
            # Whatever the run is waiting for, it is left: files are whole or absent, transactions too.
            self.at_once.set()
            self.raise_if_set()

    @contextmanager
    def handling_signals(self) -> Iterator[StopRequest]:
        """Takes the signals that ask a program to end for as long as the context lasts.

        For command lines, in the main thread. SIGHUP stays ignored where it is: that is what `nohup` does.
        """
        hangup = getattr(signal, "SIGHUP", None)
        taken = [
            number
            for number in platform.STOP_SIGNALS
            if number != hangup or signal.getsignal(number) is not signal.SIG_IGN
        ]
        before = {number: signal.signal(number, self.receive) for number in taken}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def raise_if_set(self, message: str = STOPPED) -> None:
        """Raises `Interrupted` if the run was asked to end."""
        if self.signal is not None:
            raise Interrupted(self.signal, message)

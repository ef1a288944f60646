"""Requests to stop a run. Only the command line installs signal handlers."""

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
"""Seconds after the first signal during which further signals, except Ctrl-C, are ignored. Some systems send a signal
to a process group, and then again to its leader."""
STOPPED = "interrupted; what was finished is recorded, 'setset run' resumes"


@dataclass(eq=False)
class StopRequest:
    """A request to end a run, with its signal. The second Ctrl-C ends the run at once.

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
        """Records a signal as a request to stop. A second signal raises Interrupted at once."""
        if self.signal is None:
            self.signal, self._since = number, time.monotonic()
        elif number != signal.SIGINT and time.monotonic() - self._since < TOGETHER:
            return
        elif not self.at_once.is_set():
            # Safe at any moment, since files and transactions are complete or absent.
            self.at_once.set()
            self.raise_if_set()

    @contextmanager
    def handling_signals(self) -> Iterator[StopRequest]:
        """Within the context, a signal that would end the program requests a stop instead.

        Only the main thread of a command line may use it. If SIGHUP is ignored, as under `nohup`, it stays ignored.
        """
        hangup = getattr(signal, "SIGHUP", None)
        handled = [
            number
            for number in platform.STOP_SIGNALS
            if number != hangup or signal.getsignal(number) is not signal.SIG_IGN
        ]
        before = {number: signal.signal(number, self.receive) for number in handled}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def raise_if_set(self, message: str = STOPPED) -> None:
        """Raises `Interrupted` if a stop was requested."""
        if self.signal is not None:
            raise Interrupted(self.signal, message)

"""Child processes that do not import the user's script.

`multiprocessing` starts a new Python for each child, which imports the main module of its parent again. A
script that is not written for that, without `if __name__ == "__main__":`, would then run a second time in
each child. What setset sends to its children lives in its own modules, so they never need the main module:
processes of `spawn_context()` do without it, and any script may start them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import RLock, Thread
from typing import Any, Final

from setset import platform

_LOCK: Final = RLock()


def spawn_context() -> SpawnContext:
    """Like `multiprocessing.get_context("spawn")`, for processes that do not import the main module.

    Functions and arguments that are sent to such a process must not be defined in the main module.
    """
    return _Context()


@contextmanager
def without_main_module() -> Iterator[None]:
    """Processes that are started inside this block do not import the main module.

    `multiprocessing.spawn` tells a child the name or the file of the main module; if it has neither, the child
    imports nothing. Both are put back at the end. One thread at a time can be inside.
    """
    with _LOCK:
        main = sys.modules["__main__"]
        hidden: dict[str, Any] = {
            name: value for name, value in vars(main).items() if name in ("__spec__", "__file__")
        }
        vars(main).update(dict.fromkeys(hidden))
        try:
            yield
        finally:
            vars(main).update(hidden)


SILENT_IF_CUT_SHORT: Final = (
    "import sys; hook = sys.excepthook; sys.excepthook = lambda kind, *rest: "
    "kind.__name__ in ('EOFError', 'UnpicklingError') or hook(kind, *rest); "
)
"""What a child does first: if its parent is killed before it has said all that is to be done, that is no error."""


@contextmanager
def _silent_if_cut_short() -> Iterator[None]:
    """Processes that are started inside this block end without a word if they never hear what to do."""
    plain = spawn.get_command_line

    def command_line(**options: Any) -> list[str]:
        words = plain(**options)
        if "-c" in words:  # not in a frozen program
            words[words.index("-c") + 1] = SILENT_IF_CUT_SHORT + words[words.index("-c") + 1]
        return words

    spawn.get_command_line = command_line
    try:
        yield
    finally:
        spawn.get_command_line = plain


class _Process(SpawnProcess):
    def start(self) -> None:
        with without_main_module(), _silent_if_cut_short():
            super().start()


class _Context(SpawnContext):
    Process = _Process


def tie_to_parent() -> None:
    """Runs first in a child process: leaves Ctrl-C to the parent, and ends this process when the parent is gone.

    PR_SET_PDEATHSIG would not do: it fires when the *thread* that started the process ends, and a lost
    worker is replaced from a thread that ends soon.
    """
    platform.ignore_interrupts()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    platform.wait_for_end_of_parent()
    os._exit(1)

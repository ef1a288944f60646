"""Starts child processes that do not import the user's script.

`multiprocessing` starts a new Python for each child. The child imports the main module of its parent again. Without
`if __name__ == "__main__":` a script would then run a second time in each child. The functions that setset sends to its
children are in its own modules. So processes of `spawn_context()` need no main module, and any script may start them.

`multiprocessing` has no option to skip the main module, nor to run other statements first in a child. So
`_Process.start` replaces attributes of modules while it runs. (joblib has its own start method instead.)
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import RLock, Thread
from typing import Any, Final

from setset import platform

SILENT_IF_CUT_SHORT: Final = (
    "import sys; hook = sys.excepthook; sys.excepthook = lambda kind, *rest: "
    "kind.__name__ in ('EOFError', 'UnpicklingError') or hook(kind, *rest); "
)
"""First statements of a child process. They hide the traceback if the parent dies before it has sent the whole task."""
_LOCK: Final = RLock()
_get_command_line: Final = spawn.get_command_line


def spawn_context() -> SpawnContext:
    """Returns a context like `multiprocessing.get_context("spawn")`, whose processes do not import the main module.

    Functions and arguments that are sent to such a process must not be defined in the main module.
    """
    return _Context()


class _Process(SpawnProcess):
    def start(self) -> None:
        # A child finds the main module by `__spec__` or `__file__`. If both are None, it imports no main module.
        main = vars(sys.modules["__main__"])
        with (
            _LOCK,
            _replaced(main, __spec__=None, __file__=None),
            _replaced(vars(spawn), get_command_line=_command_line),
        ):
            super().start()


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _replaced(names: dict[str, Any], **values: Any) -> Iterator[None]:
    """Replaces attributes of a module during the block. Ignores names that the module does not have."""
    before = {name: names[name] for name in values if name in names}
    names.update({name: values[name] for name in before})
    try:
        yield
    finally:
        names.update(before)


def _command_line(**options: Any) -> list[str]:
    words = _get_command_line(**options)
    if "-c" in words:  # not in a frozen program
        words[words.index("-c") + 1] = SILENT_IF_CUT_SHORT + words[words.index("-c") + 1]
    return words


def tie_to_parent() -> None:
    """Makes a child process ignore Ctrl-C, which the parent handles, and end when its parent ends.

    PR_SET_PDEATHSIG does not work here: Linux sends that signal when the *thread* that started the process ends, and a
    short-lived thread starts the process that replaces a lost worker.
    """
    platform.ignore_interrupts()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    platform.wait_for_end_of_parent()
    os._exit(1)

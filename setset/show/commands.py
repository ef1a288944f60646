"""Makes the commands in messages ready to paste.

Messages name commands in the form 'setset repair'. Before printing, `pasteable` replaces `setset` by the program as
the user called it, and adds the workspace if it is not the default one.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from setset.errors import quoted

DEFAULT_WORKSPACE = Path("setset-workspace")
PROGRAM = "SETSET_PROGRAM"
"""Environment variable with the name by which the user called the program. The script `tools/setset` sets it."""
_HAND_COMMANDS = ("classify", "identify", "odds", "sample", "members", "rank", "unrank", "find", "deal", "draw")
WITHOUT_WORKSPACE = frozenset(
    (
        *_HAND_COMMANDS,
        "play",
        "simulate",
        "sat",
        "hands",
        "partitions",
        "verify",
        "scheduler",
        "worker",
        "completion",
        "help",
    )
)
"""Commands that use no workspace."""

_NAMED = re.compile(r"'setset ([a-z][^']*)'")
_workspace: Path | None = None


def set_workspace(path: Path | None) -> None:
    """Sets the workspace that commands in messages get as option -w. None means the default workspace, without
    option."""
    global _workspace
    _workspace = None if path == DEFAULT_WORKSPACE else path


def program() -> str:
    """The program as the user called it: `setset`, `tools/setset`, `python -m setset`, or a path."""
    if called := os.environ.get(PROGRAM):
        return quoted(called)
    path = Path(sys.argv[0] or "setset")
    if path.parts[-2:] == ("setset", "__main__.py"):
        return "python -m setset"
    if path.parent == Path() or not path.stem.lower().startswith("setset"):  # called by a test or a notebook
        return "setset"
    installed = shutil.which(path.name)
    return path.stem if installed and Path(installed).resolve() == path.resolve() else quoted(path)


def command_line(words: str) -> str:
    """Completes a command so that it is ready to paste: program, words, and the workspace if needed.

    Args:
        words: The command without its program, such as `run 6 --target 18`.

    >>> command_line("run 6")
    'setset run 6'
    """
    needs = _workspace is not None and words.split()[0] not in WITHOUT_WORKSPACE and "--from-classes" not in words
    return f"{program()} {words}" + (f" -w {quoted(_workspace)}" if needs and _workspace is not None else "")


def commands_in(message: str) -> list[str]:
    """Returns the commands that a message names, ready to paste."""
    return [command_line(words) for words in _NAMED.findall(message)]


def pasteable(message: str) -> str:
    """Returns the message with every command in it, such as 'setset repair', ready to paste."""
    return _NAMED.sub(lambda named: f"'{command_line(named[1])}'", message) if "'setset " in message else message

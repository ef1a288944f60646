"""Commands that messages name, made ready to paste.

Messages everywhere name commands as 'setset repair'. Before a person sees them, `pasteable` writes the program as it
was called, and the workspace if it is not the default one.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from setset.errors import quoted

DEFAULT_WORKSPACE = Path("setset-workspace")
PROGRAM = "SETSET_PROGRAM"
"""Variable of the environment with the program as it was called; `tools/setset` sets it."""
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
"""Commands that need no workspace and take none."""

_NAMED = re.compile(r"'setset ([a-z][^']*)'")
_workspace: Path | None = None


def set_workspace(path: Path | None) -> None:
    """Sets the workspace of the command that runs; None for the default one."""
    global _workspace
    _workspace = None if path == DEFAULT_WORKSPACE else path


def program() -> str:
    """The program as the user called it: `setset`, `tools/setset`, `python -m setset`, or a path."""
    if called := os.environ.get(PROGRAM):
        return quoted(called)
    path = Path(sys.argv[0] or "setset")
    if path.parts[-2:] == ("setset", "__main__.py"):
        return "python -m setset"
    if path.parent == Path() or not path.stem.lower().startswith("setset"):  # a test, a notebook
        return "setset"
    known = shutil.which(path.name)
    return path.stem if known and Path(known).resolve() == path.resolve() else quoted(path)


def command_line(words: str) -> str:
    """The command that a person can paste.

    Args:
        words: The command without its program, such as `run 6 --target 18`.

    >>> command_line("run 6")
    'setset run 6'
    """
    needs = _workspace is not None and words.split()[0] not in WITHOUT_WORKSPACE and "--from-classes" not in words
    return f"{program()} {words}" + (f" -w {quoted(_workspace)}" if needs and _workspace is not None else "")


def pasteable(message: str) -> str:
    """A message with every command in it, such as 'setset repair', ready to paste."""
    return _NAMED.sub(lambda named: f"'{command_line(named[1])}'", message) if "'setset " in message else message


def examples(text: str) -> str:
    """Help text with the program as it was called in examples and in quoted commands."""
    called = program()
    if called == "setset":
        return text
    return re.sub(r"(^ +|')setset (?=[a-zA-Z])", lambda found: f"{found[1]}{called} ", text, flags=re.MULTILINE)

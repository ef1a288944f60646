"""Commands on a pseudo-terminal, as a person sees them."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

Screen = tuple[int, tuple[str, ...]]
"""How wide a terminal is, and what is run there."""

_END = "=== end of a command ==="
_PROGRAM = f"""
import fcntl, json, os, struct, sys, termios
from setset.cli import main

for columns, words in json.loads(sys.argv[1]):
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    sys.argv = ["setset", *words]
    try:
        main()
    except SystemExit as end:
        print("exit", end.code or 0)
    print({_END!r}, flush=True)
"""


def show(screens: Iterable[Screen], folder: Path, **environment: str) -> dict[Screen, str]:
    """Output of commands on terminals, without escape sequences. One process runs them all, in a folder."""
    commands = list(screens)
    program = [sys.executable, "-c", _PROGRAM, json.dumps(commands)]
    outputs = plain(read_terminal(program, folder, **environment)).split(f"{_END}\n")
    assert len(outputs) == len(commands) + 1, outputs[-1]
    for screen, text in zip(commands, outputs[:-1], strict=True):
        assert text.endswith("exit 0\n"), (screen, text)
    return {screen: text.removesuffix("exit 0\n") for screen, text in zip(commands, outputs[:-1], strict=True)}


def read_terminal(command: list[str], folder: Path, columns: int = 80, typed: str = "", **environment: str) -> str:
    """All that a process writes to a terminal of 24 lines until it ends, with escape sequences. `typed` is input."""
    import fcntl
    import pty
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", "PAGER": "cat", **environment}
    left_out = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "SETSET_WORKSPACE"}
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env={**inherited, **variables}):
        os.close(slave)
        os.write(master, typed.encode())
        output = b""
        while True:
            try:
                new = os.read(master, 65536)
            except OSError:  # Linux says so when the last writer is gone
                new = b""
            if not new:
                break
            output += new
    os.close(master)
    return output.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    """Without escape sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def places(line: str) -> int:
    """How many places a line takes on a terminal."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in line
    )

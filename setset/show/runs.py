"""How a run begins and ends, for people and for programs."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setset import __version__
from setset.show.formatting import byte_count, duration, how_many, number, print_line

if TYPE_CHECKING:
    from setset.database.runs import Run


def describe_start(command: str, workspace: Path, target: int, size: int) -> dict[str, Any]:
    """What the event `started` says."""
    return {
        "command": command,
        "version": __version__,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "workspace": str(workspace.absolute()),
        "target": target,
        "size": size,
    }


def describe_end(run: Run, folder: Path, seconds: float) -> dict[str, Any]:
    """What the event `finished` says."""
    return {
        "run": run.id,
        "lists_added": run.lists_added,
        "lists_counted": run.lists_counted,
        "files_added": run.batches_added,
        "bytes_added": run.bytes_added,
        "folder": str(folder.absolute()),
        "seconds": round(seconds, 3),
    }


def print_end(run: Run, target: int, size: int, folder: Path, seconds: float, pruned: bool = False) -> None:
    """What was made, where and in how long, and what could be next, on stderr like the progress before it."""
    of = "" if target == 12 else f" --target {target}"
    lines = []
    if run.lists_added:
        files = f"{how_many(run.batches_added, 'file')} ({byte_count(run.bytes_added)})"
        lines.append(f"made {number(run.lists_added)} lists in {files} in {duration(seconds)}: {folder}")
    if run.lists_counted:
        lines.append(f"counted {number(run.lists_counted)} lists of {size} in {duration(seconds)}")
    if not lines:
        lines.append(f"nothing to do: all up to size {size} for target {target} is there already")
    following = "setset count" if run.lists_counted else f"setset lists --size {size}{of}"
    if size < 20 and not run.lists_counted:
        following += f", or setset run --size {size + 1}{of}{' --prune' if pruned else ''}"
    lines.append(f"next: {following}")
    with contextlib.suppress(OSError, ValueError):
        for line in lines:
            print_line(line, err=True)

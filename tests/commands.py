"""Commands of setset within this process, as their own processes would do it.

A process takes a second to start, most of it imports, and as long for each of its workers; here these are threads.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

from setset.cli import main
from setset.executors import local, selection
from setset.export import lists

SUBCOMMANDS = (
    "export lists",
    "export classes",
    "export links",
    "export counts",
    "classes build",
    "classes list",
    "classes show",
    "db current",
    "db upgrade",
    "db backup",
    "db rebuild",
    "sat encode",
    "sat solve",
    "sat read",
)
"""Commands below commands."""


class Threads(ThreadPoolExecutor):
    """Workers that are gone when they are shut down, so that the process can be forked."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        super().shutdown(wait=True, cancel_futures=cancel_futures)


@contextlib.contextmanager
def threads_for_processes() -> Iterator[None]:
    """Commands have threads as their workers meanwhile."""
    with contextlib.ExitStack() as stack:
        for module in (local, selection, lists):
            stack.enter_context(patch.object(module, "LocalExecutor", Threads))
        yield


def run_here(*arguments: str, workspace: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command line; what its own process would have given."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True) for _ in range(2))
    if workspace is not None:
        environment["SETSET_WORKSPACE"] = str(workspace)
    with (
        threads_for_processes(),
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", ["setset", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as error:
            code = error.code
    texts = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["setset", *arguments], code, *texts)

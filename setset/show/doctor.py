"""Collects versions, installed extras and free disk space for `setset doctor`."""

import importlib.metadata
import importlib.util
import os
import platform
import sqlite3
from pathlib import Path

from setset import __version__
from setset.platform import free_bytes
from setset.show.commands import pasteable, program
from setset.show.formatting import byte_count, print_fields

EXTRAS = {
    "sat": ("pysat",),
    "dask": ("distributed",),
    "export": ("pyarrow",),
    "plot": ("altair", "vl_convert"),
    "web": ("starlette", "uvicorn"),
}
"""For each extra of setset, the modules that it installs."""
PACKAGES = ("numba", "numpy", "SQLAlchemy", "click")


def examine_programs(workspace: Path) -> dict[str, str]:
    """Returns facts about this installation (free disk space, extras, versions) by title."""
    present = {extra: all(map(importlib.util.find_spec, modules)) for extra, modules in EXTRAS.items()}
    versions = [f"{package} {importlib.metadata.version(package)}" for package in PACKAGES]
    system = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return {
        "free disk": f"{byte_count(free_bytes(workspace))} for {workspace.absolute()}",
        "extras": ", ".join(
            f"{extra} {'installed' if is_installed else 'missing'}" for extra, is_installed in present.items()
        ),
        "setset": f"{__version__}, called as {program()}",
        "versions": ", ".join([system, *versions]),
        "machine": f"{platform.platform()}, {os.cpu_count()} cores",
    }


def print_lines_of(lines: dict[str, str]) -> None:
    """Prints a line per fact: title and text. Commands in the text are ready to paste."""
    print_fields({title: pasteable(value) for title, value in lines.items()})

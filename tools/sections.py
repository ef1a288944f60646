"""Writes sections of docs/ between markers, each with the command, commit, date and machine of its figures."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
PERFORMANCE = ROOT / "docs" / "performance.md"
RELIABILITY = ROOT / "docs" / "reliability.md"


def write_section(page: Path, name: str, command: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Replaces a section of a page by a table, and by a line with the command, commit, date and machine of its figures.

    Args:
        page: Must have the markers `<!-- NAME: ... -->` and `<!-- end of NAME -->`.
        name: Name of the section.
        command: Command that gave the figures.
        rows: At least one row; all have the same columns.
    """
    text = page.read_text(encoding="utf-8")
    before, _, after = _split(text, name)
    origin = f"`{command}`, commit {commit()}, {today()}, {machine()}:"
    lines = ["", origin, "", *_table(rows), "", ""]
    page.write_text(before + "\n".join(lines) + after, encoding="utf-8", newline="\n")
    print(f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page}: section {name} written", file=sys.stderr)


def read_section(page: Path, name: str) -> list[dict[str, str]]:
    """Reads the rows of the table in a section. Empty if no tool has written the section yet."""
    _, section, _ = _split(page.read_text(encoding="utf-8"), name)
    heads, _, *rows = [_cells(line) for line in section.splitlines() if line.startswith("|")] or [[], []]
    return [dict(zip(heads, cells, strict=True)) for cells in rows]


def _split(text: str, name: str) -> tuple[str, str, str]:
    """Splits the text of a page into the parts before, in and after a section. The markers are in the outer parts."""
    section = re.search(rf"(?<=<!-- {re.escape(name)}: written by )[^\n]*-->\n(.*?)(?=<!-- end of )", text, re.DOTALL)
    if section is None:
        raise SystemExit(f"the page has no section '<!-- {name}: written by ... -->'")
    return text[: section.start(1)], section[1], text[section.end() :]


def _table(rows: Sequence[Mapping[str, object]]) -> Iterable[str]:
    yield _line(rows[0])
    yield _line(["---"] * len(rows[0]))
    for row in rows:
        yield _line(f"{value:,}" if isinstance(value, int) else value for value in row.values())


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def command_line(*options: str) -> str:
    """Returns the command that started this tool, without --write. `first` are words that the tool has removed
    already."""
    words = [word for word in sys.argv[1:] if word != "--write"]
    return shlex.join([f"tools/{Path(sys.argv[0]).stem}", *options, *words])


def commit() -> str:
    """Returns the short name of the checked-out commit, and whether files differ from it."""
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", "setset", "tools", "tests", "migrations")
    return _git("rev-parse", "--short", "HEAD") + (" with changes" if changes else "")


def code() -> str:
    """Returns a short name of the committed code in setset/, which changes only if a file in setset/ changes."""
    return _git("rev-parse", "--short", "HEAD:setset")


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def machine() -> str:
    """Describes this machine: processor, cores, memory, system and Python."""
    models = set(re.findall(r"^model name\s*: (.+)$", _processors(), re.MULTILINE)) or {platform.machine()}
    memory = psutil.virtual_memory().total / 2**30
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{', '.join(sorted(models))}, {os.cpu_count()} cores, {memory:.0f} GiB, {system}"


def _processors() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _git(*arguments: str) -> str:
    words = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

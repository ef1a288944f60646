"""The pages of the project and their examples: what they show, how it is run, and what it is compared with.

A block is an example if it shows commands (`$ setset ...`) or Python. It is run as a reader would run it: the
blocks of a page one after the other, in one folder. Comments right above a block, which a reader of the page does
not see, say what is special about it:

    <!-- with a workspace: setset run --size 5 -->    what was done before, in ./setset-workspace
    <!-- figures vary: times -->                      figures stand for any figure; numbers of lists (12,345) do not
    <!-- all figures vary: it draws lists -->         and these do too
    <!-- not run: needs hours -->                     and why

In what a command prints, `...` stands for anything.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import shlex
import shutil
import sys
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from setset.cli import main

ROOT = Path(__file__).parent.parent
TOP = ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in TOP), *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(r"^((?:<!--[^\n]*-->\n)*)( *)```([a-z]*)\n(.*?)^\2```$", re.MULTILINE | re.DOTALL)
_NOTE = re.compile(r"<!-- (with a workspace|(?:all )?figures vary|not run): (.+) -->")
_UNIT = r"(?: ?(?:B|kB|MB|GB|TB|ms|s|min|h|d|%|M lists/s)(?![\w/]))"
_FIGURE = re.compile(rf"[+-]?\d[\d.,]*(?:e[+-]\d+)?{_UNIT}?")
_LISTS = re.compile(r"\d{2,3}(?:,\d{3})+|\d{1,3}(?:,\d{3}){2,}")


_CHANCE = re.compile(r"^(?:setset: first run: compiling.*|.* M lists/s, [\d.]+%(?:, .* left)?)\n", re.MULTILINE)
"""Lines that commands print only once after an installation, or only if a size takes more than some seconds."""


@dataclass(frozen=True)
class Block:
    """Text between two fences of a page, and the comments above it."""

    page: Path
    line: int
    language: str
    text: str
    notes: dict[str, str]

    @property
    def is_example(self) -> bool:
        return (
            self.language in ("console", "python", "pycon")
            or re.search("^(\\$|>>>) ", self.text, re.MULTILINE) is not None
        )

    @property
    def not_run(self) -> str | None:
        return self.notes.get("not run")

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def read_blocks(page: Path) -> list[Block]:
    """All blocks of a page, examples or not."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start(3)) + 1, match[3], match[4], dict(_NOTE.findall(match[1])))
        for match in _BLOCK.finditer(text)
    ]


def count_notes(page: Path) -> int:
    """Number of such comments of a page, outside of blocks."""
    return len(_NOTE.findall(_BLOCK.sub(r"\1", page.read_text(encoding="utf-8"))))


def read_commands(block: Block) -> list[tuple[str, str]]:
    """Each command line that a block shows, and the output below it. Quotes and backslashes make lines longer."""
    commands = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        end = 1
        while lines[end - 1].endswith("\\\n") or "".join(lines[:end]).count('"') % 2:
            end += 1
        commands.append(("".join(lines[:end]).replace("\\\n", " ").strip(), "".join(lines[end:])))
    return commands


def run_command(line: str) -> str:
    """Output of a command line on both streams. A `|` may join commands: setset, `python -c`, mv, rm."""
    output = ""
    words = shlex.split(line, comments=True)
    while words:
        end = words.index("|") if "|" in words else len(words)
        output = _run_words(words[:end], output)
        words = words[end + 1 :]
    return output


class _Entered(io.BytesIO):
    name = "<stdin>"


def _run_words(words: list[str], text: str) -> str:
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)
    stdin = io.TextIOWrapper(_Entered(text.encode()), encoding="utf-8")
    with ExitStack() as stack:
        stack.enter_context(patch.object(sys, "argv", words))
        stack.enter_context(patch.object(sys, "stdin", stdin))
        stack.enter_context(redirect_stdout(output))
        stack.enter_context(redirect_stderr(output))
        if words[:2] == ["python", "-c"]:
            exec(words[2], {})
        elif words[0] == "mv":
            shutil.move(*words[1:])
        elif words[:2] == ["cp", "-r"]:
            shutil.copytree(*words[2:])
        elif words[0] == "rm":
            Path(*words[1:]).unlink()
        else:
            assert words[0] == "setset", f"only setset is run, not {words[0]}"
            with suppress(SystemExit):
                main()
    printed = output.buffer.getvalue().decode()  # type: ignore[attr-defined]
    return _CHANCE.sub("", printed)


def _level(text: str, keep_lists: bool) -> str:
    """The text with one and the same figure everywhere, and one blank where columns are as wide as their figures."""
    result = _FIGURE.sub(lambda match: match[0] if keep_lists and _LISTS.fullmatch(match[0].strip(".,")) else "0", text)
    return re.sub(" +", " ", result)


def matches(block: Block, expected: str, output: str) -> bool:
    """Whether it is what the page shows. A line of `...` alone stands for any lines, also none."""
    for note in ("figures vary", "all figures vary"):
        if note in block.notes:
            expected, output = (_level(text, note == "figures vary") for text in (expected, output))
    pattern = ""
    for line in expected.strip("\n").splitlines():
        pattern += "(?:.*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
    return re.fullmatch(pattern, output.strip("\n") + "\n" if output.strip("\n") else "") is not None


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Runs the statements of a block. Where a comment behind an expression is a literal, it is its value."""
    tree = ast.parse(block.text)
    lines = block.text.splitlines()
    with redirect_stdout(io.StringIO()):
        for statement in tree.body:
            if not isinstance(statement, ast.Expr):
                exec(compile(ast.Module([statement], []), str(block), "exec"), names)
                continue
            value = eval(compile(ast.Expression(statement.value), str(block), "eval"), names)
            comment = lines[(statement.end_lineno or 0) - 1][statement.end_col_offset or 0 :].strip()
            try:
                expected = ast.literal_eval(comment.removeprefix("#").strip())
            except (SyntaxError, ValueError):
                continue
            assert value == expected, f"{block}: {ast.unparse(statement)} is {value!r}"


def run_session(block: Block, names: dict[str, Any]) -> None:
    """Runs what a block shows of an interactive session."""
    session = doctest.DocTestParser().get_doctest(block.text, names, str(block), str(block.page), block.line)
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(
        session, out=report.append, clear_globs=False
    )
    names.update(session.globs)
    assert result.attempted > 0, block
    assert result.failed == 0, "".join(report)

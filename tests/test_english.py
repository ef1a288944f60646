"""Plain English: no docstring, comment, help text, message, heading or first sentence of a page stops a reader.

In tests/ only docstrings and comments count; other strings there are often output of the program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.documents import PAGES

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for folder in ("setset", "tools", "tests") for path in (ROOT / folder).rglob("*.py"))
COMMENT = re.compile(r"(?:^|\s)#[#!: ]*(.+)")
RULES = {
    "begins with a relative word": re.compile(r"^(What|Who|Whose|Which|That|Those|Of|Where)\b(?!.*\?)"),
    "begins without a subject": re.compile(r"^(Is|Are|Was|Were) (?!.*\?)"),
    "refers instead of naming": re.compile(
        r"\b(so many|so much|those that|those of|that of|one that|ones that|the other one)\b", re.IGNORECASE
    ),
}


def texts(source: str, messages: bool = True) -> Iterator[tuple[int, str]]:
    """Line and text of each comment and docstring, and if `messages` of all other strings."""
    nodes = list(ast.walk(ast.parse(source)))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if not messages and id(node) not in docstrings:
            continue
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value
    for number, line in enumerate(source.splitlines(), 1):
        if comment := COMMENT.search(line):
            yield number, comment[1]


def openings(page: str) -> Iterator[tuple[int, str]]:
    """Line and text of each heading of a page, and of the first line of its text."""
    is_code = is_open = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif line.startswith("#") and not is_code:
            yield number, line.lstrip("# ")
        elif line[:1].isalnum() and not is_code and not is_open:
            is_open = True
            yield number, line


def broken_rules(texts: Iterable[tuple[int, str]]) -> list[str]:
    """Line, rule and text of each break of a rule."""
    breaks = []
    for line, text in texts:
        words = " ".join(text.split())
        if words.count(" ") < 2 or "SELECT " in words:
            continue
        breaks += [f"{line}: {rule}: {words[:100]}" for rule, pattern in RULES.items() if pattern.search(words)]
    return breaks


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_is_written_in_plain_english(path: Path) -> None:
    is_test = path.is_relative_to(ROOT / "tests")
    assert broken_rules(texts(path.read_text(encoding="utf-8"), messages=not is_test)) == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_opens_in_plain_english(page: Path) -> None:
    assert broken_rules(openings(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_a_page_ends_with_a_next_step(page: Path) -> None:
    paragraphs = page.read_text(encoding="utf-8").strip().split("\n\n")
    assert "](" in paragraphs[-1], "the last paragraph links to a further page"


def test_each_rule_finds_its_breaks() -> None:
    source = (
        '"""What a run is asked for."""\n# Is told how it goes.\nhelp = f"Leave out so many {1}."\n'
        'good = "Whether it is locked.", "Is it sound? If not, why?", "that of", "SELECT that of x"\n'
    )
    assert [line.split(": ")[:2] for line in broken_rules(texts(source))] == [
        ["1", "begins with a relative word"],
        ["3", "refers instead of naming"],
        ["2", "begins without a subject"],
    ]
    assert [line[0] for line in broken_rules(texts(source, messages=False))] == ["1", "2"]
    page = "# What it costs\n```\n# Of code alone\n```\n\nOf a run.\nOf the second line.\n"
    assert [line[0] for line in broken_rules(openings(page))] == ["1", "6"]

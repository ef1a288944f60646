"""Plain English: no docstring, comment, help text or message begins or refers in a way that stops a reader."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for folder in ("setset", "tools") for path in (ROOT / folder).rglob("*.py"))
RULES = {
    "begins with a relative word": re.compile(r"^(What|Who|Whose|Which|That|Those|Of|Where)\b(?!.*\?)"),
    "begins without a subject": re.compile(r"^(Is|Are|Was|Were) (?!.*\?)"),
    "refers instead of naming": re.compile(
        r"\b(so many|so much|those that|those of|that of|one that|ones that|the other one)\b", re.IGNORECASE
    ),
}


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each comment, and of each string of several words."""
    tree = ast.parse(source)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, node.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#!: ")


def broken_rules(source: str) -> list[str]:
    """Line, rule and text of each break of a rule."""
    found = []
    for line, text in texts(source):
        words = " ".join(text.split())
        if words.count(" ") < 2 or "SELECT " in words:
            continue
        found += [f"{line}: {rule}: {words[:100]}" for rule, pattern in RULES.items() if pattern.search(words)]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_is_written_in_plain_english(path: Path) -> None:
    assert broken_rules(path.read_text(encoding="utf-8")) == []


def test_each_rule_finds_its_breaks() -> None:
    source = '''
"""What a run is asked for."""
# Is told how it goes.
help = f"Leave out so many {1}."
good = "Whether it is locked.", "Is it sound? If not, why?", "that of", "SELECT that of x"
'''
    assert [line.split(": ")[:2] for line in broken_rules(source)] == [
        ["2", "begins with a relative word"],
        ["4", "refers instead of naming"],
        ["3", "begins without a subject"],
    ]

"""docs/pattern.md names functions and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "pattern.md").read_text(encoding="utf-8")


def test_every_function_that_the_page_names_is_there() -> None:
    path, named = None, []
    for name in re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)):
        if name.endswith(".py"):
            path = ROOT / name
            assert path.is_file(), name
        elif path is not None and re.fullmatch(r"_?[a-z]\w+", name):
            named.append(name)
            assert f"def {name}(" in path.read_text(encoding="utf-8"), f"{path}: {name}"
    assert len(named) > 25


def test_every_line_of_code_that_the_page_quotes_is_there() -> None:
    """In one of the files that the page names behind it, up to the next heading."""
    quoted = 0
    for code, behind in re.findall(r"```text\n(.*?)```(.*?)(?=\n## )", PAGE, flags=re.DOTALL):
        sources = [(ROOT / name).read_text(encoding="utf-8") for name in re.findall(r"`(setset/[^`\n]+\.py)`", behind)]
        for line in code.splitlines():
            if line.strip() != "...":
                quoted += 1
                assert any(line.strip() in source for source in sources), line
    assert quoted >= 5

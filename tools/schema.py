#!/usr/bin/env python3
"""Writes the tables and views of docs/schema.md from setset/database/models.py and views.sql.

.venv/bin/python tools/schema.py              writes the section between the two marks
.venv/bin/python tools/schema.py --check      ends with 1 if the page is out of date
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from setset.database.models import METADATA
from setset.database.schema import VIEWS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "schema.md"
BEGIN, END = "<!-- made by tools/schema.py -->", "<!-- end of what tools/schema.py makes -->"


def section() -> str:
    """Describes all views and tables as Markdown."""
    lines = ["## Views", "", "| view | what it shows |", "|---|---|"]
    for name, text in re.findall(r"CREATE VIEW (\w+) AS -- (.*)", VIEWS.read_text(encoding="utf-8")):
        lines.append(f"| `{name}` | {text} |")
    for table in METADATA.sorted_tables:
        lines += ["", f"### Table `{table.name}`", "", f"A row for {table.comment}.", ""]
        lines += ["| column | type | meaning |", "|---|---|---|"]
        for column in table.columns:
            keys = [f"refers to `{key.target_fullname}`" for key in column.foreign_keys]
            meaning = "; ".join(filter(None, [column.doc, *keys]))
            kind = str(column.type) + ("" if column.nullable else " NOT NULL")
            lines.append(f"| `{column.name}` | {kind}{', key' if column.primary_key else ''} | {meaning} |")
    return "\n".join(lines)


def page() -> str:
    """Returns the text of docs/schema.md with a new section."""
    before, _, after = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n\n{section()}\n\n{END}{after.partition(END)[2]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    elif text != PAGE.read_text(encoding="utf-8"):
        print("docs/schema.md is out of date: run tools/schema.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws the pictures of docs/plot.md again, with the commands on that page."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("docs", "plot.md")


def commands(root: Path) -> list[list[str]]:
    """Finds the commands on the page that write into docs/plots."""
    lines = (root / PAGE).read_text(encoding="utf-8").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("setset plot ") and "docs/plots/" in line]


if __name__ == "__main__":
    (ROOT / "docs" / "plots").mkdir(exist_ok=True)
    for words in commands(ROOT):
        subprocess.run([sys.executable, "-m", "setset", *words, "--force"], check=True, cwd=ROOT)

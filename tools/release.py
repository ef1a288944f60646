#!/usr/bin/env python3
"""Prints the notes of a release from CHANGELOG.md, if tag, package, CITATION.cff and CHANGELOG.md name one version."""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = {
    "setset/__init__.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "CHANGELOG.md": r"^## (\d\S*)",
}
"""Pattern of the version per file; the first match counts."""


def disagreements(root: Path, version: str) -> list[str]:
    """Files that name another version, one line each."""
    lines = []
    for name, pattern in VERSIONS.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        if match is None or match[1] != version:
            lines.append(f"{name}: version {match[1] if match else 'missing'}, expected {version}")
    return lines


def notes(root: Path, version: str) -> str:
    """The section of this version in CHANGELOG.md, without its heading."""
    sections = re.split(r"^## (\S+).*\n", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True))[version].strip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tag", help="tag of the release, such as v0.2.0")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout to look at")
    options = parser.parse_args()
    version: str = options.tag.removeprefix("v")
    if lines := disagreements(options.root, version):
        print(*lines, sep="\n", file=sys.stderr)
        return 1
    print(notes(options.root, version), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Prints the notes of a release from CHANGELOG.md, if the tag, the package, CITATION.cff and CHANGELOG.md have the same
version. With --url it also makes the links of README.md absolute and adds the address to pyproject.toml, for PyPI."""

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
"""For each file with a version, the pattern that finds it. The first match counts."""


def disagreements(root: Path, version: str) -> list[str]:
    """Lists the files whose version differs from the tag, one line per file."""
    lines = []
    for name, pattern in VERSIONS.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        if match is None or match[1] != version:
            lines.append(f"{name}: version {match[1] if match else 'missing'}, expected {version}")
    return lines


def notes(root: Path, version: str) -> str:
    """Returns the section of a version in CHANGELOG.md, without its heading."""
    sections = re.split(r"^## (\S+).*\n", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True))[version].strip() + "\n"


def add_links(root: Path, version: str, url: str) -> None:
    """Writes the address of the repository into README.md, whose links are relative, and into pyproject.toml."""
    readme, project = root / "README.md", root / "pyproject.toml"
    text = readme.read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{url}/raw/v{version}/", text)
    text = re.sub(r"((?<!!)\[[^]]*\]\()(?!https?:)", rf"\1{url}/blob/v{version}/", text)
    readme.write_text(text, encoding="utf-8")
    pages = {"Source": url, "Changes": f"{url}/blob/v{version}/CHANGELOG.md", "Issues": f"{url}/issues"}
    table = "".join(f'{name} = "{page}"\n' for name, page in pages.items())
    text = project.read_text(encoding="utf-8")
    text = text.replace("[project.scripts]", f"[project.urls]\n{table}\n[project.scripts]")
    project.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tag", help="tag of the release, such as v0.2.0")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout to look at")
    parser.add_argument("--url", help="address of the repository, written into README.md and pyproject.toml")
    options = parser.parse_args()
    version: str = options.tag.removeprefix("v")
    if lines := disagreements(options.root, version):
        print(*lines, sep="\n", file=sys.stderr)
        return 1
    if options.url:
        add_links(options.root, version, options.url)
    print(notes(options.root, version), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

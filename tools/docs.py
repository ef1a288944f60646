#!/usr/bin/env python3
"""Builds the documentation as pages that work offline: README.md, docs/*.md, every command, the Python API.

    tools/docs                    into build/docs; open build/docs/index.html
    tools/docs FOLDER             elsewhere

docs/index.md arranges the pages: each of its headings becomes a part of the site, with the pages that are linked below
it. The build makes two further parts, which cannot be out of date: the commands from their `--help`, and the API from
docstrings. A broken link ends the build with exit code 1. Needs the extra setset[docs].
"""

from __future__ import annotations

import argparse
import inspect
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

import setset
from setset.cli import cli
from setset.cli.groups import GROUPS

ROOT = Path(__file__).resolve().parents[1]
INDEX = Path("docs", "index.md")
COMMANDS = Path("docs", "commands")
API = Path("docs", "api.md")
LINK = re.compile(r"(?<!!)\[([^]\[]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
"""Pattern of a link to another file: its text, its path and its anchor."""
WIDTH = 98
"""Width of the help texts of commands in characters."""
API_PARTS = {
    "workspace": "Workspaces",
    "symmetry": "Symmetry",
    "table": "The card table",
    "sat": "SAT",
    "errors": "Errors",
    "": "Results and progress",
}
"""Packages that have their own section in the API part, and the titles of the sections."""
SETTINGS = {
    "project": "setset",
    "version": setset.__version__,
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"],
    "root_doc": INDEX.with_suffix("").as_posix(),
    "html_theme": "furo",
    "html_title": f"setset {setset.__version__}",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "myst_heading_anchors": 4,
    "myst_links_external_new_tab": False,
    "autodoc_member_order": "bysource",
    "autodoc_typehints": "signature",
    "default_role": "literal",
    "add_module_names": False,
    "highlight_language": "text",
    "suppress_warnings": ["ref.python"],  # bytes, the type, and fields of that name
}


def walk(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Yields a command and all its subcommands, each with its full name and the output of its `--help`."""
    context = command.make_context(name, [], parent, resilient_parsing=True, terminal_width=WIDTH)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for subname in command.list_commands(context):
            subcommand = command.get_command(context, subname)
            assert subcommand is not None
            yield from walk(subcommand, subname, context)


def write_commands(folder: Path) -> None:
    """Writes a page per command with its subcommands, and a page that lists all commands like `setset --help`."""
    folder.mkdir(parents=True)
    (_, overview), *helps = walk(cli, "setset")
    index = ["# Commands", "The output of `setset --help`, and of `--help` for each command.", fence(overview)]
    for title, commands in GROUPS.items():
        index += ["```{toctree}", f":caption: {title}", ":titlesonly:", *commands, "```"]
        for name, summary in commands.items():
            page = [f"# setset {name}", summary]
            for path, text in helps:
                words = path.split()
                if words[1] == name:
                    page += [f"## {path}"] * (len(words) > 2) + [fence(text)]
            (folder / f"{name}.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")


def fence(text: str) -> str:
    return f"\n```text\n{text}\n```\n"


def write_api(path: Path) -> None:
    """Writes the page about the API: every name that `setset` exports, by package."""
    parts: dict[str, list[str]] = {title: [] for title in API_PARTS.values()}
    for name in setset.__all__:
        value = getattr(setset, name)
        if inspect.ismodule(value):
            continue
        package = getattr(value, "__module__", "").split(".")[1:2]
        title = API_PARTS.get("".join(package), API_PARTS[""])
        kind = "class" if inspect.isclass(value) else "function" if inspect.isroutine(value) else "data"
        parts[title].append(f".. auto{kind}:: setset.{name}\n" + "   :members:\n" * (kind == "class"))
    lines = ["# The Python API", "", "Every public name of `setset`. [A tour of the API](python.md) has examples."]
    for title, entries in parts.items():
        lines += ["", f"## {title}", "", "```{eval-rst}", *entries, "```"]
    charts = "\n".join(f".. autofunction:: setset.show.charts.{name}" for name in setset.charts.__all__)
    lines += ["", "## Charts", "", "As `setset.charts`.", "", "```{eval-rst}", charts, "```"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def arrange(index: str) -> str:
    """Adds a tree of the linked pages to each part of docs/index.md."""
    parts = re.split(r"^## (.*)\n", index, flags=re.MULTILINE)
    trees = []
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        pages = [path.removesuffix(".md") for _, path, _ in LINK.findall(text) if path.endswith(".md")]
        pages += ["commands/index", "api"] if title == "Reference" else []
        trees += ["```{toctree}", ":hidden:", ":titlesonly:", f":caption: {title}", *dict.fromkeys(pages), "```", ""]
    return index + "\n" + "\n".join(trees)


def stage(folder: Path) -> None:
    """Copies the pages and the files that they link to, and writes the generated pages."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    for page in ROOT.glob("*.md"):
        shutil.copy(page, folder)
    for page in folder.rglob("*.md"):
        folder_of_page = page.relative_to(folder).parent

        def carry(link: re.Match[str], folder_of_page: Path = folder_of_page) -> str:
            """Copies a linked file of the repository. A link to a folder becomes its text."""
            source, copy = (top / folder_of_page / link[2] for top in (ROOT, folder))
            if source.is_file() and not copy.exists():
                copy.resolve().parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
            return link[1] if source.is_dir() else link[0]

        page.write_text(LINK.sub(carry, page.read_text(encoding="utf-8")), encoding="utf-8")
    index = folder / INDEX
    index.write_text(arrange(index.read_text(encoding="utf-8")), encoding="utf-8")
    write_commands(folder / COMMANDS)
    write_api(folder / API)


def build(output: Path) -> int:
    """Builds the site. Returns the exit code. Replaces an earlier site only by a complete site."""
    from sphinx.application import Sphinx

    with tempfile.TemporaryDirectory() as scratch:
        source, pages, trees = (Path(scratch, name) for name in ("source", "pages", "trees"))
        stage(source)
        site = Sphinx(
            source, None, pages, trees, "html", SETTINGS, status=None, warning=sys.stderr, warningiserror=True
        )
        site.build(force_all=True)
        if site.statuscode:
            return site.statuscode
        start = INDEX.with_suffix(".html").as_posix()
        (pages / "index.html").write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={start}"><a href="{start}">setset</a>\n'
        )
        shutil.rmtree(pages / ".doctrees", ignore_errors=True)
        if output.exists():
            shutil.rmtree(output)
        shutil.copytree(pages, output)
    print(f"{output / 'index.html'}: {len(list(output.rglob('*.html')))} pages")
    return 0


def main() -> int:
    description, _, epilog = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    folder: Path = parser.parse_args().folder
    if folder.exists() and not (folder / "searchindex.js").exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty and not a site: name another folder")
    return build(folder)


if __name__ == "__main__":
    sys.exit(main())

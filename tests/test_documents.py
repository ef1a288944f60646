"""README.md and docs/*.md: every example is run, and prints what the page shows; every link leads somewhere."""

from __future__ import annotations

import difflib
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from setset.cli import cli
from tests.commands import threads_for_processes
from tests.documents import (
    PAGES,
    ROOT,
    Block,
    count_notes,
    matches,
    read_blocks,
    read_commands,
    run_command,
    run_python,
    run_session,
)

OTHER_LANGUAGES = {"", "gap", "ini", "js", "sh", "sql", "text", "toml", "yaml"}
BLOCKS = {page: read_blocks(page) for page in PAGES}
EXAMPLES = {page: [block for block in blocks if block.is_example] for page, blocks in BLOCKS.items()}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="session")
def prepare(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A workspace that a command line has made, each once."""
    workspaces: dict[str, Path] = {}

    def prepare_it(line: str) -> Path:
        if line not in workspaces:
            workspace = tmp_path_factory.mktemp("prepared") / "w"
            run_command(f"{line} --quiet --workspace {shlex.quote(workspace.as_posix())}")
            # A workspace that is still where it was made would have copies, which may do less.
            workspaces[line] = workspace.rename(workspace.with_name("kept"))
        return workspaces[line]

    return prepare_it


def run_block(block: Block, names: dict[str, Any], prepare: Callable[[str], Path]) -> None:
    """Runs an example in the current folder and compares."""
    if "with a workspace" in block.notes:
        shutil.rmtree("setset-workspace", ignore_errors=True)
        shutil.copytree(prepare(block.notes["with a workspace"]), "setset-workspace")
    if block.language == "python":
        run_python(block, names)
    elif block.language == "pycon":
        run_session(block, names)
    else:
        for line, expected in read_commands(block):
            output = run_command(line)
            if not matches(block, expected, output):
                lines = difflib.unified_diff(expected.splitlines(), output.splitlines(), "page", "printed")
                pytest.fail("\n".join([f"{block}: $ {line}", *lines]), pytrace=False)


@pytest.mark.parametrize("page", [page for page in PAGES if EXAMPLES[page]], ids=name_of)
def test_examples_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepare: Callable[[str], Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SETSET_WORKSPACE", raising=False)
    names: dict[str, Any] = {"__name__": "__main__"}
    with threads_for_processes():
        for block in EXAMPLES[page]:
            if block.not_run is None:
                run_block(block, names, prepare)


@pytest.mark.parametrize(
    ("note", "expected", "printed", "same"),
    [
        ("", "12 lists\n", "12 lists\n", True),
        ("", "12 lists\n", "13 lists\n", False),
        ("", "12 lists\n", "12 lists\nmore\n", False),
        ("", "12 lists, ...\n", "12 lists, 5 s\n", True),
        ("", "a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("", "a\n...\n", "a\n", True),
        ("", "a...z\n", "a\nz\n", False),
        ("", "", "a\n", False),
        ("figures vary", "12 files,  0.5 s\n", "7 files, 2 min\n", True),
        ("figures vary", "1,004,589 lists, 3 s\n", "1,004,588 lists, 3 s\n", False),
        ("all figures vary", "1,004,589 lists\n", "1,004,588 lists\n", True),
        ("all figures vary", "1,004,589 lists\n", "1,004,588 files\n", False),
    ],
)
def test_what_counts_as_the_same(note: str, expected: str, printed: str, same: bool) -> None:
    block = Block(PAGES[0], 1, "console", "", {note: "why"})
    assert matches(block, expected, printed) is same


def test_a_value_in_a_comment_is_compared() -> None:
    run_python(Block(PAGES[0], 1, "python", "1 + 1  # 2\n2 + 2  # not a literal\n", {}), {})
    with pytest.raises(AssertionError, match="is 2"):
        run_python(Block(PAGES[0], 1, "python", "1 + 1  # 3\n", {}), {})


def test_every_example_is_run_or_says_why() -> None:
    """No block in a language that nobody knows, no comment that belongs to no example, no empty promise."""
    for page, blocks in BLOCKS.items():
        for block in blocks:
            assert block.is_example or block.language in OTHER_LANGUAGES, f"{block}: {block.language}"
            assert block.is_example or not block.notes, f"{block}: a comment, but nothing to run"
            assert block.text.count("$ ") == 0 or block.language in ("console", *OTHER_LANGUAGES), block
        assert count_notes(page) == sum(len(block.notes) for block in blocks), name_of(page)
        fences = re.findall(r"^ *```", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert len(fences) == 2 * len(blocks), f"{name_of(page)}: a block that was not understood"
    examples = [block for blocks in EXAMPLES.values() for block in blocks]
    run = [block for block in examples if block.not_run is None]
    assert len(run) > 60
    assert len(examples) - len(run) < 30


def commands_not_run() -> list[tuple[str, str]]:
    """Command lines of setset that pages show and no test runs: where, and the line."""
    commands = []
    for block in (block for blocks in BLOCKS.values() for block in blocks):
        if block.language == "console" and block.not_run is not None:
            commands += [(str(block), line) for line, _ in read_commands(block) if line.startswith("setset ")]
        elif not block.is_example:
            lines = re.findall(r"^setset [a-z].*", block.text.replace("\\\n", " "), flags=re.MULTILINE)
            commands += [(str(block), line) for line in lines]
    return commands


@pytest.mark.parametrize(("place", "line"), commands_not_run())
def test_a_command_that_is_not_run_has_these_options(place: str, line: str) -> None:
    words = shlex.split(re.sub(r"\$\w+", "1", re.split(r"[|>&]", line)[0]), comments=True)[1:]
    command: click.Command = cli
    context = None
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        context = command.make_context("setset", [], context, resilient_parsing=True)
        subcommand = command.get_command(context, words.pop(0))
        assert subcommand is not None, f"{place}: {line}"
        command = subcommand
    try:
        command.make_context(command.name, words, context)
    except click.BadParameter as error:
        assert "No such file" in error.message, f"{place}: {line}"  # noqa: PT017 (a file that the page speaks of)


LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page: Path) -> set[str]:
    """The places of a page, as forges name them after its headings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for path, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_the_index_has_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    links = {(index.parent / path).resolve() for path, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in PAGES if page != index} <= links

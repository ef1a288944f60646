"""Something has the name of a file or folder of setset: the message names it, and whoever follows it gets further."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from setset.batches.ownership import TOKEN, Token
from tests.commands import run_here
from tests.small import build, digests

pytestmark = pytest.mark.posix("makes a FIFO")

RUN = ("run", "--size", "4", "--target", "18", "-q")
SIZE_FOLDER, BATCH = "batches/t18/s04", "batches/t18/s03/0000000-000.setset"
NAMES = (
    "setset.db",
    "setset.db-journal",
    "setset.lock",
    "batches",
    "batches/setset-root.json",
    "batches/t18",
    SIZE_FOLDER,
    f"{SIZE_FOLDER}/0000000-000.setset",
    BATCH,
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with lists of 3. Not to be changed."""
    return build(tmp_path_factory.mktemp("in_the_way") / "w", 3, target=18)[0].path


@pytest.fixture(scope="module")
def expected(built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files that the run makes where nothing is in the way."""
    folder = tmp_path_factory.mktemp("in_the_way") / "w"
    shutil.copytree(built, folder)
    assert run_here(*RUN, workspace=folder).returncode == 0
    return digests(folder)


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("mine")


OBSTACLES: dict[str, Callable[[Path], None]] = {
    "file": lambda path: path.write_text("mine") and None,
    "folder": make_folder,
    "fifo": lambda path: os.mkfifo(path),
    "link to nowhere": lambda path: path.symlink_to("nowhere"),
    "link to itself": lambda path: path.symlink_to(path.name),
}


IN_THE_WAY = re.compile(r"setset: (.*) is in the way: move it away")


def follow(command: tuple[str, ...], workspace: Path, aside: Path, messages: list[str] | None = None) -> list[str]:
    """Runs a command until it succeeds, and does what each message says: moves something away, or runs a command.

    Returns the messages. No message comes twice.
    """
    messages = [] if messages is None else messages
    while (result := run_here(*command, workspace=workspace)).returncode:
        (*_, message) = result.stderr.strip().splitlines()
        assert "Traceback" not in result.stderr
        assert message not in messages, f"following this leads nowhere: {messages}"
        messages.append(message)
        if obstacle := IN_THE_WAY.fullmatch(message):
            Path(obstacle[1]).rename(aside / str(len(messages)))
            continue
        named = [shlex.split(words) for words in re.findall(r"'setset ([^']*)'", message) if "NEW" not in words]
        assert named, f"no advice: {message}"
        follow(next(tuple(words) for words in named if words != ["run"]), workspace, aside, messages)
    return messages


@pytest.mark.parametrize("kind", OBSTACLES)
@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_in_the_way(name: str, kind: str, built: Path, expected: dict[str, str], tmp_path: Path) -> None:
    workspace, aside = tmp_path / "w", tmp_path / "aside"
    shutil.copytree(built, workspace)
    aside.mkdir()
    path = workspace / name
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        path.rename(tmp_path / "lost")
    OBSTACLES[kind](path)
    messages = follow(RUN, workspace, aside)
    assert digests(workspace) == expected
    assert all(line.startswith("setset: ") for line in messages)
    notes = path / "notes.txt"
    if path.is_dir() and notes.exists():
        notes.unlink()  # a folder in the place of a folder is none of the run's business
    assert run_here("check", "--strict", "-q", workspace=workspace).returncode == 0, messages


@pytest.mark.parametrize("kind", ["folder", "file", "fifo"])
@pytest.mark.parametrize("name", [".setset.db.new", ".setset.db.rebuilt", "..setset.db.rebuilt.new"])
def test_in_the_way_of_a_new_database(
    name: str, kind: str, built: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    """A file there may be left by a run that was killed, and goes."""
    workspace, aside = tmp_path / "w", tmp_path / "aside"
    shutil.copytree(built, workspace)
    aside.mkdir()
    (workspace / "setset.db").unlink()
    OBSTACLES[kind](workspace / name)
    messages = follow(RUN, workspace, aside)
    is_met = kind == "folder" and name != ".setset.db.new"
    assert (f"setset: {workspace / name} is in the way: move it away" in messages) == is_met
    assert digests(workspace) == expected


def test_in_the_way_of_a_backup(built: Path, tmp_path: Path) -> None:
    make_folder(tmp_path / ".copy.db.partial")
    backup = ("db", "backup", str(tmp_path / "copy.db"))
    messages = follow(backup, built, tmp_path)
    assert messages == [f"setset: {tmp_path / '.copy.db.partial'} is in the way: move it away"]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_token_of_another_workspace_is_named_by_check(elsewhere: bool, built: Path, tmp_path: Path) -> None:
    workspace, root = tmp_path / "w", tmp_path / "w" / "batches"
    shutil.copytree(built, workspace)
    if elsewhere:
        root = tmp_path / "nas"
        assert run_here(*RUN, "--output", str(root), workspace=workspace).returncode == 0
    (root / TOKEN).write_bytes(Token("another").encode())
    checked = run_here("check", "-q", workspace=workspace)
    assert checked.returncode == 1
    assert str(root) in checked.stdout
    assert "another workspace" in checked.stdout
    result = run_here(*RUN, *(("--output", str(root)) if elsewhere else ()), workspace=workspace)
    assert result.returncode != 0
    assert str(root) in result.stderr
    if not elsewhere:
        (workspace / "aside").mkdir()
        assert follow(RUN, workspace, workspace / "aside") == [result.stderr.strip()]


def test_in_the_way_of_the_files_of_a_new_workspace(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "batches").touch()
    result = run_here(*RUN, workspace=tmp_path / "w")
    assert (result.returncode, f"{tmp_path / 'w' / 'batches'} is in the way: move it away" in result.stderr) == (
        2,
        True,
    )

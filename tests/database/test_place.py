"""Whether a workspace is still in the folder that it noted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from setset.batches.roots import TOKEN, Token
from setset.database.place import recorded_owner, recorded_place, still_in
from setset.folder import WorkspaceFolder
from tests.commands import run_here
from tests.small import Copy, build, change, flip, rows

ANOTHER = "f" * 32


def name(folder: WorkspaceFolder) -> str:
    return str(rows(folder.path, "SELECT id FROM workspace")[0][0])


def test_its_token_or_its_database_says_so(copy: Copy) -> None:
    folder = copy()
    mine = name(folder)
    assert still_in(folder.path, mine)
    assert not still_in(folder.path, ANOTHER)
    (folder.own_root / TOKEN).unlink()
    assert still_in(folder.path, mine)
    assert not still_in(folder.path, ANOTHER)
    (folder.own_root / TOKEN).write_bytes(Token(mine).encode())
    change(folder.path, f"UPDATE workspace SET id = '{ANOTHER}'")
    assert still_in(folder.path, mine)


@pytest.mark.parametrize("left", ["a token", "a database", "an older database", "files"])
def test_what_does_not_say_whose_it_is_may_be_its(copy: Copy, left: str) -> None:
    folder = copy()
    mine = name(folder)
    flip(folder.own_root / TOKEN)
    folder.database.write_bytes(b"no database at all" * 1000)
    if left != "a token":
        (folder.own_root / TOKEN).unlink()
    if left != "files":
        shutil.rmtree(folder.own_root / "t16")
    if left == "an older database":
        folder.database.rename(folder.path / "setset.db.lost")
    elif left != "a database":
        folder.database.unlink()
    assert still_in(folder.path, mine)


def test_where_nothing_is_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "bare" / "batches" / "t16").mkdir(parents=True)
    (tmp_path / "file").touch()
    for place in ("bare", "nowhere", "file", "file/below"):
        assert not still_in(tmp_path / place, ANOTHER)
    assert not still_in(Path("somewhere/else"), ANOTHER)
    assert not still_in(Path(r"C:\caps"), ANOTHER) or os.name == "nt"


@pytest.mark.posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may read all")
def test_where_nobody_may_look_it_may_be(copy: Copy) -> None:
    folder = copy()
    mine = name(folder)
    folder.path.chmod(0)
    try:
        assert still_in(folder.path, mine)
    finally:
        folder.path.chmod(0o700)


@pytest.mark.posix
def test_a_folder_whose_name_is_no_text_is_noted_by_its_token(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"caps\xff")
    folder, _ = build(place, 3)
    build(place, 3)
    assert rows(place, "SELECT folder FROM workspace") == [(None,)]
    copy = WorkspaceFolder(Path(shutil.copytree(place, tmp_path / "copy")))
    build(copy.path, 3)
    assert (copy.own_root / TOKEN).read_bytes() == (folder.own_root / TOKEN).read_bytes()


def test_a_database_that_cannot_be_read_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "setset.db").write_bytes(b"no database at all" * 1000)
    for path in (tmp_path / "setset.db", tmp_path / "none.db"):
        assert recorded_owner(path) is None
        assert recorded_place(path) is None


@pytest.mark.parametrize("command", ["status", "check", "run --size 3 --target 11", "repair", "roots"])
def test_a_database_that_does_not_say_which_workspace_it_is_of(copy: Copy, command: str) -> None:
    folder = copy()
    change(folder.path, "DELETE FROM workspace")
    done = run_here(*command.split(), workspace=folder.path)
    assert "setset db rebuild" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert done.returncode in (1, 2)

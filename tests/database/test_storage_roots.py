"""Storage roots: one however it is reached, and one workspace's only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from setset.batches.ownership import TOKEN
from setset.database.storage_roots import salvage
from setset.errors import BadInput
from setset.folder import WorkspaceFolder
from tests.commands import run_here
from tests.small import Copy, build, change, digests, rows


@pytest.mark.posix("makes links")
def test_a_root_is_one_however_it_is_reached(tmp_path: Path) -> None:
    root, link = tmp_path / "real", tmp_path / "other"
    root.mkdir()
    link.symlink_to(root)
    build(tmp_path / "w", 4, output=root)
    before = digests(root)
    for output in (link, link, tmp_path / "w" / ".." / "other", root):
        _, notices = build(tmp_path / "w", 4, output=output)
        assert notices.texts == []
    assert before
    assert digests(root) == before
    assert rows(tmp_path / "w", "SELECT path FROM storage_roots") == [(str(root),)]


def test_the_own_root_named_as_output_is_the_own_root(tmp_path: Path) -> None:
    build(tmp_path / "w", 4)
    before = digests(tmp_path / "w" / "batches")
    for _ in range(2):
        build(tmp_path / "w", 4, output=tmp_path / "w" / "batches")
    assert before
    assert digests(tmp_path / "w" / "batches") == before
    assert rows(tmp_path / "w", "SELECT path FROM storage_roots") == [("batches",)]


def test_an_output_folder_belongs_to_one_workspace(tmp_path: Path) -> None:
    build(tmp_path / "one", 3, output=tmp_path / "nas")
    with pytest.raises(BadInput, match="another workspace"):
        build(tmp_path / "two", 3, output=tmp_path / "nas")


@pytest.mark.posix("a name that is no text")
def test_a_folder_whose_name_is_no_text_is_noted_by_its_token(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caps\xff")
    folder, _ = build(path, 3)
    build(path, 3)
    assert rows(path, "SELECT folder FROM workspace") == [(None,)]
    copy = WorkspaceFolder(Path(shutil.copytree(path, tmp_path / "copy")))
    build(copy.path, 3)
    assert (copy.own_root / TOKEN).read_bytes() == (folder.own_root / TOKEN).read_bytes()


def test_a_database_that_cannot_be_read_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "setset.db").write_bytes(b"no database at all" * 1000)
    for path in (tmp_path / "setset.db", tmp_path / "none.db"):
        assert salvage(path, "workspace", "id") == []


@pytest.mark.parametrize("command", ["status", "check", "run --size 3 --target 11", "repair", "roots"])
def test_a_database_that_does_not_say_which_workspace_it_is_of(copy: Copy, command: str) -> None:
    folder = copy()
    change(folder.path, "DELETE FROM workspace")
    result = run_here(*command.split(), workspace=folder.path)
    assert "setset db rebuild" in result.stderr + result.stdout
    assert "Traceback" not in result.stderr
    assert result.returncode in (1, 2)

"""Storage roots: the token in them says whose they are, and that they are there."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.batches.ownership import (
    DAMAGED_TOKEN,
    TOKEN,
    ForeignRoot,
    Owner,
    RootGone,
    RootState,
    Token,
    claim_root,
    read_token,
    require_root,
    root_owner,
    root_state,
)
from setset.errors import BadInput, InTheWay, SetsetError
from setset.folder import WorkspaceFolder

MINE, ANOTHER = Token("mine"), Token("another")


def test_a_root_belongs_to_one_workspace(tmp_path: Path) -> None:
    root = tmp_path / "far" / "away"
    assert root_owner(root) is None
    claim_root(root, MINE)
    claim_root(root, MINE)
    assert root_owner(root) == "mine"
    with pytest.raises(BadInput, match="another workspace"):
        claim_root(root, ANOTHER)
    with pytest.raises(ForeignRoot, match="another workspace"):
        require_root(root, ANOTHER)
    assert root_owner(root) == "mine"


def test_of_many_that_claim_a_root_at_the_same_moment_one_gets_it(tmp_path: Path) -> None:
    def claim(number: int) -> bool:
        try:
            claim_root(tmp_path / "root", Token(f"w{number}"))
        except SetsetError:
            return False
        return True

    with ThreadPoolExecutor(8) as executor:
        results = list(executor.map(claim, range(40)))
    assert results.count(True) == 1
    assert root_owner(tmp_path / "root") == f"w{results.index(True)}"
    assert [entry.name for entry in (tmp_path / "root").iterdir()] == [TOKEN]


def test_a_root_without_its_token_is_gone(tmp_path: Path) -> None:
    """The folder may be the empty mount point of an unmounted disk."""
    claim_root(tmp_path, MINE)
    require_root(tmp_path, MINE)
    (tmp_path / TOKEN).unlink()
    with pytest.raises(RootGone, match=r"is gone: bring it back, then 'setset run' resumes"):
        require_root(tmp_path, MINE)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'"x"',
        b"7",
        b"[" * 9000,
        b'{"workspace": ["mine"]}',
        b'{"workspace": "mine", "folder": 7}',
        b'{"workspace": "mine", "folder": null, "check": "0000000000000000"}',
        MINE.encode()[:-1],
    ],
)
def test_a_damaged_token_names_no_owner(tmp_path: Path, content: bytes) -> None:
    (tmp_path / TOKEN).write_bytes(content)
    file = tmp_path / "t12/s03/0000000-000.setset"
    file.parent.mkdir(parents=True)
    file.touch()
    assert root_owner(tmp_path) is None
    assert root_state(tmp_path, MINE) is RootState.DAMAGED
    with pytest.raises(BadInput, match="is damaged: run 'setset repair'"):
        claim_root(tmp_path, MINE)
    assert (tmp_path / TOKEN).read_bytes() == content
    claim_root(tmp_path, MINE, adopt=True)
    assert root_state(tmp_path, MINE) is RootState.OWN
    (tmp_path / TOKEN).write_bytes(content)
    file.unlink()  # then it guards nothing
    claim_root(tmp_path, MINE)
    assert root_state(tmp_path, MINE) is RootState.OWN


@pytest.mark.posix("makes a FIFO")
@pytest.mark.parametrize("kind", ["a link", "a FIFO", "a folder"])
def test_a_token_that_is_no_regular_file_names_no_owner(tmp_path: Path, kind: str) -> None:
    if kind == "a link":
        claim_root(tmp_path / "real", MINE)
        (tmp_path / TOKEN).symlink_to(tmp_path / "real" / TOKEN)
    elif kind == "a FIFO":
        os.mkfifo(tmp_path / TOKEN)
    else:
        (tmp_path / TOKEN).mkdir()
    assert root_owner(tmp_path) is None
    assert root_state(tmp_path, MINE) is RootState.DAMAGED


def test_no_altered_bit_of_a_token_makes_it_anothers(tmp_path: Path) -> None:
    """It is damaged, which repair mends, or means the same."""
    original = Token("mine", "/home/me/w").encode()
    for bit in range(8 * len(original)):
        altered = bytearray(original)
        altered[bit // 8] ^= 1 << bit % 8
        (tmp_path / TOKEN).write_bytes(bytes(altered))
        assert read_token(tmp_path) in (DAMAGED_TOKEN, Token("mine", "/home/me/w")), bytes(altered)


@given(st.text("abc019", min_size=1), st.none() | st.text())
def test_a_token_comes_back_as_it_was(workspace: str, folder: str | None) -> None:
    token = Token(workspace, folder)
    with TemporaryDirectory() as root:
        (Path(root) / TOKEN).write_bytes(token.encode())
        assert read_token(Path(root)) == token


def test_a_token_of_version_0_1_is_taken(tmp_path: Path) -> None:
    """It has the id of the workspace and nothing else."""
    (tmp_path / TOKEN).write_text(json.dumps({"workspace": "mine"}))
    assert root_state(tmp_path, Token("mine", "/home/me/w")) is RootState.OWN
    assert root_state(tmp_path, ANOTHER) is RootState.FOREIGN


def test_files_without_a_token_are_taken_only_if_that_is_asked_for(tmp_path: Path) -> None:
    batch = tmp_path / "t12" / "s04" / "0000000-000.setset"
    batch.parent.mkdir(parents=True)
    batch.write_bytes(b"x")
    with pytest.raises(BadInput, match=r"has batch files, but no setset-root\.json .* 'setset db rebuild'"):
        claim_root(tmp_path, MINE)
    assert root_state(tmp_path, MINE) is RootState.MISSING
    claim_root(tmp_path, MINE, adopt=True)
    assert root_state(tmp_path, MINE) is RootState.OWN


def test_a_root_outside_goes_with_a_workspace_that_was_moved(tmp_path: Path) -> None:
    before, after, nas = Token("mine", "/before"), Token("mine", "/after"), tmp_path / "nas"
    claim_root(nas, before)
    with pytest.raises(ForeignRoot, match=rf"in /before: if .* 'setset roots move {re.escape(f'{nas} {nas}')}'"):
        claim_root(nas, after)
    assert root_state(nas, before) is RootState.OWN
    claim_root(nas, after, adopt=True)
    assert root_state(nas, after) is RootState.OWN
    assert root_state(nas, before) is RootState.MOVED


@pytest.mark.posix("makes links")
def test_two_names_of_one_folder_are_one(tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(tmp_path)
    claim_root(tmp_path / "nas", Token("mine", str(tmp_path)))
    assert root_state(tmp_path / "nas", Token("mine", str(tmp_path / "other"))) is RootState.OWN


def test_the_root_inside_goes_wherever_its_workspace_is(tmp_path: Path) -> None:
    claim_root(tmp_path, MINE, note="/before")
    assert read_token(tmp_path) == Token("mine", "/before")
    assert root_state(tmp_path, MINE) is RootState.OWN
    assert root_state(tmp_path, Token("mine", "/after")) is RootState.MOVED
    with pytest.raises(ForeignRoot, match="to another workspace, not to this database"):
        claim_root(tmp_path, ANOTHER)


def test_where_no_folder_can_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InTheWay, match="file is in the way: move it away"):
        claim_root(tmp_path / "file" / "root", MINE)


def test_a_token_that_earlier_versions_marked_as_inside_is_taken(tmp_path: Path) -> None:
    """Every bit of it matters."""
    data = (
        b'{"workspace": "0123456789abcdef0123456789abcdef", "folder": "/somewhere", '
        b'"check": "490f55871a58637e", "inside": true}'
    )
    sound = Token("0123456789abcdef0123456789abcdef", "/somewhere")
    for bit in range(8 * len(data)):
        altered = bytearray(data)
        altered[bit // 8] ^= 1 << bit % 8
        (tmp_path / TOKEN).write_bytes(altered)
        assert read_token(tmp_path) in (DAMAGED_TOKEN, sound), bytes(altered)
    (tmp_path / TOKEN).write_bytes(data)
    assert read_token(tmp_path) == sound


def test_a_token_that_cannot_be_read_once_is_not_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Token("mine")
    claim_root(tmp_path, owner)
    errors = iter([OSError(errno.EIO, "Input/output error")])
    real = os.open

    def fail_once(*arguments: Any, **options: Any) -> int:
        for error in errors:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(os, "open", fail_once)
    assert root_state(tmp_path, owner) is RootState.OWN


# Whether a workspace was moved, or is a copy


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    """A workspace whose database says that it is in the folder `before`."""
    return Owner("mine", WorkspaceFolder(tmp_path / "here"), str(tmp_path / "before"))


def leave_token(folder: Path, token: Token = MINE) -> None:
    claim_root(folder / "batches", token)


def leave_damaged_token(folder: Path) -> None:
    leave_token(folder)
    (folder / "batches" / TOKEN).write_text("{")


def leave_database(folder: Path) -> None:
    folder.mkdir()
    (folder / "setset.db").touch()


def leave_file(folder: Path) -> None:
    path = folder / "batches/t12/s03/0000000-000.setset"
    path.parent.mkdir(parents=True)
    path.touch()


@pytest.mark.parametrize("leave", [leave_token, leave_database, leave_file])
def test_a_workspace_that_is_still_elsewhere_has_a_copy_here(
    owner: Owner, tmp_path: Path, leave: Callable[[Path], None]
) -> None:
    """The database or the files may belong to the original."""
    leave(tmp_path / "before")
    assert owner.original() == tmp_path / "before"


@pytest.mark.parametrize("leave", [Path.mkdir, Path.touch, leave_damaged_token])
def test_a_workspace_of_which_nothing_is_left_elsewhere_was_moved(
    owner: Owner, tmp_path: Path, leave: Callable[[Path], None]
) -> None:
    assert owner.original() is None
    leave(tmp_path / "before")
    assert owner.original() is None


def test_another_workspace_is_no_original(owner: Owner, tmp_path: Path) -> None:
    leave_token(tmp_path / "before", ANOTHER)
    leave_file(tmp_path / "before")
    assert owner.original() is None


def test_either_note_tells_of_an_original(owner: Owner, tmp_path: Path) -> None:
    leave_token(tmp_path / "before")
    without_note = replace(owner, recorded_folder=None)
    assert without_note.original() is None
    assert without_note.original(str(tmp_path / "before")) == tmp_path / "before"
    leave_token(tmp_path / "here", Token("mine", str(tmp_path / "before")))
    assert without_note.original() == tmp_path / "before"


LONG = pytest.param("/" + "x" * 300, marks=pytest.mark.posix("Windows finds no file of a long name"))


@pytest.mark.parametrize("noted", ["somewhere/else", r"C:\caps", "/nul\0character", LONG])
def test_a_note_may_be_anything(owner: Owner, noted: str) -> None:
    """A name that is too long cannot be looked up, so the workspace may be there."""
    assert replace(owner, recorded_folder=noted).original() == (Path(noted) if len(noted) > 300 else None)


def test_a_workspace_may_be_where_nobody_may_look(
    owner: Owner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "lstat", refuse)
    assert owner.original() == tmp_path / "before"

"""A copy of a workspace has the id of the original, and must not write to the storage roots of that one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import setset
from setset.batches.ownership import TOKEN, ForeignRoot, RootState, Token, read_token
from setset.errors import BadInput, SetsetError
from setset.folder import WorkspaceFolder
from tests.small import COUNTS, build, change, findings, flip, rebuild, repair_all, rows

RIGHT = [(18, 3, 45_189, 1), (18, 4, 681_201, 1)]


@pytest.fixture
def original(with_output: Path) -> WorkspaceFolder:
    """Its lists of 4 are in `out`, beside it."""
    return WorkspaceFolder(with_output / "w")


@pytest.fixture
def out(with_output: Path) -> Path:
    return with_output / "out"


def copied(folder: WorkspaceFolder, name: str = "copy") -> WorkspaceFolder:
    return WorkspaceFolder(Path(shutil.copytree(folder.path, folder.path.parent / name)))


def moved(folder: WorkspaceFolder) -> WorkspaceFolder:
    return WorkspaceFolder(folder.path.rename(folder.path.parent / "moved"))


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def notes(folder: WorkspaceFolder) -> tuple[str | None, str | None]:
    """Folder named by the database, and folder named by the token of the own root."""
    ((path,),) = rows(folder.path, "SELECT folder FROM workspace")
    token = read_token(folder.own_root)
    assert token is not None
    return path, token.folder


def go_on(folder: WorkspaceFolder, output: Path | None) -> None:
    build(folder.path, 4, target=18, batch_lists=200_000, output=output)


def require_right(folder: WorkspaceFolder) -> None:
    assert rows(folder.path, COUNTS) == RIGHT
    assert findings(folder, deep=True) == []


def damage_token(root: Path) -> None:
    flip(root / TOKEN)


def delete_token(root: Path) -> None:
    (root / TOKEN).unlink()


LOSE_TOKEN = [damage_token, delete_token]


def claim(folder: WorkspaceFolder, root: Path) -> None:
    """`setset roots move ROOT ROOT`"""
    with setset.open(folder.path, mode="a") as workspace:
        workspace.move_root(root, root)


def test_a_new_workspace_notes_where_it_is(original: WorkspaceFolder) -> None:
    path = str(original.path.resolve())
    assert notes(original) == (path, path)


@pytest.mark.parametrize("lost_by_copy", ["nothing", "its token", "its database"])
@pytest.mark.parametrize("lose_token", LOSE_TOKEN)
def test_a_copy_does_not_take_a_root_whose_token_is_lost(
    original: WorkspaceFolder, out: Path, lose_token: Callable[[Path], None], lost_by_copy: str
) -> None:
    """It could belong to the original, whose files would then be written by two. Seed 2027, round 297."""
    lose_token(out)
    flip(next(out.glob("t18/s04/*.setset")))
    copy = copied(original)
    if lost_by_copy == "its token":
        (copy.own_root / TOKEN).unlink()
    if lost_by_copy == "its database":
        copy.database.unlink()
    before = contents(out)
    for command in (lambda: go_on(copy, out), lambda: repair_all(copy)):
        with pytest.raises(SetsetError):
            command()
        assert contents(out) == before
    with pytest.raises(ForeignRoot, match=re.escape(f"is a copy of {original.path}")):
        rebuild(copy, out)
    assert contents(out) == before
    if lose_token is delete_token:
        rebuild(original, out)
    repair_all(original)
    go_on(original, out)
    require_right(original)
    if lost_by_copy != "its database":
        with pytest.raises(ForeignRoot, match=re.escape(f"a storage root of the workspace in {original.path}")):
            go_on(copy, out)
        with pytest.raises(ForeignRoot, match=re.escape(f"is a copy of {original.path}")):
            claim(copy, out)


@pytest.mark.parametrize("lost_by_original", ["nothing", "its database", "all but files"])
@pytest.mark.parametrize("lose_token", LOSE_TOKEN)
def test_a_workspace_whose_own_token_is_lost_is_still_there(
    original: WorkspaceFolder, out: Path, lose_token: Callable[[Path], None], lost_by_original: str
) -> None:
    """The root names it, and it was not moved. Seed 2027, round 618."""
    lose_token(original.own_root)
    flip(next(out.glob("t18/s04/*.setset")))
    copy = copied(original)
    if lost_by_original != "nothing":
        original.database.unlink()
    if lost_by_original == "all but files":
        (original.own_root / TOKEN).unlink(missing_ok=True)
    before = contents(out)
    for command in (lambda: go_on(copy, out), lambda: rebuild(copy, out)):
        with pytest.raises(SetsetError):
            command()
        assert contents(out) == before
    with pytest.raises(ForeignRoot, match="is a copy"):
        rebuild(copy, out)
    rebuild(original, out)
    repair_all(original)
    go_on(original, out)
    require_right(original)


@pytest.mark.parametrize("left", ["nothing", "another workspace", "a bare folder"])
@pytest.mark.parametrize("take", ["repair", "claim"])
def test_a_moved_workspace_takes_its_roots_and_notes_where_it_is(
    original: WorkspaceFolder, out: Path, left: str, take: str
) -> None:
    if take == "repair":
        damage_token(out)
    moved_folder = moved(original)
    if left == "another workspace":
        build(original.path, 3, target=18)
    elif left == "a bare folder":
        original.own_root.mkdir(parents=True)
    path = str(moved_folder.path.resolve())
    if take == "repair":
        repair_all(moved_folder)
    else:
        claim(moved_folder, out)
    assert notes(moved_folder) == (path, path)
    assert read_token(out) == Token(rows(moved_folder.path, "SELECT id FROM workspace")[0][0], path)
    go_on(moved_folder, out)
    require_right(moved_folder)


def test_a_copy_whose_original_is_gone_is_the_workspace(original: WorkspaceFolder, out: Path) -> None:
    copy = copied(original)
    go_on(copy, None)  # while the original is there it keeps in mind of what it is a copy
    assert notes(copy) == (str(original.path), str(original.path))
    delete_token(out)
    shutil.rmtree(original.path)
    rebuild(copy, out)
    assert notes(copy) == (str(copy.path), str(copy.path))
    go_on(copy, out)
    require_right(copy)


def test_a_copy_that_mends_its_own_token_is_still_one(original: WorkspaceFolder, out: Path) -> None:
    copy = copied(original)
    damage_token(copy.own_root)
    repair_all(copy)
    assert notes(copy) == (str(original.path), str(original.path))
    copy.database.unlink()
    damage_token(out)
    with pytest.raises(ForeignRoot, match="is a copy"):
        rebuild(copy, out)


@pytest.mark.posix("makes links")
def test_one_folder_by_two_names_is_no_copy(original: WorkspaceFolder, out: Path) -> None:
    """As of a disk that is mounted twice."""
    link = original.path.parent / "other"
    link.symlink_to(original.path)
    change(original.path, f"UPDATE workspace SET folder = '{link}'")
    damage_token(out)
    repair_all(original)
    require_right(original)


def test_what_only_reads_notes_nothing(original: WorkspaceFolder) -> None:
    moved_folder = moved(original)
    before = contents(moved_folder.path)
    with setset.open(moved_folder.path) as workspace:
        workspace.status()
        workspace.roots()
        assert list(workspace.check()) == []
    assert contents(moved_folder.path) == before


def without_notes(folder: WorkspaceFolder) -> None:
    """As an earlier version left it."""
    ((owner,),) = rows(folder.path, "SELECT id FROM workspace")
    change(folder.path, "UPDATE workspace SET folder = NULL")
    (folder.own_root / TOKEN).write_bytes(Token(owner).encode())


def test_a_workspace_of_an_earlier_version_notes_where_it_is(original: WorkspaceFolder, out: Path) -> None:
    without_notes(original)
    damage_token(out)
    path = str(original.path)
    repair_all(original)
    assert notes(original) == (path, path)
    require_right(original)


def test_a_copy_of_an_earlier_version_is_known_by_the_token_elsewhere(original: WorkspaceFolder, out: Path) -> None:
    without_notes(original)
    copy, before = copied(original), contents(out)
    with pytest.raises(ForeignRoot, match="a storage root of the workspace in"):
        go_on(copy, out)
    for take in (claim, rebuild):
        with pytest.raises(ForeignRoot, match=re.escape(f"is a copy of {original.path}")):
            take(copy, out)
    assert contents(out) == before


@pytest.mark.posix("makes links")
@pytest.mark.parametrize("linked", ["batches", "batches/t18/s03"])
def test_a_copy_of_links_does_not_share_the_files(original: WorkspaceFolder, linked: str) -> None:
    """`cp -r` copies a link, and the link leads to files of the original."""
    (original.path / linked).rename(original.path.parent / "disk")
    (original.path / linked).symlink_to(original.path.parent / "disk")
    copy = WorkspaceFolder(original.path.parent / "copy")
    shutil.copytree(original.path, copy.path, symlinks=True)
    before = contents(original.path.parent / "disk")
    with pytest.raises(ForeignRoot, match=re.escape(f"{copy.path / linked} is a link to the files of {original.path}")):
        go_on(copy, None)
    with pytest.raises(ForeignRoot, match="is a link to the files of"):
        rebuild(copy)
    assert contents(original.path.parent / "disk") == before
    go_on(original, None)


def test_the_own_root_of_the_original_is_not_for_a_copy(original: WorkspaceFolder) -> None:
    copy = copied(original)
    shutil.rmtree(copy.own_root)
    before = contents(original.own_root)
    with setset.open(copy.path, mode="a") as workspace, pytest.raises(ForeignRoot, match="is inside the"):
        workspace.move_root(copy.own_root, original.own_root)
    with pytest.raises(SetsetError, match="is inside the workspace"):
        rebuild(copy, original.own_root)
    assert contents(original.own_root) == before


def test_the_own_root_of_a_copy_stays_inside(original: WorkspaceFolder) -> None:
    """Its token names the original, so nothing tells it from a root of that one."""
    copy = copied(original)
    large = copy.own_root.rename(original.path.parent / "large")
    before = contents(large)
    with setset.open(copy.path, mode="a") as workspace, pytest.raises(ForeignRoot, match="is a copy"):
        workspace.move_root(copy.own_root, large)
    assert contents(large) == before
    large.rename(copy.own_root)
    go_on(copy, None)
    require_right(original)


@pytest.mark.parametrize("inside", ["batches", "new"])
def test_no_root_is_claimed_inside_another_workspace(original: WorkspaceFolder, inside: str) -> None:
    """Even if nothing there says whose it is."""
    second, _ = build(original.path.parent / "other", 3, target=18)
    root = original.path / inside
    (original.own_root / TOKEN).unlink()
    shutil.rmtree(original.own_root / "t18/s03")
    with pytest.raises(ForeignRoot, match=re.escape(f"is inside the workspace {original.path}")):
        rebuild(second, root)


def test_a_copy_deletes_nothing_after_the_original_was_moved(original: WorkspaceFolder, out: Path) -> None:
    """`cp -r A B`, a run in B, `mv A A2`, `rm` in B: nothing shows any more that B is a copy."""
    copy = copied(original)
    go_on(copy, None)
    moved_folder = moved(original)
    before = contents(moved_folder.path) | contents(out)
    with setset.open(copy.path, mode="a") as workspace:
        assert workspace.exploration(18).remove().kept == 5
    assert contents(moved_folder.path) | contents(out) == before
    claim(moved_folder, out)
    require_right(moved_folder)


def test_a_moved_workspace_reads_its_roots_and_names_the_command_to_write(original: WorkspaceFolder, out: Path) -> None:
    moved_folder, before = moved(original), contents(out)
    with setset.open(moved_folder.path) as workspace:
        assert [root.state for root in workspace.roots()] == [RootState.OWN, RootState.MOVED]
        assert sum(len(block) for block in workspace.exploration(18)[4].arrays()) == RIGHT[1][2]
    require_right(moved_folder)
    command = f"run 'setset roots move {out} {out}'"
    with pytest.raises(ForeignRoot, match=re.escape(f"if that workspace was moved here, {command}")):
        go_on(moved_folder, out)
    assert contents(out) == before
    claim(moved_folder, out)
    with setset.open(moved_folder.path) as workspace:
        assert [root.state for root in workspace.roots()] == [RootState.OWN, RootState.OWN]
    go_on(moved_folder, out)
    require_right(moved_folder)


def test_a_damaged_file_in_a_moved_root_is_made_again_after_a_claim(original: WorkspaceFolder, out: Path) -> None:
    """Even if it is the only file: each message names the next command."""
    moved_folder = moved(original)
    files = sorted(out.glob("t18/s04/*.setset"))
    for path in files:
        flip(path)
    with pytest.raises(ForeignRoot, match="setset roots move"):
        repair_all(moved_folder)
    with pytest.raises(BadInput, match=r"5 of the 5 files .* 'setset roots move --incomplete"):
        claim(moved_folder, out)
    with setset.open(moved_folder.path, mode="a") as workspace:
        workspace.move_root(out, out, incomplete=True)
    assert len(repair_all(moved_folder)) == len(files)
    require_right(moved_folder)


def test_a_root_that_the_database_does_not_know_is_taken_by_a_rebuild(original: WorkspaceFolder, out: Path) -> None:
    moved_folder = moved(original)
    out.rename(out.parent / "unknown")
    with setset.open(moved_folder.path, mode="a") as workspace:
        workspace.forget_root(out)
        (out.parent / "unknown").rename(out)
        with pytest.raises(BadInput, match=re.escape(f"'setset db rebuild' with --output {out}")):
            workspace.move_root(out, out)
    rebuild(moved_folder, out)
    require_right(moved_folder)

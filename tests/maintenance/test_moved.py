"""Storage roots that are moved, copied or lost: what is refused, and that nothing of the database is lost with them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import setset
from setset.batches.ownership import TOKEN, RootGone, RootState
from setset.errors import BadInput
from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind
from tests.small import Notices, build, digests, findings, flip, repair_all, rows

TARGET, CUTS = 18, (10_000, 200_000)


@pytest.fixture
def folder(with_output: Path) -> Path:
    """A workspace w whose lists of 4 are in the storage root `old`."""
    (with_output / "out").rename(with_output / "old")
    with setset.open(with_output / "w", mode="a") as workspace:
        workspace.move_root(with_output / "out", with_output / "old")
    return with_output


def is_sound(folder: Path) -> bool:
    return findings(WorkspaceFolder(folder / "w"), deep=True) == []


def move(folder: Path, old: str = "old", new: str = "new", **options: bool) -> object:
    with setset.open(folder / "w", mode="a") as workspace:
        return workspace.move_root(folder / old, folder / new, **options)


def states(folder: Path) -> list[str]:
    with setset.open(folder / "w") as workspace:
        return [root.state.value for root in workspace.roots()]


def test_a_moved_root_is_recorded_with_its_history(folder: Path) -> None:
    before, runs = digests(folder / "old"), rows(folder / "w", "SELECT COUNT(*) FROM runs")[0][0]
    (folder / "old").rename(folder / "new")
    assert states(folder) == ["present", "absent"]
    (finding,) = findings(WorkspaceFolder(folder / "w"), deep=True)
    assert (finding.kind, finding.where) == (FindingKind.GONE, str(folder / "old"))
    assert f"setset roots move {folder / 'old'} NEW" in finding.what
    assert repair_all(WorkspaceFolder(folder / "w")) == []
    for moved in (True, False):
        result = move(folder)
        assert isinstance(result, setset.MovedRoot)
        assert (result.path, result.files, result.lists) == (str(folder / "new"), 5, 681_201)
        assert (result.damaged, result.moved) == (0, moved)
    assert is_sound(folder)
    assert digests(folder / "new") == before
    assert rows(folder / "w", "SELECT COUNT(*) FROM runs")[0][0] == runs + 3
    build(folder / "w", 4, target=TARGET, batch_lists=CUTS[1], output=folder / "new")
    assert states(folder) == ["present", "present"]


def test_a_root_moved_into_another_one_joins_it(folder: Path) -> None:
    shutil.move(folder / "old" / "t18" / "s04", folder / "w" / "batches" / "t18" / "s04")
    shutil.rmtree(folder / "old")
    move(folder, new="w/batches")
    assert states(folder) == ["present"]
    assert is_sound(folder)


def test_the_own_root_can_be_moved_out(folder: Path) -> None:
    (folder / "w" / "batches").rename(folder / "new")
    kinds = {finding.kind for finding in findings(WorkspaceFolder(folder / "w"))}
    assert kinds == {FindingKind.ROOT, FindingKind.FILE}
    move(folder, old="w/batches")
    assert is_sound(folder)
    build(folder / "w", 4, target=TARGET, batch_lists=CUTS[1])
    assert states(folder) == ["present", "present", "present"]
    (folder / "w").rename(folder / "w2")
    (folder / "w2").rename(folder / "w")
    assert is_sound(folder)


def test_workspace_and_root_are_moved_together(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    for name in ("w", "old"):
        (folder / name).rename(folder / "elsewhere" / name)
    move(folder / "elsewhere", old="../old", new="old")
    assert states(folder / "elsewhere") == ["present", "present"]
    build(folder / "elsewhere/w", 4, target=TARGET, batch_lists=CUTS[1], output=folder / "elsewhere/old")
    assert is_sound(folder / "elsewhere")


@pytest.mark.parametrize("name", ["token", "damaged token", "foreign", "copy", "nothing", "unknown"])
def test_what_is_not_that_root_is_refused(folder: Path, name: str) -> None:
    before = rows(folder / "w", "SELECT id, path FROM storage_roots")
    shutil.copytree(folder / "old", folder / "new")
    if name != "copy":
        (folder / "old").rename(folder / "away")
    message = {
        "token": "it has no setset-root.json",
        "damaged token": "is damaged; copy the whole folder again",
        "foreign": "it belongs to another workspace",
        "copy": "is still in use",
        "nothing": "there is no folder",
        "unknown": "is not a storage root of this workspace: 'setset roots' lists them",
    }[name]
    if name == "token":
        (folder / "new" / TOKEN).unlink()
    elif name == "damaged token":
        flip(folder / "new" / TOKEN)
    elif name == "foreign":
        build(folder / "other", 3, target=TARGET, output=folder / "theirs")
        shutil.copy(folder / "theirs" / TOKEN, folder / "new" / TOKEN)
    elif name == "nothing":
        shutil.rmtree(folder / "new")
    with pytest.raises(BadInput, match=message):
        move(folder, old="else" if name == "unknown" else "old")
    assert rows(folder / "w", "SELECT id, path FROM storage_roots") == before


def test_missing_and_damaged_files_are_noticed(folder: Path) -> None:
    before = digests(folder / "old")
    (folder / "old").rename(folder / "new")
    first, second, third = sorted((folder / "new/t18/s04").iterdir())[:3]
    flip(first)
    move_back = digests(folder / "new")
    with pytest.raises(BadInput, match=r"1 of the 5 files .*0000000-000"):
        move(folder)
    second.unlink()
    third.write_bytes(third.read_bytes()[:-1])
    with pytest.raises(BadInput, match=r"2 of the 5 files .*missing.*--incomplete"):
        move(folder, fast=True)
    result = move(folder, incomplete=True)
    assert isinstance(result, setset.MovedRoot)
    assert result.damaged == 3
    assert len(repair_all(WorkspaceFolder(folder / "w"))) == 3
    assert is_sound(folder)
    assert digests(folder / "new") == before != move_back


def test_the_new_place_named_as_output_is_refused_with_the_command(folder: Path) -> None:
    (folder / "old").rename(folder / "new")
    with pytest.raises(BadInput, match=re.escape(f"run 'setset roots move {folder / 'old'} {folder / 'new'}'")):
        build(folder / "w", 4, target=TARGET, output=folder / "new")
    move(folder)
    assert is_sound(folder)


def test_a_run_that_needs_nothing_of_it_goes_on_and_says_so(folder: Path) -> None:
    (folder / "old").rename(folder / "new")
    _, notices = build(folder / "w", 3, target=TARGET)
    assert f"setset roots move {folder / 'old'} NEW" in notices.texts[0]
    with pytest.raises(RootGone, match="setset roots move"):
        build(folder / "w", 5, target=TARGET)


def test_whoever_reads_hears_of_it(folder: Path) -> None:
    (folder / "old").rename(folder / "new")
    with setset.open(folder / "w") as workspace:
        with pytest.raises(RootGone, match="setset roots move"):
            list(workspace.exploration(TARGET)[4].arrays())
        with pytest.raises(RootGone, match="setset roots move"):
            workspace.counts(recount=True)
        status = workspace.status()
        assert [size.state.value for size in status.sizes] == ["complete", "absent"]
        assert [root.state for root in status.roots] == [RootState.OWN, RootState.ABSENT]
        result = workspace.repair(dry_run=True)
        assert (result.repaired, result.needs_roots) == ([], True)
        with pytest.raises(RootGone, match="setset roots move"):
            workspace.repair(target=TARGET, size=4, batch=0, dry_run=True)


def test_a_rebuild_without_it_says_so(folder: Path) -> None:
    (folder / "old").rename(folder / "new")
    notices = Notices()
    with setset.open(folder / "w", mode="a") as workspace:
        workspace.rebuild_database(progress=notices)
    assert [f"setset roots move {folder / 'old'} NEW" in text for text in notices.texts] == [True]
    with setset.open(folder / "w", mode="a") as workspace:
        workspace.rebuild_database((folder / "new",))
    assert is_sound(folder)


def test_a_bare_mount_point_is_no_root(folder: Path) -> None:
    (folder / "old").rename(folder / "new")
    (folder / "old").mkdir()
    assert states(folder) == ["present", "absent"]
    move(folder)
    assert is_sound(folder)


def test_a_lost_root_is_forgotten_and_made_again(folder: Path) -> None:
    before = digests(folder / "old")
    with setset.open(folder / "w", mode="a") as workspace:
        with pytest.raises(BadInput, match="still has its files: only a storage root that is gone"):
            workspace.forget_root(folder / "old")
        with pytest.raises(BadInput, match="inside the workspace, so it cannot be forgotten"):
            workspace.forget_root(1)  # type: ignore[arg-type]
        shutil.rmtree(folder / "old")
        assert workspace.forget_root(folder / "old", dry_run=True).files == 5
        assert workspace.forget_root("2").state is RootState.ABSENT
        assert [size.state.value for size in workspace.status().sizes] == ["complete", "defective"]
    assert len(repair_all(WorkspaceFolder(folder / "w"))) == 5
    assert is_sound(folder)
    files = digests(folder / "w" / "batches")
    assert {path: files[path] for path in before} == before
    assert states(folder) == ["present"]


def test_all_roots_lost_are_made_again_elsewhere(tmp_path: Path) -> None:
    """The larger size is forgotten first: its sources are in a root that is lost too."""
    for size, cut in zip((3, 4), CUTS, strict=True):
        build(tmp_path / "w", size, target=TARGET, batch_lists=cut, output=tmp_path / f"out{size}")
    expected = {**digests(tmp_path / "out3"), **digests(tmp_path / "out4")}
    with setset.open(tmp_path / "w", mode="a") as workspace:
        for size in (4, 3):
            shutil.rmtree(tmp_path / f"out{size}")
            workspace.forget_root(tmp_path / f"out{size}", output=tmp_path / "fresh")
    repair_all(WorkspaceFolder(tmp_path / "w"))
    assert is_sound(tmp_path)
    assert digests(tmp_path / "fresh") == expected

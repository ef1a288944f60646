"""Removing an exploration or its sizes from one on: rows, files, and nothing else."""

from __future__ import annotations

import errno
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import setset
from setset.errors import BadInput, Locked, ReadOnly
from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind
from tests.small import BATCHES, COUNTS, Copy, build, digests, findings, flip, rebuild, rows

TARGET = 18


@pytest.fixture
def base(with_output: Path) -> Path:
    """A workspace w with lists of 3 for targets 18 and 16, and lists of 4 for 18 in the storage root `out`."""
    build(with_output / "w", 3, target=16, batch_lists=20_000)
    return with_output


def remove(base: Path, size: int | None = None, target: int = TARGET) -> setset.Removed:
    with setset.open(base / "w", mode="a") as workspace:
        return workspace.exploration(target).remove(size)


def is_sound(base: Path) -> bool:
    return findings(WorkspaceFolder(base / "w"), deep=True) == []


def test_a_size_and_what_is_above_it_go(copy: Copy) -> None:
    folder = copy()
    expected, counts = digests(folder.path), rows(folder.path, COUNTS)
    with setset.open(folder.path, mode="a") as workspace:
        exploration = workspace.exploration(16)
        planned = exploration.remove(4, dry_run=True)
        assert digests(folder.path) == expected
        assert exploration.remove(4) == planned
        assert [size.size for size in planned.sizes] == [4, 5]
        assert exploration.remove(4).sizes == ()
        assert [size.size for size in exploration.sizes] == [3]
        assert workspace.runs()[0].command == "setset rm --target 16 --size 4"
    assert sum(size.lists for size in planned.sizes) == sum(lists for _, size, lists, _ in counts if size > 3)
    assert findings(folder, deep=True) == []
    assert {path for path in expected if "/s03/" in path} == set(digests(folder.path))
    assert not (folder.own_root / "t16" / "s04").exists()
    build(folder.path)
    assert digests(folder.path) == expected
    assert rows(folder.path, COUNTS) == counts


def test_an_exploration_goes_and_others_stay(base: Path) -> None:
    foreign = base / "w/batches/t18/s03/notes.txt"
    foreign.write_text("mine")
    expected = {path: digest for path, digest in digests(base / "w").items() if "/t16/" in path}
    assert [size.files for size in remove(base).sizes] == [5, 5]
    assert digests(base / "w") == expected
    assert digests(base / "out") == {}
    assert foreign.read_text() == "mine"
    assert rows(base / "w", "SELECT target FROM explorations") == [(16,)]
    assert [finding.kind for finding in findings(WorkspaceFolder(base / "w"))] == [FindingKind.FOREIGN]
    foreign.unlink()
    rebuild(WorkspaceFolder(base / "w"), base / "out")
    assert [row[1] for row in rows(base / "w", COUNTS)] == [3]


def test_counts_from_smaller_sizes_stay(base: Path) -> None:
    build(base / "w", 5, target=16, count_only=True, batch_lists=None)
    build(base / "w", 5, target=TARGET, count_only=True, batch_lists=None)
    counts = rows(base / "w", COUNTS)
    remove(base, 4)
    remove(base, 4, target=16)
    # Target 16 was counted from size 3, which stays; target 18 from size 4, which is gone.
    expected = [row for row in counts if row[0] == 16 or row[1] == 3]
    assert sorted(rows(base / "w", COUNTS)) == sorted(expected)
    assert is_sound(base)


def test_files_that_a_killed_removal_left_go_with_the_next(base: Path) -> None:
    before = digests(base / "out")
    shutil.copytree(base / "out", base / "kept")
    remove(base, 4)
    leftover_files = sorted((base / "kept/t18/s04").iterdir())[:3]
    (base / "out/t18/s04").mkdir(parents=True)
    for path in leftover_files:
        shutil.copy(path, base / "out/t18/s04")
    flip(base / "out/t18/s04" / leftover_files[0].name)
    kinds = {finding.kind for finding in findings(WorkspaceFolder(base / "w"))}
    assert kinds == {FindingKind.ORPHAN}
    rebuild(WorkspaceFolder(base / "w"), base / "out")
    assert (TARGET, 4, 0) in [(row[0], row[1], row[3]) for row in rows(base / "w", COUNTS)]
    (size,) = remove(base, 4).sizes
    assert (size.files, size.unrecorded) == (2, 1)
    assert digests(base / "out") == {}
    assert is_sound(base)
    build(base / "w", 4, target=TARGET, batch_lists=200_000, output=base / "out")
    assert digests(base / "out") == before


def test_files_in_a_root_that_is_gone_stay_until_it_is_back(base: Path) -> None:
    (base / "out").rename(base / "away")
    assert remove(base, 4).kept == 5
    assert is_sound(base)
    (base / "away").rename(base / "out")
    assert {finding.kind for finding in findings(WorkspaceFolder(base / "w"))} == {FindingKind.ORPHAN}
    assert [(size.files, size.unrecorded) for size in remove(base, 4).sizes] == [(0, 5)]
    assert is_sound(base)


def test_a_copy_removes_nothing_of_the_original(base: Path) -> None:
    before = digests(base / "out")
    shutil.copytree(base / "w", base / "copy")
    with setset.open(base / "copy", mode="a") as workspace:
        assert workspace.exploration(TARGET).remove(4).kept == 5
    assert digests(base / "out") == before
    assert is_sound(base)


def test_a_moved_workspace_removes_its_own_when_it_has_claimed_it(base: Path) -> None:
    (base / "w").rename(base / "w2")
    with setset.open(base / "w2", mode="a") as workspace:
        exploration = workspace.exploration(TARGET)
        assert exploration.remove(4, dry_run=True).kept == 5
        workspace.move_root(base / "out", base / "out")
        assert exploration.remove(4, dry_run=True).kept == exploration.remove(4).kept == 0
    assert digests(base / "out") == {}


def test_what_cannot_be_removed_changes_nothing(base: Path) -> None:
    before = digests(base / "w"), rows(base / "w", BATCHES)
    with pytest.raises(BadInput, match="size 2: expected 3 to 20"):
        remove(base, 2)
    with WorkspaceFolder(base / "w").locked(), pytest.raises(Locked):
        remove(base)
    assert remove(base, 6).sizes == ()
    assert (digests(base / "w"), rows(base / "w", BATCHES)) == before


def test_files_of_another_user_stop_nothing_and_are_named(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All others go. The same command tries again."""
    names_of_other = {path.name for path in (base / "out/t18/s04").iterdir()}
    unlink = os.unlink

    def refuse(path: Path, **options: Any) -> None:
        if Path(path).parent.name == "s04" and Path(path).name in names_of_other:
            raise PermissionError(errno.EPERM, "Operation not permitted", str(path))
        unlink(path, **options)

    with monkeypatch.context() as context:
        context.setattr(os, "unlink", refuse)
        with pytest.raises(ReadOnly, match=r"^5 files cannot be removed, the first one: .*not permitted.*tries again$"):
            remove(base)
    assert {Path(path).name for path in digests(base / "out")} == names_of_other
    assert not list((base / "w").rglob("t18/*/*.setset"))
    assert [size.unrecorded for size in remove(base).sizes] == [5]
    assert digests(base / "out") == {}


def test_a_folder_of_another_user_is_refused_before_anything_is_removed(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, batches = digests(base), rows(base / "w", BATCHES)
    locked = base / "out/t18/s04"
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != locked)
    with pytest.raises(ReadOnly, match=rf"no permission .* in {re.escape(str(locked))}: nothing was removed"):
        remove(base)
    assert (digests(base), rows(base / "w", BATCHES)) == (files, batches)

"""Compacting merges files without changing a list, and survives being stopped anywhere."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import setset
from setset.database import expansions, explorations
from setset.errors import BadInput, SetsetError
from setset.folder import WorkspaceFolder
from setset.maintenance.compact import CompactResult, compact
from setset.progress import NoProgress
from tests.small import (
    BATCHES,
    SIZE,
    TARGET,
    Copy,
    batch_file,
    build,
    change,
    digests,
    findings,
    flip,
    merge_files,
    repair_all,
    rows,
    writing,
)


def sample(folder: WorkspaceFolder) -> list[list[list[int]]]:
    """Some lists from all over the size."""
    with setset.open(folder.path) as workspace:
        size = workspace.exploration(TARGET)[SIZE]
        return [size[start : start + 3].tolist() for start in range(0, 9_000_000, 333_333)]


def test_neighbours_are_merged_and_the_lists_stay(scattered_copy: Copy) -> None:
    folder = scattered_copy()
    before = sample(folder)
    result = merge_files(folder)
    assert result.files_after < result.files_before
    assert len(list((folder.own_root / f"t{TARGET}/s{SIZE:02d}").iterdir())) == result.files_after
    assert sample(folder) == before
    numbers = [number for (number,) in rows(folder.path, f"SELECT number FROM files WHERE size = {SIZE}")]
    assert numbers == list(range(result.files_after))
    lists = [lists for (lists,) in rows(folder.path, f"SELECT lists FROM files WHERE size = {SIZE}")]
    assert max(lists) <= 2_000_000


@pytest.mark.parametrize("damage", [Path.unlink, flip])
def test_a_lost_merged_batch_is_made_again_in_parts(
    scattered_copy: Copy, scattered: Path, damage: Callable[[Path], None]
) -> None:
    """The parts have the bytes that they had. Merged again, they give the same merged file."""
    folder = scattered_copy()
    lists = sample(folder)
    result = merge_files(folder)
    assert result.files_after < result.files_before
    before = digests(folder.path)
    merged = list(folder.path.rglob("*_*.setset"))
    assert merged
    for path in merged:
        damage(path)
    repair_all(folder)
    assert findings(folder, deep=True) == []
    assert sample(folder) == lists
    assert digests(folder.path) == digests(scattered)
    merge_files(folder)
    assert digests(folder.path) == before


@pytest.mark.parametrize("merged", [False, True])
def test_a_source_with_a_part_in_a_merged_file_is_made_again_as_a_whole(
    tailed_copy: Copy, tailed: Path, merged: bool
) -> None:
    """Its other parts are files of their own."""
    folder = tailed_copy()
    merge_files(folder)
    (across, *_) = sorted(path for path in folder.path.rglob("*_*.setset") if "-000_" not in path.name)
    victim = across if merged else across.with_name(f"{across.name.split('-')[0]}-000.setset")
    victim.unlink()
    repair_all(folder)
    assert findings(folder, deep=True) == []
    parts = digests(tailed)
    assert digests(folder.path).items() >= {(name, parts[name]) for name in parts if victim.name[:7] in name}


def test_only_up_to_a_number(scattered_copy: Copy) -> None:
    folder = scattered_copy()
    before = rows(folder.path, f"SELECT path FROM files WHERE size = {SIZE}")
    merge_files(folder, up_to=5)
    after = rows(folder.path, f"SELECT path FROM files WHERE size = {SIZE}")
    assert after[-(len(before) - 6) :] == before[6:]
    assert len(after) < len(before)


def test_again_there_is_nothing_to_merge(scattered_copy: Copy) -> None:
    folder = scattered_copy()
    result = merge_files(folder)
    assert merge_files(folder) == CompactResult(result.files_after, result.files_after)


def test_a_size_that_was_expanded_is_left_alone(scattered_copy: Copy) -> None:
    with writing(scattered_copy().path) as database, ThreadPoolExecutor(2) as executor:
        size = explorations.find(database, TARGET).size(SIZE - 1)
        with pytest.raises(BadInput, match="larger sizes were made or counted"):
            compact(size, None, executor, NoProgress())


@pytest.mark.parametrize("moment", ["before the transaction", "after the transaction"])
def test_stopped_at_any_moment_nothing_is_lost(
    scattered_copy: Copy, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = scattered_copy()
    before = sample(folder)
    replace_merged = expansions.replace_merged

    def stop(*arguments: object) -> None:
        if moment.startswith("after"):
            replace_merged(*arguments)  # type: ignore[arg-type]
        raise SetsetError("stopped by the test")

    with monkeypatch.context() as patch:
        patch.setattr(expansions, "replace_merged", stop)
        with pytest.raises(SetsetError, match="stopped by the test"):
            merge_files(folder)
    assert any(folder.path.rglob("*_*.setset"))
    build(folder.path)
    assert findings(folder, deep=True) == []
    merge_files(folder)
    assert sample(folder) == before
    assert findings(folder, deep=True) == []


def test_a_damaged_part_is_not_merged(scattered_copy: Copy) -> None:
    folder = scattered_copy()
    before, expected = sample(folder), rows(folder.path, BATCHES)
    part = batch_file(folder)
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(SetsetError, match=r"batch 3 of size 5: .*: run 'setset repair' first"):
        merge_files(folder)
    assert rows(folder.path, BATCHES) == expected
    repair_all(folder)
    merge_files(folder)
    assert findings(folder, deep=True) == []
    assert sample(folder) == before


def test_lists_that_a_rebuilt_database_does_not_know_of_are_no_defect(scattered_copy: Copy) -> None:
    """Done again, an expansion inside a merged file would be there twice."""
    folder = scattered_copy()
    merge_files(folder)
    change(
        folder.path,
        f"UPDATE expansions SET lists_in = 0 WHERE size = {SIZE}",
        f"UPDATE expansions SET lists_in = 1 WHERE size = {SIZE} AND source = 2",
    )
    assert findings(folder, deep=True) == []

"""Compacting merges files without changing a list, and survives being stopped anywhere."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from setset.database.store import Store
from setset.errors import BadInput, SetsetError
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.maintenance.check import check
from setset.maintenance.compact import compact
from setset.maintenance.rebuild import rebuild
from setset.maintenance.repair import repair
from setset.workspace.lists import lists
from tests.jobs.conftest import BATCHES, SIZE, TARGET, build, digests, rows

Copy = Callable[[], Workspace]


def squeeze(workspace: Workspace, up_to: int | None = None) -> tuple[int, int]:
    with workspace.held(), ThreadPoolExecutor(2) as executor:
        store = Store.writing(workspace)
        return compact(store, store.find_exploration(TARGET), SIZE, up_to, executor, Unwatched())


@pytest.fixture(scope="module")
def scattered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose largest size has many files that are far from full, each of another source."""
    workspace, _ = build(tmp_path_factory.mktemp("scattered") / "w", SIZE - 1, batch_lists=50_000)
    build(workspace.path, batch_lists=2_000_000)
    return workspace.path


@pytest.fixture
def copy(scattered: Path, tmp_path: Path) -> Copy:
    return lambda: Workspace(Path(shutil.copytree(scattered, tmp_path / "copy")))


def sample(workspace: Workspace) -> list[tuple[int, ...]]:
    store = Store.reading(workspace)
    return [
        cards
        for start in range(0, 9_000_000, 333_333)
        for cards in lists(store, TARGET, SIZE, None, start, 3)
    ]


def problems(workspace: Workspace) -> list[str]:
    store = Store.reading(workspace)
    with ThreadPoolExecutor(2) as executor:
        return [found.what for found in check(store, None, Unwatched(), executor)]


def test_neighbours_are_merged_and_the_lists_stay(copy: Copy) -> None:
    workspace = copy()
    before = sample(workspace)
    files_before, files_after = squeeze(workspace)
    assert files_after < files_before
    assert len(list((workspace.path / f"batches/t{TARGET}/s{SIZE:02d}").iterdir())) == files_after
    assert sample(workspace) == before
    numbers = [number for (number,) in rows(workspace.path, f"SELECT number FROM files WHERE size = {SIZE}")]
    assert numbers == list(range(files_after))
    assert (
        max(n for (n,) in rows(workspace.path, f"SELECT lists FROM files WHERE size = {SIZE}")) <= 2_000_000
    )


def test_a_merged_batch_is_made_again_byte_identical(copy: Copy) -> None:
    """From the expansions of several sources, cut as they were when the files were small."""
    workspace = copy()
    squeezed = squeeze(workspace)
    assert squeezed[1] < squeezed[0]
    before = digests(workspace.path)
    merged = list(workspace.path.rglob("*_*.setset"))
    assert merged
    for path in merged:
        path.unlink()
    with workspace.held(), ThreadPoolExecutor(2) as executor:
        store = Store.writing(workspace)
        repair(store, executor, list(check(store, None, Unwatched())))
    assert digests(workspace.path) == before
    assert problems(workspace) == []


def test_only_up_to_a_number(copy: Copy) -> None:
    workspace = copy()
    before = rows(workspace.path, f"SELECT path FROM files WHERE size = {SIZE}")
    squeeze(workspace, up_to=5)
    after = rows(workspace.path, f"SELECT path FROM files WHERE size = {SIZE}")
    assert after[-(len(before) - 6) :] == before[6:]
    assert len(after) < len(before)


def test_again_there_is_nothing_to_merge(copy: Copy) -> None:
    workspace = copy()
    squeeze(workspace)
    before, after = squeeze(workspace)
    assert before == after


def test_a_size_that_was_expanded_is_left_alone(copy: Copy) -> None:
    workspace = copy()
    with workspace.held(), ThreadPoolExecutor(2) as executor:
        store = Store.writing(workspace)
        with pytest.raises(BadInput, match="larger sizes are derived"):
            compact(store, 1, SIZE - 1, None, executor, Unwatched())


@pytest.mark.parametrize("moment", ["before the transaction", "after the transaction"])
def test_stopped_at_any_moment_nothing_is_lost(
    copy: Copy, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = copy()
    before = sample(workspace)
    with monkeypatch.context() as patch:
        merge = Store.merge

        def stop(self: Store, *arguments: object) -> None:
            if moment.startswith("after"):
                merge(self, *arguments)  # type: ignore[arg-type]
            raise SetsetError("stopped by the test")

        patch.setattr(Store, "merge", stop)
        with pytest.raises(SetsetError, match="stopped by the test"):
            squeeze(workspace)
    assert any(path for path in workspace.path.rglob("*_*.setset"))
    build(workspace.path)
    assert problems(workspace) == []
    squeeze(workspace)
    assert sample(workspace) == before
    assert problems(workspace) == []


def test_a_compacted_size_is_rebuilt_from_its_files(copy: Copy) -> None:
    workspace = copy()
    squeeze(workspace)
    before = rows(workspace.path, BATCHES)
    workspace.database.unlink()
    with workspace.held():
        rebuild(workspace, (), Unwatched())
    assert rows(workspace.path, BATCHES) == before
    assert problems(workspace) == []


def test_a_damaged_part_is_made_again_before_it_is_merged(copy: Copy) -> None:
    workspace = copy()
    before = sample(workspace)
    part = sorted(workspace.path.glob(f"batches/t??/s{SIZE:02d}/*.setset"))[3]
    part.write_bytes(part.read_bytes()[:-1])
    squeeze(workspace)
    assert problems(workspace) == []
    assert sample(workspace) == before


def test_a_compaction_can_be_stopped_between_merges(copy: Copy) -> None:
    workspace = copy()
    before = rows(workspace.path, BATCHES)
    calls = iter([None, None])

    def go_on() -> None:
        if next(calls, "stop") is not None:
            raise SetsetError("stopped")

    store = Store.writing(workspace)
    with ThreadPoolExecutor(2) as executor, pytest.raises(SetsetError, match="stopped"):
        compact(store, store.find_exploration(TARGET), SIZE, None, executor, Unwatched(), go_on)
    assert rows(workspace.path, BATCHES) == before
    build(workspace.path, batch_lists=2_000_000)  # sweeps what was merged and not recorded
    assert problems(workspace) == []


def test_lists_that_a_rebuilt_database_does_not_know_of_are_no_defect(copy: Copy) -> None:
    """Redone, an expansion inside a merged file would be there twice."""
    workspace = copy()
    squeeze(workspace)
    connection = sqlite3.connect(workspace.database)
    with connection:
        connection.execute("UPDATE expansions SET lists_in = 0 WHERE size = ?", (SIZE,))
        connection.execute("UPDATE expansions SET lists_in = 1 WHERE size = ? AND source = 2", (SIZE,))
    connection.close()
    assert problems(workspace) == []


def test_rebuild_beside_the_parts_of_a_merged_file(copy: Copy) -> None:
    """A compaction that was stopped after its files were written leaves both."""
    workspace = copy()
    parts = {path: path.read_bytes() for path in workspace.path.glob(f"batches/t??/s{SIZE:02d}/*.setset")}
    total = rows(workspace.path, "SELECT lists, complete FROM counts")
    squeeze(workspace)
    for path, data in parts.items():
        path.write_bytes(data)
    rebuild(workspace, (), Unwatched())
    assert rows(workspace.path, "SELECT lists, complete FROM counts") == total
    build(workspace.path, batch_lists=2_000_000)
    assert problems(workspace) == []

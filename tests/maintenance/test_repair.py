"""`repair` brings back the same bytes, whatever is damaged."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.ownership import TOKEN
from setset.database import batches, expansions, explorations
from setset.engine import search
from setset.errors import BadInput, SetsetError
from setset.folder import WorkspaceFolder
from setset.jobs.coordinator import ExpansionsFailed
from setset.maintenance import repair
from setset.maintenance.findings import FindingKind, Remedy
from setset.progress import NoProgress
from tests.small import (
    BATCHES,
    COUNTS,
    SIZE,
    TARGET,
    Copy,
    batch_file,
    build,
    change,
    change_by_hand,
    digests,
    findings,
    flip,
    rebuild,
    repair_all,
    repair_batch,
    rows,
    writing,
)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "grown": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "flipped": flip,
    "swapped": lambda path: shutil.copy(min(path.parent.glob("*.setset")), path),
    "a folder": replace_by_folder,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("size", [4, SIZE])
def test_a_damaged_file_is_found_and_rebuilt(
    copy: Copy, reference: Path, damage: Callable[[Path], object], size: int
) -> None:
    folder = copy()
    path = batch_file(folder, size=size)
    damage(path)
    (problem,) = [finding for finding in findings(folder) if finding.kind is FindingKind.FILE]
    assert problem.where == str(path)
    assert f"of size {size}" in problem.what
    assert problem.kind.remedy is Remedy.REPAIR
    if path.is_dir():
        path.rmdir()
    repair_all(folder)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []


def test_a_defective_source_is_rebuilt_first(copy: Copy, reference: Path) -> None:
    folder = copy()
    for size in (3, 4, SIZE):
        for path in (folder.own_root / f"t{TARGET}/s{size:02d}").glob("*.setset"):
            path.unlink()
    repair_all(folder)
    assert digests(folder.path) == digests(reference)


def test_one_batch_is_rebuilt_whatever_its_state_and_its_sources_with_it(copy: Copy, reference: Path) -> None:
    folder = copy()
    flip(batch_file(folder, 0, 3))
    flip(batch_file(folder, 1, 4))
    ((number,),) = rows(folder.path, f"SELECT number FROM files WHERE size = {SIZE} AND source = 1 AND part = 0")
    repair_batch(folder, SIZE, number)
    assert digests(folder.path) == digests(reference)


def test_a_lost_row_is_found_and_the_expansion_done_again(copy: Copy, reference: Path) -> None:
    folder = copy()
    change(folder.path, f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1 AND first_part = 1")
    kinds = [finding.kind for finding in findings(folder)]
    assert FindingKind.SUM in kinds
    assert FindingKind.NUMBER in kinds
    repair_all(folder)
    assert findings(folder) == []
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)


def test_a_damaged_token_is_made_again(copy: Copy, reference: Path) -> None:
    folder = copy()
    token = folder.own_root / TOKEN
    before = token.read_bytes()
    flip(token)
    (finding,) = findings(folder)
    assert (finding.kind, finding.where) == (FindingKind.ROOT, str(token))
    assert finding.kind.remedy is Remedy.REPAIR
    repair_all(folder)
    assert findings(folder, deep=True) == []
    assert token.read_bytes() == before
    assert digests(folder.path) == digests(reference)


def test_lists_that_only_a_deep_check_finds_wrong_are_repaired_by_a_deep_repair(copy: Copy, reference: Path) -> None:
    """A sound file with other lists, and a database that records it so: the expansion is done again."""
    folder = copy()
    path = batch_file(folder, 5)
    header, streams = files.load(path)
    chunks = [chunk.copy() for chunk in search.unpack(streams)]
    chunks[0] = chunks[0][[*range(10), *range(11, len(chunks[0]))]]
    (forged,) = search.pack(chunks, SIZE, header.batch_lists)
    bounds = (header.first, header.last)
    data = batch_format.encode(forged, TARGET, header.batch_lists, header.span, bounds, header.source_digest)
    path.write_bytes(data)
    source = header.span.first_source
    change(
        folder.path,
        f"UPDATE batches SET lists = lists - 1, bytes = {len(data)}, digest = '{data[-16:].hex()}' "
        f"WHERE size = {SIZE} AND path LIKE '%{path.name}'",
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = {SIZE} AND source = {source}",
    )
    assert repair_all(folder) == []
    (finding,) = repair_all(folder, deep=True)
    assert (finding.kind, finding.kind.remedy) == (FindingKind.LISTS, Remedy.DEEP_REPAIR)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []


def test_a_right_file_with_a_wrong_row_stays(copy: Copy, reference: Path) -> None:
    """The row does not match its source: repair repeats the expansion and gets the existing file."""
    folder = copy()
    change(folder.path, f"UPDATE batches SET lists = lists - 1 WHERE size = {SIZE} AND number = 7")
    repair_all(folder)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []


def test_other_lists_than_recorded_are_reported_and_not_taken(copy: Copy, reference: Path) -> None:
    """A lost file, and a row that agrees with all others but not with the source: which one is right is not guessed."""
    folder = copy()
    path = batch_file(folder, 5)
    right, source = files.verify(path)[1], files.verify(path)[0].span.first_source
    path.unlink()
    change(
        folder.path,
        f"UPDATE batches SET lists = lists - 1, digest = 'feed' WHERE size = {SIZE} AND number = 5",
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = {SIZE} AND source = {source}",
    )
    expected = rows(folder.path, f"SELECT digest, lists FROM files WHERE size = {SIZE}")
    message = (
        rf"failed once: {path.parent.parent.name}/.*{right}.*the database records \(digest feed\).*setset repair --deep"
    )
    for _ in range(2):
        with pytest.raises(ExpansionsFailed, match=message):
            repair_all(folder)
        with pytest.raises(ExpansionsFailed, match=message):
            build(folder.path)
        assert rows(folder.path, f"SELECT digest, lists FROM files WHERE size = {SIZE}") == expected
        assert not path.exists()
    assert {finding.kind for finding in findings(folder, deep=True)} == {FindingKind.FILE, FindingKind.LISTS}
    repair_all(folder, deep=True)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []


def test_a_file_returns_to_its_storage_root(with_output: Path) -> None:
    folder = WorkspaceFolder(with_output / "w")
    before = digests(with_output)
    victims = [max((with_output / name).rglob("*.setset")) for name in ("w", "out")]
    for path in victims:
        path.unlink()
    repair_all(folder)
    assert digests(with_output) == before
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize("how", ["repair", "run"])
def test_counts_stay_if_their_source_comes_back_as_it_was(tmp_path: Path, how: str) -> None:
    folder, _ = build(tmp_path / "w", 4)
    build(folder.path, count_only=True)
    query = "SELECT source, attempts, source_digest, finished_at FROM expansions WHERE work = 'count'"
    before, counts = rows(folder.path, query), rows(folder.path, COUNTS)
    change(folder.path, "DELETE FROM batches WHERE size = 4 AND number = 1")
    batch_file(folder, 3, 4).unlink()
    if how == "repair":
        repair_all(folder)
    else:
        build(folder.path, count_only=True)
    assert rows(folder.path, query) == before
    assert rows(folder.path, COUNTS) == counts
    assert findings(folder, deep=True) == []


def test_a_repair_that_was_stopped_is_taken_up_by_a_repair_and_by_a_run(copy: Copy, reference: Path) -> None:
    """It has forgotten what it found, and nothing is made again yet."""
    for take_up in (repair_all, lambda folder: build(folder.path)):
        folder = copy()
        batch_file(folder, 3, 4).unlink()
        batch_file(folder, -1).unlink()
        change(folder.path, f"DELETE FROM batches WHERE size = {SIZE} AND number = 9")
        with contextlib.suppress(SetsetError), writing(folder.path) as database:
            repair.repair_all(database, None, None, NoProgress(), lambda *_: None)
        with setset.open(folder.path) as workspace:
            assert [item.state for item in workspace.status().items] == ["defective", "defective"]
        take_up(folder)
        assert digests(folder.path) == digests(reference)
        assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
        assert findings(folder, deep=True) == []
        shutil.rmtree(folder.path)


def test_repair_does_nothing_that_was_never_done(tmp_path: Path) -> None:
    """A run that was stopped goes on by a run."""
    folder, _ = build(tmp_path / "w", 4)
    build(folder.path, first=2)
    before = rows(folder.path, f"SELECT path FROM files WHERE size = {SIZE}")
    batch_file(folder, 0).unlink()
    batch_file(folder, 1, 4).unlink()
    repair_all(folder)
    assert rows(folder.path, f"SELECT path FROM files WHERE size = {SIZE}") == before
    assert findings(folder, deep=True) == []


@pytest.fixture
def merged(tmp_path: Path) -> WorkspaceFolder:
    """Target 20 with a size 4 of merged files."""
    folder, _ = build(tmp_path / "w", 3, target=20, batch_lists=1_000)
    build(folder.path, 4, target=20, batch_lists=40_000)
    with setset.open(folder.path, mode="a") as workspace:
        assert workspace.exploration(20).compact(4).files_after < 25
    return folder


def merged_files(folder: WorkspaceFolder) -> list[Path]:
    return sorted(folder.path.rglob("s04/*_*.setset"))


RIGHT_20 = [(20, 3, 41_148, 1), (20, 4, 598_698, 1), (20, 5, 6_736_041, 1)]


def test_a_repair_of_merged_sources_leaves_nothing_incomplete(merged: WorkspaceFolder) -> None:
    """They come back as more batches than before, from which there is more to make."""
    build(merged.path, 5, target=20, batch_lists=300_000)
    assert rows(merged.path, COUNTS) == RIGHT_20
    for path in merged_files(merged)[:3]:
        flip(path)
    repair_all(merged)
    assert rows(merged.path, COUNTS) == RIGHT_20
    assert findings(merged, deep=True) == []


def test_a_run_that_meets_several_damaged_merged_sources_is_right_in_one_go(merged: WorkspaceFolder) -> None:
    for path in merged_files(merged)[::2]:
        flip(path)
    build(merged.path, 5, target=20, batch_lists=300_000)
    assert rows(merged.path, COUNTS) == RIGHT_20
    assert findings(merged, deep=True) == []


def test_two_counts_from_one_size_are_each_compared_with_their_sources(tmp_path: Path) -> None:
    """Repair finds the count that was made from another batch, and repeats it."""
    folder, _ = build(tmp_path / "w", 4, target=20, batch_lists=60_000)
    for size in (5, 6):
        build(folder.path, size, target=20, count_only=True)
    expected = rows(folder.path, COUNTS)
    stale = "work = 'count' AND size = 5 AND source = 1"
    change(
        folder.path,
        f"UPDATE expansions SET source_digest = 'feed' WHERE {stale}",
        f"UPDATE tallies SET lists = lists + 1 WHERE expansion_id = (SELECT id FROM expansions WHERE {stale})",
        "DELETE FROM tallies WHERE expansion_id IN (SELECT id FROM expansions WHERE work = 'count' AND size = 6)",
        "DELETE FROM expansions WHERE work = 'count' AND size = 6",
    )
    (finding,) = findings(folder)
    assert (finding.kind, finding.where) == (FindingKind.PROOF, "the count from batch 1 of size 4")
    repair_all(folder)
    assert findings(folder) == []
    assert rows(folder.path, COUNTS) == expected[:-1]


def test_a_forgotten_file_is_not_merged(tmp_path: Path) -> None:
    """An interrupted repair may have forgotten a sound file."""
    folder, _ = build(tmp_path / "w", 3, target=20, batch_lists=1_000)
    build(folder.path, 4, target=20, batch_lists=40_000)
    with writing(folder.path) as database:
        size = explorations.find(database, 20).size(4)
        expansions.forget_files(size, {batches.get(size, 7): "as asked"})
    with setset.open(folder.path, mode="a") as workspace:
        with pytest.raises(BadInput, match="have defects: run 'setset repair' first"):
            workspace.exploration(20).compact(4)
        workspace.repair()
        workspace.exploration(20).compact(4)
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_size_whose_row_vanished_needs_a_rebuild(size: int, copy: Copy) -> None:
    """Repair would begin the size anew, with another number of lists in a file."""
    folder = copy()
    change_by_hand(folder.path, f"DELETE FROM sizes WHERE size = {size}")
    with pytest.raises(SetsetError, match=r"is not recorded, but its batches are: run 'setset db rebuild'"):
        repair_all(folder)
    rebuild(folder)
    assert findings(folder, deep=True) == []


def test_repair_begins_no_size(copy: Copy, reference: Path) -> None:
    """The row and the batches of a size vanished: repair cannot know how many lists its files hold."""
    folder = copy()
    change_by_hand(folder.path, "DELETE FROM sizes WHERE size = 4", "DELETE FROM batches WHERE size = 4")
    repair_all(folder)
    assert len(digests(folder.path)) == len(digests(reference))
    build(folder.path)
    assert (findings(folder), digests(folder.path)) == ([], digests(reference))


def test_targets_that_were_exchanged_give_no_wrong_number(tmp_path: Path) -> None:
    """No checksum covers the ids, so each row is sound, and each target would get the lists of the other."""
    folder, _ = build(tmp_path / "w", 3)
    build(folder.path, 3, target=TARGET + 1)
    expected = rows(folder.path, COUNTS)
    exchange = ("id = 9 WHERE id = 1", "id = 1 WHERE id = 2", "id = 2 WHERE id = 9")
    change_by_hand(folder.path, *(f"UPDATE explorations SET {assignment}" for assignment in exchange))
    with setset.open(folder.path) as workspace:
        for ask in (workspace.counts, lambda: workspace.exploration(TARGET)[3], lambda: repair_all(folder)):
            with pytest.raises(
                SetsetError, match=r"target 1[67] has the files of another target: run 'setset db rebuild'"
            ):
                ask()
        assert {size.state.value for size in workspace.status().sizes} == {"defective"}
    with pytest.raises(SetsetError, match="run 'setset db rebuild'"):
        build(folder.path, 4)
    rebuild(folder)
    assert (rows(folder.path, COUNTS), findings(folder)) == (expected, [])

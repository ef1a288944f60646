"""`repair` brings back the same bytes, whatever is damaged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.roots import TOKEN
from setset.engine import search
from setset.maintenance.findings import FindingKind, Remedy
from tests.small import (
    BATCHES,
    SIZE,
    TARGET,
    Copy,
    batch_file,
    change,
    digests,
    findings,
    flip,
    repair_all,
    repair_batch,
    rows,
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
    (found,) = [finding for finding in findings(folder) if finding.kind is FindingKind.FILE]
    assert found.where == str(path)
    assert f"of size {size}" in found.what
    assert found.kind.remedy is Remedy.REPAIR
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
    ((number,),) = rows(
        folder.path, f"SELECT number FROM files WHERE size = {SIZE} AND source = 1 AND part = 0"
    )
    repair_batch(folder, SIZE, number)
    assert digests(folder.path) == digests(reference)


def test_a_lost_row_is_found_and_the_expansion_done_again(copy: Copy, reference: Path) -> None:
    folder = copy()
    change(
        folder.path,
        f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1 AND first_part = 1",
    )
    kinds = [found.kind for found in findings(folder)]
    assert FindingKind.SUM in kinds
    assert FindingKind.NUMBER in kinds
    repair_all(folder)
    assert findings(folder) == []
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)


def test_a_wrong_number_of_lists_before_a_batch_is_found_and_counted_again(
    copy: Copy, reference: Path
) -> None:
    folder = copy()
    change(
        folder.path, f"UPDATE batches SET lists_before = lists_before - 1 WHERE size = {SIZE} AND number = 7"
    )
    assert {found.kind for found in findings(folder)} == {FindingKind.SUM}
    repair_all(folder)
    assert findings(folder) == []
    before = "SELECT size, number, lists_before FROM batches ORDER BY size, number"
    assert rows(folder.path, before) == rows(reference, before)


def test_a_damaged_token_is_made_again(copy: Copy, reference: Path) -> None:
    folder = copy()
    token = folder.own_root / TOKEN
    before = token.read_bytes()
    flip(token)
    (found,) = findings(folder)
    assert (found.kind, found.where) == (FindingKind.ROOT, str(token))
    assert found.kind.remedy is Remedy.REPAIR
    repair_all(folder)
    assert findings(folder, deep=True) == []
    assert token.read_bytes() == before
    assert digests(folder.path) == digests(reference)


def test_lists_that_only_a_deep_check_finds_wrong_are_repaired_by_a_deep_repair(
    copy: Copy, reference: Path
) -> None:
    """A sound file with other lists, and a database that records it so: the expansion is done again."""
    folder = copy()
    path = batch_file(folder, 5)
    header, streams = files.load(path)
    chunks = [chunk.copy() for chunk in search.unpack(streams)]
    chunks[0] = chunks[0][[*range(10), *range(11, len(chunks[0]))]]
    (forged,) = search.pack(chunks, SIZE, header.batch_lists)
    ends = (header.first, header.last)
    data = batch_format.encode(forged, TARGET, header.batch_lists, header.span, ends, header.source_digest)
    path.write_bytes(data)
    source = header.span.first_source
    change(
        folder.path,
        f"UPDATE batches SET lists = lists - 1, bytes = {len(data)}, digest = '{data[-16:].hex()}' "
        f"WHERE size = {SIZE} AND path LIKE '%{path.name}'",
        f"UPDATE batches SET lists_before = lists_before - 1 WHERE size = {SIZE} AND number > "
        f"(SELECT number FROM batches WHERE size = {SIZE} AND path LIKE '%{path.name}')",
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = {SIZE} AND source = {source}",
    )
    assert repair_all(folder) == []
    (found,) = repair_all(folder, deep=True)
    assert (found.kind, found.kind.remedy) == (FindingKind.LISTS, Remedy.DEEP_REPAIR)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []


def test_a_right_file_with_a_wrong_row_stays(copy: Copy, reference: Path) -> None:
    """What is recorded does not come of the source: the expansion is done again, and gives the file that was there."""
    folder = copy()
    change(folder.path, f"UPDATE batches SET lists = lists - 1 WHERE size = {SIZE} AND number = 7")
    repair_all(folder)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert findings(folder, deep=True) == []

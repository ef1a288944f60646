"""`check` finds every kind of damage and changes nothing. A recount decodes every file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.database import batches, explorations
from setset.engine import search
from setset.errors import BadInput
from setset.folder import WorkspaceFolder
from setset.maintenance.check import check, recount_files
from setset.maintenance.findings import FindingKind
from setset.progress import NoProgress
from tests.small import (
    SIZE,
    TARGET,
    Copy,
    Notices,
    batch_file,
    build,
    change,
    findings,
    flip,
    merge_files,
    reading,
    repair_all,
    rows,
)


def test_nothing_is_wrong_with_the_reference(reference: Path) -> None:
    assert findings(WorkspaceFolder(reference), deep=True) == []


def test_check_writes_nothing(copy: Copy) -> None:
    folder = copy()
    batch_file(folder).unlink()
    (batch_file(folder).parent / ".0000001-000.setset.host.1.abcdef01.tmp").write_bytes(b"x")
    before = {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")}
    with setset.open(folder.path) as workspace:
        assert list(workspace.check())
    with setset.open(folder.path, mode="a") as workspace:
        assert workspace.repair(dry_run=True).repaired
    assert {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")} == before


def test_a_changed_count_in_the_database_is_found(copy: Copy) -> None:
    """One altered number: the file's header and the sum of the expansion both tell."""
    folder = copy()
    change(folder.path, f"UPDATE batches SET lists = lists - 1 WHERE size = {SIZE} AND number = 7")
    assert {finding.kind for finding in findings(folder)} == {FindingKind.FILE, FindingKind.SUM}


def test_wrong_numbers_and_order_are_found(copy: Copy) -> None:
    folder = copy()
    change(
        folder.path,
        f"UPDATE batches SET number = 1000 WHERE size = {SIZE} AND number = 7",
        f"UPDATE batches SET first_list = '0 1 3 4 9' WHERE size = {SIZE} AND number = 9",
    )
    problems = findings(folder)
    assert {FindingKind.NUMBER, FindingKind.ORDER} <= {finding.kind for finding in problems}


def test_a_forged_batch_is_found_by_a_deep_check_only(copy: Copy) -> None:
    """A sound file with one list fewer, and a database that records it so."""
    folder = copy()
    with reading(folder.path) as database:
        batch = batches.get(explorations.find(database, TARGET).at(SIZE), 5)
    path = Path(batch.path)
    header, streams = files.load(path)
    chunks = [chunk.copy() for chunk in search.unpack(streams)]
    chunks[0] = chunks[0][[*range(10), *range(11, len(chunks[0]))]]
    (forged,) = search.pack(chunks, SIZE, header.batch_lists)
    data = batch_format.encode(
        forged, header.target, header.batch_lists, header.span, (header.first, header.last), header.source_digest
    )
    path.write_bytes(data)
    change(
        folder.path,
        f"UPDATE batches SET lists = lists - 1, bytes = {len(data)}, digest = '{data[-16:].hex()}' "
        f"WHERE size = {SIZE} AND number = 5",
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = {SIZE} AND source = {header.span.first_source}",
    )
    assert findings(folder) == []
    (finding,) = findings(folder, deep=True)
    assert finding.kind is FindingKind.LISTS
    assert "its sources expand to other lists" in finding.what


def test_a_merged_file_of_version_0_1_is_no_flaw(tailed_copy: Copy) -> None:
    """It has the digest of its first source where there is one over all of them now; its row has none."""
    folder = tailed_copy()
    merge_files(folder)
    for path in folder.own_root.glob("t??/s??/*_*.setset"):
        header, streams = files.load(path)
        first = header.span.first_source
        with reading(folder.path) as database:
            source = batches.get(explorations.find(database, TARGET).at(SIZE - 1), first)
        bounds = (header.first, header.last)
        digest = bytes.fromhex(source.digest)
        data = batch_format.encode(streams, TARGET, header.batch_lists, header.span, bounds, digest)
        path.write_bytes(data)
        change(
            folder.path,
            f"UPDATE batches SET digest = '{data[-16:].hex()}', bytes = {len(data)}, source_digest = NULL "
            f"WHERE size = {SIZE} AND path LIKE '%{path.name}'",
        )
    assert findings(folder, deep=True) == []
    assert build(folder.path, batch_lists=None)[1].texts == []
    flip(next(folder.own_root.glob("t??/s??/*_*.setset")))
    assert [finding.kind for finding in findings(folder)] == [FindingKind.FILE]
    repair_all(folder)
    assert findings(folder, deep=True) == []


def test_a_path_out_of_the_storage_root_is_refused(copy: Copy) -> None:
    folder = copy()
    change(folder.path, f"UPDATE batches SET path = '../../../etc/passwd' WHERE size = {SIZE} AND number = 0")
    (problem,) = [finding for finding in findings(folder) if "outside" in finding.what]
    assert problem.kind is FindingKind.FILE


def test_only_one_size_is_checked_if_asked(copy: Copy) -> None:
    folder = copy()
    batch_file(folder, 0, 4).unlink()
    batch_file(folder, 0, SIZE).unlink()
    assert {finding.size for finding in findings(folder, size=4)} == {4}
    with pytest.raises(BadInput, match="no lists of size 9 are stored"):
        findings(folder, size=9)


def test_beside_a_run_only_what_is_finished_is_checked(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    build(folder.path, SIZE, first=2)
    batch_file(folder, 0, SIZE).unlink()
    (batch_file(folder, 0, SIZE).parent / ".0000001-000.setset.host.1.abcdef01.tmp").write_bytes(b"x")
    notices = Notices()
    with reading(folder.path) as database:
        assert list(check(database, None, notices, beside_run=True)) == []
    assert notices.texts == ["size 5 is being written: it can be checked when the run is over"]


# Recounting


def recounted(path: Path, size: int | None = None) -> tuple[dict[tuple[int, int], int], list[str]]:
    notices = Notices()
    with reading(path) as database, ThreadPoolExecutor(2) as executor:
        return recount_files(database, size, executor, notices), notices.texts


def test_the_files_hold_what_is_recorded(reference: Path) -> None:
    expected = {
        (target, size): lists for target, size, lists in rows(reference, "SELECT target, size, lists FROM counts")
    }
    assert recounted(reference) == (expected, [])
    assert recounted(reference, 4) == ({(TARGET, 4): expected[TARGET, 4]}, [])


def test_a_damaged_file_counts_as_empty(copy: Copy) -> None:
    folder = copy()
    flip(batch_file(folder, 0))
    ((lists_of_file,),) = rows(folder.path, f"SELECT lists FROM files WHERE size = {SIZE} AND number = 0")
    ((lists,),) = rows(folder.path, f"SELECT lists FROM counts WHERE size = {SIZE}")
    totals, notices = recounted(folder.path, SIZE)
    assert totals == {(TARGET, SIZE): lists - lists_of_file}
    (notice,) = notices
    assert notice.startswith(str(batch_file(folder, 0)))
    assert notice.endswith("run 'setset check'")


def test_what_a_check_found_is_recorded_and_shown_until_it_is_mended(copy: Copy) -> None:
    folder = copy()
    flip(batch_file(folder, 0))

    def shown() -> dict[int, tuple[str, bool, int | None]]:
        with setset.open(folder.path) as workspace:
            sizes = workspace.status().sizes
        return {size.size: (size.state.value, size.checked_at is not None, size.findings) for size in sizes}

    never = dict.fromkeys((3, 4, 5), ("complete", False, None))
    assert shown() == never
    assert len(list(setset.open(folder.path).check())) == 1
    assert shown() == never, "opened to read, it writes nothing"
    with setset.open(folder.path, mode="a") as workspace, folder.locked():
        assert len(list(workspace.check())) == 1
    assert shown() == never, "a run is at work"
    with setset.open(folder.path, mode="a") as workspace:
        assert len(list(workspace.check())) == 1
        assert shown() == {**dict.fromkeys((3, 4), ("complete", True, 0)), 5: ("defective", True, 1)}
        workspace.repair()
    assert shown() == dict.fromkeys((3, 4, 5), ("complete", True, 0))


def test_lists_of_a_file_that_cannot_be_read_do_not_count_as_checked(copy: Copy) -> None:
    folder = copy()
    flip(batch_file(folder, 0))

    class Sum(NoProgress):
        lists = 0

        def advance(self, size: int, lists_in: int, _lists_out: int) -> None:
            self.lists += lists_in if size == SIZE else 0

    progress = Sum()
    with setset.open(folder.path) as workspace:
        list(workspace.check(size=SIZE, progress=progress))
        stored_files = workspace.exploration(TARGET)[SIZE].batches
    assert progress.lists == sum(batch.lists for batch in stored_files[1:])

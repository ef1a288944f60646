"""`check` finds every kind of damage and changes nothing; `repair` brings back the same bytes."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from setset.batches import files
from setset.batches import format as batch_format
from setset.database.store import Store
from setset.engine import search
from setset.errors import SetsetError
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.maintenance.check import Finding, check
from setset.maintenance.repair import REPAIRABLE, remake, repair
from setset.workspace import inspection
from setset.workspace.lists import lists
from tests.jobs.conftest import BATCHES, SIZE, TARGET, build, digests, rows

Copy = Callable[[], Workspace]
FOLDER = f"batches/t{TARGET}/s{SIZE:02d}"


def findings(workspace: Workspace, deep: bool = False, size: int | None = None) -> list[Finding]:
    store = Store.reading(workspace)
    with ThreadPoolExecutor(2) as executor:
        return list(check(store, size, Unwatched(), executor if deep else None))


def mend(workspace: Workspace) -> None:
    """What `setset repair` does, in this process."""
    with workspace.held(), ThreadPoolExecutor(2) as executor:
        store = Store.writing(workspace)
        repair(
            store, executor, [found for found in check(store, None, Unwatched()) if found.kind in REPAIRABLE]
        )


def a_file(workspace: Workspace, place: int = 3, size: int = SIZE) -> Path:
    return sorted((workspace.path / f"batches/t{TARGET}/s{size:02d}").glob("*.setset"))[place]


def execute(workspace: Workspace, *statements: str) -> None:
    connection = sqlite3.connect(workspace.database)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(bytes(data))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "grown": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "flipped": flip,
    "swapped": lambda path: shutil.copy(min(path.parent.glob("*.setset")), path),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


def test_nothing_is_wrong_with_the_reference(reference: Path) -> None:
    assert findings(Workspace(reference), deep=True) == []


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("size", [4, SIZE])
def test_a_damaged_file_is_found_and_made_again(
    copy: Copy, reference: Path, damage: Callable[[Path], object], size: int
) -> None:
    workspace = copy()
    path = a_file(workspace, size=size)
    damage(path)
    (found,) = [finding for finding in findings(workspace) if finding.kind == "file"]
    assert found.where == str(path)
    assert f"of size {size}" in found.what
    if path.is_dir():
        path.rmdir()
    mend(workspace)
    assert digests(workspace.path) == digests(reference)
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)
    assert findings(workspace, deep=True) == []


def test_a_defective_source_is_made_again_first(copy: Copy, reference: Path) -> None:
    workspace = copy()
    for size in (3, 4, SIZE):
        for path in (workspace.path / f"batches/t{TARGET}/s{size:02d}").glob("*.setset"):
            path.unlink()
    mend(workspace)
    assert digests(workspace.path) == digests(reference)


def test_one_batch_is_redone_whatever_its_state_and_its_sources_with_it(copy: Copy, reference: Path) -> None:
    workspace = copy()
    flip(a_file(workspace, 0, 3))
    flip(a_file(workspace, 1, 4))
    with workspace.held(), ThreadPoolExecutor(2) as executor:
        store = Store.writing(workspace)
        (number,) = rows(
            workspace.path, f"SELECT number FROM files WHERE size = {SIZE} AND source = 1 AND part = 0"
        )[0]
        remake(store, executor, store.batch(1, SIZE, number))
    assert digests(workspace.path) == digests(reference)


def test_a_run_that_reads_a_damaged_source_makes_it_again(copy: Copy, tmp_path: Path) -> None:
    """Nothing wrong is derived from it: the source is repaired, and the next size is right."""
    workspace, _ = build(tmp_path / "w", 4)
    flip(a_file(workspace, 2, 4))
    before = digests(copy().path)
    _, notices = build(workspace.path)
    assert any("batch 2 of size 4: altered" in text for text in notices.texts)
    assert digests(workspace.path) == before


def test_check_writes_nothing(copy: Copy) -> None:
    workspace = copy()
    a_file(workspace).unlink()
    (workspace.path / FOLDER / ".0000001-000.setset.host.1.abcdef01.tmp").write_bytes(b"x")
    before = {path: path.stat().st_mtime_ns for path in workspace.path.rglob("*")}
    list(inspection.inspect(workspace, None, False, Unwatched()))
    inspection.mend(workspace, TARGET, None, None, True, Unwatched())
    assert {path: path.stat().st_mtime_ns for path in workspace.path.rglob("*")} == before


def test_strays_are_told_apart_and_only_our_own_are_removed(copy: Copy) -> None:
    workspace = copy()
    folder = workspace.path / FOLDER
    strangers = {
        folder / "notes.txt": b"mine",
        folder / "0000001-000 (copy).setset": a_file(workspace).read_bytes(),
        folder / "9999999-000.setset": b"not a batch",
        workspace.path / "batches" / "photo.jpg": b"x",
    }
    for path, data in strangers.items():
        path.write_bytes(data)
    (folder / ".0000001-000.setset.host.1.abcdef01.tmp").write_bytes(b"half")
    kinds = {Path(found.where).name: found.kind for found in findings(workspace)}
    assert kinds == {
        **{path.name: "foreign" for path in strangers},
        ".0000001-000.setset.host.1.abcdef01.tmp": "temporary",
    }
    build(workspace.path)
    kinds = {Path(found.where).name: found.kind for found in findings(workspace)}
    assert kinds == {path.name: "foreign" for path in strangers}
    assert all(path.read_bytes() == data for path, data in strangers.items())


def test_a_lost_row_is_found_and_the_expansion_redone(copy: Copy, reference: Path) -> None:
    workspace = copy()
    execute(workspace, f"DELETE FROM batches WHERE size = {SIZE} AND first_source = 1 AND first_part = 1")
    kinds = [found.kind for found in findings(workspace)]
    assert "sum" in kinds
    assert "number" in kinds
    mend(workspace)
    assert findings(workspace) == []
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)


def test_a_changed_count_in_the_database_is_found(copy: Copy) -> None:
    """One altered number: the file's header and the sum of the expansion both tell."""
    workspace = copy()
    execute(workspace, f"UPDATE batches SET lists = lists - 1 WHERE size = {SIZE} AND number = 7")
    assert {found.kind for found in findings(workspace)} == {"file", "sum"}


def test_wrong_numbers_and_order_are_found(copy: Copy) -> None:
    workspace = copy()
    execute(
        workspace,
        f"UPDATE batches SET number = 1000 WHERE size = {SIZE} AND number = 7",
        f"UPDATE batches SET first_list = '0 1 3 4 9' WHERE size = {SIZE} AND number = 9",
    )
    kinds = {found.kind for found in findings(workspace)}
    assert {"number", "order"} <= kinds


def test_a_forged_batch_is_found_by_a_deep_check_only(copy: Copy) -> None:
    """A sound file with one list fewer, and a database that vouches for it."""
    workspace = copy()
    store = Store.reading(workspace)
    batch = store.batch(1, SIZE, 5)
    path = store.path_of(batch)
    header, streams = files.load(path)
    rows_of = [chunk.copy() for chunk in search.unpack(streams)]
    rows_of[0] = rows_of[0][[*range(10), *range(11, len(rows_of[0]))]]
    (forged,) = search.pack(rows_of, SIZE, header.batch_lists)
    data = batch_format.encode(
        forged,
        header.target,
        header.batch_lists,
        header.span,
        (header.first, header.last),
        header.source_digest,
    )
    path.write_bytes(data)
    execute(
        workspace,
        f"UPDATE batches SET lists = lists - 1, bytes = {len(data)}, digest = '{data[-16:].hex()}' "
        f"WHERE size = {SIZE} AND number = 5",
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = {SIZE} AND source = {header.span.first_source}",
    )
    assert findings(workspace) == []
    (found,) = findings(workspace, deep=True)
    assert found.kind == "lists"
    assert "not those that its sources expand to" in found.what


def test_lists_from_a_damaged_file_are_refused(copy: Copy) -> None:
    workspace = copy()
    flip(a_file(workspace, 0))
    with pytest.raises(SetsetError, match=r"altered.*setset repair"):
        list(lists(Store.reading(workspace), TARGET, SIZE, None, 0, 1))


def test_a_path_out_of_the_storage_root_is_refused(copy: Copy) -> None:
    workspace = copy()
    execute(workspace, f"UPDATE batches SET path = '../../../etc/passwd' WHERE size = {SIZE} AND number = 0")
    (found,) = [finding for finding in findings(workspace) if "outside" in finding.what]
    assert found.kind == "file"

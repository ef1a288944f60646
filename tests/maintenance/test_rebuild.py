"""A new database from the batch files: all that they hold comes out as it was, and nothing else is touched."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

import setset
from setset.batches import files
from setset.batches.format import MOST_BATCHES, encode
from setset.batches.records import Span
from setset.database import explorations
from setset.errors import BadInput, NotAWorkspace
from tests.maintenance.test_compact import merge_files
from tests.small import (
    BATCHES,
    COUNTS,
    SIZE,
    TARGET,
    Copy,
    batch_file,
    build,
    digests,
    findings,
    reading,
    rebuild,
    rows,
)


def test_a_lost_database_is_rebuilt_from_the_files(copy: Copy, reference: Path) -> None:
    folder = copy()
    folder.database.unlink()
    assert rebuild(folder) is None
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)
    build(folder.path)
    assert digests(folder.path) == digests(reference)


def test_a_rebuilt_database_knows_what_is_missing(copy: Copy, reference: Path) -> None:
    """Without some files, of the last size and of one before it: the next run makes just those."""
    folder = copy()
    folder.database.unlink()
    batch_file(folder, 5, SIZE).unlink()
    batch_file(folder, 1, 4).unlink()
    rebuild(folder)
    with reading(folder.path) as database:
        assert not explorations.is_complete(database, explorations.find(database, TARGET), SIZE)
    build(folder.path)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)


def test_a_damaged_database_is_kept_when_it_is_rebuilt(copy: Copy) -> None:
    folder = copy()
    folder.database.write_bytes(b"\0" * 5000)
    kept = rebuild(folder)
    assert kept is not None
    assert kept.read_bytes() == b"\0" * 5000


def test_other_storage_roots_are_rebuilt_too(reference: Path, tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", SIZE - 1)
    build(folder.path, output=tmp_path / "nas")
    folder.database.unlink()
    for token in tmp_path.rglob("setset-root.json"):
        token.unlink()
    rebuild(folder, tmp_path / "nas")
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)


def test_a_lost_database_is_noticed_with_all_files_elsewhere(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4, output=tmp_path / "nas")
    recorded = rows(folder.path, BATCHES)
    folder.database.unlink()
    with pytest.raises(NotAWorkspace, match="--output for each folder"):
        build(tmp_path / "w", 4, output=tmp_path / "nas")
    rebuild(folder, tmp_path / "nas")
    assert rows(folder.path, BATCHES) == recorded


def test_the_journal_of_a_lost_database_is_not_played_into_its_successor(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    connection = sqlite3.connect(folder.database, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")  # so that pages, and before them the journal, reach the disk
    connection.execute("BEGIN")
    connection.execute("UPDATE batches SET path = 'x'")
    connection.execute(
        "CREATE TABLE much AS SELECT hex(zeroblob(9000)) FROM sqlite_master a, sqlite_master b"
    )
    journal = Path(f"{folder.database}-journal")
    hot = journal.read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    build(folder.path, 4)
    recorded = rows(folder.path, BATCHES)
    folder.database.unlink()
    journal.write_bytes(hot)
    rebuild(folder)
    assert rows(folder.path, BATCHES) == recorded


def test_each_list_is_taken_once(tmp_path: Path) -> None:
    """Of a file in two folders one is taken, and the other is left where it is."""
    folder, _ = build(tmp_path / "w", 4)
    recorded = rows(folder.path, BATCHES)
    shutil.copytree(folder.own_root, tmp_path / "copy")
    folder.database.unlink()
    rebuild(folder, tmp_path / "copy")
    assert rows(folder.path, BATCHES) == recorded
    rebuild(folder, tmp_path / "copy")
    assert rows(folder.path, BATCHES) == recorded


def test_nothing_is_changed_before_it_is_known_what_is_given(tmp_path: Path) -> None:
    mine, _ = build(tmp_path / "mine", 3)
    other, _ = build(tmp_path / "other", 3)
    before = mine.database.read_bytes()
    names = sorted(path.name for path in mine.path.iterdir())
    with pytest.raises(BadInput, match="different workspaces"):
        rebuild(mine, other.own_root)
    assert mine.database.read_bytes() == before
    assert sorted(path.name for path in mine.path.iterdir()) == names
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "letter.txt").write_text("mine")
    with pytest.raises(NotAWorkspace), setset.open(letters, mode="a") as workspace:
        workspace.rebuild_database()
    assert [path.name for path in letters.iterdir()] == ["letter.txt"]


def test_a_strangers_numbers_exhaust_nothing(tmp_path: Path) -> None:
    """A sound file that claims a source far beyond all others is left alone."""
    folder, _ = build(tmp_path / "w", 4)
    recorded = rows(folder.path, BATCHES)
    some = batch_file(folder, 0, 4)
    header, streams = files.load(some)
    span = Span(0, 0, MOST_BATCHES - 1, 0, True)
    data = encode(
        streams, header.target, header.batch_lists, span, (header.first, header.last), header.source_digest
    )
    stranger = some.parent / files.file_name(span)
    stranger.write_bytes(data)
    rebuild(folder)
    assert rows(folder.path, BATCHES) == recorded
    build(tmp_path / "w", 4)
    assert stranger.read_bytes() == data


def test_a_compacted_size_is_rebuilt_from_its_files(scattered_copy: Copy) -> None:
    folder = scattered_copy()
    merge_files(folder)
    before = rows(folder.path, BATCHES)
    folder.database.unlink()
    rebuild(folder)
    assert rows(folder.path, BATCHES) == before
    assert findings(folder, deep=True) == []


def test_beside_the_parts_of_a_merged_file(scattered_copy: Copy) -> None:
    """A compaction that was stopped after its files were written leaves both."""
    folder = scattered_copy()
    parts = {path: path.read_bytes() for path in folder.own_root.glob(f"t??/s{SIZE:02d}/*.setset")}
    total = rows(folder.path, COUNTS)
    merge_files(folder)
    for path, data in parts.items():
        path.write_bytes(data)
    rebuild(folder)
    assert rows(folder.path, COUNTS) == total
    build(folder.path, batch_lists=2_000_000)
    assert findings(folder, deep=True) == []

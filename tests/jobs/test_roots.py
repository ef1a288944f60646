"""Storage roots under other names, elsewhere, away or lost, and what no sweep may touch."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from setset.batches import files
from setset.batches.format import MOST_BATCHES, encode
from setset.batches.spans import Span
from setset.errors import BadInput, NotAWorkspace
from setset.folder import RootGone, Workspace
from setset.jobs.progress import Unwatched
from setset.maintenance.rebuild import rebuild
from tests.jobs.conftest import BATCHES, build, digests, rows


def test_a_root_is_one_however_it_is_reached(tmp_path: Path) -> None:
    real, other = tmp_path / "real", tmp_path / "other"
    real.mkdir()
    other.symlink_to(real)
    build(tmp_path / "w", 4, output=real)
    before = digests(real)
    for output in (other, other, tmp_path / "w" / ".." / "other", real):
        _, notices = build(tmp_path / "w", 4, output=output)
        assert notices.texts == []
    assert before
    assert digests(real) == before
    assert rows(tmp_path / "w", "SELECT path FROM storage_roots") == [(str(real),)]


def test_the_own_root_named_as_output_is_the_own_root(tmp_path: Path) -> None:
    build(tmp_path / "w", 4)
    before = digests(tmp_path / "w" / "batches")
    for _ in range(2):
        build(tmp_path / "w", 4, output=tmp_path / "w" / "batches")
    assert before
    assert digests(tmp_path / "w" / "batches") == before
    assert rows(tmp_path / "w", "SELECT path FROM storage_roots") == [("batches",)]


def test_a_copy_is_kept_while_the_recorded_file_is_away(tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", 4, output=tmp_path / "nas")
    for folder in (tmp_path / "nas").glob("t??"):
        shutil.copytree(folder, workspace.path / "batches" / folder.name)
    (tmp_path / "nas").rename(tmp_path / "away")
    before = digests(workspace.path / "batches")
    build(tmp_path / "w", 4)
    assert before
    assert digests(workspace.path / "batches") == before
    (tmp_path / "away").rename(tmp_path / "nas")
    build(tmp_path / "w", 4)
    assert digests(workspace.path / "batches") == {}


def test_a_disk_of_sources_that_is_away_is_one_line(tmp_path: Path) -> None:
    build(tmp_path / "w", 4, output=tmp_path / "nas")
    (tmp_path / "nas").rename(tmp_path / "away")
    with pytest.raises(RootGone, match="nas is gone"):
        build(tmp_path / "w", 5)
    assert rows(tmp_path / "w", "SELECT COUNT(*) FROM expansions WHERE state = 'failed'") == [(0,)]
    (tmp_path / "away").rename(tmp_path / "nas")
    build(tmp_path / "w", 5)


def test_a_lost_database_is_noticed_with_all_files_elsewhere(tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", 4, output=tmp_path / "nas")
    recorded = rows(workspace.path, BATCHES)
    workspace.database.unlink()
    with pytest.raises(NotAWorkspace, match="--output for each folder"):
        build(tmp_path / "w", 4, output=tmp_path / "nas")
    rebuild(workspace, (tmp_path / "nas",), Unwatched())
    assert rows(workspace.path, BATCHES) == recorded


def test_the_journal_of_a_lost_database_is_not_played_into_its_successor(tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", 3)
    connection = sqlite3.connect(workspace.database, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")  # so that pages, and before them the journal, reach the disk
    connection.execute("BEGIN")
    connection.execute("UPDATE batches SET path = 'x'")
    connection.execute(
        "CREATE TABLE much AS SELECT hex(zeroblob(9000)) FROM sqlite_master a, sqlite_master b"
    )
    journal = Path(f"{workspace.database}-journal")
    hot = journal.read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    build(workspace.path, 4)
    recorded = rows(workspace.path, BATCHES)
    workspace.database.unlink()
    journal.write_bytes(hot)
    rebuild(workspace, (), Unwatched())
    assert rows(workspace.path, BATCHES) == recorded


def test_rebuild_takes_each_list_once(tmp_path: Path) -> None:
    """Of a file in two folders one is taken, and the other is left where it is."""
    workspace, _ = build(tmp_path / "w", 4)
    recorded = rows(workspace.path, BATCHES)
    shutil.copytree(workspace.path / "batches", tmp_path / "copy")
    workspace.database.unlink()
    rebuild(workspace, (tmp_path / "copy",), Unwatched())
    assert rows(workspace.path, BATCHES) == recorded
    rebuild(workspace, (tmp_path / "copy",), Unwatched())
    assert rows(workspace.path, BATCHES) == recorded


def test_rebuild_changes_nothing_before_it_knows_what_it_is_given(tmp_path: Path) -> None:
    mine, _ = build(tmp_path / "mine", 3)
    other, _ = build(tmp_path / "other", 3)
    before = mine.database.read_bytes()
    names = sorted(path.name for path in mine.path.iterdir())
    with pytest.raises(BadInput, match="different workspaces"):
        rebuild(mine, (other.path / "batches",), Unwatched())
    assert mine.database.read_bytes() == before
    assert sorted(path.name for path in mine.path.iterdir()) == names
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "letter.txt").write_text("mine")
    with pytest.raises(NotAWorkspace):
        rebuild(Workspace(letters), (), Unwatched())
    assert [path.name for path in letters.iterdir()] == ["letter.txt"]


def test_a_strangers_numbers_exhaust_nothing(tmp_path: Path) -> None:
    """A sound file that claims a source far beyond all others is left alone."""
    workspace, _ = build(tmp_path / "w", 4)
    recorded = rows(workspace.path, BATCHES)
    (some, *_) = sorted((workspace.path / "batches").glob("t??/s04/*.setset"))
    header, streams = files.load(some)
    span = Span(0, 0, MOST_BATCHES - 1, 0, True)
    data = encode(
        streams, header.target, header.batch_lists, span, (header.first, header.last), header.source_digest
    )
    stranger = some.parent / files.name(span)
    stranger.write_bytes(data)
    rebuild(workspace, (), Unwatched())
    assert rows(workspace.path, BATCHES) == recorded
    build(tmp_path / "w", 4)
    assert stranger.read_bytes() == data

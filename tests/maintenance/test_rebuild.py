"""A new database from the batch files: all that they hold comes out as it was, and nothing else is touched."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setset
from setset.batches import files
from setset.batches.format import MOST_BATCHES, encode
from setset.batches.ownership import TOKEN, Token
from setset.batches.records import Span, combine_digests
from setset.database import batches, explorations, schema
from setset.database.connection import BadDatabase, connect
from setset.engine import search
from setset.errors import BadInput, Locked, NotAWorkspace
from setset.folder import WorkspaceFolder
from setset.maintenance.proof import read_evidence
from setset.maintenance.rebuild import rebuild_database
from setset.progress import Activity, NoProgress
from tests.small import (
    BATCHES,
    COUNTS,
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
    reading,
    rebuild,
    rows,
)
from tests.windows import keep_open_files


def test_a_lost_database_is_rebuilt_from_the_files(copy: Copy, reference: Path) -> None:
    folder = copy()
    folder.database.unlink()
    assert rebuild(folder) is None
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)
    build(folder.path)
    assert digests(folder.path) == digests(reference)


def test_empty_folders_are_what_is_left(tmp_path: Path) -> None:
    """A run refuses to begin there and names the rebuild, which makes a database that is empty."""
    folder = WorkspaceFolder(tmp_path / "w")
    (folder.own_root / "t16").mkdir(parents=True)
    with pytest.raises(NotAWorkspace, match="run 'setset db rebuild'"):
        build(folder.path, 3)
    rebuild(folder)
    build(folder.path, 3)
    assert rows(folder.path, COUNTS) == [(16, 3, 49_491, 1)]


class Steps(NoProgress):
    """How many files of each size were to be read, and how many were when the next thing was heard."""

    def __init__(self) -> None:
        self.heard: list[list[object]] = []

    def begin(self, size: int, activity: Activity, tasks: int, lists_in: int) -> None:  # noqa: ARG002
        self.heard.append([size, activity, tasks, 0])

    def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
        assert self.heard[-1][0] == size
        self.heard[-1][-1] += 1  # type: ignore[operator]


def test_its_progress_is_that_of_reading_the_files(copy: Copy) -> None:
    """Reading takes the time, for corrupted files too."""
    folder, steps = copy(), Steps()
    flip(batch_file(folder))
    expected = [
        [size, Activity.REBUILD, count, count]
        for size in range(3, SIZE + 1)
        for count in [len(list((folder.own_root / f"t{TARGET}/s{size:02d}").iterdir()))]
    ]
    with folder.locked():
        rebuild_database(folder, (), steps)
    assert steps.heard == expected


def test_a_rebuilt_database_knows_what_is_missing(copy: Copy, reference: Path) -> None:
    """Without some files, of the last size and of one before it: the next run makes just those."""
    folder = copy()
    folder.database.unlink()
    batch_file(folder, 5, SIZE).unlink()
    batch_file(folder, 1, 4).unlink()
    rebuild(folder)
    with reading(folder.path) as database:
        assert not explorations.find(database, TARGET).at(SIZE).is_complete()
    build(folder.path)
    assert digests(folder.path) == digests(reference)
    assert rows(folder.path, BATCHES) == rows(reference, BATCHES)
    assert rows(folder.path, COUNTS) == rows(reference, COUNTS)


def test_a_damaged_database_is_kept_when_it_is_rebuilt(copy: Copy) -> None:
    folder = copy()
    folder.database.write_bytes(b"\0" * 5000)
    backup = rebuild(folder)
    assert backup is not None
    assert backup.read_bytes() == b"\0" * 5000


def test_a_database_of_a_newer_schema_is_not_replaced(copy: Copy) -> None:
    folder = copy()
    change(folder.path, "UPDATE alembic_version SET version_num = '9999'")
    before = folder.database.read_bytes()
    with pytest.raises(BadDatabase, match="newer than this setset"):
        rebuild(folder)
    assert folder.database.read_bytes() == before
    assert not list(folder.path.glob("*.lost*"))


def test_a_database_that_somebody_holds_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old database names the storage root elsewhere: nobody can read that now, so nobody would warn."""
    folder, _ = build(tmp_path / "w", 3)
    build(folder.path, 4, output=tmp_path / "nas")
    expected = rows(folder.path, BATCHES)
    monkeypatch.setattr(schema, "connect", lambda path, mode: connect(path, mode, seconds=0.1))
    with closing(sqlite3.connect(folder.database)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Locked, match="is held by another program"):
            rebuild(folder)
        with pytest.raises(Locked, match="is held by another program"):
            schema.replace(folder.database, folder.path / "made")
        holder.rollback()
    assert not list(folder.path.glob("*.lost*"))
    assert rows(folder.path, BATCHES) == expected


@pytest.mark.posix("removes an open file")
def test_a_rebuild_that_fails_says_why_and_leaves_nothing(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows removes no database that is still open, and the error of that would hide the real one."""
    folder = copy()
    names = sorted(path.name for path in folder.path.iterdir())

    def fail(*_: object) -> None:
        raise BadInput("the real message")

    keep_open_files(monkeypatch)
    monkeypatch.setattr("setset.maintenance.rebuild._adopt", fail)
    with pytest.raises(BadInput, match="the real message"):
        rebuild(folder)
    assert sorted(path.name for path in folder.path.iterdir()) == names


@pytest.mark.posix("looks for open files in /proc")
def test_a_rebuild_beside_a_reader_that_is_cut_short_stops_no_run(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows replaces no database that a reader has open. The second name of the old one goes when the reader does."""
    folder = copy()
    expected = rows(folder.path, BATCHES)
    with monkeypatch.context() as context:
        keep_open_files(context)
        with folder.database.open("rb"):
            with pytest.raises(Locked, match=r"cannot be replaced .*: close all programs that use it"):
                rebuild(folder)
            assert [path.name for path in folder.path.glob("*.lost*")] == ["setset.db.lost"]
            build(folder.path)
        build(folder.path)
    assert not list(folder.path.glob("*.lost*"))
    assert rows(folder.path, BATCHES) == expected


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
    expected = rows(folder.path, BATCHES)
    folder.database.unlink()
    with pytest.raises(NotAWorkspace, match="--output for each output folder"):
        build(tmp_path / "w", 4, output=tmp_path / "nas")
    rebuild(folder, tmp_path / "nas")
    assert rows(folder.path, BATCHES) == expected


def test_the_journal_of_a_lost_database_is_not_played_into_its_successor(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    connection = connect(folder.database, "rw")
    connection.isolation_level = None
    connection.execute("PRAGMA cache_size = 1")  # so that pages, and before them the journal, reach the disk
    connection.execute("BEGIN")
    connection.execute("UPDATE batches SET path = 'x'")
    connection.execute("CREATE TABLE much AS SELECT hex(zeroblob(9000)) FROM sqlite_master a, sqlite_master b")
    journal = Path(f"{folder.database}-journal")
    hot = journal.read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    build(folder.path, 4)
    expected = rows(folder.path, BATCHES)
    folder.database.unlink()
    journal.write_bytes(hot)
    rebuild(folder)
    assert rows(folder.path, BATCHES) == expected


def test_each_list_is_taken_once(tmp_path: Path) -> None:
    """If a file is in two folders, rebuild records one and leaves the other in place."""
    folder, _ = build(tmp_path / "w", 4)
    expected = rows(folder.path, BATCHES)
    shutil.copytree(folder.own_root, tmp_path / "copy")
    folder.database.unlink()
    rebuild(folder, tmp_path / "copy")
    assert rows(folder.path, BATCHES) == expected
    rebuild(folder, tmp_path / "copy")
    assert rows(folder.path, BATCHES) == expected


def test_nothing_is_changed_before_it_is_known_what_is_given(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "mine", 3)
    second, _ = build(tmp_path / "other", 3)
    before = folder.database.read_bytes()
    names = sorted(path.name for path in folder.path.iterdir())
    with pytest.raises(BadInput, match="different workspaces"):
        rebuild(folder, second.own_root)
    assert folder.database.read_bytes() == before
    assert sorted(path.name for path in folder.path.iterdir()) == names
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "letter.txt").write_text("mine")
    with pytest.raises(NotAWorkspace), setset.open(letters, mode="a") as workspace:
        workspace.rebuild_database()
    assert [path.name for path in letters.iterdir()] == ["letter.txt"]


def test_a_strangers_numbers_exhaust_nothing(tmp_path: Path) -> None:
    """A sound file that claims a source far beyond all others is no part of a new database; the next run, which has
    all its lists in files that it can prove, removes it."""
    folder, _ = build(tmp_path / "w", 4)
    expected = rows(folder.path, BATCHES)
    path = batch_file(folder, 0, 4)
    header, streams = files.load(path)
    span = Span(0, 0, MOST_BATCHES - 1, 0, True)
    data = encode(streams, header.target, header.batch_lists, span, (header.first, header.last), header.source_digest)
    forged = path.parent / files.file_name(span)
    forged.write_bytes(data)
    rebuild(folder)
    assert rows(folder.path, BATCHES) == expected
    assert forged.read_bytes() == data
    _, notices = build(tmp_path / "w", 4)
    assert notices.texts == [f"removed {forged.name}, left by a run that was stopped"]
    assert not forged.exists()
    assert rows(folder.path, BATCHES) == expected
    assert findings(folder, deep=True) == []


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


# Files that rebuild records

PARTS = {"0000001-001.setset", "0000002-000.setset", "0000014-000.setset", "0000015-000.setset"}
MERGED = {"0000001-001_0000002-000.setset", "0000014-000_0000015-000.setset"}


def files_of(folder: WorkspaceFolder) -> Path:
    return folder.own_root / f"t{TARGET}" / f"s{SIZE:02d}"


def recorded(folder: WorkspaceFolder) -> set[str]:
    """The names of the files of the largest size that are recorded."""
    paths = rows(folder.path, f"SELECT path FROM batches WHERE size = {SIZE}")
    return {path.rpartition("/")[2] for (path,) in paths}


def undone(folder: WorkspaceFolder) -> list[int]:
    """The sources whose expansion is still to be done."""
    query = f"SELECT source FROM expansions WHERE size = {SIZE} AND state <> 'done' ORDER BY source"
    return [source for (source,) in rows(folder.path, query)]


def names(folder: WorkspaceFolder) -> set[str]:
    return {path.name for path in files_of(folder).iterdir()}


def merge_beside_parts(folder: WorkspaceFolder) -> None:
    """State after a compaction that stopped before it removed the parts."""
    parts = {path: path.read_bytes() for path in files_of(folder).iterdir() if path.name in PARTS}
    assert len(parts) == len(PARTS)
    merge_files(folder)
    for path, data in parts.items():
        path.write_bytes(data)
    assert names(folder) >= PARTS | MERGED


def test_a_merged_file_is_taken_before_its_parts(tailed_copy: Copy, tailed: Path) -> None:
    folder = tailed_copy()
    merge_beside_parts(folder)
    rebuild(folder)
    assert recorded(folder) & (PARTS | MERGED) == MERGED
    assert undone(folder) == []
    assert rows(folder.path, COUNTS) == rows(tailed, COUNTS)
    assert names(folder) >= PARTS | MERGED, "nothing is removed by rebuilding"
    build(folder.path)
    assert names(folder) & (PARTS | MERGED) == MERGED
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize("with_parts", [True, False])
def test_a_merged_file_without_its_neighbour_proves_nothing(tailed_copy: Copy, tailed: Path, with_parts: bool) -> None:
    """It starts with the last part of source 1, whose first part is lost. Source 2 is proven by its own file alone."""
    folder = tailed_copy()
    if with_parts:
        merge_beside_parts(folder)
    else:
        merge_files(folder)
    (files_of(folder) / "0000001-000.setset").unlink()
    rebuild(folder)
    assert undone(folder) == ([1] if with_parts else [1, 2])
    assert "0000001-001_0000002-000.setset" not in recorded(folder)
    assert ("0000002-000.setset" in recorded(folder)) == with_parts
    assert "0000001-001_0000002-000.setset" in names(folder)
    build(folder.path)
    build(folder.path)
    assert rows(folder.path, COUNTS) == rows(tailed, COUNTS)
    assert findings(folder, deep=True) == []
    original = files_of(WorkspaceFolder(tailed))
    for name in ("0000001-000.setset", "0000001-001.setset", "0000002-000.setset"):
        assert (files_of(folder) / name).read_bytes() == (original / name).read_bytes()
    assert recorded(folder) == names(folder)


def test_a_merged_file_that_is_lost_leaves_its_neighbours(tailed_copy: Copy, tailed: Path) -> None:
    """The first part of source 1 proves nothing without the last."""
    folder = tailed_copy()
    merge_files(folder)
    for name in MERGED:
        (files_of(folder) / name).unlink()
    rebuild(folder)
    assert undone(folder) == [1, 2, 14, 15]
    assert "0000001-000.setset" not in recorded(folder)
    build(folder.path)
    assert digests(folder.path) == digests(tailed)
    assert rows(folder.path, BATCHES) == rows(tailed, BATCHES)


def test_a_merged_file_of_other_sources_is_not_taken(tailed_copy: Copy) -> None:
    """One of its sources is enough: its digest is over all of them."""
    folder = tailed_copy()
    merge_files(folder)
    path = files_of(folder) / "0000014-000_0000015-000.setset"
    header, streams = files.load(path)
    ((first_digest,),) = rows(folder.path, f"SELECT digest FROM batches WHERE size = {SIZE - 1} AND number = 14")
    source_digest = bytes.fromhex(combine_digests([first_digest, "00" * 16]))
    bounds = (header.first, header.last)
    path.write_bytes(encode(streams, TARGET, header.batch_lists, header.span, bounds, source_digest))
    rebuild(folder)
    assert undone(folder) == [14, 15]
    build(folder.path)
    build(folder.path)
    assert not path.exists(), "removed by a run that begins with all its lists in other files"
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize(("kept", "cut"), [(3, 760_000), (13, 2_000_000)])
def test_of_two_numbers_of_lists_in_a_file_the_one_that_proves_more_is_taken(
    tailed_copy: Copy, tailed: Path, scattered: Path, kept: int, cut: int
) -> None:
    """The same names, other lists: a source is not put together from files that were cut differently."""
    folder = tailed_copy()
    for path in files_of(WorkspaceFolder(scattered)).iterdir():
        if int(path.name[:7]) < kept:
            shutil.copy(path, files_of(folder))
    rebuild(folder)
    assert rows(folder.path, f"SELECT batch_lists FROM sizes WHERE size = {SIZE}") == [(cut,)]
    assert undone(folder) == (list(range(3)) if kept == 3 else list(range(13, 16)))
    build(folder.path)
    build(folder.path)
    undisturbed = tailed if cut == 760_000 else scattered
    assert digests(folder.path) == digests(undisturbed)
    assert rows(folder.path, BATCHES) == rows(undisturbed, BATCHES)
    assert findings(folder, deep=True) == []


def test_sources_that_were_cut_differently_are_not_those_of_larger_lists(
    copy: Copy, scattered: Path, reference: Path
) -> None:
    """All files of the largest size are sound, and none was made from the files of the size before."""
    folder = copy()
    shutil.rmtree(files_of(folder))
    shutil.copytree(files_of(WorkspaceFolder(scattered)), files_of(folder))
    rebuild(folder)
    assert recorded(folder) == set()
    assert rows(folder.path, "SELECT size, lists FROM counts") == rows(
        reference, f"SELECT size, lists FROM counts WHERE size < {SIZE}"
    )
    build(folder.path)
    build(folder.path)
    assert digests(folder.path) == digests(reference)
    assert findings(folder, deep=True) == []


def claim(folder: WorkspaceFolder, root: Path) -> None:
    """Gives a folder of files to a copy, which would not claim files of the original."""
    ((owner,),) = rows(folder.path, "SELECT id FROM workspace")
    (root / TOKEN).write_bytes(Token(owner, str(folder.path.resolve())).encode())


def test_of_a_file_in_two_roots_that_of_the_workspace_is_taken(tailed_copy: Copy, tailed: Path) -> None:
    folder = tailed_copy()
    root = folder.path.parent / "nas"
    shutil.copytree(folder.own_root / f"t{TARGET}", root / f"t{TARGET}")
    claim(folder, root)
    rebuild(folder, root)
    assert rows(folder.path, "SELECT DISTINCT root_id FROM batches") == [(1,)]
    assert rows(folder.path, BATCHES) == rows(tailed, BATCHES)
    assert digests(root) == digests(folder.own_root), "the copies stay"


def test_the_parts_of_a_source_may_be_in_several_roots(tailed_copy: Copy, tailed: Path) -> None:
    """Some only here, some only there, some in both; merged ones too."""
    folder = tailed_copy()
    merge_beside_parts(folder)
    root = folder.path.parent / "nas"
    target = root / f"t{TARGET}" / f"s{SIZE:02d}"
    target.mkdir(parents=True)
    for name in ("0000001-000.setset", "0000005-000.setset", "0000014-000_0000015-000.setset"):
        (files_of(folder) / name).rename(target / name)
    shutil.copy(files_of(folder) / "0000003-000.setset", target)
    claim(folder, root)
    rebuild(folder, root)
    assert undone(folder) == []
    assert rows(folder.path, COUNTS) == rows(tailed, COUNTS)
    moved_paths = rows(folder.path, "SELECT path FROM batches WHERE root_id <> 1 ORDER BY path")
    assert [path.rpartition("/")[2] for (path,) in moved_paths] == [
        "0000001-000.setset",
        "0000005-000.setset",
        "0000014-000_0000015-000.setset",
    ]
    build(folder.path)
    assert findings(folder, deep=True) == []


# Any files at all

SOURCES = 4


def forge(folder: Path, span: Span, batch_lists: int, source_digest: str) -> None:
    """A small sound file that claims to be some stretch of the largest size. No reader of headers can tell."""
    (streams,) = search.pack([np.array([[0, 1, 3, 4]], np.uint8)], 4, batch_lists)
    bounds = ((0, 1, 3, 4), (0, 1, 3, 4))
    data = encode(streams, TARGET, batch_lists, span, bounds, bytes.fromhex(source_digest))
    (folder / files.file_name(span)).write_bytes(data)


places = st.tuples(st.integers(0, SOURCES), st.integers(0, 2))
spans = st.tuples(places, places, st.booleans()).map(
    lambda drawn: Span(*min(drawn[0], drawn[1]), *max(drawn[0], drawn[1]), drawn[2])
)
single = st.tuples(places, st.booleans()).map(lambda drawn: Span(*drawn[0], *drawn[0], drawn[1]))
forgeries = st.lists(
    st.tuples(st.booleans(), spans | single | single, st.sampled_from([70, 70, 70, 50]), st.booleans()), max_size=14
)


@pytest.fixture(scope="session")
def sources_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a few files of seeds, and nothing larger."""
    folder, _ = build(tmp_path_factory.mktemp("sources") / "w", 3, batch_lists=15_000)
    assert rows(folder.path, "SELECT count(*) FROM batches") == [(SOURCES,)]
    return folder.path


@settings(max_examples=25)  # each makes a database
@given(forgeries)
def test_whatever_files_there_are_only_what_they_prove_is_recorded(
    sources_only: Path, found: list[tuple[bool, Span, int, bool]]
) -> None:
    """Against the proof; and a source all of whose parts are there, and of one cut, is always taken."""
    with TemporaryDirectory() as temporary:
        folder = WorkspaceFolder(Path(shutil.copytree(sources_only, Path(temporary) / "w")))
        nas = Path(temporary) / "nas"
        digest_of = dict(rows(folder.path, "SELECT number, digest FROM batches WHERE size = 3"))
        size_folders = [root / f"t{TARGET}" / "s04" for root in (folder.own_root, nas)]
        for size_folder in size_folders:
            size_folder.mkdir(parents=True)
        for is_external, span, batch_lists, is_right in found:
            numbers = range(span.first_source, span.last_source + 1)
            made_from = combine_digests([digest_of.get(number, "11" * 16) for number in numbers])
            forge(size_folders[is_external], span, batch_lists, made_from if is_right else "22" * 16)
        claim(folder, nas)
        before = digests(Path(temporary))
        rebuild(folder, nas)
        assert digests(Path(temporary)) == before
        with reading(folder.path) as database:
            exploration = explorations.find(database, TARGET)
            stored_batches = batches.read(exploration.at(4))
            finished = set[int]()
            for size in exploration.sizes():
                if size.size == 4:
                    evidence = read_evidence(size)
                    finished = {expansion.source for expansion in evidence.expansions}
                    assert evidence.flaws() == []
        covered = {s for batch in stored_batches for s in range(batch.span.first_source, batch.span.last_source + 1)}
        assert finished == covered
        if len({batch_lists for _, _, batch_lists, _ in found}) == 1:
            headers = [files.verify(path)[0] for size_folder in size_folders for path in size_folder.iterdir()]
            right_spans = {header.span for header in headers if header.source_digest != bytes.fromhex("22" * 16)}
            assert finished >= {source for source in range(SOURCES) if has_all_parts(source, right_spans)}


def has_all_parts(source: int, span_set: set[Span]) -> bool:
    for number in range(3):
        if Span(source, number, source, number, True) in span_set:
            return True
        if Span(source, number, source, number, False) not in span_set:
            return False
    return False

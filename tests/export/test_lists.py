"""Exports, read back by the programs that they are for and compared with the batch files."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet
import pytest

import setset
from setset import durable
from setset.cards import digits, name
from setset.errors import ChangedMeanwhile
from setset.executors.base import ATTEMPTS, WorkerDied
from setset.export import lists, single_file
from setset.export.stored import ExportOptions
from tests.small import TARGET, Notices, change, flip

SIZE = 4


@pytest.fixture(autouse=True)
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are threads start at once; tests/cli has the real ones."""
    monkeypatch.setattr(lists, "LocalExecutor", ThreadPoolExecutor)


@pytest.fixture
def size(reference: Path) -> setset.Size:
    return setset.open(reference).exploration(TARGET)[SIZE]


@pytest.fixture(scope="session")
def expected(reference: Path) -> npt.NDArray[np.uint8]:
    """All lists of the size, from the batch files."""
    stored_size = setset.open(reference).exploration(TARGET)[SIZE]
    assert len(stored_size.batches) > 3
    return stored_size[:]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="session")
def parquet(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The size as Parquet, with several row groups in a file. Not to be changed."""
    folder = tmp_path_factory.mktemp("parquet") / "four"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "LocalExecutor", ThreadPoolExecutor)
        setset.open(reference).exploration(TARGET)[SIZE].export(folder, format="parquet", row_group_size=65_536)
    return folder


# Parquet


def test_pyarrow_reads_the_whole_size_in_order(parquet: Path, expected: npt.NDArray[np.uint8]) -> None:
    table = pyarrow.dataset.dataset(parquet).to_table()
    assert table.schema.names == ["c1", "c2", "c3", "c4"]
    assert set(table.schema.types) == {pyarrow.uint8()}
    assert (np.stack([column.to_numpy() for column in table.columns], axis=1) == expected).all()


def test_duckdb_reads_the_whole_size_in_order(parquet: Path, expected: npt.NDArray[np.uint8]) -> None:
    columns = duckdb.sql(f"SELECT * FROM read_parquet('{parquet}/*.parquet')").fetchnumpy()
    assert (np.stack([columns[f"c{number}"] for number in range(1, 5)], axis=1) == expected).all()


def test_polars_reads_the_whole_size_in_order(parquet: Path, expected: npt.NDArray[np.uint8]) -> None:
    assert (polars.read_parquet(parquet / "*.parquet").to_numpy() == expected).all()
    assert polars.scan_parquet(parquet).select(polars.len()).collect().item() == len(expected)


def test_pandas_reads_the_whole_size_in_order(parquet: Path, expected: npt.NDArray[np.uint8]) -> None:
    assert (pandas.read_parquet(parquet).to_numpy() == expected).all()


def test_a_parquet_file_says_what_it_is(parquet: Path, size: setset.Size) -> None:
    start = 0
    for batch in size.batches:
        file = pyarrow.parquet.ParquetFile(parquet / f"t{TARGET}-s04-{batch.number:06d}.parquet")
        assert file.schema_arrow.metadata == {
            b"setset.target": str(TARGET).encode(),
            b"setset.size": b"4",
            b"setset.rule": b"lists of 4 with 12 or more cards remaining",
            b"setset.version": setset.__version__.encode(),
            b"setset.as": b"cards",
            b"setset.row_group_size": b"65536",
            b"setset.batch": str(batch.number).encode(),
            b"setset.digest": batch.digest.encode(),
            b"setset.first_list": str(start).encode(),
            b"setset.lists": str(batch.lists).encode(),
        }
        group = file.metadata.row_group(0)
        assert group.num_rows == 65_536
        assert {group.column(column).compression for column in range(4)} == {"ZSTD"}
        start += batch.lists
    assert start == size.lists


def test_a_list_takes_less_than_a_byte(parquet: Path, size: setset.Size) -> None:
    assert sum(path.stat().st_size for path in parquet.iterdir()) < 0.6 * size.lists


def test_vectors_and_names(size: setset.Size, tmp_path: Path, expected: npt.NDArray[np.uint8]) -> None:
    bounds = {"start": 199_990, "limit": 20}  # from the end of one batch into the next
    rows = expected[199_990:200_010].tolist()
    size.export(tmp_path / "v.parquet", as_="vectors", **bounds)  # type: ignore[arg-type]
    frame = pandas.read_parquet(tmp_path / "v.parquet")
    assert frame.to_numpy().tolist() == [[digit for card in row for digit in digits(card)] for row in rows]
    assert list(frame.columns[:2]) == ["c1_colour", "c1_count"]
    size.export(tmp_path / "n.parquet", as_="names", **bounds)  # type: ignore[arg-type]
    assert duckdb.sql(f"SELECT * FROM '{tmp_path}/n.parquet'").fetchall() == [tuple(map(name, row)) for row in rows]
    assert polars.read_parquet(tmp_path / "n.parquet").rows() == [tuple(map(name, row)) for row in rows]


def test_to_arrow_goes_to_duckdb_and_polars(size: setset.Size, expected: npt.NDArray[np.uint8]) -> None:
    with duckdb.connect() as connection:
        connection.register("lists", size.to_arrow(rows=100_000))
        totals = connection.execute("SELECT count(*), sum(c4) FROM lists").fetchall()
    assert totals == [(len(expected), int(expected[:, 3].astype(int).sum()))]
    frame = polars.from_arrow(size.to_arrow(start=5, limit=10))
    assert isinstance(frame, polars.DataFrame)
    assert (frame.to_numpy() == expected[5:15]).all()
    with pytest.raises(setset.BadInput, match="has no list 9,999,999"):
        size.to_arrow(start=9_999_999)


# The other formats


def test_numpy_reads_npy(size: setset.Size, tmp_path: Path, expected: npt.NDArray[np.uint8]) -> None:
    result = size.export(tmp_path / "four", format="npy")
    arrays = [np.load(path, mmap_mode="r") for path in sorted((tmp_path / "four").glob("*.npy"))]
    assert (np.concatenate(arrays) == expected).all()
    assert (result.files, result.written, result.lists) == (len(arrays), len(arrays), len(expected))
    assert result.bytes == len(expected) * 4 + 128 * len(arrays)
    size.export(tmp_path / "vectors.npy", as_="vectors", limit=10)
    assert np.load(tmp_path / "vectors.npy").tolist() == [
        [list(digits(card)) for card in row] for row in expected[:10].tolist()
    ]


def test_csv_is_read_by_duckdb_polars_and_pandas(
    size: setset.Size, tmp_path: Path, expected: npt.NDArray[np.uint8]
) -> None:
    size.export(tmp_path / "four", format="csv")
    size.export(tmp_path / "four.csv")
    assert (pandas.read_csv(tmp_path / "four.csv").to_numpy() == expected).all()
    assert (polars.read_csv(tmp_path / "four" / "*.csv").to_numpy() == expected).all()
    totals = duckdb.sql(f"SELECT count(*), sum(c1), sum(c4) FROM '{tmp_path}/four/*.csv'").fetchall()
    assert totals == [(len(expected), *(int(expected[:, column].astype(int).sum()) for column in (0, 3)))]


def test_json_lines_are_read_by_duckdb_polars_and_pandas(
    size: setset.Size, tmp_path: Path, expected: npt.NDArray[np.uint8]
) -> None:
    size.export(tmp_path / "four.jsonl", start=300_000, limit=50_000)
    part = expected[300_000:350_000]
    assert polars.read_ndjson(tmp_path / "four.jsonl")["cards"].to_list() == part.tolist()
    assert pandas.read_json(tmp_path / "four.jsonl", lines=True)["cards"].tolist() == part.tolist()
    (row,) = duckdb.sql(f"SELECT list(cards) FROM '{tmp_path}/four.jsonl'").fetchall()
    assert row[0] == part.tolist()


# Going on, and what is in the way


@pytest.mark.parametrize("format_", ["parquet", "npy"])
def test_what_is_there_is_left_alone_and_what_is_missing_is_the_same_again(
    size: setset.Size, tmp_path: Path, format_: str
) -> None:
    size.export(tmp_path, format=format_)
    before = snapshot(tmp_path)
    kept, lost, *_ = sorted(tmp_path.glob(f"*.{format_}"))
    lost.unlink()
    inode = kept.stat().st_ino
    (tmp_path / durable.temporary_name(lost.name)).write_bytes(b"half")
    result = size.export(tmp_path, format=format_)
    assert (result.written, result.files) == (1, len(size.batches))
    assert snapshot(tmp_path) == before
    assert kept.stat().st_ino == inode
    assert size.export(tmp_path, format=format_).written == 0


@pytest.mark.parametrize("format_", ["parquet", "npy"])
def test_a_cut_file_is_not_taken_for_whole(size: setset.Size, tmp_path: Path, format_: str) -> None:
    size.export(tmp_path, format=format_)
    before = snapshot(tmp_path)
    cut = sorted(tmp_path.glob(f"*.{format_}"))[1]
    cut.write_bytes(cut.read_bytes()[:-9])
    with pytest.raises(setset.BadInput, match=f"{cut.name} exists and is not from this export: add --force"):
        size.export(tmp_path, format=format_)
    assert size.export(tmp_path, format=format_, overwrite=True).written == 1
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("format_", ["parquet", "npy", "csv", "jsonl"])
@pytest.mark.parametrize("known", [0, 1])
def test_finished_files_that_the_manifest_does_not_name_are_recognised(
    size: setset.Size, tmp_path: Path, format_: str, known: int
) -> None:
    """As after a kill: files get their names at once, the manifest is saved once a second."""
    size.export(tmp_path, format=format_)
    complete = snapshot(tmp_path)
    inodes = {path.name: path.stat().st_ino for path in tmp_path.glob(f"*.{format_}")}
    manifest = tmp_path / single_file.MANIFEST
    if manifest.exists():
        names = sorted(inodes)[:known]
        entries = {name: json.loads(manifest.read_bytes())["files"][name] for name in names}
        manifest.write_text(json.dumps({"files": entries})) if known else manifest.unlink()
    unfinished = snapshot(tmp_path)
    assert size.export(tmp_path, format=format_, dry_run=True).written == 0
    assert snapshot(tmp_path) == unfinished
    assert size.export(tmp_path, format=format_).written == 0
    assert snapshot(tmp_path) == complete
    assert {path.name: path.stat().st_ino for path in tmp_path.glob(f"*.{format_}")} == inodes


@pytest.mark.parametrize("format_", ["npy", "csv", "jsonl"])
@pytest.mark.parametrize("damage", ["changed", "longer", "shorter"])
def test_a_file_with_other_content_is_not_recognised(
    size: setset.Size, tmp_path: Path, format_: str, damage: str
) -> None:
    size.export(tmp_path, format=format_)
    (tmp_path / single_file.MANIFEST).unlink()
    path = max(tmp_path.glob(f"*.{format_}"))
    data = path.read_bytes()
    path.write_bytes({"changed": data[:-2] + b"7\n", "longer": data + b"\n", "shorter": data[:-1]}[damage])
    with pytest.raises(setset.BadInput, match=f"{path.name} exists and is not from this export"):
        size.export(tmp_path, format=format_)


# A size that is changed while it is exported


@pytest.mark.parametrize("blocks", [[], [3], [3, 3]], ids=["none", "fewer", "more"])
@pytest.mark.parametrize("output", ["a.npy", "a.csv", "a.parquet", "stream"])
def test_a_file_gets_the_lists_that_were_announced_or_the_export_fails(
    size: setset.Size, tmp_path: Path, output: str, blocks: list[int]
) -> None:
    def read(_start: int, _count: int, _rows: int) -> Iterator[npt.NDArray[np.uint8]]:
        return iter([np.zeros((rows, SIZE), np.uint8) for rows in blocks])

    target = io.BytesIO() if output == "stream" else tmp_path / output
    options = ExportOptions(target, "csv" if output == "stream" else None, limit=5)
    with pytest.raises(ChangedMeanwhile, match="run the same command again") as failed:
        lists.export_lists(replace(size._stored(), blocks=read), options, None, lambda _: None)
    assert failed.value.exit_code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["a", "a.csv", "arrow"])
def test_a_size_that_is_removed_meanwhile(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    copy = Path(shutil.copytree(reference, tmp_path / "removed"))
    size = setset.open(copy).exploration(TARGET)[SIZE]
    stored, paths = size._stored(), [Path(batch.path) for batch in size.batches]
    monkeypatch.setattr(setset.Size, "_stored", lambda _: stored)
    change(copy, f"DELETE FROM batches WHERE size = {SIZE}")
    for path in paths:
        path.unlink()
    with pytest.raises(ChangedMeanwhile, match="run the same command again"):
        size.to_arrow().read_all() if output == "arrow" else size.export(tmp_path / output, format="csv")
    assert not list(tmp_path.glob("a*/*"))
    assert not (tmp_path / "a.csv").exists()


def test_a_file_that_is_lost_is_not_taken_for_a_change(reference: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(reference, tmp_path / "lost"))
    size = setset.open(copy).exploration(TARGET)[SIZE]
    for batch in size.batches:
        Path(batch.path).unlink()
    with pytest.raises(setset.SetsetError, match="run 'setset repair'"):
        size.export(tmp_path / "a", format="npy")


def test_a_batch_with_another_number_of_lists_is_not_exported(size: setset.Size, tmp_path: Path) -> None:
    stored = size._stored()
    (count, source), *rest = stored.batches
    altered = replace(stored, batches=((count - 1, source), *rest))
    with pytest.raises(setset.SetsetError, match=r"batch 0 of size 4: expected .* lists; run 'setset repair'"):
        lists.export_lists(altered, ExportOptions(tmp_path, "npy"), None, lambda _: None)
    assert not list(tmp_path.glob("*000000*"))


def test_another_export_is_not_replaced_unless_asked(size: setset.Size, tmp_path: Path) -> None:
    size.export(tmp_path, format="npy")
    first = snapshot(tmp_path)
    with pytest.raises(setset.BadInput, match="not from this export"):
        size.export(tmp_path, format="npy", as_="vectors")
    assert snapshot(tmp_path) == first
    assert size.export(tmp_path, format="npy", as_="vectors", overwrite=True).written == len(size.batches)
    assert np.load(tmp_path / f"t{TARGET}-s04-000000.npy", mmap_mode="r").shape[1:] == (4, 4)


def test_a_file_of_a_batch_that_there_is_no_longer_is_not_read_as_a_part(size: setset.Size, tmp_path: Path) -> None:
    size.export(tmp_path, format="parquet")
    stale = tmp_path / f"t{TARGET}-s04-000099.parquet"
    shutil.copy(tmp_path / f"t{TARGET}-s04-000000.parquet", stale)
    with pytest.raises(setset.BadInput, match=stale.name):
        size.export(tmp_path, format="parquet")
    size.export(tmp_path, format="parquet", overwrite=True)
    assert not stale.exists()


def test_foreign_files_are_left_alone(size: setset.Size, tmp_path: Path) -> None:
    foreign = ["notes.txt", "t12-s04-000000.parquet", ".other.npy.host.1.00000000.tmp", "x.parquet"]
    for file_name in foreign:
        (tmp_path / file_name).write_text("mine")
    size.export(tmp_path, format="parquet", overwrite=True)
    assert [(tmp_path / file_name).read_text() for file_name in foreign] == ["mine"] * len(foreign)


def test_one_file_is_not_replaced_unless_asked(size: setset.Size, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    (tmp_path / durable.temporary_name(path.name)).write_text("left by one that was killed")
    size.export(path, limit=2)
    with pytest.raises(setset.BadInput, match=r"some\.csv exists already: add --force"):
        size.export(path, limit=3)
    size.export(path, limit=3, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["some.csv"]
    assert path.read_text() == "c1,c2,c3,c4\n0,1,3,4\n0,1,3,5\n0,1,3,7\n"


def test_a_manifest_that_is_none(size: setset.Size, tmp_path: Path) -> None:
    (tmp_path / single_file.MANIFEST).write_text("[]")
    with pytest.raises(setset.BadInput, match=r"setset-export\.json is not the manifest of an export"):
        size.export(tmp_path, format="npy")


def test_two_exports_to_one_folder(size: setset.Size, tmp_path: Path) -> None:
    with (
        single_file.locked(tmp_path / single_file.LOCK, tmp_path),
        pytest.raises(setset.Locked, match=r"another export to .* is under way"),
    ):
        size.export(tmp_path, format="npy")
    assert list(tmp_path.iterdir()) == []


def test_a_range_needs_a_file(size: setset.Size, tmp_path: Path) -> None:
    with pytest.raises(setset.BadInput, match="--start and --limit export to a single file"):
        size.export(tmp_path, format="npy", limit=5)


# A dry run, a disk that is too small, a size that is not complete, a damaged batch


@pytest.mark.parametrize(("format_", "within"), [("npy", 0.001), ("csv", 0.1), ("jsonl", 0.1), ("parquet", 0.4)])
def test_a_dry_run_knows_the_bytes_and_writes_nothing(
    size: setset.Size, tmp_path: Path, format_: str, within: float
) -> None:
    dry = size.export(tmp_path / "a", format=format_, dry_run=True)
    assert list(tmp_path.iterdir()) == []
    result = size.export(tmp_path / "a", format=format_)
    assert (dry.files, dry.written, dry.lists) == (result.files, result.written, result.lists)
    assert dry.bytes == pytest.approx(result.bytes, rel=within)
    assert dry.missing == 0
    assert dry.free is not None
    assert size.export(tmp_path / "a", format=format_, dry_run=True).bytes == result.bytes


@pytest.mark.parametrize("output", ["four", "four.npy"])
def test_a_disk_that_is_too_small_is_noticed_before(
    size: setset.Size, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    monkeypatch.setattr(lists, "free_bytes", lambda _: 1_000_000)
    dry = size.export(tmp_path / output, format="npy", dry_run=True)
    assert dry.missing == pytest.approx(4 * size.lists - 1_000_000, abs=1000)
    with pytest.raises(setset.NoSpace, match=r"the export takes about 3,086,964 bytes, and .* has room for 1,000,000"):
        size.export(tmp_path / output, format="npy")
    assert not list(tmp_path.rglob("*.npy*"))


@pytest.fixture
def incomplete(reference: Path, tmp_path: Path) -> setset.Size:
    """The size with the third batch missing: two are numbered."""
    copy = Path(shutil.copytree(reference, tmp_path / "incomplete"))
    change(
        copy,
        f"DELETE FROM batches WHERE size = {SIZE} AND number = 2",
        f"UPDATE batches SET number = NULL WHERE size = {SIZE} AND number > 2",
    )
    return setset.open(copy).exploration(TARGET)[SIZE]


def test_an_incomplete_size_is_exported_only_if_asked(
    incomplete: setset.Size, tmp_path: Path, expected: npt.NDArray[np.uint8]
) -> None:
    message = (
        "size 4 of target 16 is incomplete, only its first 2 batches exist: "
        "'setset run --size 4 --target 16' makes all batches, --partial exports the existing batches"
    )
    for output in ("a", "a.csv"):
        with pytest.raises(setset.BadInput, match=message):
            incomplete.export(tmp_path / output, format="csv")
    result = incomplete.export(tmp_path / "a", format="parquet", partial=True)
    assert result.files == 2
    assert (polars.read_parquet(tmp_path / "a" / "*.parquet").to_numpy() == expected[: result.lists]).all()
    assert incomplete.export(tmp_path / "a.npy", partial=True).lists == result.lists


def test_a_damaged_batch_is_named_and_the_files_before_it_stay(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "SAMPLES", 1)  # or the size of its file could not be foretold either
    copy = Path(shutil.copytree(reference, tmp_path / "damaged"))
    size = setset.open(copy).exploration(TARGET)[SIZE]
    flip(Path(size.batches[-1].path))
    number = size.batches[-1].number
    with pytest.raises(setset.SetsetError, match=f"batch {number} of size 4: checksum .*; run 'setset repair'"):
        size.export(tmp_path / "a", format="npy")
    assert sorted(path.suffix for path in (tmp_path / "a").iterdir()) == [".json", *[".npy"] * number]
    with setset.open(copy, mode="a") as workspace:
        workspace.repair()
    assert size.export(tmp_path / "a", format="npy").written == 1


def test_nothing_is_written_to_the_workspace(reference: Path, tmp_path: Path) -> None:
    """No row, no lock and no journal: it may be on a read-only disk."""
    workspace = Path(shutil.copytree(reference, tmp_path / "w"))

    def read_entries() -> dict[str, tuple[int, int]]:
        entries = {path.relative_to(workspace).as_posix(): path.stat() for path in workspace.rglob("*")}
        return {name: (entry.st_mtime_ns, entry.st_size) for name, entry in entries.items()}

    before = read_entries()
    with setset.open(workspace) as opened:
        for target in (tmp_path / "files", tmp_path / "one.csv"):
            opened.exploration(TARGET)[SIZE].export(target, format="csv")
    assert read_entries() == before


def test_a_worker_that_dies_is_replaced_as_in_a_run(
    size: setset.Size, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths = iter(range(ATTEMPTS - 1))

    class Dying(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if fn is single_file.write_file and next(deaths, None) is not None:
                future: Future[Any] = Future()
                future.set_exception(WorkerDied("the worker process died"))
                return future
            return super().submit(fn, *args, **kwargs)

    monkeypatch.setattr(lists, "LocalExecutor", Dying)
    size.export(tmp_path / "a", format="npy")
    assert next(deaths, None) is None
    monkeypatch.setattr(lists, "LocalExecutor", ThreadPoolExecutor)
    size.export(tmp_path / "b", format="npy")
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "b")


def test_progress_is_told(size: setset.Size, tmp_path: Path) -> None:
    class Listener(Notices):
        told: list[Any]

        def begin(self, size: int, activity: setset.Activity, tasks: int, lists_in: int) -> None:
            self.told = [(size, activity, tasks, lists_in)]

        def advance(self, size: int, lists_in: int, lists_out: int) -> None:
            self.told.append((size, lists_in, lists_out))

    listener = Listener()
    size.export(tmp_path / "a", format="npy", progress=listener)
    batches = size.batches
    expected = [(SIZE, batch.lists, batch.lists) for batch in batches]
    assert listener.told == [(SIZE, setset.Activity.EXPORT, len(batches), size.lists), *expected]


def test_a_stop_leaves_whole_files_and_the_next_call_goes_on(size: setset.Size, tmp_path: Path) -> None:
    size.export(tmp_path / "whole", format="npy")
    stop = setset.StopRequest()

    class Stopper(Notices):
        def advance(self, size: int, lists_in: int, lists_out: int) -> None:  # noqa: ARG002
            if not stop:
                stop.receive(2)

    with pytest.raises(setset.Interrupted, match="finished files stay") as error:
        size.export(tmp_path / "part", format="npy", progress=Stopper(), stop=stop)
    assert error.value.exit_code == 130
    manifest = json.loads((tmp_path / "part" / single_file.MANIFEST).read_bytes())
    assert len(manifest["files"]) == 1
    size.export(tmp_path / "part", format="npy", overwrite=True)
    assert snapshot(tmp_path / "part") == snapshot(tmp_path / "whole")


@pytest.mark.parametrize("what", ["classes", "links", "counts"])
def test_tables_are_read_by_pandas(reference: Path, tmp_path: Path, what: str) -> None:
    export = getattr(setset, f"export_{what}")
    rows = export(tmp_path / "a.parquet", reference, size=SIZE)
    export(tmp_path / "a.json", reference, size=SIZE)
    export(tmp_path / "a.csv", reference, size=SIZE)
    frames = [
        pandas.read_parquet(tmp_path / "a.parquet"),
        pandas.read_json(tmp_path / "a.json"),
        pandas.read_csv(tmp_path / "a.csv"),
    ]
    assert {tuple(frame.columns) for frame in frames} == {tuple(frames[0].columns)}
    assert [len(frame) for frame in frames] == [rows] * 3
    assert {frame["size"].tolist()[0] for frame in frames} == {SIZE}
    level = setset.catalogue_in_memory().level(SIZE)
    if what == "classes":
        assert [tuple(cards) for cards in frames[0]["cards"]] == [list_class.cards for list_class in level.classes]
        assert frames[2]["lists"].tolist() == [list_class.lists for list_class in level.classes]
    if what == "links":
        assert [tuple(row[1:]) for row in frames[2].to_numpy()] == [tuple(link) for link in level.links]
    with pytest.raises(setset.BadInput, match="exists already"):
        export(tmp_path / "a.csv", reference)

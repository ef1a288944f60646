"""Each kind of task in a worker."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.ownership import ForeignRoot, RootGone, Token, claim_root
from setset.batches.records import NO_SOURCE, BatchFile, Span, combine_digests
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.errors import NoSpace, SetsetError
from setset.tasks import execute as entry
from setset.tasks import worker
from setset.tasks.kinds import BadSource, CompareTask, CountTask, Destination, ExpandTask, MergeTask, OtherLists, Source
from tests.engine import naive
from tests.small import digests

TARGET = 20
SEED_LISTS = 20_000
"""So few that the seeds for target 20 are several batches."""
LISTS = 5_000
OWNER = Token("mine")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    claim_root(tmp_path / "root", OWNER)
    return tmp_path / "root"


@pytest.fixture
def seeds(root: Path) -> tuple[BatchFile, ...]:
    return worker.execute(ExpandTask(TARGET, 3, SEED_LISTS, None, to(root))).batches


def to(root: Path) -> Destination:
    return Destination(str(root), OWNER)


def source_of(root: Path, batch: BatchFile, size: int, number: int) -> Source:
    return Source(size, number, str(root / batch.name), batch.digest)


def expand_first(root: Path, seeds: tuple[BatchFile, ...]) -> ExpandTask:
    return ExpandTask(TARGET, 4, LISTS, source_of(root, seeds[0], 3, 0), to(root))


def lists_in(root: Path, batches: tuple[BatchFile, ...]) -> list[tuple[int, ...]]:
    return [
        tuple(row)
        for batch in batches
        for rows in search.unpack(files.load(root / batch.name, batch.digest)[1])
        for row in rows.tolist()
    ]


def test_the_seeds_are_batches_without_a_source(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    assert lists_in(root, seeds) == list(naive.seeds(TARGET))
    assert len(seeds) > 1
    assert [batch.span for batch in seeds] == [
        Span(0, part, 0, part, part == len(seeds) - 1) for part in range(len(seeds))
    ]
    assert files.verify(root / seeds[0].name)[0].source_digest == bytes(16)


def test_an_expansion_is_that_of_the_naive_twin(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = ExpandTask(TARGET, 4, LISTS, source_of(root, seeds[1], 3, 1), to(root))
    result = worker.execute(task)
    assert lists_in(root, result.batches) == list(naive.expand(lists_in(root, seeds[1:2]), TARGET))
    assert (result.host, result.pid) == (socket.gethostname(), os.getpid())
    assert result.seconds > 0
    assert {(batch.span.first_source, batch.span.last_source) for batch in result.batches} == {(1, 1)}
    header, _ = files.verify(root / result.batches[0].name)
    assert header.source_digest.hex() == seeds[1].digest


def test_the_search_goes_on_while_a_file_is_written(
    root: Path, seeds: tuple[BatchFile, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = threading.Event()

    def expand(*arguments: Any) -> Iterator[Streams]:
        for number, part in enumerate(real_expand(*arguments)):
            if number == 2:
                searched.set()
            yield part

    def save(data: bytes, folder: Path, owner: Token) -> BatchFile:
        assert searched.wait(120), "the third part is not searched before the first one is written"
        return real_save(data, folder, owner)

    real_expand, real_save = search.expand, files.save_batch
    monkeypatch.setattr(search, "expand", expand)
    monkeypatch.setattr(files, "save_batch", save)
    batches = worker.execute(expand_first(root, seeds)).batches
    assert len(batches) > 2
    assert lists_in(root, batches) == list(naive.expand(lists_in(root, seeds[:1]), TARGET))


def test_a_file_that_cannot_be_written_ends_the_task(
    root: Path, seeds: tuple[BatchFile, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[BatchFile] = []

    def save(data: bytes, folder: Path, owner: Token) -> BatchFile:
        if saved:
            raise NoSpace("the disk is full")
        saved.append(real_save(data, folder, owner))
        return saved[0]

    real_save = files.save_batch
    monkeypatch.setattr(files, "save_batch", save)
    with pytest.raises(NoSpace, match="the disk is full"):
        worker.execute(expand_first(root, seeds))
    assert [path.name for path in (root / saved[0].name).parent.iterdir()] == [Path(saved[0].name).name]


def test_what_was_finished_but_not_recorded_is_taken_over(
    root: Path, seeds: tuple[BatchFile, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    monkeypatch.setattr(worker, "_expand", lambda _: pytest.fail("it was made again"))
    assert worker.execute(task).batches == batches


@pytest.mark.parametrize("damage", ["last file missing", "altered", "of another source", "cut otherwise"])
def test_what_is_not_all_there_is_made_again(damage: str, root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    before = digests(root)
    assert len(batches) > 1
    path = root / batches[-1].name
    data = path.read_bytes()
    if damage == "last file missing":
        path.unlink()
    elif damage == "altered":
        path.write_bytes(data[:-20] + bytes([data[-20] ^ 1]) + data[-19:])
    else:
        header, streams = batch_format.decode(data)
        is_foreign = damage == "of another source"
        source_digest = bytes(16) if is_foreign else header.source_digest
        batch_lists = LISTS if is_foreign else LISTS + 1
        bounds = (header.first, header.last)
        path.write_bytes(batch_format.encode(streams, TARGET, batch_lists, header.span, bounds, source_digest))
    assert worker.execute(task).batches == batches
    assert digests(root) == before


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("missing", r"missing$"),
        ("altered", r"checksum mismatch"),
        ("another", r"a sound batch file, but not the file that the database records$"),
        ("size", r"has lists of another size$"),
    ],
)
def test_nothing_is_made_of_a_bad_source(damage: str, reason: str, root: Path, seeds: tuple[BatchFile, ...]) -> None:
    path = root / seeds[0].name
    source = source_of(root, seeds[0], 4 if damage == "size" else 3, 0)
    if damage == "missing":
        path.unlink()
    elif damage == "altered":
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    elif damage == "another":
        path.write_bytes((root / seeds[1].name).read_bytes())
    for task in (ExpandTask(TARGET, 4, LISTS, source, to(root)), CountTask(TARGET, 5, source)):
        with pytest.raises(BadSource, match=reason) as error:
            worker.execute(task)
        assert (error.value.size, error.value.number) == (source.size, 0)
    assert not (root / "t20" / "s04").exists()


def test_nothing_is_made_where_the_root_is_gone(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = ExpandTask(TARGET, 4, LISTS, source_of(root, seeds[0], 3, 0), to(root / "gone"))
    with pytest.raises(RootGone):
        worker.execute(task)
    assert not (root / "gone").exists()


def test_counting_agrees_with_storing(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    store_result = worker.execute(expand_first(root, seeds))
    count_result = worker.execute(CountTask(TARGET, 5, source_of(root, seeds[0], 3, 0)))
    assert count_result.batches == ()
    counts = dict(count_result.counts)
    assert counts.keys() == {4, 5}
    assert counts[4] == store_result.lists
    assert worker.recount(str(root / store_result.batches[0].name), store_result.batches[0].digest) == LISTS


def again(task: ExpandTask, recorded: tuple[BatchFile, ...]) -> ExpandTask:
    """The same expansion, after its outcome was recorded and forgotten."""
    return replace(task, recorded=recorded, reuse=False)


def comparison(root: Path, expansions: tuple[ExpandTask, ...], batches: tuple[BatchFile, ...]) -> CompareTask:
    return CompareTask(expansions, batches, str(root))


def test_what_is_made_again_has_the_same_bytes(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    """Only the file that is lost is written."""
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    before = digests(root)
    for batch in batches:
        (root / batch.name).unlink()
        times = {path: path.stat().st_mtime_ns for path in root.rglob("*.setset")}
        assert worker.execute(again(task, batches)).batches == batches
        assert {path: path.stat().st_mtime_ns for path in times} == times
    assert digests(root) == before


def test_neighbours_are_merged_into_one_batch_that_can_be_derived_again(
    root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    limit = 2_000_000
    numbers = range(len(seeds))[-2:]
    tasks = tuple(
        ExpandTask(TARGET, 4, limit, source_of(root, seeds[number], 3, number), to(root)) for number in numbers
    )
    parts = tuple(batch for task in tasks for batch in worker.execute(task).batches)
    assert len(parts) == 2
    span = Span(numbers[0], 0, numbers[1], 0, True)
    sources = tuple(source_of(root, part, 4, number) for number, part in enumerate(parts))
    digest = combine_digests([seeds[number].digest for number in numbers])
    (batch,) = worker.execute(MergeTask(TARGET, 4, limit, span, sources, digest, to(root))).batches
    assert (batch.span, batch.source_digest) == (span, digest)
    assert batch.lists == sum(part.lists for part in parts)
    assert lists_in(root, (batch,)) == lists_in(root, parts)
    assert worker.compare(comparison(root, tasks, (batch,))) == (None,)


def test_parts_that_are_too_many_for_one_batch_are_not_merged(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    parts = worker.execute(expand_first(root, seeds)).batches[:2]
    sources = tuple(source_of(root, part, 4, number) for number, part in enumerate(parts))
    with pytest.raises(SetsetError, match=r"^2 parts make 2 batches of size 4 instead of one$"):
        worker.execute(MergeTask(TARGET, 4, LISTS, Span(0, 0, 0, 1, False), sources, NO_SOURCE, to(root)))


def test_batches_are_compared_with_what_their_source_expands_to(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    """All batches of a source at once, each with its own answer."""
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    first, second, *rest = batches
    assert worker.compare(comparison(root, (task,), batches)) == (None,) * len(batches)
    swapped = replace(second, name=first.name, digest=first.digest)
    assert worker.compare(comparison(root, (task,), (first, swapped, *rest))) == (
        None,
        "its sources expand to other lists than it has",
        *[None] * len(rest),
    )
    (root / second.name).unlink()
    assert worker.compare(comparison(root, (task,), batches)) == (None,) * len(batches), "a plain check reports it"
    altered = replace(second, lists=second.lists - 1)
    assert worker.compare(comparison(root, (task,), (altered,))) == (
        "its sources expand to other lists than the database records",
    )
    assert worker.compare(comparison(root, (task,), (swapped,))) == ("its sources expand to other lists than it has",)
    (root / seeds[0].name).unlink()
    with pytest.raises(BadSource, match="batch 0 of size 3: missing"):
        worker.compare(comparison(root, (task,), (first, second)))


def test_parts_beyond_the_last_and_a_last_that_is_none_are_noticed(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    last = batches[-1]
    source, part = last.span.end[0] - 1, last.span.last_part
    extra = replace(last, span=Span(source, part + 1, source, part + 1, True))
    assert worker.compare(comparison(root, (task,), (last, extra))) == (
        None,
        "its sources expand to fewer parts than it has",
    )
    for batch, is_last, message in [
        (last, False, "its header says wrongly that it is not the last part of its source"),
        (batches[0], True, "its header says wrongly that it is the last part of its source"),
    ]:
        header, streams = files.load(root / batch.name)
        span = replace(header.span, ends_source=is_last)
        data = batch_format.encode(streams, TARGET, LISTS, span, (header.first, header.last), header.source_digest)
        forged = files.save_batch(data, root, OWNER)
        assert worker.compare(comparison(root, (task,), (forged,))) == (message,)


def test_an_expansion_that_should_be_empty_and_is_not_is_noticed(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = comparison(root, (expand_first(root, seeds),), ())
    assert worker.compare(task) == ("its source expands to lists, but none are recorded",)


@pytest.mark.parametrize("wrong", ["lists", "last", "source_digest", "span"])
def test_a_file_is_not_replaced_by_one_with_other_lists_than_are_recorded(
    wrong: str, root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    """The record may be wrong and the file right. The file stays, and the error names both digests."""
    task = expand_first(root, seeds)
    batch, *rest = worker.execute(task).batches
    before = digests(root)
    times = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    values = {
        "lists": 7,
        "last": (0, 1, 3, 5),
        "source_digest": seeds[1].digest,
        "span": replace(batch.span, ends_source=True),
    }
    altered = replace(batch, digest="feed", **{wrong: values[wrong]})  # type: ignore[arg-type]
    with pytest.raises(OtherLists) as error:
        worker.execute(again(task, (altered, *rest)))
    assert (error.value.path, error.value.recorded, error.value.derived) == (batch.name, "feed", batch.digest)
    assert digests(root) == before
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == times
    # A file of the recorded digest has the recorded lists, whatever the row says of them.
    repeated = again(task, (replace(altered, digest=batch.digest), *rest))
    assert worker.execute(repeated).batches == (batch, *rest)


def test_parts_that_are_more_or_fewer_than_are_recorded(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = expand_first(root, seeds)
    *earlier, last = batches = worker.execute(task).batches
    with pytest.raises(OtherLists) as error:
        worker.execute(again(task, tuple(earlier)))
    assert (error.value.path, error.value.recorded, error.value.derived) == (last.name, "none", last.digest)
    part = last.span.last_part + 1
    extra = replace(last, name="beyond", span=Span(0, part, 0, part, True))
    with pytest.raises(OtherLists) as error:
        worker.execute(again(task, (*batches, extra)))
    assert (error.value.path, error.value.recorded, error.value.derived) == ("beyond", last.digest, "none")


def test_a_batch_that_version_0_1_recorded_is_made_again_without_its_source_digest(
    root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    (root / batches[0].name).unlink()
    old = replace(batches[0], source_digest="", digest="of an earlier format")
    assert worker.execute(again(task, (old, *batches[1:]))).batches == batches


def test_without_reuse_all_is_written_again(
    root: Path, seeds: tuple[BatchFile, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = expand_first(root, seeds)
    batches = worker.execute(task).batches
    monkeypatch.setattr(worker, "_find_finished", lambda _: pytest.fail("it was taken over"))
    assert worker.execute(replace(task, reuse=False)).batches == batches


def test_nothing_is_made_in_the_root_of_another_workspace(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    before = digests(root)
    task = replace(expand_first(root, seeds), destination=Destination(str(root), Token("another")))
    with pytest.raises(ForeignRoot):
        worker.execute(task)
    assert digests(root) == before


def test_the_coordinators_side_loads_no_compiler_before_the_first_task() -> None:
    code = "import sys, setset.tasks.execute; print({'numba', 'setset.tasks.worker'} & set(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(Path(setset.__file__).parent.parent)}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert result.stdout == "set()\n"


def test_the_entry_points_are_those_of_the_worker(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    """Executors are handed functions of `tasks.execute`."""
    task = expand_first(root, seeds)
    (batch, *_) = entry.execute(task).batches
    assert entry.compare(comparison(root, (task,), (batch,))) == (None,)
    assert entry.recount(str(root / batch.name), batch.digest) == batch.lists

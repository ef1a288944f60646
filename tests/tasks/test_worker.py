"""What a worker does with each kind of task."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.records import BatchFile, Span
from setset.batches.roots import RootGone, claim_root
from setset.engine import search
from setset.errors import SetsetError
from setset.tasks import execute as entry
from setset.tasks import worker
from setset.tasks.kinds import BadSource, CountTask, ExpandTask, MergeTask, RebuildTask, Source
from tests.engine import naive
from tests.small import digests

TARGET = 20
SEED_LISTS = 20_000
"""So few that the seeds for target 20 are several batches."""
LISTS = 5_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    claim_root(tmp_path / "root", "some workspace")
    return tmp_path / "root"


@pytest.fixture
def seeds(root: Path) -> tuple[BatchFile, ...]:
    return worker.execute(ExpandTask(TARGET, 3, SEED_LISTS, None, str(root))).batches


def source_of(root: Path, batch: BatchFile, size: int, number: int) -> Source:
    return Source(size, number, str(root / batch.path), batch.digest)


def expand_first(root: Path, seeds: tuple[BatchFile, ...]) -> ExpandTask:
    return ExpandTask(TARGET, 4, LISTS, source_of(root, seeds[0], 3, 0), str(root))


def lists_in(root: Path, batches: tuple[BatchFile, ...]) -> list[tuple[int, ...]]:
    return [
        tuple(row)
        for batch in batches
        for rows in search.unpack(files.load(root / batch.path, batch.digest)[1])
        for row in rows.tolist()
    ]


def test_the_seeds_are_batches_without_a_source(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    assert lists_in(root, seeds) == list(naive.seeds(TARGET))
    assert len(seeds) > 1
    assert [batch.span for batch in seeds] == [
        Span(0, part, 0, part, part == len(seeds) - 1) for part in range(len(seeds))
    ]
    assert files.verify(root / seeds[0].path)[0].source_digest == bytes(16)


def test_an_expansion_is_that_of_the_naive_twin(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = ExpandTask(TARGET, 4, LISTS, source_of(root, seeds[1], 3, 1), str(root))
    result = worker.execute(task)
    assert lists_in(root, result.batches) == list(naive.expand(lists_in(root, seeds[1:2]), TARGET))
    assert (result.host, result.pid) == (socket.gethostname(), os.getpid())
    assert result.seconds > 0
    assert {(batch.span.first_source, batch.span.last_source) for batch in result.batches} == {(1, 1)}
    header, _ = files.verify(root / result.batches[0].path)
    assert header.source_digest.hex() == seeds[1].digest


def test_what_was_finished_but_not_recorded_is_taken_over(
    root: Path, seeds: tuple[BatchFile, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = expand_first(root, seeds)
    made = worker.execute(task).batches
    monkeypatch.setattr(worker, "_expand", lambda _: pytest.fail("it was made again"))
    assert worker.execute(task).batches == made


@pytest.mark.parametrize("damage", ["last file missing", "altered", "of another source", "cut otherwise"])
def test_what_is_not_all_there_is_made_again(damage: str, root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = expand_first(root, seeds)
    made = worker.execute(task).batches
    before = digests(root)
    assert len(made) > 1
    path = root / made[-1].path
    data = path.read_bytes()
    if damage == "last file missing":
        path.unlink()
    elif damage == "altered":
        path.write_bytes(data[:-20] + bytes([data[-20] ^ 1]) + data[-19:])
    else:
        header, streams = batch_format.decode(data)
        other = damage == "of another source"
        source_digest = bytes(16) if other else header.source_digest
        batch_lists = LISTS if other else LISTS + 1
        ends = (header.first, header.last)
        path.write_bytes(batch_format.encode(streams, TARGET, batch_lists, header.span, ends, source_digest))
    assert worker.execute(task).batches == made
    assert digests(root) == before


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("missing", r"missing$"),
        ("altered", r"checksum mismatch"),
        ("another", r"a sound batch file, but not the one that the database records$"),
        ("size", r"of another size$"),
    ],
)
def test_nothing_is_made_of_a_bad_source(
    damage: str, reason: str, root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    path = root / seeds[0].path
    source = source_of(root, seeds[0], 4 if damage == "size" else 3, 0)
    if damage == "missing":
        path.unlink()
    elif damage == "altered":
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    elif damage == "another":
        path.write_bytes((root / seeds[1].path).read_bytes())
    for task in (ExpandTask(TARGET, 4, LISTS, source, str(root)), CountTask(TARGET, 5, source)):
        with pytest.raises(BadSource, match=reason) as raised:
            worker.execute(task)
        assert (raised.value.size, raised.value.number) == (source.size, 0)
    assert not (root / "t20" / "s04").exists()


def test_nothing_is_made_where_the_root_is_gone(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = ExpandTask(TARGET, 4, LISTS, source_of(root, seeds[0], 3, 0), str(root / "gone"))
    with pytest.raises(RootGone):
        worker.execute(task)
    assert not (root / "gone").exists()


def test_counting_agrees_with_storing(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    stored = worker.execute(expand_first(root, seeds))
    counted = worker.execute(CountTask(TARGET, 5, source_of(root, seeds[0], 3, 0)))
    assert counted.batches == ()
    counts = dict(counted.counts)
    assert counts.keys() == {4, 5}
    assert counts[4] == stored.lists
    assert worker.recount(str(root / stored.batches[0].path), stored.batches[0].digest) == LISTS


def test_a_rebuilt_batch_has_the_same_bytes(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    task = expand_first(root, seeds)
    made = worker.execute(task).batches
    before = digests(root)
    for batch in made:
        (root / batch.path).unlink()
        assert worker.execute(RebuildTask(batch.span, (task,))).batches == (batch,)
    assert digests(root) == before


def test_neighbours_are_merged_into_one_batch_that_can_be_rebuilt(
    root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    limit = 2_000_000
    numbers = range(len(seeds))[-2:]
    tasks = tuple(
        ExpandTask(TARGET, 4, limit, source_of(root, seeds[number], 3, number), str(root))
        for number in numbers
    )
    parts = tuple(batch for task in tasks for batch in worker.execute(task).batches)
    assert len(parts) == 2
    span = Span(numbers[0], 0, numbers[1], 0, True)
    sources = tuple(source_of(root, part, 4, number) for number, part in enumerate(parts))
    (batch,) = worker.execute(MergeTask(TARGET, 4, limit, span, sources, str(root))).batches
    assert batch.span == span
    assert batch.lists == sum(part.lists for part in parts)
    assert lists_in(root, (batch,)) == lists_in(root, parts)
    (root / batch.path).unlink()
    assert worker.execute(RebuildTask(span, tasks)).batches == (batch,)


def test_parts_that_are_too_many_for_one_batch_are_not_merged(
    root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    parts = worker.execute(expand_first(root, seeds)).batches[:2]
    sources = tuple(source_of(root, part, 4, number) for number, part in enumerate(parts))
    with pytest.raises(SetsetError, match=r"^2 parts make 2 batches of size 4 instead of one$"):
        worker.execute(MergeTask(TARGET, 4, LISTS, Span(0, 0, 0, 1, False), sources, str(root)))


def test_a_batch_is_compared_with_what_its_sources_expand_to(
    root: Path, seeds: tuple[BatchFile, ...]
) -> None:
    task = expand_first(root, seeds)
    first, second = worker.execute(task).batches[:2]
    rebuild = RebuildTask(first.span, (task,))
    path = root / first.path
    assert worker.compare(rebuild, str(path), first.digest) is None
    assert (
        worker.compare(rebuild, str(root / second.path), second.digest)
        == "its lists are not those that its sources expand to"
    )
    assert worker.compare(rebuild, str(root / "x.setset"), first.digest) == "missing"
    (root / seeds[0].path).unlink()
    assert (
        worker.compare(rebuild, str(path), first.digest) == "cannot be compared: batch 0 of size 3: missing"
    )


def test_the_coordinators_side_loads_no_compiler_before_the_first_task() -> None:
    code = "import sys, setset.tasks.execute; print({'numba', 'setset.tasks.worker'} & set(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(Path(setset.__file__).parent.parent)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert found.stdout == "set()\n"


def test_the_entry_points_are_those_of_the_worker(root: Path, seeds: tuple[BatchFile, ...]) -> None:
    """Executors are handed functions of `tasks.execute`."""
    task = expand_first(root, seeds)
    (batch, *_) = entry.execute(task).batches
    path = str(root / batch.path)
    assert entry.compare(RebuildTask(batch.span, (task,)), path, batch.digest) is None
    assert entry.recount(path, batch.digest) == batch.lists

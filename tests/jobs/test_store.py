"""`--store`: sizes that are made straight from a smaller one, in one walk, without files of the sizes between."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import xxhash

import setset
from setset.batches import files
from setset.engine import search
from setset.errors import BadInput, SetsetError
from setset.folder import WorkspaceFolder
from setset.jobs.options import BATCH_LISTS, RunOptions
from setset.maintenance.findings import FindingKind
from setset.maintenance.rebuild import rebuild_database
from setset.tasks import worker
from setset.tasks.kinds import Destination, ExpandTask, Source
from tests.small import Notices, build, change, change_by_hand, digests, findings, flip, rebuild, repair_all, rows

TARGET, SIZE, CUT = 18, 5, 400_000
STORED: dict[str, Any] = {"target": TARGET, "batch_lists": CUT, "store": (SIZE,), "via": 3}
COUNTS = "SELECT size, lists, complete, origin FROM counts ORDER BY size"


@pytest.fixture(scope="module")
def step_by_step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("steps") / "w", SIZE, target=TARGET, batch_lists=CUT)[0].path


@pytest.fixture
def stored(tmp_path: Path) -> WorkspaceFolder:
    return build(tmp_path / "w", SIZE, **STORED)[0]


def all_lists(path: Path, size: int = SIZE) -> str:
    digest = hashlib.sha256()
    with setset.open(path) as workspace:
        for array in workspace.exploration(TARGET)[size].arrays():
            digest.update(array.tobytes())
    return digest.hexdigest()


def test_only_the_sizes_that_were_asked_for_have_files(stored: WorkspaceFolder, step_by_step: Path) -> None:
    assert {path.parent.name for path in stored.own_root.rglob("*.setset")} == {"s03", "s05"}
    expected = [row for row in rows(step_by_step, COUNTS) if row[0] != 4]
    assert rows(stored.path, COUNTS) == expected
    assert all_lists(stored.path) == all_lists(step_by_step)
    with setset.open(stored.path) as workspace:
        assert [(size.size, size.source_size) for size in workspace.status().sizes] == [(3, 2), (5, 3)]
        size = workspace.exploration(TARGET)[SIZE]
        assert size[7_000_000] == setset.open(step_by_step).exploration(TARGET)[SIZE][7_000_000]
        assert {count.verdict.value for count in workspace.counts()} == {"complete"}


def test_the_same_bytes_with_any_workers_and_after_a_stop(stored: WorkspaceFolder, tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "one", SIZE, **{**STORED, "workers": 1})
    before = digests(stored.path)
    assert digests(folder.path) == before
    change(folder.path, "DELETE FROM expansions WHERE size = 5", "DELETE FROM batches WHERE size = 5")
    change(folder.path, "UPDATE sizes SET numbered = 0 WHERE size = 5")
    build(folder.path, SIZE, **STORED)
    assert digests(folder.path) == before


def test_checked_repaired_and_rebuilt_like_any_other(stored: WorkspaceFolder) -> None:
    before, counts = digests(stored.path), rows(stored.path, COUNTS)
    assert findings(stored, deep=True) == []
    paths = sorted((stored.own_root / "t18/s05").glob("*.setset"))
    flip(paths[2])
    paths[4].unlink()
    assert {finding.kind for finding in findings(stored)} == {FindingKind.FILE}
    repair_all(stored)
    assert digests(stored.path) == before
    flip(min((stored.own_root / "t18/s03").glob("*.setset")))
    repair_all(stored)
    assert (digests(stored.path), findings(stored)) == (before, [])
    rebuild(stored)
    assert rows(stored.path, COUNTS) == counts
    assert rows(stored.path, "SELECT size, source_size FROM sizes") == [(3, 2), (5, 3)]
    assert findings(stored, deep=True) == []


def test_a_size_that_was_stored_goes_on_from_where_it_began(stored: WorkspaceFolder) -> None:
    before = digests(stored.path)
    build(stored.path, SIZE, target=TARGET, batch_lists=CUT)
    assert before.items() <= digests(stored.path).items()
    assert rows(stored.path, "SELECT size, source_size FROM sizes ORDER BY size") == [(3, 2), (4, 3), (5, 3)]
    with pytest.raises(BadInput, match="--via 4: size 5 was begun from size 3; leave out --via, or remove"):
        build(stored.path, SIZE, **{**STORED, "via": 4})


def test_counting_beyond_a_stored_size(stored: WorkspaceFolder, step_by_step: Path) -> None:
    """From the largest one below, and without making the sizes between."""
    for path in (stored.path, step_by_step):
        build(path, 6, target=TARGET, count_only=True)
    query = "SELECT lists FROM counts WHERE size = 6 AND complete"
    assert rows(stored.path, query) == rows(step_by_step, query) != []
    assert {path.parent.name for path in stored.own_root.rglob("*.setset")} == {"s03", "s05"}


def test_a_walk_over_several_sizes_in_a_worker(tmp_path: Path, step_by_step: Path) -> None:
    """From a batch of 6 cards to 9, by the kernel, against one step after the other."""
    streams = files.load(max((step_by_step / "batches/t18/s05").glob("*.setset")))[1]
    batch = next(search.expand(streams, TARGET, 30_000))
    expected, sizes = [batch], 9
    for _ in range(6, sizes):
        expected = [part for source in expected for part in search.expand(source, TARGET, 10**6)]
    lists = [tuple(row) for part in expected for chunk in search.unpack(part) for row in chunk.tolist()]
    data = worker.batch_format.encode(
        batch, TARGET, 30_000, worker.Span(0, 0, 0, 0, True), search.first_and_last(batch), bytes(16)
    )
    source = tmp_path / "six.setset"
    source.write_bytes(data)
    task = ExpandTask(
        TARGET,
        sizes,
        100_000,
        Source(6, 0, str(source), data[-16:].hex()),
        Destination("", None),  # type: ignore[arg-type]
    )
    parts = [part for _, _, part in worker.parts_of_expansion(task)]
    assert [part.lists for part in parts[:-1]] == [100_000] * (len(parts) - 1)
    assert [tuple(row) for part in parts for chunk in search.unpack(part) for row in chunk.tolist()] == lists


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"store": (9,)}, "--store 9: expected 3 to 8"),
        ({"store": (2, 8)}, "--store 2: expected 3 to 8"),
        ({"store": (7,)}, "--store ends with 7, so give --size 7, not 8"),
        ({"store": (8,), "via": 8}, "--via 8: expected 3 to 7"),
        ({"via": 5}, "--via needs --store or --count"),
        ({"store": (8,), "count_only": True}, "--store cannot be combined with --count-only"),
        ({"store": (8,), "pruned": True, "target": 20}, "--store cannot be combined with --prune"),
        ({"store": (8,), "first": 2}, "--store cannot be combined with --from"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        RunOptions(8, **options).validate()


def test_a_counted_size_is_read_like_a_stored_one(tmp_path: Path, step_by_step: Path) -> None:
    folder, _ = build(tmp_path / "w", SIZE, target=TARGET, batch_lists=20_000, count=(SIZE,), via=3)
    assert {path.parent.name for path in folder.own_root.rglob("*.setset")} == {"s03"}
    assert rows(folder.path, "SELECT size, lists, complete, origin FROM counts") == [
        (3, 45_189, 1, "stored"),
        (5, 7_964_460, 1, "counted from size 3"),
    ]
    with setset.open(folder.path) as workspace, setset.open(step_by_step) as baseline:
        counted, expected_size = workspace.exploration(TARGET)[SIZE], baseline.exploration(TARGET)[SIZE]
        assert (counted.stored, counted.complete, counted.lists, counted.bytes) == (False, True, expected_size.lists, 0)
        assert counted.batches == []
        for start in (0, 1, 123_456, 4_999_999, expected_size.lists - 3):
            assert counted[start] == expected_size[start]
            assert (counted[start : start + 1000] == expected_size[start : start + 1000]).all()
        made, stored = (size.export(tmp_path / f"{size.stored}.npy") for size in (counted, expected_size))
        assert made.lists == stored.lists
        assert (tmp_path / "False.npy").read_bytes() == (tmp_path / "True.npy").read_bytes()
        expected = counted.export(tmp_path / "parts", format="npy", dry_run=True)
        assert expected.bytes == pytest.approx(counted.lists * SIZE, rel=0.01)
        assert counted.export(tmp_path / "parts", format="npy").lists == expected_size.lists
        with pytest.raises(BadInput, match="is counted, and has no batches"):
            counted.arrays(batch=0)
        with pytest.raises(BadInput, match="7,964,460 are counted, numbered from 0"):
            counted.arrays(7_964_460)
    assert all_lists(folder.path) == all_lists(step_by_step)
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize("options", [{"count": (SIZE,), "via": 3}, {"count_only": True}], ids=["count", "count only"])
def test_counts_survive_the_database(tmp_path: Path, options: dict[str, Any]) -> None:
    folder, _ = build(tmp_path / "w", 3, target=TARGET, batch_lists=20_000)
    build(folder.path, SIZE, target=TARGET, **options)
    expected = rows(folder.path, COUNTS), rows(folder.path, "SELECT size, lists, entries FROM tallies ORDER BY 1, 2")
    assert len(expected[0]) == (2 if "count" in options else 3)
    folder.database.unlink()
    with pytest.raises(SetsetError, match="setset db rebuild"):
        build(folder.path, SIZE, target=TARGET, **options)
    rebuild(folder)
    assert (
        rows(folder.path, COUNTS),
        rows(folder.path, "SELECT size, lists, entries FROM tallies ORDER BY 1, 2"),
    ) == expected
    assert findings(folder, deep=True) == []
    with setset.open(folder.path) as workspace:
        assert workspace.exploration(TARGET)[SIZE][7_000_000] == (22, 25, 37, 53, 60)
    flip(folder.counts)
    rebuild(folder)
    assert len(rows(folder.path, COUNTS)) == 1, "a damaged file is not believed"


def test_a_counted_size_is_read_only_if_it_is_counted_in_full(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", SIZE, target=TARGET, batch_lists=20_000, count=(SIZE,), via=3)
    expansion = "(SELECT max(id) FROM expansions)"
    change(
        folder.path,
        f"UPDATE tallies SET lists = lists + 1 WHERE expansion_id = {expansion}",
        f"UPDATE expansions SET lists_out = lists_out + 1 WHERE id = {expansion}",
    )
    with setset.open(folder.path) as workspace:
        size = workspace.exploration(TARGET)[SIZE]
        with pytest.raises(SetsetError, match=r"lists, expected .*; run 'setset repair'"):
            deque(size.arrays(), 0)
    change(folder.path, "DELETE FROM tallies WHERE expansion_id = (SELECT max(id) FROM expansions)")
    with setset.open(folder.path) as workspace, pytest.raises(BadInput, match="size 5 is not stored for target 18"):
        workspace.exploration(TARGET)[SIZE]
    build(folder.path, SIZE, target=TARGET, batch_lists=20_000, count=(SIZE,), via=3)
    assert setset.open(folder.path).exploration(TARGET)[SIZE].lists == 7_964_460


def test_counts_that_were_exchanged_are_noticed_and_counted_again(tmp_path: Path) -> None:
    """The ids are in no checksum of the expansions, so each tally belongs to another source, and the sum is right."""
    options: dict[str, Any] = {"target": TARGET, "batch_lists": 20_000, "count": (SIZE,), "via": 3}
    folder, _ = build(tmp_path / "w", SIZE, **options)
    first, last = (f"(SELECT {end}(expansion_id) FROM tallies)" for end in ("min", "max"))
    exchange = [
        f"UPDATE expansions SET id = -1 WHERE id = {first}",
        f"UPDATE expansions SET id = {first} WHERE id = {last}",
    ]
    change_by_hand(folder.path, *exchange, f"UPDATE expansions SET id = {last} WHERE id = -1")
    assert {finding.kind for finding in findings(folder)} == {FindingKind.PROOF}
    with setset.open(folder.path) as workspace, pytest.raises(BadInput, match="size 5 is not stored"):
        workspace.exploration(TARGET)[SIZE]
    assert repair_all(folder)
    assert (findings(folder), setset.open(folder.path).exploration(TARGET)[SIZE].lists) == ([], 7_964_460)
    assert rows(folder.path, "SELECT count(*) FROM tallies WHERE entries IS NULL") == [(0,)]


def test_a_count_that_lost_some_of_its_tallies_is_counted_again(tmp_path: Path) -> None:
    """Also if as many are left as a count of one size alone has."""
    folder, _ = build(tmp_path / "w", 3, target=TARGET, batch_lists=20_000)
    build(folder.path, SIZE, target=TARGET, count_only=True)
    expected = rows(folder.path, COUNTS)
    for size in (SIZE, SIZE - 1):
        condition = f"size = {size} AND expansion_id = (SELECT max(id) FROM expansions)"
        change(folder.path, f"DELETE FROM tallies WHERE {condition}")
        assert [finding.kind for finding in findings(folder)] == [FindingKind.PROOF]
        build(folder.path, SIZE, target=TARGET, count_only=True)
        assert (rows(folder.path, COUNTS), findings(folder)) == (expected, [])


def test_a_count_that_looks_complete_and_is_not_proven_is_counted_again(tmp_path: Path) -> None:
    """A tally of a smaller size is gone. The run forgets the whole count, so it must make it again."""
    folder, _ = build(tmp_path / "w", 3, target=TARGET, batch_lists=20_000)
    build(folder.path, SIZE, target=TARGET, count_only=True)
    change(folder.path, f"DELETE FROM tallies WHERE size = {SIZE - 1}")
    build(folder.path, SIZE, target=TARGET, count=(SIZE,), via=3)
    assert (SIZE, 7_964_460, 1) in rows(folder.path, "SELECT size, lists, complete FROM counts")
    assert findings(folder) == []


def _sealed(path: Path, lines: list[Any]) -> None:
    """Writes counts with a right checksum."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    path.write_bytes(body + json.dumps({"checksum": xxhash.xxh3_128_hexdigest(body)}).encode() + b"\n")


def _notices_of_rebuild(folder: WorkspaceFolder) -> str:
    notices = Notices()
    with folder.locked():
        rebuild_database(folder, (), notices)
    return "\n".join(notices.texts)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> WorkspaceFolder:
    path = tmp_path_factory.mktemp("counted") / "w"
    return build(path, 4, target=TARGET, batch_lists=20_000, count=(4,), via=3)[0]


def test_a_count_of_an_absurd_size_takes_no_memory(counted: WorkspaceFolder, tmp_path: Path) -> None:
    folder = WorkspaceFolder(shutil.copytree(counted.path, tmp_path / "w"))
    change_by_hand(folder.path, f"UPDATE expansions SET size = {1 << 60} WHERE work = 'count' AND source = 0")
    assert {finding.kind for finding in findings(folder)} == {FindingKind.ROW, FindingKind.PROOF}
    build(folder.path, 4, target=TARGET, batch_lists=20_000, count=(4,), via=3)
    assert (4, 681_201, 1) in rows(folder.path, "SELECT size, lists, complete FROM counts")


@pytest.mark.parametrize(
    "forged",
    [
        {"source": [1]},
        {"source": "0"},
        {"pruned": []},
        {"size": None},
        {"size": 99},
        {"size": 1 << 60},
        {"size": 99, "tallies": [[99, 5, ""]]},
        {"tallies": []},
        {"tallies": [[5, 10, ""]]},
        {"tallies": [[4, -1, ""]]},
        {"tallies": [[4, 1 << 70, ""]]},
        {"tallies": [[4, 5, "0102"]]},
        {"tallies": [[4, 5, "0600000000000000"]]},
        {"tallies": [[4, 5, ""], [4, 5, ""]]},
        {"tallies": [[4, 5]]},
        {"made_by": "a newer setset"},
    ],
    ids=str,
)
def test_forged_counts_are_refused_and_the_rebuild_goes_on(
    counted: WorkspaceFolder, tmp_path: Path, forged: dict[str, Any]
) -> None:
    folder = WorkspaceFolder(shutil.copytree(counted.path, tmp_path / "w"))
    first, *rest = map(json.loads, folder.counts.read_text().splitlines()[:-1])
    _sealed(folder.counts, [{**first, **forged}, *rest])
    assert re.search(r"setset.counts cannot be read .*: the counts in it are lost", _notices_of_rebuild(folder))
    assert rows(folder.path, COUNTS) == [(3, 45_189, 1, "stored")]


def test_counts_that_are_there_twice_or_no_file_at_all_stop_no_rebuild(
    counted: WorkspaceFolder, tmp_path: Path
) -> None:
    folder = WorkspaceFolder(shutil.copytree(counted.path, tmp_path / "w"))
    lines = [*map(json.loads, folder.counts.read_text().splitlines()[:-1])]
    _sealed(folder.counts, [*lines, {**lines[0], "lists_in": 7}])
    assert "a count occurs twice" in _notices_of_rebuild(folder)
    body = b"[" * 100_000 + b"\n"
    folder.counts.write_bytes(body + json.dumps({"checksum": xxhash.xxh3_128_hexdigest(body)}).encode() + b"\n")
    assert "cannot be read (" in _notices_of_rebuild(folder)
    folder.counts.unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder.counts)
        assert "not a regular file" in _notices_of_rebuild(folder)
        folder.counts.unlink()
    folder.counts.mkdir()
    assert "the counts in it are lost" in _notices_of_rebuild(folder)
    _, notices = build(folder.path, 4, target=TARGET, count=(4,), via=3)
    assert "setset.counts is in the way" in notices.texts[-1]
    assert "only the database has the counts" in notices.texts[-1]


def test_what_a_run_stores_if_it_may_choose() -> None:
    options = RunOptions(18, store=(12, 15, 18))
    assert (options.stored_sizes, options.via_size) == ((3, 4, 5, 6, 7, 8, 12, 15, 18), 8)
    assert options.lists_in_file(8) == BATCH_LISTS
    # Each of the 536 files of size 8 becomes one file more than it fills.
    assert 2_284_535_476_080 / options.lists_in_file(12) + 536 < 20_000
    assert RunOptions(8, store=(6, 8)).source_size == 5
    assert RunOptions(12, store=(4, 12)).stored_sizes == (3, 4, 5, 6, 7, 8, 12)  # size 3 is one file: one unit of work
    assert RunOptions(12, store=(12,), count=(5,)).source_size == 4
    assert RunOptions(4, store=(3,), count=(4,)).source_size == 3


def test_fewer_lists_are_in_a_file_where_most_lists_are_dropped() -> None:
    """A list of 14 cards that is kept for target 18 takes 2 bytes, one for target 12 a hundredth of that."""
    assert RunOptions(14).lists_in_file(14) == 64_000_000
    assert RunOptions(14, target=18).lists_in_file(14) == 4_000_000
    assert RunOptions(14, target=18).lists_in_file(12) == RunOptions(14).lists_in_file(8) == BATCH_LISTS
    assert RunOptions(14, pruned=True).lists_in_file(14) == 1_000_000
    assert RunOptions(14, batch_lists=7).lists_in_file(14) == 7


def test_the_executor_is_any(tmp_path: Path) -> None:
    """`build` runs in threads; this one in one thread at a time."""
    folder, _ = build(tmp_path / "w", 4, target=20, store=(4,), via=3, executor=lambda _: ThreadPoolExecutor(1))
    assert findings(folder, deep=True) == []

"""Explorations: the right lists, in order, in the same bytes whatever happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from setset.batches import files
from setset.database.store import Store
from setset.engine import search
from setset.errors import BadInput, SetsetError
from setset.folder import Workspace
from setset.jobs.coordinator import Failed
from setset.jobs.progress import Unwatched
from setset.jobs.run import Request, explore
from setset.workspace import status as overview
from setset.workspace.lists import lists
from tests.engine import naive
from tests.jobs.conftest import BATCH_LISTS, BATCHES, SIZE, TARGET, build, digests, rows


@cache
def kept(target: int, size: int) -> int:
    """How many lists are kept, by the naive twin."""
    if size == 3:
        return sum(1 for _ in naive.seeds(target))
    return int(_histograms()[size][max(target - size, 0) :].sum())


@cache
def _histograms() -> dict[int, Any]:
    return naive.remaining_by_size(5)


@pytest.mark.parametrize("target", range(4, 21))
def test_size_5_is_right_for_any_target(target: int, tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", 5, target=target, batch_lists=None)
    for count in overview.counts(Store.reading(workspace)):
        assert count.complete
        assert count.lists == kept(target, count.size)
    assert len(overview.counts(Store.reading(workspace))) == 3


def test_the_lists_in_the_files_are_ascending_across_batches(reference: Path) -> None:
    store = Store.reading(Workspace(reference))
    exploration = store.find_exploration(TARGET)
    previous = np.zeros(SIZE, np.uint8)
    total = 0
    for number, batch in enumerate(store.batches(exploration, SIZE)):
        assert batch.number == number
        _, streams = files.load(store.path_of(batch), batch.digest)
        for chunk in search.unpack(streams):
            both = np.vstack([previous, chunk]).astype(np.int64) @ 81 ** np.arange(SIZE)[::-1]
            assert (np.diff(both) > 0).all()
            previous = chunk[-1].copy()
            total += len(chunk)
    assert total == kept(TARGET, SIZE)


def test_no_file_has_more_lists_than_allowed(reference: Path) -> None:
    assert max(row[2] for row in rows(reference, BATCHES)) <= BATCH_LISTS


def test_bytes_do_not_depend_on_the_workers(reference: Path, tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", workers=5)
    assert digests(workspace.path) == digests(reference)
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)


def test_running_again_does_nothing(copy: Callable[[], Workspace]) -> None:
    workspace = copy()
    before = {path: path.stat().st_mtime_ns for path in workspace.path.rglob("*.setset")}
    build(workspace.path)
    assert {path: path.stat().st_mtime_ns for path in workspace.path.rglob("*.setset")} == before
    assert rows(workspace.path, "SELECT batches_added, outcome FROM runs ORDER BY id DESC LIMIT 1") == [
        (0, "done")
    ]


class Breaking(ThreadPoolExecutor):
    """Interrupts the run after a few orders, as a signal would."""

    def __init__(self, workers: int, after: int) -> None:
        super().__init__(workers)
        self._left = after

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        self._left -= 1
        if self._left < 0:
            raise SetsetError("stopped by the test")
        return super().submit(fn, *args)


@pytest.mark.parametrize("after", [1, 2, 3, 4, 5])
def test_bytes_do_not_depend_on_interruptions(reference: Path, tmp_path: Path, after: int) -> None:
    workspace = Workspace(tmp_path / "w")
    request = Request(SIZE, TARGET, 2, BATCH_LISTS)
    with pytest.raises(SetsetError, match="stopped by the test"):
        explore(workspace, request, Unwatched(), lambda workers: Breaking(workers, after))
    build(workspace.path)
    assert digests(workspace.path) == digests(reference)
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)


def test_from_a_source_on_and_then_the_rest(reference: Path, tmp_path: Path) -> None:
    """What comes first is unknown at first, so that later batches have no numbers yet; in the end all is the same."""
    workspace, _ = build(tmp_path / "w", SIZE - 1)
    build(workspace.path, first=2)
    some = rows(workspace.path, f"SELECT number, source FROM files WHERE size = {SIZE}")
    assert {source for _, source in some} == {2, 3}
    assert {number for number, _ in some} == {None}
    assert not Store.reading(workspace).is_complete(1, SIZE)
    build(workspace.path)
    assert digests(workspace.path) == digests(reference)
    assert rows(workspace.path, BATCHES) == rows(reference, BATCHES)


def test_from_beyond_what_is_known_is_refused(copy: Callable[[], Workspace], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no batch 99"):
        build(copy().path, first=99)
    with pytest.raises(BadInput, match=r"there is no batch 1 of size 3: 1 are known"):
        build(tmp_path / "new", 4, first=1)


def test_a_size_keeps_its_batch_lists(reference: Path, tmp_path: Path) -> None:
    """Files of one size never differ in how they are cut, whatever later runs ask for."""
    workspace, _ = build(tmp_path / "w", SIZE - 1)
    build(workspace.path, first=2)
    _, notices = build(workspace.path, batch_lists=1_000_000)
    assert notices.texts[-1] == "size 5 was begun with files of 200,000 lists and goes on so"
    assert digests(workspace.path) == digests(reference)


def test_another_output_folder_is_remembered(reference: Path, tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", SIZE - 1)
    build(workspace.path, output=tmp_path / "nas")
    here, there = digests(workspace.path / "batches"), digests(tmp_path / "nas")
    assert here.keys() & there.keys() == set()
    assert here | there == digests(reference / "batches")
    store = Store.reading(workspace)
    assert sum(1 for _ in lists(store, TARGET, SIZE, None, 0, 1000)) == 1000


def test_an_output_folder_belongs_to_one_workspace(tmp_path: Path) -> None:
    build(tmp_path / "one", 3, output=tmp_path / "nas")
    with pytest.raises(BadInput, match="another workspace"):
        build(tmp_path / "two", 3, output=tmp_path / "nas")


def test_counting_agrees_with_storing(tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", 4)
    build(workspace.path, 6, count_only=True)
    counts = {count.size: count for count in overview.counts(Store.reading(workspace))}
    assert counts[5].lists == kept(TARGET, 5)
    assert counts[6].lists == 88_637_490
    assert counts[6].complete
    assert counts[6].origin == "counted from size 4"
    assert not list((workspace.path / "batches").glob("t16/s05/*"))


def test_counting_goes_on_where_it_was(tmp_path: Path) -> None:
    workspace, _ = build(tmp_path / "w", 4)
    request = Request(5, TARGET, 1, count_only=True)
    with pytest.raises(SetsetError, match="stopped by the test"):
        explore(workspace, request, Unwatched(), lambda workers: Breaking(workers, 2))
    assert not any(c.complete for c in overview.counts(Store.reading(workspace)) if c.size == 5)
    build(workspace.path, 5, count_only=True)
    (five,) = (c for c in overview.counts(Store.reading(workspace)) if c.size == 5)
    assert (five.lists, five.complete) == (kept(TARGET, 5), True)


def test_a_poisonous_expansion_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    """After three attempts the run goes on without it, says which it was, and the next run tries again."""

    class Poison(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
            source = getattr(args[0], "source", None)
            if source is not None and (source.size, source.number) == (4, 1):
                future: Future[Any] = Future()
                future.set_exception(MemoryError("too much"))
                return future
            return super().submit(fn, *args)

    workspace = Workspace(tmp_path / "w")
    with pytest.raises(Failed, match=r"batch 1 of size 4 failed 3 times: MemoryError: too much"):
        explore(workspace, Request(SIZE, TARGET, 2, BATCH_LISTS), Unwatched(), Poison)
    done = rows(
        workspace.path, "SELECT source, state, attempts FROM expansions WHERE size = 5 ORDER BY source"
    )
    assert done == [(0, "done", 1), (1, "failed", 3), (2, "done", 1), (3, "done", 1)]
    (trouble,) = overview.troubles(Store.reading(workspace))
    assert trouble.state == "failed"
    build(workspace.path)
    assert Store.reading(workspace).is_complete(1, SIZE)


def test_a_folder_with_other_files_is_not_made_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(BadInput, match="not a workspace and not empty"):
        build(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("start", "limit"), [(0, 5), (199_998, 5), (1_234_567, 3), (kept(TARGET, SIZE) - 2, 10)]
)
def test_lists_reach_any_number(reference: Path, start: int, limit: int) -> None:
    store = Store.reading(Workspace(reference))
    found = list(lists(store, TARGET, SIZE, None, start, limit))
    whole = (row for chunk in _all_lists(store) for row in chunk)
    expected = [tuple(row) for place, row in enumerate(whole) if start <= place < start + limit]
    assert found == expected


def _all_lists(store: Store) -> Any:
    for batch in store.batches(store.find_exploration(TARGET), SIZE):
        for chunk in search.unpack(files.load(store.path_of(batch))[1]):
            yield chunk.tolist()

"""How workers get at the files: names of their own for the same folders."""

from __future__ import annotations

import fcntl
import tempfile
from pathlib import Path

import pytest

from setset.batches.spans import Span
from setset.errors import BadInput
from setset.executors.dask.transfer import HOLD, Reach, relocated, sweep_holds
from setset.executors.local import starter
from setset.tasks.kinds import CountOrder, ExpandOrder, MergeOrder, Order, RemakeOrder, Source

SOURCE = Source(4, 7, "/mnt/nas/caps/t12/s04/x", "00")
EXPAND = ExpandOrder(12, 5, 100, SOURCE, "/mnt/nas/caps")
SPAN = Span(0, 0, 0, 0, True)


@pytest.mark.parametrize(
    ("maps", "here", "there"),
    [
        ([], "/mnt/nas/caps", "/mnt/nas/caps"),
        (["/mnt/nas=/data"], "/mnt/nas", "/data"),
        (["/mnt/nas=/data"], "/mnt/nas/caps", "/data/caps"),
        (["/mnt/nas/=/data/"], "/mnt/nas/caps", "/data/caps"),
        (["/mnt/nas=/data"], "/mnt/nas2/caps", "/mnt/nas2/caps"),
        (["/mnt/nas=/"], "/mnt/nas/caps", "/caps"),
        (["/mnt=/a", "/mnt/nas=/b"], "/mnt/nas/caps", "/b/caps"),
        (["/mnt/nas=/b", "/mnt=/a"], "/mnt/disk", "/a/disk"),
    ],
)
def test_the_longest_map_that_fits_is_taken(maps: list[str], here: str, there: str) -> None:
    assert Reach.parse(maps, ship=False)(here) == there


def test_relative_paths_are_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A worker has another working folder."""
    monkeypatch.chdir(tmp_path)
    assert Reach()("w/batches") == str(tmp_path / "w/batches")
    assert Reach.parse([".=/data"], ship=False)("w/batches") == "/data/w/batches"


@pytest.mark.parametrize("text", ["", "/mnt", "/mnt=", "=/data", "/mnt=data"])
def test_a_map_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--map"):
        Reach.parse([text], ship=False)


def test_what_killed_workers_left_on_a_node_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("left", "used"):
        (tmp_path / f"{HOLD}{name}").mkdir()
        (tmp_path / f"{HOLD}{name}" / "lock").touch()
        (tmp_path / f"{HOLD}{name}" / "0.setset").touch()
    (tmp_path / "another").mkdir()
    with (tmp_path / f"{HOLD}used" / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        sweep_holds()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another", f"{HOLD}used"]


def test_options_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(BadInput, match="do not go together"):
        Reach.parse(["/a=/b"], ship=True)
    with pytest.raises(BadInput, match="are for --executor dask"):
        starter("local", Reach(ship=True))


@pytest.mark.parametrize(
    "order",
    [
        EXPAND,
        ExpandOrder(12, 3, 100, None, "/mnt/nas/caps"),
        CountOrder(12, 6, SOURCE),
        MergeOrder(12, 5, 100, SPAN, (SOURCE, SOURCE), "/mnt/nas/caps"),
        RemakeOrder(SPAN, (EXPAND, EXPAND)),
    ],
    ids=lambda order: type(order).__name__,
)
def test_every_path_of_an_order_is_mapped(order: Order) -> None:
    moved = relocated(order, Reach.parse(["/mnt/nas=/data"], ship=False))
    assert repr(moved) == repr(order).replace("/mnt/nas", "/data")

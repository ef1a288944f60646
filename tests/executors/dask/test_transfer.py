"""How workers get at the files: names of their own for the same folders, or bytes sent to and fro."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

import pytest

from setset.batches.format import BadBatch
from setset.batches.ownership import Token, claim_root
from setset.errors import BadInput, NoSpace, SetsetError
from setset.executors.dask import transfer
from setset.executors.dask.transfer import (
    TEMPORARY_FOLDER,
    FileAccess,
    execute_shipment,
    pack,
    remove_abandoned_folders,
    unpack,
)
from setset.platform import lock_for_handle
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, Destination, ExpandTask, Source


@pytest.mark.posix("paths of POSIX")
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
        (["n1:/mnt=/a", "/mnt/nas=/b"], "/mnt/nas/caps", "/a/nas/caps"),
        (["n2:/mnt=/a", "/mnt/nas=/b"], "/mnt/nas/caps", "/b/caps"),
    ],
)
def test_the_longest_map_that_fits_is_taken(maps: list[str], here: str, there: str) -> None:
    assert FileAccess.parse(maps, ship=False)(here, "n1") == there


@pytest.mark.posix("paths of POSIX")
def test_relative_paths_are_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A worker has another working folder."""
    monkeypatch.chdir(tmp_path)
    assert FileAccess()("w/batches", "n1") == str(tmp_path / "w/batches")
    assert FileAccess.parse([".=/data"], ship=False)("w/batches", "n1") == "/data/w/batches"


@pytest.mark.parametrize("text", ["", "/mnt", "/mnt=", "=/data", "/mnt=data"])
def test_a_map_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--map"):
        FileAccess.parse([text], ship=False)


def test_what_killed_workers_left_on_a_node_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("left", "used"):
        (tmp_path / f"{TEMPORARY_FOLDER}{name}").mkdir()
        (tmp_path / f"{TEMPORARY_FOLDER}{name}" / "lock").touch()
        (tmp_path / f"{TEMPORARY_FOLDER}{name}" / "0.setset").touch()
    (tmp_path / "another").mkdir()
    with (tmp_path / f"{TEMPORARY_FOLDER}used" / "lock").open("r+b") as lock:
        assert lock_for_handle(lock, wait=False)
        remove_abandoned_folders()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another", f"{TEMPORARY_FOLDER}used"]


def test_shipped_files_need_no_map() -> None:
    with pytest.raises(BadInput, match="--map cannot be combined with --ship"):
        FileAccess.parse(["/a=/b"], ship=True)


OWNER = Token("mine", "/home/me/w")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A storage root, and a folder of the node for what is temporary."""
    (tmp_path / "node").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "node"))
    claim_root(tmp_path / "root", OWNER)
    return tmp_path / "root"


def seeds(root: Path) -> ExpandTask:
    return ExpandTask(20, 3, 20_000, None, Destination(str(root), OWNER))


def first_fours(root: Path) -> ExpandTask:
    """The expansion of the first batch of seeds, which is made."""
    batch = execute(seeds(root)).batches[0]
    source = Source(3, 0, str(root / batch.name), batch.digest)
    return ExpandTask(20, 4, 20_000, source, Destination(str(root), OWNER))


def test_a_shipped_task_writes_the_same_files(root: Path) -> None:
    """The worker sees none of the coordinator's folders: the shipment is executed while the root is away."""
    task = first_fours(root)
    expected = execute(task)
    contents = {batch.name: (root / batch.name).read_bytes() for batch in expected.batches}
    for path in contents:
        (root / path).unlink()
    sources = pack(task)
    root.rename(root.with_name("away"))
    delivery = execute_shipment(task, sources)
    root.with_name("away").rename(root)
    assert not any((root / path).exists() for path in contents)
    assert unpack(task, *delivery).batches == expected.batches
    assert len(contents) > 1
    assert {path: (root / path).read_bytes() for path in contents} == contents
    assert list((root.parent / "node").iterdir()) == [], "nothing stays on the node"


def test_what_arrives_altered_is_not_kept(root: Path) -> None:
    task = seeds(root)
    result, contents = execute_shipment(task, pack(task))
    with pytest.raises(SetsetError, match="arrived with other bytes than the worker recorded"):
        unpack(task, result, contents[::-1])
    data = bytearray(contents[0])
    data[-20] ^= 1
    with pytest.raises(BadBatch, match="checksum mismatch"):
        unpack(task, result, [bytes(data), *contents[1:]])
    assert not list(root.rglob("*.setset"))


def test_a_source_that_is_missing_is_noticed_before_it_is_shipped(root: Path) -> None:
    task = first_fours(root)
    assert task.source is not None
    Path(task.source.path).unlink()
    with pytest.raises(BadSource, match=r"^batch 0 of size 3: missing$"):
        pack(task)


def test_a_full_disk_of_a_node_is_not_the_coordinators(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NoSpace would end the run; this task is given to another worker."""
    task = first_fours(root)
    sources = pack(task)

    def full(*_: object) -> None:
        raise NoSpace("no room")

    monkeypatch.setattr(transfer.durable, "save", full)
    with pytest.raises(SetsetError, match=rf"^on {socket.gethostname()}: no room$") as error:
        execute_shipment(task, sources)
    assert not isinstance(error.value, NoSpace)

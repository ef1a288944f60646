"""Batch files on disk: named by what is in them, below a root that is there, read with every bit verified."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from setset import durable
from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.ownership import TOKEN, ForeignRoot, RootGone, Token, claim_root
from setset.batches.records import Span
from tests.batches.made import SPAN, a_file

DATA = a_file([(0, 1, 3, 4)])
PLACE = "t12/s04/0000003-001.setset"
OWNER = Token("mine")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A storage root of some workspace."""
    claim_root(tmp_path / "root", OWNER)
    return tmp_path / "root"


def test_names_come_from_the_span() -> None:
    assert f"{files.size_folder(12, 4)}/{files.file_name(SPAN)}" == PLACE
    assert files.file_name(Span(12, 0, 14, 2, True)) == "0000012-000_0000014-002.setset"


def test_only_our_own_names_are_ours() -> None:
    assert files.is_batch_name(files.file_name(Span(12, 0, 12, 0, True)))
    assert files.is_batch_name(files.file_name(Span(12, 0, 14, 2, True)))
    assert not files.is_batch_name("0000012-000 (copy).setset")
    assert not files.is_batch_name("notes.txt")
    assert not files.is_batch_name(".0000012-000.setset.host.123.abcdef01.tmp")


def test_a_saved_batch_is_whole_and_alone(root: Path) -> None:
    batch = files.save_batch(DATA, root, OWNER)
    assert (root / PLACE).read_bytes() == DATA
    assert [entry.name for entry in (root / PLACE).parent.iterdir()] == [files.file_name(SPAN)]
    assert batch == files.describe(DATA)
    assert (batch.name, batch.bytes, batch.digest) == (PLACE, len(DATA), DATA[-16:].hex())
    assert batch.source_digest == bytes(range(16)).hex()
    assert files.verify(root / PLACE)[1] == DATA[-16:].hex()


def test_nothing_is_saved_where_the_root_is_gone(root: Path) -> None:
    """Its place may be the mount point of a disk that is away."""
    (root / TOKEN).unlink()
    with pytest.raises(RootGone, match="is gone"):
        files.save_batch(DATA, root, OWNER)
    assert list(root.iterdir()) == []


def test_nothing_is_saved_in_the_root_of_another_workspace(root: Path) -> None:
    with pytest.raises(ForeignRoot, match="another workspace"):
        files.save_batch(DATA, root, Token("another"))
    assert [entry.name for entry in root.iterdir()] == [TOKEN]


def test_nothing_is_saved_if_the_root_goes_in_between(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token is looked for once more, from within the folder that is written to."""
    monkeypatch.setattr(files, "require_root", lambda root, _owner: (root / TOKEN).unlink())
    with pytest.raises(FileNotFoundError):
        files.save_batch(DATA, root, OWNER)
    assert not list(root.rglob("*.setset"))
    assert not list(root.rglob("*.tmp"))


def test_altered_bytes_are_not_saved(root: Path) -> None:
    with pytest.raises(BadBatch, match="checksum mismatch"):
        files.save_batch(DATA[:-1] + bytes([DATA[-1] ^ 1]), root, OWNER)
    assert [entry.name for entry in root.iterdir()] == [TOKEN]


def test_another_batch_in_its_place_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.setset"
    durable.save(path, DATA)
    digest = a_file([(0, 1, 3, 9)])[-16:].hex()
    with pytest.raises(BadBatch, match="not the file that the database records"):
        files.load(path, digest)
    assert files.load(path, DATA[-16:].hex())[0].lists == 1


def test_a_missing_file_is_a_bad_batch(tmp_path: Path) -> None:
    with pytest.raises(BadBatch, match=r"^missing$"):
        files.read(tmp_path / "x.setset")


def test_a_file_that_is_far_too_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.setset"
    with path.open("wb") as file:
        file.truncate(files.MOST_BYTES + 1)
    with pytest.raises(BadBatch, match=r"^too long for a batch file$"):
        files.read(path)


def open_files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


@pytest.mark.posix("makes a FIFO")
@pytest.mark.parametrize("kind", ["a link", "a FIFO", "a folder"])
def test_what_is_no_regular_file_is_neither_followed_nor_waited_for(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.setset"
    if kind == "a link":
        durable.save(tmp_path / "y.setset", DATA)
        path.symlink_to(tmp_path / "y.setset")
    elif kind == "a FIFO":
        os.mkfifo(path)
    else:
        path.mkdir()
    before = open_files()
    with pytest.raises(BadBatch, match=r"^not a regular file$"):
        files.read(path)
    assert open_files() == before, "nothing is left open"

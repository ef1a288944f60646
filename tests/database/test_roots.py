"""Storage roots: one however it is reached, and one workspace's only."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.errors import BadInput
from tests.small import build, digests, rows


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


def test_an_output_folder_belongs_to_one_workspace(tmp_path: Path) -> None:
    build(tmp_path / "one", 3, output=tmp_path / "nas")
    with pytest.raises(BadInput, match="another workspace"):
        build(tmp_path / "two", 3, output=tmp_path / "nas")

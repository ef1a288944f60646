"""Storage roots: the token in them says whose they are, and that they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.batches.roots import TOKEN, RootGone, claim_root, require_root, root_owner
from setset.errors import BadInput, ReadOnly


def test_a_root_belongs_to_one_workspace(tmp_path: Path) -> None:
    root = tmp_path / "far" / "away"
    assert root_owner(root) is None
    claim_root(root, "mine")
    claim_root(root, "mine")
    assert root_owner(root) == "mine"
    with pytest.raises(BadInput, match="another workspace: name another folder with --output"):
        claim_root(root, "another")
    assert root_owner(root) == "mine"


def test_a_root_without_its_token_is_gone(tmp_path: Path) -> None:
    """What is at its place may be the empty mount point of a disk that is away."""
    claim_root(tmp_path, "mine")
    require_root(tmp_path)
    (tmp_path / TOKEN).unlink()
    with pytest.raises(RootGone, match=r"is gone: bring it back, then 'setset run' goes on"):
        require_root(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"{}", b'"x"', b"7"])
def test_a_damaged_token_names_no_owner(tmp_path: Path, content: bytes) -> None:
    (tmp_path / TOKEN).write_bytes(content)
    assert root_owner(tmp_path) is None
    with pytest.raises(BadInput):
        claim_root(tmp_path, "mine")


def test_where_no_folder_can_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReadOnly, match="cannot write to"):
        claim_root(tmp_path / "file" / "root", "mine")

"""Storage roots: folders below which batch files are, each with a token that says whose they are."""

from __future__ import annotations

import json
from pathlib import Path

from setset.errors import BadInput, ReadOnly, SetsetError

TOKEN = "setset-root.json"  # noqa: S105 (a file name)


class RootGone(SetsetError):
    """A storage root that was there is not there any more: a disk that is not mounted, most likely."""

    def __init__(self, root: Path, is_own: bool = False) -> None:
        super().__init__(root, is_own)
        self.root, self.is_own = root, is_own

    def __str__(self) -> str:
        if self.is_own:
            return f"the storage root {self.root} is gone: bring it back, or run 'setset repair' to rebuild its files"
        return (
            f"the storage root {self.root} is gone: bring it back, then 'setset run' goes on; if it is lost "
            "for good, 'setset db rebuild' starts from the files that are left"
        )


def claim_root(root: Path, workspace_id: str) -> None:
    """Makes a storage root this workspace's own; refuses one that belongs to another."""
    from setset import durable  # not needed by commands that only read

    token = root / TOKEN
    try:
        durable.make_folder(root)
        if not token.exists():
            durable.save(token, json.dumps({"workspace": workspace_id}).encode())
    except OSError as error:
        raise ReadOnly(f"cannot write to {root}: {error.strerror}") from error
    if root_owner(root) != workspace_id:
        raise BadInput(f"{root} holds the files of another workspace: name another folder with --output")


def require_root(root: Path) -> None:
    """Refuses to write below a storage root that is gone: what is at its place now may be another disk."""
    if root_owner(root) is None:
        raise RootGone(root)


def root_owner(root: Path) -> str | None:
    """The id of the workspace that a storage root belongs to; None if the root cannot be seen."""
    try:
        found = json.loads((root / TOKEN).read_bytes())
        return str(found["workspace"])
    except (OSError, ValueError, TypeError, KeyError):
        return None

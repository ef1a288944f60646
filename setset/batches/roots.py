"""Storage roots: folders below which batch files are, each with a token that says whose they are.

Nothing is written or removed below a root whose token does not name this workspace, read at that moment.
"""

from __future__ import annotations

import enum
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import xxhash

from setset import platform
from setset.batches.records import BATCH_FILES
from setset.errors import BadInput, ReadOnly, SetsetError

TOKEN = "setset-root.json"  # noqa: S105 (a file name)
MOST_BYTES = 10_000
"""A token is smaller; more is something else."""


class RootGone(SetsetError):
    """A storage root that was there is not there any more: a disk that is not mounted, or it was moved.

    Args:
        root: Where it was.
        can_be_filled: It is the workspace's own, or its token is there: `repair` may make its files again.
    """

    def __init__(self, root: Path, can_be_filled: bool = False) -> None:
        super().__init__(root, can_be_filled)
        self.root, self.can_be_filled = root, can_be_filled

    def __str__(self) -> str:
        moved = f"if it was moved, run 'setset roots move {self.root} NEW'"
        if self.can_be_filled:
            lost = "if its files are lost for good, 'setset repair' makes them again"
            return f"the storage root {self.root} is gone: bring it back; {moved}; {lost}"
        lost = f"if it is lost for good, 'setset roots forget {self.root}'"
        return (
            f"the storage root {self.root} is gone: bring it back, then 'setset run' goes on; {moved}; {lost}"
        )


class ForeignRoot(BadInput):
    """A storage root belongs to another workspace, so nothing may be written there."""


class RootState(enum.StrEnum):
    """What a folder is to a workspace."""

    OWN = "present"
    FOREIGN = "foreign"
    """The token names another workspace."""
    DAMAGED = "damaged token"
    """There is a token, but it was altered."""
    MISSING = "no token"
    """There is no token: the folder is gone, or another disk is at its place."""
    ABSENT = "absent"
    """Nor is any of the files there that the database records."""


@dataclass(frozen=True)
class Token:
    """Whose a storage root is: the id of the workspace, and its folder."""

    workspace: str
    folder: str | None = None
    is_inside: bool = False
    """It is that of the root inside of the workspace, which goes wherever that is moved: the folder is only noted."""

    def names(self, owner: Token) -> bool:
        """Whether this is the token of a root of that workspace, in one place. A copy has the same id."""
        if self.is_inside or owner.is_inside:
            same_place = owner.is_inside
        else:
            same_place = None in (self.folder, owner.folder) or self.folder == owner.folder
        return self.workspace == owner.workspace and same_place

    def encode(self) -> bytes:
        found = {"workspace": self.workspace, "folder": self.folder, "check": self._check()}
        return json.dumps(found | ({"inside": True} if self.is_inside else {})).encode()

    def _check(self) -> str:
        said = f"{self.workspace}\n{self.folder}" + ("\ninside" if self.is_inside else "")
        return xxhash.xxh3_64_hexdigest(said.encode(errors="surrogateescape"))


def read_token(root: Path) -> Token | None:
    """The token of a root; None if there is none. A damaged one raises ValueError.

    A read that fails once is no damage: it is tried again.
    """
    try:
        return _read_token(root / TOKEN)
    except ValueError:
        return _read_token(root / TOKEN)


def _read_token(path: Path) -> Token | None:
    try:
        descriptor = os.open(path, platform.READ)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ValueError(str(error)) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            found = json.loads(file.read(MOST_BYTES))
        token = Token(str(found["workspace"]), found.get("folder"), found.get("inside") is True)
        if not isinstance(token.folder, str | None):
            raise ValueError("no folder")
        of_version_01 = found.keys() == {"workspace"} and token.workspace.isalnum()
        if not of_version_01 and found["check"] != token._check():
            raise ValueError("checksum mismatch")
    except (OSError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    finally:
        os.close(descriptor)
    return token


def root_state(root: Path, owner: Token) -> RootState:
    """What a folder is to a workspace."""
    try:
        token = read_token(root)
    except ValueError:
        return RootState.DAMAGED
    if token is None:
        return RootState.MISSING
    return RootState.OWN if token.names(owner) else RootState.FOREIGN


def root_owner(root: Path) -> str | None:
    """The id of the workspace that a storage root belongs to; None if the root or its token cannot be read."""
    try:
        token = read_token(root)
    except ValueError:
        return None
    return token.workspace if token else None


def require_root(root: Path, owner: Token) -> None:
    """Refuses to write below a root that is gone, or that belongs to another workspace."""
    state = root_state(root, owner)
    if state is RootState.MISSING:
        raise RootGone(root)
    if state is RootState.DAMAGED:
        raise ForeignRoot(
            f"{root / TOKEN} is damaged: run 'setset repair', or, if the database does not know that folder, "
            "'setset db rebuild' with --output for each folder that runs were given"
        )
    if state is RootState.FOREIGN and owner.is_inside:
        raise ForeignRoot(
            f"{root} holds files of another workspace than the database: run 'setset db rebuild' to make a new one "
            "from them, with --output for each folder that runs were given"
        )
    if state is RootState.FOREIGN:
        raise ForeignRoot(
            f"{root} holds the files of another workspace: name another folder with --output; if they are those of "
            "this one, whose database was lost, run 'setset db rebuild' with --output for each such folder"
        )


def claim_root(root: Path, owner: Token, adopt: bool = False, was_moved: bool = False) -> None:
    """Makes a storage root this workspace's own; refuses one that belongs to another.

    Args:
        root: The folder; made if it is not there.
        owner: What to claim it with.
        adopt: Also take a folder that has batch files but no token, or a damaged one: for repair and rebuild. Where
            there are no files, a damaged token guards nothing.
        was_moved: Also take one whose token names another folder: the workspace was there.
    """
    from setset import durable  # not needed by commands that only read

    try:
        durable.make_folder(root)
        state = root_state(root, owner)
        may_take = adopt or not any(root.glob(BATCH_FILES))
        if state is RootState.MISSING:
            if not may_take:
                raise BadInput(
                    f"{root} has batch files, but no {TOKEN} that says whose they are: name another folder, or run "
                    "'setset db rebuild' with --output for each folder that runs were given"
                )
            durable.create(root / TOKEN, owner.encode())
        elif (state is RootState.DAMAGED and may_take) or (state is RootState.FOREIGN and was_moved):
            durable.save(root / TOKEN, owner.encode())
    except OSError as error:
        raise ReadOnly(f"cannot write to {root}: {error.strerror}") from error
    require_root(root, owner)

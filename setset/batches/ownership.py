"""Storage roots: folders with batch files. A token file in each root names its owner.

Three rules:

1. Never replace a sound file by a different file.
2. Never write or remove below a root unless its token, read at that moment, names this workspace in this folder.
3. Only a command that names a root claims it.

A copy of a workspace has the same id as its original, so a token also names the folder of the workspace. The root
inside the workspace moves with the workspace, so for this root only the id must match. If the folder in its token still
holds the workspace, the workspace here is a copy; otherwise it was moved.
"""

import contextlib
import enum
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import xxhash

from setset import durable, platform
from setset.batches.records import BATCH_FILES
from setset.errors import BadInput, InTheWay, ReadOnly, SetsetError, in_the_way, quoted
from setset.folder import WorkspaceFolder

TOKEN = "setset-root.json"  # noqa: S105 (a file name)
MOST_BYTES = 10_000
"""Maximum size of a token file in bytes. A larger file cannot be a token."""
REBUILD = "'setset db rebuild' with --output for each output folder of earlier runs"


class RootGone(SetsetError):
    """A storage root is gone: its disk is not mounted, or the folder was moved.

    Args:
        root: The recorded folder.
        can_be_filled: Whether `repair` may make the lost files again in this folder.
    """

    def __init__(self, root: Path, can_be_filled: bool = False) -> None:
        super().__init__(root, can_be_filled)
        self.root, self.can_be_filled = root, can_be_filled

    def __str__(self) -> str:
        lost = f"if it is lost for good, run 'setset roots forget {quoted(self.root)}'"
        if self.can_be_filled:
            lost = "if its files are lost for good, 'setset repair' makes them again"
        return (
            f"the storage root {self.root} is gone: bring it back, then 'setset run' resumes; "
            f"if it was moved, run 'setset roots move {quoted(self.root)} NEW'; {lost}"
        )


class ForeignRoot(BadInput):
    """A storage root does not belong to this workspace in this folder, so setset must not write to it."""


class RootState(enum.StrEnum):
    """State of a storage root."""

    OWN = "present"
    """The token names this workspace in this folder."""
    MOVED = "moved"
    """The token names this workspace in another folder, because the workspace was moved or copied. setset only reads
    the files."""
    FOREIGN = "foreign"
    """The token names another workspace."""
    DAMAGED = "damaged token"
    """The token was altered or cannot be read."""
    MISSING = "no token"
    """The token is missing."""
    ABSENT = "absent"
    """The folder is missing, or none of the recorded files is in it."""


@dataclass(frozen=True)
class Root:
    """A storage root: a folder with batch files, its state, and the totals that the database records for it.

    Example:
        >>> [(root.number, root.state.value, root.files) for root in setset.open(example).roots()]
        [(1, 'present', 2)]
    """

    number: int
    path: str
    state: RootState
    free_bytes: int | None
    """Free bytes on the disk of the root; None if the root is absent."""
    files: int
    lists: int
    bytes: int

    @property
    def folder(self) -> Path:
        return Path(self.path)

    @property
    def is_gone(self) -> bool:
        """Whether the root's recorded files are out of reach: the root is absent, or another workspace owns it."""
        return self.files > 0 and self.state in (RootState.ABSENT, RootState.FOREIGN)


@dataclass(frozen=True)
class Token:
    """Content of a token file, which names the owner of a storage root: the id and the folder of a workspace.

    A token without a folder matches every folder.
    """

    workspace: str
    folder: str | None = None

    def encode(self) -> bytes:
        content = {"workspace": self.workspace, "folder": self.folder, "check": self.checksum()}
        return json.dumps(content).encode()

    def checksum(self, suffix: str = "") -> str:
        text = f"{self.workspace}\n{self.folder}{suffix}"
        return xxhash.xxh3_64_hexdigest(text.encode(errors="surrogateescape"))


DAMAGED_TOKEN = Token("")
"""Result of reading a token that was altered or cannot be read."""


def read_token(root: Path) -> Token | None:
    """Reads the token of a root. None if the token is missing, DAMAGED_TOKEN if it is damaged."""
    for _ in range(2):  # on a network drive a single read may fail by chance
        with contextlib.suppress(OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return _read_token(root / TOKEN)
    return DAMAGED_TOKEN


def _read_token(path: Path) -> Token | None:
    try:
        descriptor = os.open(path, platform.READ)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return DAMAGED_TOKEN
        content = json.loads(os.read(descriptor, MOST_BYTES))
    finally:
        os.close(descriptor)
    token = Token(str(content["workspace"]), content.get("folder"))
    if content.keys() == {"workspace"} and token.workspace.isalnum():
        return token  # setset 0.1 wrote tokens without a checksum
    # Earlier versions had a checksum with a suffix for the root inside the workspace.
    checksum = token.checksum("\ninside" if content.get("inside") is True else "")
    is_sound = isinstance(token.folder, str | None) and content["check"] == checksum
    return token if is_sound else DAMAGED_TOKEN


def root_owner(root: Path) -> str | None:
    """Id of the workspace that owns a root; None if the token is missing or damaged."""
    token = read_token(root)
    return (token.workspace or None) if token else None


def root_state(root: Path, owner: Token) -> RootState:
    """State of a folder as a storage root of `owner`. Looks only at the token, not at the batch files."""
    token = read_token(root)
    if token in (None, DAMAGED_TOKEN):
        return RootState.DAMAGED if token else RootState.MISSING
    if token.workspace != owner.workspace:
        return RootState.FOREIGN
    if None in (token.folder, owner.folder) or _is_same(Path(str(token.folder)), Path(str(owner.folder))):
        return RootState.OWN
    return RootState.MOVED


def require_root(root: Path, owner: Token) -> None:
    """Raises an error if the token of a storage root does not name `owner`. Called before each write below the root."""
    state = root_state(root, owner)
    if state is RootState.MISSING:
        raise RootGone(root)
    if state is RootState.DAMAGED:
        if (root / TOKEN).is_symlink() or not (root / TOKEN).is_file():
            raise InTheWay(in_the_way(root / TOKEN))
        raise ForeignRoot(
            f"{root / TOKEN} is damaged: run 'setset repair', or, if the database does not know the folder, "
            f"run {REBUILD}"
        )
    if state is RootState.MOVED:
        token = read_token(root)
        raise ForeignRoot(
            f"{root} is a storage root of the workspace in {token and token.folder}: if that workspace was moved here, "
            f"run 'setset roots move {quoted(root)} {quoted(root)}'; otherwise name another folder with --output"
        )
    if state is RootState.FOREIGN and owner.folder is None:
        raise ForeignRoot(f"the files in {root} belong to another workspace, not to this database: run {REBUILD}")
    if state is RootState.FOREIGN:
        raise ForeignRoot(
            f"the files in {root} belong to another workspace: name another folder with --output; if they belong to "
            f"this workspace, whose database was lost, run {REBUILD}"
        )


def claim_root(root: Path, owner: Token, adopt: bool = False, note: str | None = None) -> None:
    """Makes a folder a storage root of `owner` by writing its token. Does nothing if the token names `owner` already.

    Without `adopt`, the token must be missing or damaged, and the folder must have no batch files. Raises an error if
    the folder cannot be claimed.

    Args:
        root: Folder of the root. A missing folder is made.
        owner: The token that the root must have.
        adopt: Also claim a root with batch files of this workspace, even if its token is missing, damaged or stale.
        note: Folder to record in the token if `owner` has none.
    """
    try:
        durable.make_folder(root)
        state, may_take = root_state(root, owner), adopt or not has_batches(root)
        token = Token(owner.workspace, owner.folder or note)
        if state is RootState.MISSING and may_take:
            durable.create(root / TOKEN, token.encode())
        elif state is RootState.MISSING:
            raise BadInput(
                f"{root} has batch files, but no {TOKEN} that names their owner: name another folder with --output, or "
                f"run {REBUILD}"
            )
        elif (state is RootState.DAMAGED and may_take) or (state is RootState.MOVED and adopt):
            durable.save(root / TOKEN, token.encode())
    except OSError as error:
        raise ReadOnly(f"cannot write to {root}: {error.strerror}") from error
    if root_state(root, owner) is not RootState.OWN:
        require_root(root, owner)


def has_batches(root: Path) -> bool:
    """Whether batch files are below a folder."""
    try:
        return any(True for _ in root.glob(BATCH_FILES))
    except ValueError:  # Python 3.13 refuses a null character in the path
        return False


def _has_database(folder: Path) -> bool:
    """Whether a folder has the database of a workspace. True if unsure."""
    try:
        WorkspaceFolder(folder).database.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True


def _is_same(first: Path, second: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return first == second or first.samefile(second)
    return False


@dataclass(frozen=True)
class Owner:
    """A workspace as the owner of its storage roots. Decides which folders it may claim."""

    workspace: str
    folder: WorkspaceFolder
    recorded_folder: str | None
    """Folder of the workspace, as the database records it."""

    @property
    def resolved_folder(self) -> str:
        """Absolute path of the workspace folder, symbolic links resolved."""
        return str(self.folder.path.resolve())

    def token(self, root: Path) -> Token:
        """Token that a storage root of this workspace must have, so that setset may write below it."""
        return Token(self.workspace, None if root == self.folder.own_root else self.resolved_folder)

    def state(self, root: Path) -> RootState:
        """State of a storage root, as its token tells it."""
        return root_state(root, self.token(root))

    def original(self, token_folder: str | None = None) -> Path | None:
        """The folder of the original workspace if this workspace is a copy; None if it is no copy.

        Three records may name another folder: the database, the token of the root inside the workspace, and the token
        of another root (`token_folder`). If such a folder still holds the workspace, this workspace is a copy.
        """
        own = read_token(self.folder.own_root)
        own_folder = own.folder if own and own.workspace == self.workspace else None
        for folder in map(Path, filter(None, (self.recorded_folder, own_folder, token_folder))):
            if not _is_same(folder, self.folder.path) and self._is_still_in(folder):
                return folder
        return None

    def _is_still_in(self, folder: Path) -> bool:
        """Whether another folder still holds this workspace. True if unsure."""
        own_root = WorkspaceFolder(folder).own_root
        workspace = root_owner(own_root)
        return workspace == self.workspace if workspace else _has_database(folder) or has_batches(own_root)

    def require_claimable(self, root: Path) -> None:
        """Raises ForeignRoot if another workspace, or the original of a copy, may use a folder as storage root."""
        if root == self.folder.own_root or self.state(root) is RootState.OWN:
            return
        parent, token = root.resolve().parent, read_token(root)
        if _has_database(parent) and not _is_same(parent, self.folder.path):
            raise ForeignRoot(f"{root} is inside the workspace {parent}: name another folder with --output")
        original = self.original(token.folder if token else None)
        if original and (token not in (None, DAMAGED_TOKEN) or has_batches(root)):
            raise ForeignRoot(
                f"{root} may hold files of {original}, and {self.resolved_folder} is a copy of {original}: "
                "name another folder with --output"
            )

    def claim(self, root: Path, adopt: bool = False) -> None:
        """Claims a storage root for this workspace (see `claim_root`). A copy adopts no root that its original may
        use."""
        if adopt:
            self.require_claimable(root)
        claim_root(root, self.token(root), adopt, str(self.original() or self.resolved_folder))

    def note_folder(self) -> str:
        """Records the folder of the workspace in the token of the root inside the workspace. If the workspace is a
        copy, records the folder of the original instead. Returns the recorded folder.

        Raises an error if a file or folder of a copy is a link to the original.
        """
        own, original = self.folder.own_root, self.original()
        for path in (self.folder.database, own, *own.glob("*/"), *own.glob("*/*/")):
            if original and _is_same(path, original / path.relative_to(self.folder.path)):
                raise ForeignRoot(
                    f"{path} is a link to the files of {original}, and {self.resolved_folder} is a copy of it: "
                    "replace the link by a copy of the files"
                )
        note, token = str(original or self.resolved_folder), read_token(own)
        if token and token.workspace == self.workspace and token.folder != note:
            with contextlib.suppress(OSError):  # the next write to the root reports the error
                durable.save(own / TOKEN, Token(self.workspace, note).encode())
        return note

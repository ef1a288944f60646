"""Where a workspace is. Its copies have its id, so it notes its folder: in its row, and in the token of its own root.

It is a copy if a note names another folder in which it still is. Then it leaves alone what may be the original's. If
it is there no longer, it was moved, and the next command that writes notes where it is now.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, select, update

from setset import durable
from setset.batches.records import BATCH_FILES
from setset.batches.roots import TOKEN, ForeignRoot, RootState, Token, read_token
from setset.database.connection import DRIVER_ERRORS, Database, connect, damaged
from setset.database.models import ROOTS, WORKSPACE
from setset.errors import Locked
from setset.folder import OWN_ROOT, WorkspaceFolder

NO_ROW = "it does not say which workspace it is of"


def original(database: Database) -> Path | None:
    """The folder of the workspace that this one, opened to write, is a copy of; None if it is none."""
    return None if database.place == here(database) else Path(database.place)


def here(database: Database) -> str:
    return str(database.folder.path.resolve())


def still_in(place: Path, workspace: str) -> bool:
    """Whether a workspace is in a folder. Where something is that does not say whose it is, it may be."""
    folder = WorkspaceFolder(place)
    known = set[str | None]()
    try:
        if not place.is_absolute() or not place.is_dir():  # a path of another system, perhaps
            return False
        with contextlib.suppress(ValueError):
            token = read_token(folder.own_root)
            known.add(token.workspace if token else None)
        if workspace not in known:
            known.add(recorded_owner(folder.database))
        if known != {None}:
            return workspace in known
        has_token = (folder.own_root / TOKEN).exists()
        return (
            has_token or folder.database.exists() or folder.has_kept_database() or _has_files(folder.own_root)
        )
    except OSError:
        return True


def was_moved(root: Path, owner: Token) -> bool:
    """Whether this workspace, whose root it is, was in another folder. Refuses a copy of one that is still there."""
    found = read_token(root)
    if found is None or found.workspace != owner.workspace or found.folder is None:
        return False
    # A root that was inside is anybody's who has it, once it was moved out.
    in_use = not found.is_inside or _is_same(root, WorkspaceFolder(Path(found.folder)).own_root)
    if in_use and _is_elsewhere(found.folder, owner):
        raise ForeignRoot(
            f"{root} holds the files of {found.folder}, of which {owner.folder} is a copy: "
            "name another folder with --output"
        )
    return True


def require_no_copy(database: Database, root: Path, state: RootState) -> None:
    """Refuses, to a copy, a root elsewhere that does not say whose it is: its files may be those of the original."""
    of = original(database)
    if of is None or state not in (RootState.MISSING, RootState.DAMAGED) or not _has_files(root):
        return
    lost, command = f"{root / TOKEN} is damaged", "setset repair"
    if state is RootState.MISSING:
        lost, command = f"{root} has batch files, but no {TOKEN}", "setset db rebuild"
    raise ForeignRoot(
        f"{lost}, and {here(database)} is a copy of {of}, whose files these may be: "
        f"run '{command}' there first, or name another folder with --output"
    )


def note(database: Database, connection: Connection) -> None:
    """Notes where a workspace is, unless it is noted; of a copy, where the original is. For whoever has the lock."""
    row = connection.execute(select(WORKSPACE.c.id, WORKSPACE.c.folder)).first()
    if row is None:
        raise damaged(database.folder.database, NO_ROW)
    owner, token = Token(row.id, here(database)), None
    with contextlib.suppress(ValueError):
        token = read_token(database.folder.own_root)
    if token and token.workspace != owner.workspace:
        token = None
    noted = {row.folder, token and token.folder} - {None} or set(_named_by_roots(database, connection, owner))
    elsewhere = sorted(place for place in noted if _is_elsewhere(place, owner))
    database.place = elsewhere[0] if elsewhere else here(database)
    if elsewhere:
        _require_own_files(database, Path(database.place))
    if row.folder != database.place and _is_text(database.place):
        connection.execute(update(WORKSPACE).values(folder=database.place))
    if token and token != (renewed := Token(owner.workspace, database.place, is_inside=True)):
        with contextlib.suppress(OSError):  # whoever has to write there will say why that cannot be done
            durable.save(database.folder.own_root / TOKEN, renewed.encode())


def _is_elsewhere(place: str, owner: Token) -> bool:
    """Whether a workspace is in another folder than its own, too."""
    return (
        place != owner.folder
        and not _is_same(Path(place), Path(str(owner.folder)))
        and still_in(Path(place), owner.workspace)
    )


def _is_same(path: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.samefile(other)
    return False


def _named_by_roots(database: Database, connection: Connection, owner: Token) -> Iterator[str]:
    """The folders that tokens elsewhere name: all that tells of an earlier version, which noted none."""
    for (path,) in connection.execute(select(ROOTS.c.path).where(ROOTS.c.path != OWN_ROOT)).all():
        with contextlib.suppress(ValueError):
            token = read_token(database.folder.root(path))
            if token and token.workspace == owner.workspace and token.folder:
                yield token.folder


def _require_own_files(database: Database, of: Path) -> None:
    """Refuses a copy in which links lead to what is the original's."""
    own = database.folder.own_root
    folders = [path for path in (own, *own.glob("*"), *own.glob("*/*")) if path.is_dir()]
    for path in (database.folder.database, *folders):
        if _is_same(path, of / path.relative_to(database.folder.path)):
            raise ForeignRoot(
                f"{path} leads to the files of {of}, of which {here(database)} is a copy: "
                "put a copy of them in its place, without links"
            )


def _has_files(root: Path) -> bool:
    return any(True for _ in root.glob(BATCH_FILES))


def _is_text(place: str) -> bool:
    """Whether SQLite can hold it: names of files can be of other bytes. Then only the token has it."""
    return place == place.encode(errors="replace").decode()


# What a database file says, which may be damaged or of any schema


def recorded_owner(path: Path) -> str | None:
    """The id of the workspace; None if it cannot be read."""
    found = _recorded(path, "id")
    return found if found and re.fullmatch("[0-9a-f]{32}", found) else None


def recorded_place(path: Path) -> str | None:
    """The folder that the workspace was in; None if it cannot be read, or is not known."""
    return _recorded(path, "folder")


def _recorded(path: Path, column: str) -> str | None:
    with (
        contextlib.suppress(*DRIVER_ERRORS, Locked, OSError),
        contextlib.closing(connect(path, "ro")) as connection,
    ):
        found = connection.execute(f"SELECT {column} FROM workspace").fetchone()  # noqa: S608 (our own names)
        return found[0] if found and isinstance(found[0], str) else None
    return None

"""The storage roots that files are in, and the id of the workspace: the tables `storage_roots` and `workspace`."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from sqlalchemy import insert, select

from setset.batches.records import SUFFIX
from setset.batches.roots import RootGone, RootState, Token, claim_root, root_state
from setset.database.connection import DRIVER_ERRORS, BadDatabase, Database, connect, now
from setset.database.models import BatchRow, RootRow, WorkspaceRow
from setset.errors import BadInput
from setset.folder import OWN_ROOT
from setset.tasks.kinds import Destination


def workspace_id(database: Database) -> str:
    return str(database.query(select(WorkspaceRow.id))[0][0])


def recorded_owner(path: Path) -> str | None:
    """The id of the workspace that a database file names, which may be damaged or of any schema; None if none."""
    with contextlib.suppress(*DRIVER_ERRORS):
        with contextlib.closing(connect(path, "ro")) as connection:
            found = connection.execute("SELECT id FROM workspace").fetchone()
        if found and re.fullmatch("[0-9a-f]{32}", str(found[0])):
            return str(found[0])
    return None


def token(database: Database, root_id: int) -> Token:
    """What the token of a storage root must say: this workspace, and where it is if the root is outside of it."""
    for row in database.query(select(RootRow.path).where(RootRow.id == root_id)):
        return _token(database, row.path)
    raise BadDatabase(f"the database names no storage root {root_id}: run 'setset db rebuild'")


def _token(database: Database, path: str) -> Token:
    folder = None if path == OWN_ROOT else str(database.folder.path.resolve())
    return Token(workspace_id(database), folder)


def destination(database: Database, root_id: int) -> Destination:
    """Where a task writes."""
    return Destination(str(folders(database)[root_id]), token(database, root_id))


def own_folders(database: Database) -> dict[int, Path]:
    """The folders of the storage roots that belong to this workspace, by what their tokens say now."""
    return {
        root_id: root
        for root_id, root in folders(database).items()
        if root_state(root, token(database, root_id)) is RootState.OWN
    }


def folders(database: Database) -> dict[int, Path]:
    """The folder of each storage root, by its id."""
    if not database.root_folders:
        rows = database.query(select(RootRow.id, RootRow.path).order_by(RootRow.id))
        database.root_folders = {row.id: database.folder.root(row.path) for row in rows}
    return database.root_folders


def use_root(database: Database, output: Path | None, adopt: bool = False) -> int:
    """The id of the storage root for new files: the workspace's own, or a folder elsewhere.

    With `adopt` also a folder of batch files whose token is missing or damaged.
    """
    path = OWN_ROOT if output is None else _recorded_path(database, output)
    if path != path.encode(errors="replace").decode():
        raise BadInput(f"--output {path!r}: the name of a folder must be text")
    root = database.folder.root(path)
    if _holds_batches(database, path) and not any(root.glob(f"t??/s??/*{SUFFIX}")):
        raise RootGone(root, is_own=path == OWN_ROOT)
    claim_root(root, _token(database, path), adopt)
    if not _holds_batches(database, OWN_ROOT):
        # Its own root stands for the workspace when the database is lost, even with all files elsewhere.
        claim_root(database.folder.own_root, _token(database, OWN_ROOT), adopt)
    database.root_folders = {}
    with database.transaction() as connection:
        found = connection.scalar(select(RootRow.id).where(RootRow.path == path))
        if found is None:
            made = connection.execute(insert(RootRow).values(path=path, created_at=now()))
            found = made.inserted_primary_key[0]  # type: ignore[index]
        return int(found)


def claim_own(database: Database) -> None:
    """Makes the root inside the workspace its own again, whatever became of its token."""
    claim_root(database.folder.own_root, own_token(database), adopt=True)


def own_token(database: Database) -> Token:
    """The token of the root inside the workspace."""
    return _token(database, OWN_ROOT)


def _recorded_path(database: Database, folder: Path) -> str:
    """The path under which a folder is known as a storage root: one, however it is reached."""
    known: list[str] = [row.path for row in database.query(select(RootRow.path))]
    for path in (OWN_ROOT, *known):
        with contextlib.suppress(OSError):
            if folder.samefile(database.folder.root(path)):
                return path
    return str(folder.resolve())


def _holds_batches(database: Database, path: str) -> bool:
    return bool(database.query(select(BatchRow.id).join(RootRow).where(RootRow.path == path).limit(1)))

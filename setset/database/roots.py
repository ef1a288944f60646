"""The storage roots that files are in, and the id of the workspace: the tables `storage_roots` and `workspace`."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sqlalchemy import insert, select

from setset.batches.records import SUFFIX
from setset.batches.roots import RootGone, claim_root
from setset.database.connection import Database, now
from setset.database.models import BatchRow, RootRow, WorkspaceRow
from setset.errors import BadInput
from setset.folder import OWN_ROOT


def workspace_id(database: Database) -> str:
    return str(database.query(select(WorkspaceRow.id))[0][0])


def folders(database: Database) -> dict[int, Path]:
    """The folder of each storage root, by its id."""
    if not database.root_folders:
        rows = database.query(select(RootRow.id, RootRow.path).order_by(RootRow.id))
        database.root_folders = {row.id: database.folder.root(row.path) for row in rows}
    return database.root_folders


def use_root(database: Database, output: Path | None) -> int:
    """The id of the storage root for new files: the workspace's own, or a folder elsewhere."""
    path = OWN_ROOT if output is None else _recorded_path(database, output)
    if path != path.encode(errors="replace").decode():
        raise BadInput(f"--output {path!r}: the name of a folder must be text")
    root = database.folder.root(path)
    if _holds_batches(database, path) and not any(root.glob(f"t??/s??/*{SUFFIX}")):
        raise RootGone(root, is_own=path == OWN_ROOT)
    claim_root(root, workspace_id(database))
    if not _holds_batches(database, OWN_ROOT):
        # Its own root stands for the workspace when the database is lost, even with all files elsewhere.
        claim_root(database.folder.own_root, workspace_id(database))
    database.root_folders = {}
    with database.transaction() as connection:
        found = connection.scalar(select(RootRow.id).where(RootRow.path == path))
        if found is None:
            made = connection.execute(insert(RootRow).values(path=path, created_at=now()))
            found = made.inserted_primary_key[0]  # type: ignore[index]
        return int(found)


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

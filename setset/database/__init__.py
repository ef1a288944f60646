"""The database. A module named after a table holds the queries of that table.

Other packages exchange dataclasses and named tuples with this package. No row, ORM object or SQL condition leaves it.
"""

import uuid

from sqlalchemy import insert, select

from setset.database import schema, storage_roots
from setset.database.connection import Database, LockPolicy, now, open_engine, retry_while_locked
from setset.database.models import WORKSPACE
from setset.folder import WorkspaceFolder

__all__ = ["Database", "LockPolicy", "open_to_read", "open_to_write"]


def open_to_read(folder: WorkspaceFolder, seconds_each: float | None = None) -> Database:
    """Opens the database read-only. Works on a read-only disk and while a run writes.

    If `seconds_each` is given, a query that takes longer raises Locked.
    """
    folder.require_database()
    schema.require_current(folder.database)
    return Database(folder, open_engine(folder.database, read_only=True, seconds_each=seconds_each))


def open_to_write(
    folder: WorkspaceFolder,
    workspace_id: str | None = None,
    policy: LockPolicy | None = None,
    last_folder: str | None = None,
) -> Database:
    """Opens the database of a workspace that the caller has locked. Creates it if missing, upgrades it if older.

    Records the current folder of the workspace. If the workspace is a copy, records the folder of its original instead.

    Args:
        workspace_id: Id for a new database. A random id if None.
        last_folder: Last known folder of the workspace, for a new database.

    Raises:
        BadDatabase: The database is corrupted.
    """
    policy = policy or LockPolicy()
    for path in schema.remove_unfinished(folder):
        policy.progress.notice(f"removed {path.name}, left by a run that was stopped")
    if not folder.database.exists():
        schema.create(folder.database)
    else:
        retry_while_locked(lambda: schema.upgrade(folder.database), policy)
        retry_while_locked(lambda: schema.require_sound(folder.database), policy)
    database = Database(folder, open_engine(folder.database, read_only=False, policy=policy))
    try:
        is_new = not database.read(select(WORKSPACE.c.id), tuple)
        with database.transaction():
            if is_new:
                row = {"id": workspace_id or uuid.uuid4().hex, "created_at": now(), "folder": last_folder}
                database.execute(insert(WORKSPACE).values(**row))
            storage_roots.note_folder(database)
    except BaseException:
        database.close()
        raise
    return database

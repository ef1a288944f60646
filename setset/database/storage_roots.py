"""The storage roots and the workspace that owns them: the tables `storage_roots` and `workspace`."""

import contextlib
import os
from pathlib import Path

from sqlalchemy import delete, func, select, update

from setset import platform
from setset.batches.ownership import Owner, Root, RootGone, RootState, has_batches
from setset.database.connection import DRIVER_ERRORS, Database, connect, damaged, now
from setset.database.models import BATCHES, EXPLORATIONS, ROOTS, WORKSPACE
from setset.errors import BadInput, InTheWay, Locked, in_the_way, quoted
from setset.folder import OWN_ROOT
from setset.tasks.kinds import Destination


def owner(database: Database) -> Owner:
    """The workspace that owns the storage roots: its id and its folders."""
    query = select(WORKSPACE.c.id, WORKSPACE.c.folder)
    for workspace in database.read(
        query, lambda row: Owner(str(row.id), database.folder, row.folder and str(row.folder))
    ):
        return workspace
    raise damaged(database.folder.database, "its table workspace is empty")


def note_folder(database: Database) -> None:
    """Records the folder of the workspace. Needs its lock. A copied workspace keeps the folder of its original."""
    workspace = owner(database)
    folder = workspace.note_folder()
    if folder != workspace.recorded_folder and _is_text(folder):
        database.execute(update(WORKSPACE).values(folder=folder))


def _is_text(path: str) -> bool:
    """Whether SQLite can store a path. A file name may be any bytes, but SQLite stores only Unicode text."""
    return path == path.encode(errors="replace").decode()


# Folders


def folders(database: Database) -> dict[int, Path]:
    """The folder of each storage root, by its id."""
    return dict(
        database.read(
            select(ROOTS.c.id, ROOTS.c.path).order_by(ROOTS.c.id), lambda row: (row.id, database.folder.root(row.path))
        )
    )


def own_folders(database: Database) -> dict[int, Path]:
    """Folders of the storage roots whose token files name this workspace, by id of the root."""
    return {number: root for number, root in folders(database).items() if owner(database).state(root) is RootState.OWN}


def destinations(database: Database) -> dict[int, Destination]:
    """Each storage root, by its id, as the `Destination` of a task."""
    return {number: Destination(str(root), owner(database).token(root)) for number, root in folders(database).items()}


def recorded_path(database: Database, folder: Path, ignored_id: int = 0) -> str:
    """Path to record for a folder: the recorded path if the folder is a root already, else the resolved path.

    Ignores the root with the id `ignored_id`.
    """
    paths: list[str] = [row.path for row in database.query(select(ROOTS.c.path).where(ROOTS.c.id != ignored_id))]
    for path in (OWN_ROOT, *paths):
        with contextlib.suppress(OSError):
            if folder.samefile(database.folder.root(path)):
                return path
    return str(folder.resolve())


# Records


def records(database: Database, measure: bool = False) -> list[Root]:
    """All storage roots with their current state; if `measure`, also with the free bytes on their disks."""
    sums = (func.coalesce(func.sum(column), 0) for column in (BATCHES.c.lists, BATCHES.c.bytes))
    query = (
        select(ROOTS.c.id, ROOTS.c.path, func.count(BATCHES.c.id), *sums)
        .outerjoin(BATCHES, BATCHES.c.root_id == ROOTS.c.id)
        .group_by(ROOTS.c.id)
        .order_by(ROOTS.c.id)
    )
    roots = []
    rows = database.read(query, lambda row: (row.id, database.folder.root(row.path), tuple(row)[2:]))
    for number, folder, sizes in rows:
        free = None
        state = owner(database).state(folder)
        if state not in (RootState.OWN, RootState.FOREIGN):
            is_present = _holds_some(database, number, folder) if sizes[0] else folder.is_dir()
            state = state if is_present else RootState.ABSENT
        with contextlib.suppress(OSError):
            free = platform.free_bytes(folder) if measure and state is not RootState.ABSENT else None
        roots.append(Root(number, str(folder), state, free, *sizes))
    return roots


def _holds_some(database: Database, number: int, folder: Path) -> bool:
    """Whether a folder has a file with the name of a file that is recorded in a root."""
    if not folder.is_dir():
        return False
    return any((folder / name).is_file() for name in recorded_files(database, number))


def recorded_files(database: Database, number: int) -> dict[str, str]:
    """Digests of the files recorded in a root, by their paths relative to the root."""
    return dict(
        database.read(
            select(BATCHES.c.path, BATCHES.c.digest).where(BATCHES.c.root_id == number),
            lambda row: (str(row.path), str(row.digest)),
        )
    )


def find(database: Database, name: str) -> Root | None:
    """Finds a root by its folder, which may be missing, or by its number."""
    roots = records(database)
    for root in roots:
        if Path(name).resolve() == root.folder.resolve():
            return root
    return next((root for root in roots if name == str(root.number)), None)


def is_own(database: Database, root: Root) -> bool:
    """Whether a root is the root inside the workspace."""
    return root.folder == database.folder.own_root


def gone(database: Database) -> list[Root]:
    """Storage roots that are missing, since a disk is not mounted or a folder was moved."""
    return [root for root in records(database) if root.is_gone]


def require_present(database: Database, number: int) -> None:
    """Raises RootGone if a root is missing. A reader calls this when it cannot read a file in the root."""
    for root in gone(database):
        if root.number == number:
            raise gone_error(database, root)


def gone_error(database: Database, root: Root) -> RootGone:
    """The error for a missing root."""
    return RootGone(root.folder, can_be_filled=is_own(database, root))


def sizes_in(database: Database, roots: list[Root]) -> set[tuple[int, int]]:
    """Targets and sizes that have files in these roots, as pairs."""
    query = select(EXPLORATIONS.c.target, BATCHES.c.size).distinct().join(EXPLORATIONS)
    within = BATCHES.c.root_id.in_([root.number for root in roots])
    return {(row.target, row.size) for row in database.query(query.where(within))}


# Changes


def use_root(
    database: Database,
    output: Path | None,
    adopt: bool = False,
    refill: bool = False,
    needed: tuple[int, int] | None = None,
) -> int:
    """Claims a storage root for new files: the folder `output`, or the root inside the workspace. Returns its id.

    Args:
        output: A folder elsewhere. None for the root inside the workspace.
        adopt: Also accept a used root of this workspace whose token is missing, damaged or stale.
        refill: Also accept a root whose files are all missing, so that they can be made again.
        needed: Target and size whose files the run needs. Raises RootGone if some of these files are in a missing root.
    """
    path = OWN_ROOT if output is None else recorded_path(database, output)
    if not _is_text(path):
        raise BadInput(f"--output {path!r}: the name of a folder must be valid Unicode")
    root, workspace = database.folder.root(path), owner(database)
    for lost in (lost for lost in gone(database) if lost.folder != root):
        if _holds_some(database, lost.number, root):
            raise BadInput(
                f"{root} holds the files of the storage root {lost.folder}, which is gone: "
                f"run 'setset roots move {quoted(lost.folder)} {quoted(root)}'"
            )
        if needed in sizes_in(database, [lost]):
            raise gone_error(database, lost)
    if not refill and _is_used(database, path) and not has_batches(root):
        if os.path.lexists(root) and not root.is_dir():
            raise InTheWay(in_the_way(root))
        raise RootGone(root, can_be_filled=workspace.state(root) is RootState.OWN or path == OWN_ROOT)
    workspace.claim(root, adopt)
    if not _is_used(database, OWN_ROOT):
        # Even if all files are elsewhere, the token of the own root identifies the workspace if the database is lost.
        workspace.claim(database.folder.own_root, adopt)
    with database.transaction():
        if not database.query(select(ROOTS.c.id).where(ROOTS.c.path == path)):
            database.insert(ROOTS, [{"path": path, "created_at": now()}])
        return int(database.query(select(ROOTS.c.id).where(ROOTS.c.path == path))[0][0])


def _is_used(database: Database, path: str) -> bool:
    return bool(database.query(select(BATCHES.c.id).join(ROOTS).where(ROOTS.c.path == path).limit(1)))


def record_move(database: Database, root: Root, path: str) -> None:
    """Records the new folder of a root. If the folder is another root already, that root takes over the files."""
    with database.transaction():
        others = database.query(select(ROOTS.c.id).where(ROOTS.c.path == path, ROOTS.c.id != root.number))
        if not others:
            database.change(ROOTS, [ROOTS.c.id == root.number], {"path": path})
        else:
            database.change(BATCHES, [BATCHES.c.root_id == root.number], {"root_id": others[0].id})
            database.execute(delete(ROOTS).where(ROOTS.c.id == root.number))


def record_loss(database: Database, root: Root, new_root_id: int | None) -> None:
    """Deletes the record of a lost root. Records its files as missing files of a new root, where they can be made
    again."""
    with database.transaction():
        if new_root_id is not None:
            lost = {"root_id": new_root_id, "defect": "lost with its storage root"}
            database.change(BATCHES, [BATCHES.c.root_id == root.number], lost)
        database.execute(delete(ROOTS).where(ROOTS.c.id == root.number))


def salvage(path: Path, table: str, column: str) -> list[str]:
    """Returns the texts in a column of a database that may be damaged or have any schema. Empty if unreadable."""
    with contextlib.suppress(*DRIVER_ERRORS, Locked, OSError), contextlib.closing(connect(path, "ro")) as connection:
        rows = connection.execute(f"SELECT {column} FROM {table}").fetchall()  # noqa: S608 (our own names)
        return [row[0] for row in rows if isinstance(row[0], str)]
    return []

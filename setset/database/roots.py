"""The storage roots that files are in, and the id of the workspace: the tables `storage_roots` and `workspace`."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, func, insert, select, update

from setset.batches.records import BATCH_FILES
from setset.batches.roots import (
    ForeignRoot,
    RootGone,
    RootState,
    Token,
    claim_root,
    root_state,
)
from setset.database import place
from setset.database.connection import DRIVER_ERRORS, BadDatabase, Database, connect, damaged, now
from setset.database.models import BATCHES, EXPLORATIONS, ROOTS, WORKSPACE
from setset.errors import BadInput
from setset.folder import OWN_ROOT
from setset.tasks.kinds import Destination


@dataclass(frozen=True)
class RootRecord:
    """A storage root as it is recorded, and how much lies there by what is recorded."""

    id: int
    folder: Path
    is_own: bool
    """Whether it is the one inside the workspace."""
    files: int
    lists: int
    bytes: int


def workspace_id(database: Database) -> str:
    for row in database.query(select(WORKSPACE.c.id)):
        return str(row.id)
    raise damaged(database.folder.database, place.NO_ROW)


def recorded_outputs(path: Path) -> list[Path]:
    """The storage roots outside of the workspace that a database file names, as far as it can be read."""
    with contextlib.suppress(*DRIVER_ERRORS):
        with contextlib.closing(connect(path, "ro")) as connection:
            found = connection.execute("SELECT path FROM storage_roots ORDER BY id").fetchall()
        return [path.parent / each for (each,) in found if isinstance(each, str) and each != OWN_ROOT]
    return []


def token(database: Database, root_id: int) -> Token:
    """What the token of a storage root must say: this workspace, and where it is. Inside of it the latter is a note."""
    for row in database.query(select(ROOTS.c.path).where(ROOTS.c.id == root_id)):
        return _token(database, row.path)
    raise BadDatabase(f"the database names no storage root {root_id}: run 'setset db rebuild'")


def _token(database: Database, path: str) -> Token:
    is_inside = path == OWN_ROOT
    folder = database.place if is_inside else place.here(database)
    return Token(workspace_id(database), folder, is_inside)


def destination(database: Database, root_id: int) -> Destination:
    """Where a task writes."""
    return Destination(str(folders(database)[root_id]), token(database, root_id))


def destinations(database: Database) -> dict[int, Destination]:
    """Destinations of tasks, by the numbers of the storage roots."""
    return {root_id: destination(database, root_id) for root_id in folders(database)}


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
        rows = database.query(select(ROOTS.c.id, ROOTS.c.path).order_by(ROOTS.c.id))
        database.root_folders = {row.id: database.folder.root(row.path) for row in rows}
    return database.root_folders


def use_root(database: Database, output: Path | None, adopt: bool = False, refill: bool = False) -> int:
    """The id of the storage root for new files: the workspace's own, or a folder elsewhere.

    With `adopt` also a folder of batch files whose token is missing or damaged; with `refill` also one whose files are
    all missing, to make them again.
    """
    path = OWN_ROOT if output is None else _recorded_path(database, output)
    if path != path.encode(errors="replace").decode():
        raise BadInput(f"--output {path!r}: the name of a folder must be text")
    root = database.folder.root(path)
    _refuse_moved(database, root, path)
    if not refill and _holds_batches(database, path) and not any(root.glob(BATCH_FILES)):
        has_token = root_state(root, _token(database, path)) is RootState.OWN
        raise RootGone(root, can_be_filled=has_token or path == OWN_ROOT)
    claim(database, root, _token(database, path), adopt)
    if not _holds_batches(database, OWN_ROOT):
        # Its own root stands for the workspace when the database is lost, even with all files elsewhere.
        claim_root(database.folder.own_root, _token(database, OWN_ROOT), adopt)
    database.root_folders = {}
    with database.transaction() as connection:
        found = connection.scalar(select(ROOTS.c.id).where(ROOTS.c.path == path))
        if found is None:
            made = connection.execute(insert(ROOTS).values(path=path, created_at=now()))
            found = made.inserted_primary_key[0]  # type: ignore[index]
        return int(found)


def claim(database: Database, root: Path, owner: Token, adopt: bool = False) -> None:
    """As `claim_root`; but what is or may be a root of the workspace that this one is a copy of is refused."""
    was_moved = False
    if not owner.is_inside:
        state = root_state(root, owner)
        place.require_no_copy(database, root, state)
        was_moved = state is RootState.FOREIGN and place.was_moved(root, owner)
    claim_root(root, owner, adopt, was_moved)


def claim_own(database: Database) -> None:
    """Makes the root inside the workspace its own again, whatever became of its token."""
    claim_root(database.folder.own_root, own_token(database), adopt=True)


def own_token(database: Database) -> Token:
    """The token of the root inside the workspace."""
    return _token(database, OWN_ROOT)


def _refuse_moved(database: Database, root: Path, path: str) -> None:
    """Refuses, for new files, the place to which a root was moved, before it becomes a second root."""
    for record in gone(database):
        if database.folder.root(path) != record.folder and _holds_some(database, record.id, root):
            raise BadInput(
                f"{root} holds the files of the storage root {record.folder}, which is gone: "
                f"run 'setset roots move {record.folder} {root}'"
            )


def _recorded_path(database: Database, folder: Path, besides: int | None = None) -> str:
    """The path under which a folder is known as a storage root: one, however it is reached.

    With `besides`, a root that is not looked at.
    """
    others = select(ROOTS.c.path).where(ROOTS.c.id != (besides or 0))
    known: list[str] = [row.path for row in database.query(others)]
    for path in (OWN_ROOT, *known):
        with contextlib.suppress(OSError):
            if folder.samefile(database.folder.root(path)):
                return path
    return str(folder.resolve())


def _holds_batches(database: Database, path: str) -> bool:
    return bool(database.query(select(BATCHES.c.id).join(ROOTS).where(ROOTS.c.path == path).limit(1)))


# What lies where


def records(database: Database) -> list[RootRecord]:
    """All storage roots, with what lies there."""
    sums = (func.coalesce(func.sum(column), 0) for column in (BATCHES.c.lists, BATCHES.c.bytes))
    found = (
        select(ROOTS.c.id, ROOTS.c.path, func.count(BATCHES.c.id), *sums)
        .outerjoin(BATCHES, BATCHES.c.root_id == ROOTS.c.id)
        .group_by(ROOTS.c.id)
        .order_by(ROOTS.c.id)
    )
    rows = [tuple(row) for row in database.query(found)]
    if not all(isinstance(path, str) and isinstance(lists + taken, int) for _, path, _, lists, taken in rows):
        # SQLite does not notice that a table has the page of another one.
        raise damaged(database.folder.database, "a storage root is not text")
    return [
        RootRecord(root_id, database.folder.root(path), path == OWN_ROOT, files, lists, taken)
        for root_id, path, files, lists, taken in rows
    ]


def find(database: Database, name: str) -> RootRecord | None:
    """The root that a person means: by its folder, which may be gone, or by its number."""
    known = records(database)
    for record in known:
        if Path(name).resolve() == record.folder.resolve():
            return record
    return next((record for record in known if name == str(record.id)), None)


def state(database: Database, record: RootRecord) -> RootState:
    """What became of a root."""
    owner = token(database, record.id)
    found = root_state(record.folder, owner)
    if found is RootState.FOREIGN:
        with contextlib.suppress(ForeignRoot):
            if place.was_moved(record.folder, owner):
                return RootState.OWN
    if found is RootState.MISSING and (is_gone(database, record) or not record.folder.is_dir()):
        return RootState.ABSENT
    return found


def is_gone(database: Database, record: RootRecord) -> bool:
    """Whether files are recorded in a root and none of them is there, nor a token of this workspace."""
    if root_state(record.folder, token(database, record.id)) is RootState.OWN:
        return False
    return record.files > 0 and not _holds_some(database, record.id, record.folder)


def _holds_some(database: Database, root_id: int, folder: Path) -> bool:
    """Whether a folder has a file by the name of one that is recorded in a root."""
    if not folder.is_dir():
        return False
    recorded = database.query(select(BATCHES.c.path).where(BATCHES.c.root_id == root_id))
    return any((folder / str(row.path)).is_file() for row in recorded)


def gone(database: Database) -> list[RootRecord]:
    """The roots that are gone with all their files: disks that are not mounted, folders that were moved."""
    return [record for record in records(database) if is_gone(database, record)]


def require_there(database: Database, root_id: int) -> None:
    """Says that a root is gone, if it is: for whoever does not find a file in it."""
    for record in gone(database):
        if record.id == root_id:
            raise RootGone(record.folder, can_be_filled=record.is_own)


def sizes_in(database: Database, records: list[RootRecord]) -> set[tuple[int, int]]:
    """The targets and sizes of which files are recorded in some roots."""
    found = select(EXPLORATIONS.c.target, BATCHES.c.size).distinct().join(EXPLORATIONS)
    within = BATCHES.c.root_id.in_([record.id for record in records])
    return {(row.target, row.size) for row in database.query(found.where(within))}


# Roots that are moved or given up


def new_place(database: Database, record: RootRecord, folder: Path) -> tuple[str, Token]:
    """The path that a root will be recorded with in another folder, and what its token must say there."""
    path = _recorded_path(database, folder, besides=record.id)
    return path, _token(database, path)


def record_move(database: Database, record: RootRecord, path: str) -> None:
    """Records that a root is in another place now: in that of another root, perhaps, which then has its files."""
    with database.transaction() as connection:
        other = connection.scalar(select(ROOTS.c.id).where(ROOTS.c.path == path, ROOTS.c.id != record.id))
        if other is None:
            connection.execute(update(ROOTS).where(ROOTS.c.id == record.id).values(path=path))
        else:
            mine = update(BATCHES).where(BATCHES.c.root_id == record.id)
            connection.execute(mine.values(root_id=other))
            connection.execute(delete(ROOTS).where(ROOTS.c.id == record.id))
    database.root_folders = {}


def record_loss(database: Database, record: RootRecord, heir: int | None) -> None:
    """Records that a root is lost: its files are missing in another root, where they can be made again."""
    with database.transaction() as connection:
        if heir is not None:
            lost = update(BATCHES).where(BATCHES.c.root_id == record.id)
            connection.execute(lost.values(root_id=heir, defect="lost with its storage root"))
        connection.execute(delete(ROOTS).where(ROOTS.c.id == record.id))
    database.root_folders = {}


def claim_all(database: Database) -> None:
    """Makes roots this workspace's own again whose tokens name the folder that it was in before."""
    for root_id, root in folders(database).items():
        with contextlib.suppress(ForeignRoot):
            owner = token(database, root_id)
            if root_state(root, owner) is RootState.FOREIGN:
                claim(database, root, owner)

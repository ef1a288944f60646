"""Every query of the job manager. ORM objects never leave this module; records do."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Executable, Row, Select, and_, delete, func, insert, select, text, update
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from sqlalchemy.orm import aliased

from setset.batches.spans import SUFFIX, Cards, Span
from setset.database import schema as database
from setset.database.models import Batch, Expansion, Exploration, Root, Size, State, Work
from setset.database.models import Workspace as WorkspaceRow
from setset.database.numbering import give_numbers, number_batches, these
from setset.database.schema import BadDatabase, Patience
from setset.errors import BadInput, SetsetError
from setset.folder import OWN_ROOT, RootGone, Workspace, claim_root
from setset.tasks.kinds import SEED_SOURCE_SIZE, NewBatch, Source, StoredBatch

PAGE = 1000


class Store:
    """The database of a workspace: open it with `reading` or `writing`."""

    def __init__(self, workspace: Workspace, read_only: bool, patience: Patience | None = None) -> None:
        self.workspace = workspace
        self._engine = database.open_engine(workspace.database, read_only, patience)
        self._roots: dict[int, Path] = {}

    @classmethod
    def reading(cls, workspace: Workspace) -> Store:
        """Opens the database to read; works on a read-only disk and while a run writes."""
        database.require_current(workspace.database)
        return cls(workspace, read_only=True)

    @classmethod
    def writing(
        cls, workspace: Workspace, workspace_id: str | None = None, patience: Patience | None = None
    ) -> Store:
        """Opens the database of a workspace that the caller holds; makes or upgrades it first.

        A new database gets the id that is given, or one of its own. Work is based on a sound database only.
        """
        if not workspace.database.exists():
            database.create(workspace.database)
        patience = patience or Patience()
        database.patiently(lambda: database.upgrade(workspace.database), patience)
        database.patiently(lambda: database.require_sound(workspace.database), patience)
        store = cls(workspace, read_only=False, patience=patience)
        with store.transaction() as do:
            if do.scalar(select(WorkspaceRow.id)) is None:
                do.execute(insert(WorkspaceRow).values(id=workspace_id or uuid.uuid4().hex, created_at=now()))
        return store

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing; damage to the database becomes one line that says what to do."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DatabaseError as error:
            raise database.explain(self.workspace.database, error.orig or error) from error
        except (sqlite3.DatabaseError, SQLAlchemyError, LookupError, UnicodeDecodeError) as error:
            # What is not a database error but comes of rows that make no sense, such as an unknown state.
            raise database.explain(self.workspace.database, error) from error

    def query(self, statement: Executable) -> Sequence[Row[Any]]:
        with self.transaction() as do:
            return do.execute(statement).all()

    # Explorations, sizes and storage roots

    def workspace_id(self) -> str:
        return str(self.query(select(WorkspaceRow.id))[0][0])

    def exploration(self, target: int) -> int:
        """The id of a target's exploration, new if need be."""
        with self.transaction() as do:
            found = do.scalar(select(Exploration.id).where(Exploration.target == target))
            if found is None:
                made = do.execute(insert(Exploration).values(target=target, created_at=now()))
                found = made.inserted_primary_key[0]  # type: ignore[index]
            return int(found)

    def find_exploration(self, target: int) -> int:
        """The id of a target's exploration, which must be there."""
        for (found,) in self.query(select(Exploration.id).where(Exploration.target == target)):
            return int(found)
        raise BadInput(f"nothing is known for target {target}: run 'setset run --target {target}' first")

    def targets(self) -> list[int]:
        return [row.target for row in self.query(select(Exploration.target).order_by(Exploration.target))]

    def begin_size(self, exploration: int, size: int, batch_lists: int) -> int:
        """Fixes, once, how many lists the files of a size may hold; returns what holds."""
        with self.transaction() as do:
            at = and_(Size.exploration_id == exploration, Size.size == size)
            found = do.scalar(select(Size.batch_lists).where(at))
            if found is None:
                do.execute(
                    insert(Size).values(exploration_id=exploration, size=size, batch_lists=batch_lists)
                )
            return found or batch_lists

    def is_complete(self, exploration: int, size: int) -> bool:
        at = and_(Size.exploration_id == exploration, Size.size == size, Size.complete)
        return bool(self.query(select(Size.size).where(at)))

    def is_counted(self, exploration: int, size: int) -> bool:
        """Whether all lists of a size are counted, stored or not."""
        at = text(
            "SELECT 1 FROM counts JOIN explorations USING (target) "
            "WHERE id = :id AND size = :size AND complete"
        )
        return bool(self.query(at.bindparams(id=exploration, size=size)))

    def sizes(self, exploration: int) -> list[int]:
        """The sizes that were begun."""
        found = select(Size.size).where(Size.exploration_id == exploration).order_by(Size.size)
        return [row.size for row in self.query(found)]

    def batch_lists(self, exploration: int, size: int) -> int:
        at = and_(Size.exploration_id == exploration, Size.size == size)
        return int(self.query(select(Size.batch_lists).where(at))[0][0])

    def use_root(self, output: Path | None) -> int:
        """The id of the storage root for new files: the workspace's own, or a folder elsewhere."""
        path = OWN_ROOT if output is None else self._name_of_root(output)
        if path != path.encode(errors="replace").decode():
            raise BadInput(f"the name of a storage root must be text: {path!r}")
        root = self.workspace.root(path)
        if self._holds_batches(path) and not any(root.glob(f"t??/s??/*{SUFFIX}")):
            raise RootGone(root)
        claim_root(root, self.workspace_id())
        if not self._holds_batches(OWN_ROOT):
            # Its own root stands for the workspace when the database is lost, even with all files elsewhere.
            claim_root(self.workspace.root(OWN_ROOT), self.workspace_id())
        self._roots = {}
        with self.transaction() as do:
            found = do.scalar(select(Root.id).where(Root.path == path))
            if found is None:
                made = do.execute(insert(Root).values(path=path, created_at=now()))
                found = made.inserted_primary_key[0]  # type: ignore[index]
            return int(found)

    def _name_of_root(self, folder: Path) -> str:
        """The name under which a folder is known as a storage root: one, however it is reached."""
        known: list[str] = [row.path for row in self.query(select(Root.path))]
        for name in (OWN_ROOT, *known):
            with contextlib.suppress(OSError):
                if folder.samefile(self.workspace.root(name)):
                    return name
        return str(folder.resolve())

    def _holds_batches(self, path: str) -> bool:
        return bool(self.query(select(Batch.id).join(Root).where(Root.path == path).limit(1)))

    def roots(self) -> dict[int, Path]:
        if not self._roots:
            self._roots = {
                row.id: self.workspace.root(row.path) for row in self.query(select(Root.id, Root.path))
            }
        return self._roots

    # Batches

    def batches(self, exploration: int, size: int, *where: Any) -> Iterator[StoredBatch]:
        """The batches of a size in lexicographic order, page by page."""
        after = (-1, -1)
        while True:
            rows = self.query(
                stored_batches()
                .where(Batch.exploration_id == exploration, Batch.size == size, *where)
                .where(
                    (Batch.first_source > after[0])
                    | ((Batch.first_source == after[0]) & (Batch.first_part > after[1]))
                )
                .order_by(Batch.first_source, Batch.first_part)
                .limit(PAGE)
            )
            for row in rows:
                yield stored_batch(row)
            if len(rows) < PAGE:
                return
            after = (rows[-1].first_source, rows[-1].first_part)

    def batch(self, exploration: int, size: int, number: int) -> StoredBatch:
        at = and_(Batch.exploration_id == exploration, Batch.size == size, Batch.number == number)
        for row in self.query(stored_batches().where(at)):
            return stored_batch(row)
        known = self.count_batches(exploration, size)
        raise BadInput(f"there is no batch {number} of size {size}: {known:,} are known, numbered from 0")

    def count_batches(self, exploration: int, size: int) -> int:
        at = and_(Batch.exploration_id == exploration, Batch.size == size, Batch.number.is_not(None))
        return int(self.query(select(func.count()).select_from(Batch).where(at))[0][0])

    def batch_with_list(self, exploration: int, size: int, index: int) -> tuple[StoredBatch, int]:
        """The batch that holds list number `index` of a size, and the list's number in it."""
        mine = and_(Batch.exploration_id == exploration, Batch.size == size, Batch.number.is_not(None))
        passed = 0
        for row in self.query(select(Batch.number, Batch.lists).where(mine).order_by(Batch.number)):
            if index < passed + row.lists:
                return self.batch(exploration, size, row.number), index - passed
            passed += row.lists
        raise BadInput(f"there is no list {index:,} of size {size}: {passed:,} are known, numbered from 0")

    def next_batch(self, exploration: int, batch: StoredBatch) -> StoredBatch | None:
        """The batch with the next number."""
        if batch.number is None or batch.number + 1 >= self.count_batches(exploration, batch.size):
            return None
        return self.batch(exploration, batch.size, batch.number + 1)

    def numbered(self, exploration: int, size: int) -> dict[int, tuple[int, str]]:
        """How many lists each numbered batch of a size has, and its digest; the seeds' source is empty and has none."""
        if size == SEED_SOURCE_SIZE:
            return {0: (0, "")}
        mine = and_(Batch.exploration_id == exploration, Batch.size == size, Batch.number.is_not(None))
        found = self.query(select(Batch.number, Batch.lists, Batch.digest).where(mine))
        return {row.number: (row.lists, row.digest) for row in found}

    def path_of(self, batch: StoredBatch) -> Path:
        """Where a batch's file is; refuses a path that would lead out of its storage root."""
        if Path(batch.path).is_absolute() or ".." in Path(batch.path).parts or "\0" in batch.path:
            raise SetsetError(f"the database names a file outside its storage root: {batch.path!r}")
        return self.roots()[batch.root_id] / batch.path

    def source_of(self, batch: StoredBatch) -> Source:
        if batch.number is None:
            raise SetsetError(f"{batch} has no number yet")
        return Source(batch.size, batch.number, str(self.path_of(batch)), batch.digest)

    def set_defect(self, batch_id: int, defect: str | None) -> None:
        with self.transaction() as do:
            do.execute(update(Batch).where(Batch.id == batch_id).values(defect=defect))

    def replace(self, batch: StoredBatch, new: NewBatch) -> None:
        """Records that a batch's file was made again, with the same lists."""
        if (new.lists, new.first, new.last) != (batch.lists, batch.first, batch.last):
            raise SetsetError(
                f"{batch} was made again with other lists than the database has: run 'setset db rebuild'"
            )
        with self.transaction() as do:
            again = update(Batch).where(Batch.id == batch.id)
            do.execute(again.values(path=new.path, bytes=new.bytes, digest=new.digest, defect=None))

    # Compacting and rebuilding

    def merge(self, exploration: int, size: int, merged: Sequence[tuple[list[int], int, NewBatch]]) -> None:
        """Puts merged batches in the place of those that they are made of, and numbers the size anew.

        Expansions of the old batches that were planned are forgotten with them.
        """
        with self.transaction() as do:
            for ids, root_id, batch in merged:
                do.execute(delete(Batch).where(Batch.id.in_(ids)))
                do.execute(insert(Batch).values(**batch_columns(exploration, size, root_id, batch)))
            mine = and_(Batch.exploration_id == exploration, Batch.size == size)
            do.execute(update(Batch).where(mine).values(number=None))
            give_numbers(do, exploration, size, 0, 0, None)
            planned = and_(Expansion.exploration_id == exploration, Expansion.source_size == size)
            do.execute(delete(Expansion).where(planned))

    def was_expanded(self, exploration: int, source_size: int) -> bool:
        """Whether anything was derived from the batches of a size."""
        used = and_(
            Expansion.exploration_id == exploration,
            Expansion.source_size == source_size,
            Expansion.state == State.DONE,
        )
        return bool(self.query(select(Expansion.id).where(used).limit(1)))

    def finished(self, exploration: int, size: int) -> Sequence[Row[Any]]:
        """Of each finished expansion to a size: source, lists read, lists of the source, batches, lists made."""
        source = aliased(Batch)
        return self.query(
            select(
                Expansion.source,
                Expansion.lists_in,
                source.lists.label("source_lists"),
                Expansion.batches_out,
                Expansion.lists_out,
            )
            .outerjoin(
                source,
                and_(
                    source.exploration_id == exploration,
                    source.size == size - 1,
                    source.number == Expansion.source,
                ),
            )
            .where(these(exploration, Work.STORE, size, size - 1), Expansion.state == State.DONE)
        )

    def expanded_sources(self, exploration: int, size: int) -> tuple[int, int]:
        """How many of the batches before a size are expanded to it, and how many there are."""
        done = and_(these(exploration, Work.STORE, size, size - 1), Expansion.state == State.DONE)
        expanded = int(self.query(select(func.count()).select_from(Expansion).where(done))[0][0])
        return expanded, 1 if size - 1 == SEED_SOURCE_SIZE else self.count_batches(exploration, size - 1)

    def compacted_sources(self, exploration: int, size: int) -> set[int]:
        """The sources whose parts are in merged batches."""
        merged = select(Batch.first_source, Batch.last_source).where(
            Batch.exploration_id == exploration,
            Batch.size == size,
            (Batch.first_source != Batch.last_source) | (Batch.first_part != Batch.last_part),
        )
        return {n for row in self.query(merged) for n in range(row.first_source, row.last_source + 1)}

    def list_sums(self, exploration: int, size: int) -> tuple[int, int]:
        """How many lists of a size the batches hold, and how many the expansions made."""
        held = select(func.coalesce(func.sum(Batch.lists), 0)).where(
            Batch.exploration_id == exploration, Batch.size == size
        )
        made = select(func.coalesce(func.sum(Expansion.lists_out), 0)).where(
            these(exploration, Work.STORE, size, size - 1)
        )
        return int(self.query(held)[0][0]), int(self.query(made)[0][0])

    def stored(self, exploration: int, size: int) -> tuple[int, int]:
        """How many lists of a size are stored, and in how many bytes."""
        sums = (func.coalesce(func.sum(column), 0) for column in (Batch.lists, Batch.bytes))
        found = select(*sums).where(Batch.exploration_id == exploration, Batch.size == size)
        ((lists, taken),) = [tuple(row) for row in self.query(found)]
        return int(lists), int(taken)

    def recorded(self, target: int, size: int, first: int, last: int) -> list[StoredBatch] | None:
        """The batches that the expansions of sources `first` to `last` became; None if one is not done."""
        done = select(func.count()).where(
            Exploration.target == target,
            Expansion.exploration_id == Exploration.id,
            Expansion.size == size,
            Expansion.work == Work.STORE,
            Expansion.state == State.DONE,
            Expansion.source.between(first, last),
        )
        if self.query(done)[0][0] != last - first + 1:
            return None
        among = (Batch.first_source <= last, Batch.last_source >= first)
        return list(self.batches(self.find_exploration(target), size, *among))

    def paths(self, root_id: int) -> set[str]:
        """The files that the database vouches for below a storage root."""
        return {row.path for row in self.query(select(Batch.path).where(Batch.root_id == root_id))}

    def adopt(
        self,
        exploration: int,
        size: int,
        found: Sequence[tuple[int, NewBatch]],
        expansions: Sequence[dict[str, Any]],
    ) -> None:
        """Records batches, with their storage roots, and expansions that are known from the files alone."""
        with self.transaction() as do:
            for root_id, batch in found:
                do.execute(insert(Batch).values(**batch_columns(exploration, size, root_id, batch)))
            row = {"exploration_id": exploration, "work": Work.STORE, "size": size, "source_size": size - 1}
            for values in expansions:
                do.execute(insert(Expansion).values(**row, attempts=1, **values))
            number_batches(do, exploration, size)

    # Runs


def now() -> str:
    """The time for people to read; nothing is decided by it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def spell(cards: Cards) -> str:
    return " ".join(str(card) for card in cards)


def stored_batches() -> Select[Any]:
    return select(Batch.__table__, Exploration.target).join(Exploration)


def stored_batch(row: Row[Any]) -> StoredBatch:
    span = Span(row.first_source, row.first_part, row.last_source, row.last_part, bool(row.ends_source))
    try:
        first, last = (
            tuple(int(card) for card in cards.split()) for cards in (row.first_list, row.last_list)
        )
    except (ValueError, AttributeError) as error:
        raise BadDatabase(f"the database is damaged ({error}): run 'setset db rebuild'") from error
    return StoredBatch(
        row.id,
        row.target,
        row.size,
        row.number,
        span,
        row.lists,
        first,
        last,
        row.root_id,
        row.path,
        row.bytes,
        row.digest,
        row.defect,
    )


def batch_columns(exploration: int, size: int, root_id: int, batch: NewBatch) -> dict[str, Any]:
    return {
        "exploration_id": exploration,
        "size": size,
        "first_source": batch.span.first_source,
        "first_part": batch.span.first_part,
        "last_source": batch.span.last_source,
        "last_part": batch.span.last_part,
        "ends_source": batch.span.ends_source,
        "lists": batch.lists,
        "first_list": spell(batch.first),
        "last_list": spell(batch.last),
        "root_id": root_id,
        "path": batch.path,
        "bytes": batch.bytes,
        "digest": batch.digest,
    }

"""Explorations and their sizes: the tables `explorations` and `sizes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import and_, delete, select, text
from sqlalchemy.sql.elements import ColumnElement

from setset.cards import LARGEST
from setset.database.connection import BadDatabase, Database, checksum, now
from setset.database.models import BATCHES, EXPANSIONS, EXPLORATIONS, SIZES, Work
from setset.errors import BadInput, NotStored
from setset.tasks.kinds import SEED_SOURCE_SIZE


class OtherRule(BadInput):
    """The exploration was begun by the other rule."""

    def __init__(self, target: int, pruned: bool) -> None:
        begun, option = ("with", "add --prune") if pruned else ("without", "leave out --prune")
        # An earlier version pruned any target. What it made can be read, checked and repaired.
        option = option if target >= 19 or not pruned else "read, check or repair it"
        super().__init__(
            f"target {target} was begun {begun} --prune in this workspace, which counts other lists: {option}, "
            f"name another workspace, or remove what is there with 'setset rm --target {target}'"
        )


@dataclass(frozen=True)
class Step:
    """The expansions of one kind from one size to another."""

    work: Work
    size: int
    source_size: int


@dataclass(frozen=True)
class Goal:
    """The sizes that an exploration is to store, in order, and the size that it is to count up to beyond them.

    Each stored size is made from the one before it in `stored`, but those above `via` from `via`, in one walk each.
    The first one is made from the seeds.
    """

    stored: tuple[int, ...]
    counted: int | None = None
    via: int = LARGEST
    counted_alone: tuple[int, ...] = ()
    """Sizes that are counted from `via`, each in one walk without the sizes between."""

    def steps(self, begun: Sequence[SizeRecord] = ()) -> tuple[Step, ...]:
        """Steps to the goal, smallest sizes first. A size that was begun goes on from the size that it began with."""
        known = {size.size: size.source_size for size in begun}
        sizes = pairwise((SEED_SOURCE_SIZE, *self.stored))
        storing = [Step(Work.STORE, size, known.get(size, min(source, self.via))) for source, size in sizes]
        counting = [Step(Work.COUNT, self.counted, self.stored[-1])] if self.counted else []
        counting += [Step(Work.COUNT, size, self.via) for size in self.counted_alone]
        return (*storing, *counting)


@dataclass(frozen=True)
class ExplorationKey:
    """An exploration in an open database: its target, and the rule by which lists are kept."""

    database: Database
    id: int
    target: int
    pruned: bool = False

    @property
    def options(self) -> str:
        """Options that name it in a command of `setset run`."""
        return f"--target {self.target}" + (" --prune" if self.pruned else "")

    def at(self, size: int) -> SizeKey:
        """One of its sizes, begun or not."""
        return SizeKey(self, size)

    def sizes(self) -> list[SizeRecord]:
        """The stored sizes that were begun, in order."""
        mine = select(SIZES).where(SIZES.c.exploration_id == self.id).order_by(SIZES.c.size)
        return self.database.read(
            mine, lambda row: SizeRecord(self, row.size, row.batch_lists, row.source_size, row.numbered)
        )

    def complete_sizes(self) -> set[int]:
        """The stored sizes with all their lists, by the proof in the view `complete_sizes`; the size of the seeds'
        source among them."""
        found = text("SELECT size FROM complete_sizes WHERE exploration_id = :id").bindparams(id=self.id)
        return {SEED_SOURCE_SIZE, *self.database.read(found, lambda row: int(row.size))}

    def size(self, size: int) -> SizeRecord:
        """A size that was begun."""
        for each in self.sizes():
            if each.size == size:
                return each
        at_once = f" --store {size}" if size >= 12 and not self.pruned else ""  # without the sizes below it
        command = f"setset run {size} {self.options}{at_once}"
        raise NotStored(f"size {size} is not stored for target {self.target}: run '{command}' first")

    def steps(self, largest: int = LARGEST, never_done: bool = False) -> tuple[Step, ...]:
        """All steps that were ever planned, from sources and for files of up to `largest` cards, smallest sizes first.

        With `never_done`, those with an expansion that was never done.
        """
        kinds = EXPANSIONS.c.work, EXPANSIONS.c.size, EXPANSIONS.c.source_size
        mine = select(*kinds).distinct().where(EXPANSIONS.c.exploration_id == self.id)
        mine = mine.where(EXPANSIONS.c.lists_out.is_(None)) if never_done else mine
        found = set(self.database.read(mine, lambda row: Step(Work(row.work), row.size, row.source_size)))
        found |= set() if never_done else {size.step for size in self.sizes()}
        within = [step for step in found if (step.source_size if step.work is Work.COUNT else step.size) <= largest]
        return tuple(sorted(within, key=lambda step: (step.size, step.source_size)))

    def is_counted(self, size: int) -> bool:
        """Whether all lists of a size are counted, stored or not."""
        found = text("SELECT 1 FROM counts WHERE target = :target AND size = :size AND complete")
        return bool(self.database.query(found.bindparams(target=self.target, size=size)))


@dataclass(frozen=True)
class SizeKey:
    """A size of an exploration in an open database, begun or not."""

    exploration: ExplorationKey
    size: int

    @property
    def database(self) -> Database:
        return self.exploration.database

    @property
    def batches_here(self) -> ColumnElement[bool]:
        """Condition: batches of this size."""
        return and_(BATCHES.c.exploration_id == self.exploration.id, BATCHES.c.size == self.size)

    @property
    def row_here(self) -> ColumnElement[bool]:
        """Condition: the row of this size."""
        return and_(SIZES.c.exploration_id == self.exploration.id, SIZES.c.size == self.size)

    def is_complete(self) -> bool:
        """Whether all lists of the size are stored, by proof."""
        return self.size in self.exploration.complete_sizes()

    def __str__(self) -> str:
        return f"size {self.size}"


@dataclass(frozen=True)
class SizeRecord(SizeKey):
    """A stored size that was begun."""

    batch_lists: int
    """Most lists in a file."""
    source_size: int
    """Size whose batches its files are made from."""
    numbered: int
    """Batches of the sources below this one have their numbers."""

    @property
    def step(self) -> Step:
        """The expansions that make its files."""
        return Step(Work.STORE, self.size, self.source_size)

    @property
    def source(self) -> SizeKey:
        """The size that its sources are batches of."""
        return self.exploration.at(self.source_size)


def find(database: Database, target: int, verified: bool = False) -> ExplorationKey:
    """The exploration of a target, which must exist.

    Raises:
        BadDatabase: With `verified`, the row of an exploration was changed by hand, so it may be another target.
    """
    for row in database.query(select(EXPLORATIONS)) if verified else ():
        if row.checksum != checksum(EXPLORATIONS, row._mapping):
            raise BadDatabase(f"the row of target {row.target} was changed by hand: run 'setset repair'")
    for found in find_all(database):
        if found.target == target:
            return found
    known = " and ".join(str(found.target) for found in find_all(database))
    others = f"; this workspace has target {known}" if known else ""
    raise NotStored(f"nothing is known for target {target}: run 'setset run 6 --target {target}' first{others}")


def find_all(database: Database, target: int | None = None) -> list[ExplorationKey]:
    """All explorations by target, or the exploration of one target if it exists."""
    columns = EXPLORATIONS.c.id, EXPLORATIONS.c.target, EXPLORATIONS.c.pruned
    query = select(*columns).order_by(EXPLORATIONS.c.target)
    if target is not None:
        query = query.where(EXPLORATIONS.c.target == target)
    return database.read(query, lambda row: ExplorationKey(database, row.id, row.target, bool(row.pruned)))


def unrecorded_sizes(database: Database) -> list[str]:
    """Sizes whose own rows are gone while batches of them are recorded."""
    query = text(
        "SELECT DISTINCT x.target, b.size FROM batches b JOIN explorations x ON x.id = b.exploration_id "
        "LEFT JOIN sizes z ON z.exploration_id = b.exploration_id AND z.size = b.size WHERE z.size IS NULL"
    )
    return database.read(query, lambda row: f"size {row.size} of target {row.target}")


def find_or_create(database: Database, target: int, pruned: bool = False) -> ExplorationKey:
    """The exploration of a target, created if missing. Refuses an exploration that was begun by the other rule."""
    for known in find_all(database, target):
        if known.pruned != pruned and known.sizes():
            raise OtherRule(target, known.pruned)
        if known.pruned != pruned:
            with database.transaction():
                database.change(EXPLORATIONS, [EXPLORATIONS.c.id == known.id], {"pruned": pruned})
        return ExplorationKey(database, known.id, target, pruned)
    with database.transaction():
        fresh = {"target": target, "pruned": pruned, "created_at": now()}
        database.insert(EXPLORATIONS, [fresh])
    return find(database, target)


def set_goal(exploration: ExplorationKey, goal: Goal) -> None:
    """Records the goal of an exploration."""
    values = {
        "goal_size": max((goal.counted or 0, *goal.stored, *goal.counted_alone)),
        "goal_stored": " ".join(map(str, goal.stored)),
        "goal_counted": max((goal.counted or 0, *goal.counted_alone)) or None,
    }
    database = exploration.database
    with database.transaction():
        database.change(EXPLORATIONS, [EXPLORATIONS.c.id == exploration.id], values)


def recorded_goal(exploration: ExplorationKey) -> tuple[tuple[int, ...], int | None]:
    """The sizes that the last run was to store, and the largest size that it was to count without files."""
    columns = select(EXPLORATIONS.c.goal_stored, EXPLORATIONS.c.goal_counted)
    row = exploration.database.query(columns.where(EXPLORATIONS.c.id == exploration.id))[0]
    return tuple(map(int, (row.goal_stored or "").split())), row.goal_counted


def set_numbered(at: SizeKey, numbered: int) -> None:
    """Records how far the batches of a size have their numbers."""
    at.database.change(SIZES, [at.row_here], {"numbered": numbered})


def set_checked(at: SizeKey, findings: int | None) -> None:
    """Records that a size was checked now, and how many problems were found; with None, that it changed since then."""
    values = {"checked_at": None if findings is None else now(), "findings": findings}
    at.database.change(SIZES, [at.row_here], values)


def remove_sizes(exploration: ExplorationKey, first: int) -> None:
    """Removes the rows of the sizes from `first` on and of their batches; from 3 on, the exploration too."""
    for table in (BATCHES, SIZES):
        mine = table.c.exploration_id == exploration.id, table.c.size >= first
        exploration.database.execute(delete(table).where(*mine))
    if first <= SEED_SOURCE_SIZE + 1:
        exploration.database.execute(delete(EXPLORATIONS).where(EXPLORATIONS.c.id == exploration.id))

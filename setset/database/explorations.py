"""Explorations and their sizes: the tables `explorations` and `sizes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import and_, select, text
from sqlalchemy.sql.elements import ColumnElement

from setset.cards import LARGEST
from setset.database import rows
from setset.database.connection import Database, now
from setset.database.models import BATCHES, EXPANSIONS, EXPLORATIONS, SIZES, Work
from setset.errors import BadInput, NotStored
from setset.tasks.kinds import SEED_SOURCE_SIZE

COMPLETE = text("SELECT size FROM complete_sizes WHERE exploration_id = :id")


class OtherRule(BadInput):
    """A run and the exploration that it would continue differ in --prune."""

    def __init__(self, target: int, pruned: bool) -> None:
        begun, option = ("with", "add --prune") if pruned else ("without", "leave out --prune")
        # An earlier version pruned any target. Such explorations can be read, checked and repaired.
        option = option if target >= 19 or not pruned else "only read, check or repair it"
        super().__init__(
            f"target {target} was begun {begun} --prune in this workspace, and pruning keeps fewer lists: {option}, "
            f"name another workspace, or remove the target with 'setset rm --target {target}'"
        )


@dataclass(frozen=True)
class Step:
    """All expansions of one kind (to store or to count) from a source size to a larger size."""

    work: Work
    size: int
    source_size: int


@dataclass(frozen=True)
class Goal:
    """The sizes to store, in ascending order, and the larger size to count up to without files.

    The first stored size holds the seeds. Each further size is made from the stored size before it. Sizes above `via`
    are made from `via` instead, each in one walk that stores no size in between.
    """

    stored: tuple[int, ...]
    counted: int | None = None
    via: int = LARGEST
    counted_alone: tuple[int, ...] = ()
    """Sizes that are counted from `via`, each in one walk, without counting the sizes in between."""

    def steps(self, begun: Sequence[SizeRecord] = ()) -> tuple[Step, ...]:
        """Steps to the goal, smallest sizes first. A size that was begun keeps its source size."""
        source_sizes = {size.size: size.source_size for size in begun}
        sizes = pairwise((SEED_SOURCE_SIZE, *self.stored))
        storing = [Step(Work.STORE, size, source_sizes.get(size, min(source, self.via))) for source, size in sizes]
        counting = [Step(Work.COUNT, self.counted, self.stored[-1])] if self.counted else []
        counting += [Step(Work.COUNT, size, self.via) for size in self.counted_alone]
        return (*storing, *counting)


@dataclass(frozen=True)
class ExplorationKey:
    """An exploration in an open database: its target, and whether it is pruned."""

    database: Database
    id: int
    target: int
    pruned: bool = False

    @property
    def options(self) -> str:
        """Options of `setset run` that select this exploration."""
        return f"--target {self.target}" + (" --prune" if self.pruned else "")

    def at(self, size: int) -> SizeKey:
        """A size of this exploration, stored or not."""
        return SizeKey(self, size)

    def sizes(self) -> list[SizeRecord]:
        """Records of the stored sizes, complete or not, in ascending order."""
        mine = select(SIZES).where(SIZES.c.exploration_id == self.id).order_by(SIZES.c.size)
        return self.database.read(
            mine, lambda row: SizeRecord(self, row.size, row.batch_lists, row.source_size, row.numbered)
        )

    def complete_sizes(self) -> set[int]:
        """Stored sizes that are proven complete by the view `complete_sizes`, and SEED_SOURCE_SIZE."""
        return {SEED_SOURCE_SIZE, *self.database.read(COMPLETE.bindparams(id=self.id), lambda row: int(row.size))}

    def size(self, size: int) -> SizeRecord:
        """Record of a stored size, complete or not. Raises NotStored for any other size."""
        for record in self.sizes():
            if record.size == size:
                return record
        at_once = f" --store {size}" if size >= 12 and not self.pruned else ""  # without storing all smaller sizes
        command = f"setset run {size} {self.options}{at_once}"
        raise NotStored(f"size {size} is not stored for target {self.target}: run '{command}' first")

    def steps(self, largest: int = LARGEST, unfinished: bool = False) -> tuple[Step, ...]:
        """All steps planned so far, smallest sizes first. If `unfinished`, only the steps that have an expansion that
        was never done.

        Leaves out each step that stores a size above `largest` or counts from a size above `largest`.
        """
        kinds = EXPANSIONS.c.work, EXPANSIONS.c.size, EXPANSIONS.c.source_size
        mine = select(*kinds).distinct().where(EXPANSIONS.c.exploration_id == self.id)
        mine = mine.where(EXPANSIONS.c.lists_out.is_(None)) if unfinished else mine
        planned = set(self.database.read(mine, lambda row: Step(Work(row.work), row.size, row.source_size)))
        planned |= set() if unfinished else {size.step for size in self.sizes()}
        within = [step for step in planned if (step.source_size if step.work is Work.COUNT else step.size) <= largest]
        return tuple(sorted(within, key=lambda step: (step.size, step.source_size)))

    def is_counted(self, size: int) -> bool:
        """Whether all lists of a size are stored or counted."""
        query = text("SELECT 1 FROM counts WHERE target = :target AND size = :size AND complete")
        return bool(self.database.query(query.bindparams(target=self.target, size=size)))


@dataclass(frozen=True)
class SizeKey:
    """A size of an exploration in an open database, stored or not."""

    exploration: ExplorationKey
    size: int

    @property
    def database(self) -> Database:
        return self.exploration.database

    @property
    def batches_here(self) -> ColumnElement[bool]:
        """SQL condition that selects the batches of this size."""
        return and_(BATCHES.c.exploration_id == self.exploration.id, BATCHES.c.size == self.size)

    @property
    def row_here(self) -> ColumnElement[bool]:
        """SQL condition that selects the row of this size."""
        return and_(SIZES.c.exploration_id == self.exploration.id, SIZES.c.size == self.size)

    def is_complete(self) -> bool:
        """Whether all lists of the size are proven to be stored."""
        return self.size in self.exploration.complete_sizes()

    def __str__(self) -> str:
        return f"size {self.size}"


@dataclass(frozen=True)
class SizeRecord(SizeKey):
    """A stored size, complete or not: a row of the table `sizes`."""

    batch_lists: int
    """Maximum number of lists in a file."""
    source_size: int
    """Size of its source batches."""
    numbered: int
    """Number of sources, from source 0 on, whose batches have their numbers."""

    @property
    def step(self) -> Step:
        """Step that makes the files of this size."""
        return Step(Work.STORE, self.size, self.source_size)

    @property
    def source(self) -> SizeKey:
        """The source size in the same exploration."""
        return self.exploration.at(self.source_size)


def find(database: Database, target: int, verified: bool = False) -> ExplorationKey:
    """Returns the exploration of a target. Raises NotStored if there is none.

    Raises:
        BadDatabase: `verified` is true, and a row was changed by hand or rows contradict each other, so that the target
            may be wrong.
    """
    if verified:
        rows.require_unaltered(database, (EXPLORATIONS,))
    begun = {exploration.target: exploration for exploration in find_all(database)}
    if target in begun:
        return begun[target]
    known = f", only for target {' and '.join(map(str, begun))}" if begun else ""
    raise NotStored(f"nothing is known for target {target}{known}: run 'setset run 6 --target {target}' first")


def find_all(database: Database, target: int | None = None) -> list[ExplorationKey]:
    """All explorations, ordered by target, or the exploration of one target if it exists."""
    columns = EXPLORATIONS.c.id, EXPLORATIONS.c.target, EXPLORATIONS.c.pruned
    query = select(*columns).order_by(EXPLORATIONS.c.target)
    if target is not None:
        query = query.where(EXPLORATIONS.c.target == target)
    return database.read(query, lambda row: ExplorationKey(database, row.id, row.target, bool(row.pruned)))


def find_or_create(database: Database, target: int, pruned: bool = False) -> ExplorationKey:
    """Finds or creates the exploration of a target. Raises OtherRule if it was begun with the other pruning rule."""
    for exploration in find_all(database, target):
        if exploration.pruned != pruned and exploration.sizes():
            raise OtherRule(target, exploration.pruned)
        if exploration.pruned != pruned:
            with database.transaction():
                database.change(EXPLORATIONS, [EXPLORATIONS.c.id == exploration.id], {"pruned": pruned})
        return ExplorationKey(database, exploration.id, target, pruned)
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
    """Goal of the latest run: the sizes to store, and the largest size to count without files."""
    columns = select(EXPLORATIONS.c.goal_stored, EXPLORATIONS.c.goal_counted)
    row = exploration.database.query(columns.where(EXPLORATIONS.c.id == exploration.id))[0]
    return tuple(map(int, (row.goal_stored or "").split())), row.goal_counted


def set_numbered(at: SizeKey, numbered: int) -> None:
    """Records that the batches of the first `numbered` sources have their numbers."""
    at.database.change(SIZES, [at.row_here], {"numbered": numbered})


def set_checked(at: SizeKey, findings: int | None) -> None:
    """Records the time and the number of findings of a check. If `findings` is None, deletes both, because the files
    have changed since the check."""
    at.database.change(SIZES, [at.row_here], {"checked_at": None if findings is None else now(), "findings": findings})

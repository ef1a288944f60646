"""Explorations and their sizes: the tables `explorations` and `sizes`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import Connection, and_, delete, insert, select, text, update
from sqlalchemy.dialects.sqlite import insert as insert_new
from sqlalchemy.sql.elements import ColumnElement

from setset.cards import LARGEST
from setset.database.connection import Database, now
from setset.database.models import EXPANSIONS, EXPLORATIONS, SIZES, Work
from setset.errors import BadInput
from setset.tasks.kinds import SEED_SOURCE_SIZE


class OtherRule(BadInput):
    """An exploration was begun by the other rule than the one that is asked for."""

    def __init__(self, target: int, pruned: bool) -> None:
        begun, option = ("with", "add") if pruned else ("without", "leave out")
        super().__init__(
            f"target {target} was begun {begun} --prune in this workspace, which counts other lists: {option} --prune, "
            f"name another workspace, or remove what is there with 'setset rm --target {target}'"
        )


@dataclass(frozen=True)
class ExplorationKey:
    """What tells an exploration from others in this database, its target, and the rule by which lists are kept."""

    id: int
    target: int
    pruned: bool = False

    @property
    def options(self) -> str:
        """What names it in a command of `setset run`."""
        return f"--target {self.target}" + (" --prune" if self.pruned else "")


@dataclass(frozen=True)
class Step:
    """The expansions of one kind from one size to another."""

    work: Work
    size: int
    source_size: int


@dataclass(frozen=True)
class Goal:
    """The sizes that an exploration is to store, in order, and up to which size it is to count beyond them.

    Each stored size is made from the one before it in `stored`, in one walk; the first one from the seeds.
    """

    stored: tuple[int, ...]
    counted: int | None = None

    @property
    def size(self) -> int:
        return self.counted or self.stored[-1]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Steps to the goal, smallest sizes first."""
        storing = [
            Step(Work.STORE, size, source) for source, size in pairwise((SEED_SOURCE_SIZE, *self.stored))
        ]
        counting = [Step(Work.COUNT, self.counted, self.stored[-1])] if self.counted else []
        return (*storing, *counting)


@dataclass(frozen=True)
class SizeRecord:
    """A stored size of an exploration that was begun."""

    size: int
    batch_lists: int
    """The most lists in a file."""
    complete: bool
    source_size: int
    """The size whose batches its files are made from."""
    numbered: int
    """Batches from the sources below this one have their numbers."""

    @property
    def step(self) -> Step:
        """The expansions that make its files."""
        return Step(Work.STORE, self.size, self.source_size)


def find(database: Database, target: int) -> ExplorationKey:
    """The exploration of a target, which must be there."""
    for found in find_all(database):
        if found.target == target:
            return found
    raise BadInput(f"nothing is known for target {target}: run 'setset run --size 6 --target {target}' first")


def find_or_create(database: Database, target: int, pruned: bool = False) -> ExplorationKey:
    """The exploration of a target, new if it is not there; refuses one that was begun by the other rule."""
    known = next((each for each in find_all(database) if each.target == target), None)
    if known is not None and known.pruned != pruned and sizes(database, known):
        raise OtherRule(target, known.pruned)
    with database.transaction() as connection:
        if known is None:
            fresh = insert(EXPLORATIONS).values(target=target, pruned=pruned, created_at=now())
            number = int(connection.execute(fresh).inserted_primary_key[0])  # type: ignore[index]
        else:
            number = known.id
            if known.pruned != pruned:
                mine = update(EXPLORATIONS).where(EXPLORATIONS.c.id == number)
                connection.execute(mine.values(pruned=pruned))
    return ExplorationKey(number, target, pruned)


def find_all(database: Database) -> list[ExplorationKey]:
    """All explorations, by target."""
    columns = EXPLORATIONS.c.id, EXPLORATIONS.c.target, EXPLORATIONS.c.pruned
    rows = database.query(select(*columns).order_by(EXPLORATIONS.c.target))
    return [ExplorationKey(row.id, row.target, bool(row.pruned)) for row in rows]


def set_goal(database: Database, exploration: ExplorationKey, goal: Goal) -> None:
    """Records what an exploration is heading for."""
    stored = " ".join(map(str, goal.stored))
    with database.transaction() as connection:
        mine = update(EXPLORATIONS).where(EXPLORATIONS.c.id == exploration.id)
        connection.execute(mine.values(goal_size=goal.size, goal_stored=stored, goal_counted=goal.counted))


def sizes(database: Database, exploration: ExplorationKey) -> list[SizeRecord]:
    """The stored sizes that were begun, in order."""
    with database.transaction() as connection:
        return read_sizes(connection, exploration)


def recorded_steps(
    database: Database, exploration: ExplorationKey, largest: int = LARGEST
) -> tuple[Step, ...]:
    """All that was ever planned for an exploration, from sources and for files of up to `largest` cards."""
    kinds = EXPANSIONS.c.work, EXPANSIONS.c.size, EXPANSIONS.c.source_size
    found = select(*kinds).distinct().where(EXPANSIONS.c.exploration_id == exploration.id)
    steps = {Step(row.work, row.size, row.source_size) for row in database.query(found)}
    steps |= {size.step for size in sizes(database, exploration)}
    within = [
        each for each in steps if (each.source_size if each.work is Work.COUNT else each.size) <= largest
    ]
    return tuple(sorted(within, key=lambda each: (each.size, each.source_size)))


def unfinished_steps(database: Database, exploration: ExplorationKey) -> frozenset[Step]:
    """The steps of which something was never done."""
    kinds = EXPANSIONS.c.work, EXPANSIONS.c.size, EXPANSIONS.c.source_size
    never = EXPANSIONS.c.exploration_id == exploration.id, EXPANSIONS.c.lists_out.is_(None)
    rows = database.query(select(*kinds).distinct().where(*never))
    return frozenset(Step(row.work, row.size, row.source_size) for row in rows)


def get_size(database: Database, exploration: ExplorationKey, size: int) -> SizeRecord:
    """A size that was begun."""
    for each in sizes(database, exploration):
        if each.size == size:
            return each
    raise BadInput(
        f"size {size} is not stored for target {exploration.target}: "
        f"run 'setset run --size {size} {exploration.options}' first"
    )


def is_complete(database: Database, exploration: ExplorationKey, size: int) -> bool:
    """Whether all lists of a size are stored."""
    return any(each.size == size and each.complete for each in sizes(database, exploration))


def is_counted(database: Database, exploration: ExplorationKey, size: int) -> bool:
    """Whether all lists of a size are counted, stored or not."""
    found = text("SELECT 1 FROM counts WHERE target = :target AND size = :size AND complete")
    return bool(database.query(found.bindparams(target=exploration.target, size=size)))


# For the modules of this package


def read_sizes(connection: Connection, exploration: ExplorationKey) -> list[SizeRecord]:
    """The stored sizes that were begun, in order."""
    mine = select(SIZES).where(SIZES.c.exploration_id == exploration.id).order_by(SIZES.c.size)
    return [
        SizeRecord(row.size, row.batch_lists, bool(row.complete), row.source_size, row.numbered)
        for row in connection.execute(mine)
    ]


def begin_size(connection: Connection, exploration: ExplorationKey, step: Step, batch_lists: int) -> None:
    """Fixes, once, how many lists the files of a size may hold, and from which size they are made."""
    connection.execute(
        insert_new(SIZES)
        .values(
            exploration_id=exploration.id,
            size=step.size,
            batch_lists=batch_lists,
            source_size=step.source_size,
        )
        .on_conflict_do_nothing()
    )


def remove(connection: Connection, exploration: ExplorationKey) -> None:
    """Removes an exploration of which nothing is left."""
    connection.execute(delete(EXPLORATIONS).where(EXPLORATIONS.c.id == exploration.id))


def at_step(exploration: ExplorationKey, step: Step) -> ColumnElement[bool]:
    """The expansions of a step, as a condition."""
    return and_(
        EXPANSIONS.c.exploration_id == exploration.id,
        EXPANSIONS.c.work == step.work,
        EXPANSIONS.c.size == step.size,
        EXPANSIONS.c.source_size == step.source_size,
    )


def at_size(exploration: ExplorationKey, size: int) -> ColumnElement[bool]:
    """The row of a size, as a condition."""
    return and_(SIZES.c.exploration_id == exploration.id, SIZES.c.size == size)

"""Expansions: plan them, claim them, record what came of them. The tables `expansions` and `tallies`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, func, insert, select, update

from setset.batches.records import BatchFile
from setset.database import batches, numbering
from setset.database.connection import Database, now
from setset.database.explorations import ExplorationKey
from setset.database.models import BATCHES, EXPANSIONS, RUNS, TALLIES, State, Work
from setset.database.stages import Stage, storing
from setset.errors import SetsetError
from setset.tasks.kinds import SEED_SOURCE_SIZE, CountTask, Destination, ExpandTask, Source, TaskResult


@dataclass(frozen=True)
class Claim:
    """What a run is working on: the expansions of one stage, from source `first` on, and where files go."""

    run_id: int
    stage: Stage
    root_id: int
    destination: Destination
    batch_lists: int
    first: int = 0

    @property
    def root(self) -> Path:
        return Path(self.destination.root)

    def task(self, source: Source | None) -> ExpandTask | CountTask:
        target, pruned = self.stage.exploration.target, self.stage.exploration.pruned
        size = self.stage.size
        if self.stage.work is Work.STORE:
            return ExpandTask(target, size, self.batch_lists, source, self.destination, pruned=pruned)
        if source is None:
            raise SetsetError("the seeds are stored, not counted")
        return CountTask(target, size, source, pruned)


@dataclass(frozen=True)
class ClaimedExpansion:
    """An expansion that was handed to this run, and the task that does it."""

    expansion_id: int
    lists_in: int
    attempts: int
    task: ExpandTask | CountTask

    def tried_again(self) -> ClaimedExpansion:
        return replace(self, attempts=self.attempts + 1)

    def __str__(self) -> str:
        source = self.task.source
        if source is None:
            return "the seeds"
        return f"the expansion of batch {source.number} of size {source.size}"


@dataclass(frozen=True)
class Unfinished:
    """An expansion that goes back: to be tried again, or given up."""

    expansion: ClaimedExpansion
    state: State
    error: str


def take_back(database: Database, stage: Stage) -> None:
    """Plans again what a dead run left running, and what an earlier one gave up."""
    with database.transaction() as connection:
        abandoned = update(EXPANSIONS).where(stage.condition, EXPANSIONS.c.state == State.RUNNING)
        connection.execute(abandoned.values(state=State.PLANNED))
        given_up = update(EXPANSIONS).where(stage.condition, EXPANSIONS.c.state == State.FAILED)
        connection.execute(given_up.values(state=State.PLANNED, attempts=0))


def plan(database: Database, stage: Stage) -> None:
    """Makes a row for each source batch that has its number and no row yet."""
    with database.transaction() as connection:
        mine = stage.condition
        row = {
            "exploration_id": stage.exploration.id,
            "work": stage.work,
            "size": stage.size,
            "source_size": stage.source_size,
            "state": State.PLANNED,
            "attempts": 0,
        }
        if stage.source_size == SEED_SOURCE_SIZE:
            if connection.scalar(select(EXPANSIONS.c.id).where(mine)) is None:
                connection.execute(insert(EXPANSIONS).values(**row, source=0, lists_in=0))
            return
        at_source = batches.at_size(stage.exploration, stage.source_size)
        # What is known from files alone does not say how many lists the source has.
        lists = select(BATCHES.c.lists).where(at_source, BATCHES.c.number == EXPANSIONS.c.source)
        connection.execute(
            update(EXPANSIONS)
            .where(mine, EXPANSIONS.c.lists_in == 0)
            .values(lists_in=func.coalesce(lists.scalar_subquery(), 0))
        )
        known = select(EXPANSIONS.c.source).where(mine)
        sources = select(BATCHES.c.number, BATCHES.c.lists).where(
            at_source, BATCHES.c.number.is_not(None), BATCHES.c.number.not_in(known)
        )
        fresh = [
            {**row, "source": each.number, "lists_in": each.lists} for each in connection.execute(sources)
        ]
        if fresh:
            connection.execute(insert(EXPANSIONS), fresh)
        elif stage.work is Work.STORE:
            # Nothing may be left to do but to note that, if the last run was stopped or its note was damaged.
            numbering.number_batches(connection, stage.exploration, stage.size)


def remaining(database: Database, stage: Stage, first: int = 0) -> tuple[int, int]:
    """How many expansions from source `first` on are not done, and how many lists their sources hold."""
    undone = select(func.count(), func.coalesce(func.sum(EXPANSIONS.c.lists_in), 0)).where(
        stage.condition, EXPANSIONS.c.state != State.DONE, EXPANSIONS.c.source >= first
    )
    ((count, lists),) = [tuple(row) for row in database.query(undone)]
    return count, lists


def record_and_claim(
    database: Database,
    claim: Claim,
    finished: Sequence[tuple[ClaimedExpansion, TaskResult]],
    unfinished: Sequence[Unfinished],
    want: int,
) -> list[ClaimedExpansion]:
    """Records, in one transaction, what was finished and what was not, and claims up to `want` expansions."""
    with database.transaction() as connection:
        for expansion, result in finished:
            _record(connection, claim, expansion, result)
        for each in unfinished:
            back = update(EXPANSIONS).where(EXPANSIONS.c.id == each.expansion.expansion_id)
            connection.execute(
                back.values(state=each.state, attempts=each.expansion.attempts, error=each.error)
            )
        if finished and claim.stage.work is Work.STORE:
            numbering.number_batches(connection, claim.stage.exploration, claim.stage.size)
        return _claim(database, connection, claim, want) if want else []


def _claim(database: Database, connection: Connection, claim: Claim, want: int) -> list[ClaimedExpansion]:
    stage = claim.stage
    due = (
        select(EXPANSIONS.c.id, EXPANSIONS.c.lists_in, EXPANSIONS.c.attempts, EXPANSIONS.c.source)
        .where(stage.condition, EXPANSIONS.c.state == State.PLANNED, EXPANSIONS.c.source >= claim.first)
        .order_by(EXPANSIONS.c.source)
        .limit(want)
    )
    claimed = []
    for row in connection.execute(due).all():
        source = None
        if stage.source_size != SEED_SOURCE_SIZE:
            batch = batches.get_source(connection, stage.exploration, stage.source_size, row.source)
            source = batches.source_of(database, batch)
        mine = update(EXPANSIONS).where(EXPANSIONS.c.id == row.id)
        connection.execute(mine.values(state=State.RUNNING, run_id=claim.run_id))
        claimed.append(ClaimedExpansion(row.id, row.lists_in, row.attempts, claim.task(source)))
    return claimed


def _record(connection: Connection, claim: Claim, expansion: ClaimedExpansion, result: TaskResult) -> None:
    stored = claim.stage.work is Work.STORE
    lists = result.lists if stored else dict(result.counts).get(claim.stage.size, 0)
    connection.execute(
        update(EXPANSIONS)
        .where(EXPANSIONS.c.id == expansion.expansion_id)
        .values(
            state=State.DONE,
            attempts=expansion.attempts + 1,
            lists_out=lists,
            batches_out=len(result.batches) if stored else None,
            bytes_out=result.bytes if stored else None,
            host=result.host,
            pid=result.pid,
            started_at=result.started_at,
            seconds=result.seconds,
            finished_at=now(),
            error=None,
        )
    )
    if result.batches:
        # In one statement: with many small batches this is what the coordinator does most.
        _insert_batches(connection, claim.stage.exploration, claim.stage.size, claim.root_id, result.batches)
    for size, found in result.counts:
        tally = insert(TALLIES).values(expansion_id=expansion.expansion_id, size=size, lists=found)
        connection.execute(tally)
    connection.execute(
        update(RUNS)
        .where(RUNS.c.id == claim.run_id)
        .values(
            batches_added=RUNS.c.batches_added + len(result.batches),
            lists_added=RUNS.c.lists_added + (lists if stored else 0),
            lists_counted=RUNS.c.lists_counted + (0 if stored else lists),
            bytes_added=RUNS.c.bytes_added + result.bytes,
        )
    )


def _insert_batches(
    connection: Connection, exploration: ExplorationKey, size: int, root_id: int, files: Sequence[BatchFile]
) -> None:
    rows = [batches.batch_columns(exploration, size, root_id, batch) for batch in files]
    connection.execute(insert(BATCHES), rows)


def record_again(
    database: Database, exploration: ExplorationKey, size: int, source: int, root_id: int, result: TaskResult
) -> None:
    """Records the outcome of an expansion that was forgotten and done again. `renumber` comes after the last."""
    with database.transaction() as connection:
        if result.batches:
            _insert_batches(connection, exploration, size, root_id, result.batches)
        at_source = and_(batches.at_size(exploration, size - 1), BATCHES.c.number == source)
        source_lists = connection.scalar(select(BATCHES.c.lists).where(at_source)) or 0
        made = {
            "state": State.DONE,
            "lists_in": source_lists,
            "lists_out": result.lists,
            "batches_out": len(result.batches),
            "bytes_out": result.bytes,
            "host": result.host,
            "pid": result.pid,
            "started_at": result.started_at,
            "seconds": result.seconds,
            "finished_at": now(),
        }
        done = update(EXPANSIONS).where(storing(exploration, size).condition, EXPANSIONS.c.source == source)
        if not connection.execute(done.values(**made)).rowcount:
            key = {
                "exploration_id": exploration.id,
                "work": Work.STORE,
                "size": size,
                "source_size": size - 1,
            }
            connection.execute(insert(EXPANSIONS).values(**key, source=source, attempts=1, **made))
    database.repaired.append(
        f"the expansion of batch {source} of size {size - 1} for target {exploration.target}"
    )


@dataclass(frozen=True)
class FinishedExpansion:
    """An expansion as it is recorded: how many lists it read and its source has, and what it made."""

    source: int
    lists_in: int
    source_lists: int | None
    batches_out: int
    lists_out: int


def finished(database: Database, exploration: ExplorationKey, size: int) -> list[FinishedExpansion]:
    """The finished expansions that made the files of a size."""
    batch = BATCHES.alias()
    at_source = and_(
        batch.c.exploration_id == exploration.id,
        batch.c.size == size - 1,
        batch.c.number == EXPANSIONS.c.source,
    )
    rows = database.query(
        select(
            EXPANSIONS.c.source,
            EXPANSIONS.c.lists_in,
            batch.c.lists,
            EXPANSIONS.c.batches_out,
            EXPANSIONS.c.lists_out,
        )
        .outerjoin(batch, at_source)
        .where(storing(exploration, size).condition, EXPANSIONS.c.state == State.DONE)
        .order_by(EXPANSIONS.c.source)
    )
    return [FinishedExpansion(*tuple(row)) for row in rows]


def was_expanded(database: Database, exploration: ExplorationKey, source_size: int) -> bool:
    """Whether anything was derived from the batches of a size."""
    used = and_(
        EXPANSIONS.c.exploration_id == exploration.id,
        EXPANSIONS.c.source_size == source_size,
        EXPANSIONS.c.state == State.DONE,
    )
    return bool(database.query(select(EXPANSIONS.c.id).where(used).limit(1)))


def count_done(
    database: Database, exploration: ExplorationKey, size: int, sources: tuple[int, int] | None = None
) -> int:
    """How many of the expansions to a size are done, of all sources or of sources first to last."""
    done = [storing(exploration, size).condition, EXPANSIONS.c.state == State.DONE]
    if sources is not None:
        done.append(EXPANSIONS.c.source.between(*sources))
    return int(database.query(select(func.count()).select_from(EXPANSIONS).where(*done))[0][0])


def lists_made(database: Database, exploration: ExplorationKey, size: int) -> int:
    """How many lists of a size the expansions made."""
    made = select(func.coalesce(func.sum(EXPANSIONS.c.lists_out), 0))
    return int(database.query(made.where(storing(exploration, size).condition))[0][0])


@dataclass(frozen=True)
class KnownExpansion:
    """An expansion that is known from the files alone. If `batches` is None, it is still to be done."""

    source: int
    lists_in: int
    batches: tuple[BatchFile, ...] | None


def adopt(
    database: Database,
    exploration: ExplorationKey,
    size: int,
    found: Sequence[tuple[int, BatchFile]],
    known: Sequence[KnownExpansion],
) -> None:
    """Records batches, each with its storage root, and expansions that are known from the files alone."""
    row: dict[str, Any] = {
        "exploration_id": exploration.id,
        "work": Work.STORE,
        "size": size,
        "source_size": size - 1,
        "attempts": 1,
    }
    with database.transaction() as connection:
        if found:
            rows = [batches.batch_columns(exploration, size, root_id, batch) for root_id, batch in found]
            connection.execute(insert(BATCHES), rows)
        expansions = [{**row, **_known_columns(each)} for each in known]
        if expansions:
            connection.execute(insert(EXPANSIONS), expansions)
        numbering.number_batches(connection, exploration, size)


def _known_columns(known: KnownExpansion) -> dict[str, Any]:
    made = known.batches or ()
    done = known.batches is not None
    return {
        "source": known.source,
        "lists_in": known.lists_in,
        "state": State.DONE if done else State.PLANNED,
        "lists_out": sum(batch.lists for batch in made) if done else None,
        "batches_out": len(made) if done else None,
        "bytes_out": sum(batch.bytes for batch in made) if done else None,
        "finished_at": now() if done else None,
    }

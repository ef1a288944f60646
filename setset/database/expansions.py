"""Expansions: the queue. A row of the table `expansions` for each piece of work, with its counts in `tallies`.

Each change of state is one function here:

    plan       a source batch has its number: a row, planned
    claim      planned -> running, handed to a worker
    finish     running -> done, with the batches or counts that came of it
    release    running -> planned, to be tried again
    fail       running -> failed, given up until the next run
    forget     done -> planned, since what it made is missing, damaged or not proven

An expansion is pure, so whatever is in doubt can be forgotten and done again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, exists, func, insert, or_, select, update
from sqlalchemy.sql.elements import ColumnElement

from setset.batches.records import NO_SOURCE, BatchFile
from setset.cards import LARGEST
from setset.database import batches, evidence, explorations, numbering
from setset.database.batches import StoredBatch
from setset.database.connection import Database, now
from setset.database.evidence import CountedExpansion
from setset.database.explorations import ExplorationKey, SizeRecord, Step
from setset.database.models import BATCHES, EXPANSIONS, RUNS, TALLIES, State, Work
from setset.database.numbering import NumberedBatch
from setset.tasks.kinds import SEED_SOURCE_SIZE, CountTask, Destination, ExpandTask, TaskResult


@dataclass(frozen=True)
class Job:
    """Steps that a run wants to do for an exploration, and the storage root of new files."""

    run_id: int
    exploration: ExplorationKey
    steps: tuple[Step, ...]
    """Smallest sizes first."""
    root_id: int
    destinations: Mapping[int, Destination]
    """Storage roots by their numbers."""
    batch_lists: int
    """For sizes that are begun now."""
    first: int = 0
    """Leave out earlier sources of the last step."""
    only_forgotten: frozenset[Step] = frozenset()
    """Steps of which to leave out what was never done: for repair."""

    @property
    def largest_stored(self) -> int:
        return max((step.size for step in self.steps if step.work is Work.STORE), default=0)


@dataclass(frozen=True)
class ClaimedExpansion:
    """An expansion that was handed to this run, and the task that does it."""

    expansion_id: int
    lists_in: int
    attempts: int
    task: ExpandTask | CountTask
    root_id: int
    """The storage root that its files go to."""
    was_done: bool
    """It was done before, and forgotten."""

    def tried_again(self) -> ClaimedExpansion:
        return replace(self, attempts=self.attempts + 1)

    def __str__(self) -> str:
        source = self.task.source
        return "the seeds" if source is None else _name(source.size, source.number)


def _name(source_size: int, source: int) -> str:
    return f"the expansion of batch {source} of size {source_size}"


@dataclass(frozen=True)
class Unfinished:
    """An expansion that goes back, to be tried again; or is given up."""

    expansion: ClaimedExpansion
    error: str = ""
    given_up: bool = False


# The verbs


def plan(database: Database, job: Job) -> None:
    """Plans every row that is missing, smallest sizes first, and takes back what a dead run left running and what an
    earlier one gave up."""
    with database.transaction() as connection:
        mine = EXPANSIONS.c.exploration_id == job.exploration.id
        no_outcome = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.batches_out.is_(None))
        abandoned = or_(
            EXPANSIONS.c.state == State.RUNNING, and_(mine, no_outcome, EXPANSIONS.c.state == State.DONE)
        )
        connection.execute(update(EXPANSIONS).where(abandoned).values(state=State.PLANNED))
        given_up = update(EXPANSIONS).where(mine, EXPANSIONS.c.state == State.FAILED)
        connection.execute(given_up.values(state=State.PLANNED, attempts=0))
        for step in job.steps:
            sources = numbering.read_numbered(connection, job.exploration, step.source_size)
            if step.work is Work.STORE and sources:
                explorations.begin_size(connection, job.exploration, step, job.batch_lists)
            _delete_unknown(connection, job, step, len(sources))
            _plan_rows(connection, job, step, sources)
            if step.work is Work.STORE:
                _number_and_plan(connection, job, step.size)


def _delete_unknown(connection: Connection, job: Job, step: Step, sources: int) -> None:
    """Deletes rows that were planned for sources that there are not, once all sources are known."""
    complete = {each.size for each in explorations.read_sizes(connection, job.exploration) if each.complete}
    if step.source_size in {SEED_SOURCE_SIZE, *complete}:
        beyond = EXPANSIONS.c.source >= sources, EXPANSIONS.c.lists_out.is_(None)
        gone = select(EXPANSIONS.c.id).where(explorations.at_step(job.exploration, step), *beyond)
        _delete(connection, list(connection.scalars(gone)))


def _plan_rows(connection: Connection, job: Job, step: Step, sources: Sequence[NumberedBatch]) -> None:
    """Plans the expansions of batches that have their numbers, unless they are planned already.

    An expansion that is done and was made from another batch of that number is forgotten.
    """
    if not sources:
        return
    near = EXPANSIONS.c.source.between(sources[0].number, sources[-1].number)
    columns = EXPANSIONS.c.id, EXPANSIONS.c.source, EXPANSIONS.c.source_digest, EXPANSIONS.c.lists_out
    known = select(*columns).where(explorations.at_step(job.exploration, step), near)
    rows = {row.source: row for row in connection.execute(known)}
    digests = {each.number: each.digest for each in sources}
    stale = {
        row.source
        for row in rows.values()
        if row.lists_out is not None and row.source_digest not in (None, digests.get(row.source))
    }
    fresh = [
        _row(job.exploration, step, each.number, each.lists) for each in sources if each.number not in rows
    ]
    if fresh:
        connection.execute(insert(EXPANSIONS), fresh)
    if step.work is Work.COUNT:
        _plan_again(connection, [rows[source].id for source in stale])
        return
    if stale:
        _forget_outcomes(connection, job.exploration, step, stale)
    elif fresh:
        explorations.begin_size(connection, job.exploration, step, job.batch_lists)
        sizes = {each.size: each for each in explorations.read_sizes(connection, job.exploration)}
        if fresh[0]["source"] >= sizes[step.size].numbered:
            return
        # A row had vanished: the batches that come of it now belong before others.
        numbering.reset_numbers(connection, job.exploration, step.size)
    if stale or fresh:
        _number_and_plan(connection, job, step.size)


def _number_and_plan(connection: Connection, job: Job, size: int) -> None:
    """Gives numbers to the batches of a size, and plans the expansions that the job asks for."""
    numbered = numbering.number_batches(connection, job.exploration, size)
    for step in job.steps:
        if step.source_size == size:
            _plan_rows(connection, job, step, numbered)


def _plan_again(connection: Connection, ids: Sequence[int]) -> None:
    rows = [{"row": each} for each in ids]
    if rows:
        mine = update(EXPANSIONS).where(EXPANSIONS.c.id == bindparam("row"))
        connection.execute(mine.values(state=State.PLANNED, attempts=0, source_digest=None), rows)


def _row(exploration: ExplorationKey, step: Step, source: int, lists_in: int) -> dict[str, Any]:
    return {
        "exploration_id": exploration.id,
        "work": step.work,
        "size": step.size,
        "source_size": step.source_size,
        "source": source,
        "state": State.PLANNED,
        "attempts": 0,
        "lists_in": lists_in,
    }


def record_and_claim(
    database: Database,
    job: Job,
    finished: Sequence[tuple[ClaimedExpansion, TaskResult]],
    unfinished: Sequence[Unfinished],
    want: int,
) -> list[ClaimedExpansion]:
    """Records, in one transaction, what came back, and claims up to `want` expansions.

    Batches that get their numbers get, in the same transaction, the expansions that the job asks for.
    """
    with database.transaction() as connection:
        for expansion, result in finished:
            finish(database, connection, job, expansion, result)
        for size in {each.task.size for each, result in finished if isinstance(each.task, ExpandTask)}:
            _number_and_plan(connection, job, size)
        for each in unfinished:
            (fail if each.given_up else release)(connection, each)
        return claim(database, connection, job, want) if want else []


def claim(database: Database, connection: Connection, job: Job, want: int) -> list[ClaimedExpansion]:
    """Claims the first expansions that are due and whose sources are there, smallest sizes first."""
    sizes = {size.size: size for size in explorations.read_sizes(connection, job.exploration)}
    claimed: list[ClaimedExpansion] = []
    for step in job.steps:
        due = select(EXPANSIONS).where(_claimable(job, step)).order_by(EXPANSIONS.c.source)
        for row in connection.execute(due.limit(want - len(claimed))).all():
            mine = update(EXPANSIONS).where(EXPANSIONS.c.id == row.id)
            connection.execute(mine.values(state=State.RUNNING, run_id=job.run_id))
            claimed.append(_claimed(database, connection, job, sizes.get(step.size), row))
        if len(claimed) == want:
            break
    return claimed


def _claimed(
    database: Database, connection: Connection, job: Job, size: SizeRecord | None, row: Any
) -> ClaimedExpansion:
    """The task of a row. One that was done before says what is recorded of it, and goes to the same storage root."""
    source, root_id, lists_in = None, job.root_id, 0
    target, pruned = job.exploration.target, job.exploration.pruned
    if row.source_size != SEED_SOURCE_SIZE:
        batch = batches.get_source(connection, job.exploration, row.source_size, row.source)
        source, lists_in = batches.source_of(database, batch), batch.lists
    task: ExpandTask | CountTask
    was_done = row.lists_out is not None
    if size is None or row.work is Work.COUNT:
        assert source is not None, "the seeds are stored, not counted"
        task = CountTask(target, row.size, source, pruned)
    else:
        recorded = batches.of_source(connection, job.exploration, row.size, row.source) if was_done else []
        root_id = min(recorded, key=lambda batch: batch.defect is None).root_id if recorded else root_id
        to = job.destinations[root_id]
        files = tuple(batch.file for batch in recorded)
        task = ExpandTask(target, row.size, size.batch_lists, source, to, files, not was_done, pruned)
    return ClaimedExpansion(row.id, lists_in, row.attempts, task, root_id, was_done)


def finish(
    database: Database, connection: Connection, job: Job, expansion: ClaimedExpansion, result: TaskResult
) -> None:
    """Records that an expansion is done, and its batches or counts."""
    task, stored = expansion.task, isinstance(expansion.task, ExpandTask)
    lists = result.lists if stored else dict(result.counts).get(task.size, 0)
    row = update(EXPANSIONS).where(EXPANSIONS.c.id == expansion.expansion_id)
    connection.execute(
        row.values(
            state=State.DONE,
            attempts=expansion.attempts + 1,
            lists_in=expansion.lists_in,
            lists_out=lists,
            batches_out=len(result.batches) if stored else None,
            bytes_out=result.bytes if stored else None,
            source_digest=NO_SOURCE if task.source is None else task.source.digest,
            host=result.host,
            pid=result.pid,
            started_at=result.started_at,
            seconds=result.seconds,
            finished_at=now(),
            error=None,
        )
    )
    if result.counts:
        connection.execute(delete(TALLIES).where(TALLIES.c.expansion_id == expansion.expansion_id))
    for size, found in result.counts:
        tally = {"expansion_id": expansion.expansion_id, "size": size, "lists": found}
        connection.execute(insert(TALLIES).values(**tally))
    fresh = result.batches
    if isinstance(task, ExpandTask):
        known = batches.of_source(connection, job.exploration, task.size, task.source_number)
        if known:
            root_id = expansion.root_id
            fresh = batches.update_rows(connection, job.exploration, root_id, known, result.batches)
        remade = [f"{batch.path} ({batch.defect})" for batch in known if batch.defect]
        if expansion.was_done and not known:
            remade = [f"{expansion} for target {task.target}"]
        database.repaired += remade
    if fresh:
        files = [(expansion.root_id, each) for each in fresh]
        batches.insert_rows(connection, job.exploration, task.size, files)
    added = {
        "batches_added": len(fresh),
        "lists_added": sum(each.lists for each in fresh),
        "lists_counted": 0 if stored else lists,
        "bytes_added": sum(each.bytes for each in fresh),
    }
    run = update(RUNS).where(RUNS.c.id == job.run_id)
    connection.execute(run.values({name: RUNS.c[name] + number for name, number in added.items()}))


def release(connection: Connection, unfinished: Unfinished) -> None:
    """Plans an expansion again that a run has claimed and not finished."""
    _put_back(connection, unfinished, State.PLANNED)


def fail(connection: Connection, unfinished: Unfinished) -> None:
    """Gives an expansion up until the next run."""
    _put_back(connection, unfinished, State.FAILED)


def _put_back(connection: Connection, unfinished: Unfinished, state: State) -> None:
    expansion = unfinished.expansion
    row = update(EXPANSIONS).where(EXPANSIONS.c.id == expansion.expansion_id)
    connection.execute(row.values(state=state, attempts=expansion.attempts, error=unfinished.error))


def forget_files(
    database: Database, exploration: ExplorationKey, size: SizeRecord, defects: Mapping[StoredBatch, str]
) -> None:
    """Plans the expansions again whose files are damaged or missing.

    Their batches stay recorded, with their numbers, until the files are made again: with the same lists, in the same
    storage root. Where a source has parts in a merged file, everything that is in that file is forgotten.
    """
    in_merged = batches.merged_sources(database, exploration, size.size)
    gone = {batch.span.first_source for batch in defects} & in_merged
    if gone:
        gone = forget(database, exploration, size, gone)
    alone = {batch: defect for batch, defect in defects.items() if batch.span.first_source not in gone}
    with database.transaction() as connection:
        for batch, defect in alone.items():
            connection.execute(update(BATCHES).where(BATCHES.c.id == batch.id).values(defect=defect))
            at = and_(
                explorations.at_step(exploration, size.step), EXPANSIONS.c.source == batch.span.first_source
            )
            connection.execute(update(EXPANSIONS).where(at).values(state=State.PLANNED, attempts=0))


def forget(database: Database, exploration: ExplorationKey, size: SizeRecord, sources: set[int]) -> set[int]:
    """Forgets what is recorded of the expansions of these sources, and of those that share a batch with them.

    They are planned again, except for sources that are not there any more. Returns all that were forgotten.
    """
    known = evidence.sources_of_size(database, exploration, size.source_size)
    all_known = evidence.has_all_batches(database, exploration, size.source_size)
    step = size.step
    with database.transaction() as connection:
        whole = _forget_outcomes(connection, exploration, step, sources)
        rows = connection.execute(
            select(EXPANSIONS.c.id, EXPANSIONS.c.source).where(explorations.at_step(exploration, step))
        ).all()
        _delete(connection, [row.id for row in rows if row.source not in known and all_known])
        new = (whole & known.keys()) - {row.source for row in rows}
        if new:
            fresh = [
                {**_row(exploration, step, source, known[source].lists), "lists_out": 0} for source in new
            ]
            connection.execute(insert(EXPANSIONS), fresh)
        numbering.number_batches(connection, exploration, size.size)
    return whole


def _forget_outcomes(
    connection: Connection, exploration: ExplorationKey, step: Step, sources: set[int]
) -> set[int]:
    """Removes the batches of these sources, and of those that share a batch with them, and plans all of them again.

    The size has no numbers then. Returns all sources that were forgotten.
    """
    columns = BATCHES.c.id, BATCHES.c.first_source, BATCHES.c.last_source
    by_place = (
        select(*columns).where(batches.at_size(exploration, step.size)).order_by(BATCHES.c.first_source)
    )
    found = connection.execute(by_place).all()
    whole, gone = set(sources), set[int]()
    # Forwards, then backwards: a merged batch pulls in the sources on both sides of it.
    for row in (*found, *reversed(found)):
        touched = range(row.first_source, min(row.last_source, row.first_source + batches.MOST_MERGED) + 1)
        if not whole.isdisjoint(touched):
            whole.update(touched)
            gone.add(row.id)
    batches.delete_rows(connection, gone)
    nothing = {
        "batches_out": None,
        "bytes_out": None,
        "lists_out": func.coalesce(EXPANSIONS.c.lists_out, 0),
        "source_digest": None,
    }
    known = select(EXPANSIONS.c.id, EXPANSIONS.c.source).where(explorations.at_step(exploration, step))
    rows = [{"row": row.id} for row in connection.execute(known).all() if row.source in whole]
    if rows:
        mine = update(EXPANSIONS).where(EXPANSIONS.c.id == bindparam("row"))
        connection.execute(mine.values(state=State.PLANNED, attempts=0, **nothing), rows)
    numbering.reset_numbers(connection, exploration, step.size)
    return whole


def forget_counts(database: Database, counted: Sequence[CountedExpansion]) -> None:
    """Plans counts again that were made from other batches than those of now."""
    with database.transaction() as connection:
        _plan_again(connection, [each.id for each in counted])


def remove(
    connection: Connection, exploration: ExplorationKey, expanded_from: int, stored_from: int = LARGEST + 1
) -> None:
    """Removes the expansions of batches of `expanded_from` cards and more, and those that make files of
    `stored_from` cards and more."""
    stored = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.size >= stored_from)
    derived = stored | (EXPANSIONS.c.source_size >= expanded_from)
    mine = select(EXPANSIONS.c.id).where(EXPANSIONS.c.exploration_id == exploration.id, derived)
    _delete(connection, list(connection.scalars(mine)))


def _delete(connection: Connection, ids: Sequence[int]) -> None:
    rows = [{"row": each} for each in ids]
    if rows:
        connection.execute(delete(TALLIES).where(TALLIES.c.expansion_id == bindparam("row")), rows)
        connection.execute(delete(EXPANSIONS).where(EXPANSIONS.c.id == bindparam("row")), rows)


@dataclass(frozen=True)
class KnownExpansion:
    """An expansion that is known from the files alone. If `batches` is None, it is still to be done."""

    source: int
    lists_in: int
    source_digest: str
    batches: tuple[BatchFile, ...] | None


def adopt(
    database: Database,
    exploration: ExplorationKey,
    step: Step,
    batch_lists: int,
    found: Sequence[tuple[int, BatchFile]],
    known: Sequence[KnownExpansion],
) -> None:
    """Records batches, each with its storage root, and expansions that are known from the files alone."""
    with database.transaction() as connection:
        explorations.begin_size(connection, exploration, step, batch_lists)
        if found:
            batches.insert_rows(connection, exploration, step.size, found)
        rows = [{**_row(exploration, step, each.source, each.lists_in), **_outcome(each)} for each in known]
        if rows:
            connection.execute(insert(EXPANSIONS), rows)
        numbering.number_batches(connection, exploration, step.size)


def _outcome(known: KnownExpansion) -> dict[str, Any]:
    made = known.batches or ()
    done = known.batches is not None
    return {
        "attempts": 1,
        "state": State.DONE if done else State.PLANNED,
        "lists_out": sum(batch.lists for batch in made) if done else None,
        "batches_out": len(made) if done else None,
        "bytes_out": sum(batch.bytes for batch in made) if done else None,
        "source_digest": known.source_digest if done else None,
        "finished_at": now() if done else None,
    }


# Questions


@dataclass(frozen=True)
class Remaining:
    """Expansions of a step that are not done, and how many lists their sources hold."""

    step: Step
    tasks: int
    lists_in: int


def remaining(database: Database, job: Job) -> list[Remaining]:
    """Steps with expansions that are not done, smallest sizes first, as far as they are planned yet."""
    sums = func.count(), func.coalesce(func.sum(EXPANSIONS.c.lists_in), 0)
    found = []
    for step in job.steps:
        undone = select(*sums).where(_due(job, step), EXPANSIONS.c.state != State.DONE)
        ((tasks, lists_in),) = [tuple(row) for row in database.query(undone)]
        if tasks:
            found.append(Remaining(step, tasks, lists_in))
    return found


def any_claimable(database: Database, job: Job) -> bool:
    """Whether there is something to do whose source is there."""
    return any(
        database.query(select(EXPANSIONS.c.id).where(_claimable(job, step)).limit(1)) for step in job.steps
    )


def _claimable(job: Job, step: Step) -> ColumnElement[bool]:
    due = and_(_due(job, step), EXPANSIONS.c.state == State.PLANNED)
    if step.source_size == SEED_SOURCE_SIZE:
        return due
    source = and_(
        batches.at_size(job.exploration, step.source_size),
        BATCHES.c.number == EXPANSIONS.c.source,
        BATCHES.c.defect.is_(None),
    )
    return and_(due, exists().where(source))


def _due(job: Job, step: Step) -> ColumnElement[bool]:
    due, was_done = explorations.at_step(job.exploration, step), EXPANSIONS.c.lists_out.is_not(None)
    if job.first and step == job.steps[-1]:
        due = and_(due, or_(EXPANSIONS.c.source >= job.first, was_done))
    return and_(due, was_done) if step in job.only_forgotten else due

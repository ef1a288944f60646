"""Expansions: the queue. A row of the table `expansions` for each unit of work, with its counts in `tallies`.

Each change of state is one function here:

    plan       a source batch gets its number: a new row, planned
    claim      planned -> running, handed to a worker
    finish     running -> done, with its batches or counts
    put_back   running -> planned, to be retried; or failed, given up until the next run
    forget     done -> planned, since its result is missing, damaged or not proven

An expansion is pure, so a doubtful result can be forgotten and made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import and_, delete, exists, func, or_, select, true
from sqlalchemy.sql.elements import ColumnElement

from setset.batches.records import NO_SOURCE, Batch, BatchFile
from setset.cards import LARGEST
from setset.database import batches, explorations, runs, tallies
from setset.database.batches import NumberedBatch
from setset.database.connection import Database, now, replaced
from setset.database.explorations import ExplorationKey, SizeKey, SizeRecord, Step
from setset.database.models import BATCHES, EXPANSIONS, RUNS, SIZES, TALLIES, State, Work
from setset.database.rows import AlteredRow
from setset.tasks.kinds import SEED_SOURCE_SIZE, CountTask, Destination, ExpandTask, TaskResult

COUNT_AGAIN = {"state": State.PLANNED, "attempts": 0, "source_digest": None}
"""Values of a count that is to be done again."""


@dataclass(frozen=True)
class Expansion:
    """A unit of work: source batch number `source` of size `source_size` becomes lists of `size`."""

    id: int
    work: Work
    size: int
    source_size: int
    source: int
    state: State
    attempts: int
    lists_in: int
    lists_out: int | None
    batches_out: int | None
    source_digest: str | None

    @property
    def was_done(self) -> bool:
        """Whether it is done, or was done and is forgotten."""
        return self.lists_out is not None

    def __str__(self) -> str:
        if self.source_size == SEED_SOURCE_SIZE:
            return "the seeds"
        return f"the expansion of batch {self.source} of size {self.source_size}"


@dataclass(frozen=True)
class ClaimedExpansion:
    """An expansion that was handed to this run, the task that does it, and the storage root of its files."""

    expansion: Expansion
    task: ExpandTask | CountTask
    root_id: int
    attempts: int

    def tried_again(self) -> ClaimedExpansion:
        return replace(self, attempts=self.attempts + 1)

    def __str__(self) -> str:
        return str(self.expansion)


@dataclass(frozen=True)
class Unfinished:
    """An expansion to be retried, or given up."""

    claimed: ClaimedExpansion
    error: str = ""
    given_up: bool = False


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
    batch_lists: Callable[[int], int]
    """Maximum number of lists in a file of a size, if the size begins now."""
    first: int = 0
    """Skip earlier sources of the last step."""
    counted_alone: frozenset[int] = frozenset()
    """Sizes that are counted without the sizes between, in one walk."""
    only_forgotten: frozenset[Step] = frozenset()
    """Steps of which to do only forgotten expansions: for repair."""

    @property
    def database(self) -> Database:
        return self.exploration.database

    @property
    def largest_stored(self) -> int:
        return max((step.size for step in self.steps if step.work is Work.STORE), default=0)


def read(exploration: ExplorationKey, *conditions: ColumnElement[bool], most: int | None = None) -> list[Expansion]:
    """Expansions of an exploration in the order of their sources, all or the first ones."""
    columns = [EXPANSIONS.c[field.name] for field in fields(Expansion)]
    query = select(*columns).where(EXPANSIONS.c.exploration_id == exploration.id, *conditions)
    return exploration.database.read(
        query.order_by(EXPANSIONS.c.source).limit(most),
        lambda row: Expansion(**{**row._mapping, "work": Work(row.work), "state": State(row.state)}),
    )


def with_results(size: SizeRecord) -> list[Expansion]:
    """Expansions whose batches of a size are recorded, also those whose files are to be made again."""
    return read(size.exploration, of_step(size.step), EXPANSIONS.c.batches_out.is_not(None))


def counted_from(at: SizeKey) -> list[Expansion]:
    """Counts that were made from the batches of a size."""
    return read(
        at.exploration,
        EXPANSIONS.c.work == Work.COUNT,
        EXPANSIONS.c.state == State.DONE,
        EXPANSIONS.c.source_size == at.size,
    )


def was_expanded(at: SizeKey) -> bool:
    """Whether anything was derived from the batches of a size."""
    derived = EXPANSIONS.c.source_size == at.size, EXPANSIONS.c.lists_out.is_not(None)
    return bool(read(at.exploration, *derived, most=1))


def of_step(step: Step) -> ColumnElement[bool]:
    """Condition: expansions of a step."""
    return and_(
        EXPANSIONS.c.work == step.work, EXPANSIONS.c.size == step.size, EXPANSIONS.c.source_size == step.source_size
    )


# The verbs


def plan(job: Job) -> None:
    """Plans every missing row, smallest sizes first. Plans again what a dead run left running, and what an earlier run
    gave up."""
    with job.database.transaction():
        mine = EXPANSIONS.c.exploration_id == job.exploration.id
        no_result = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.batches_out.is_(None))
        abandoned = or_(EXPANSIONS.c.state == State.RUNNING, mine & no_result & (EXPANSIONS.c.state == State.DONE))
        job.database.change(EXPANSIONS, [abandoned], {"state": State.PLANNED})
        _plan_again(job.exploration, EXPANSIONS.c.state == State.FAILED)
        for step in job.steps:
            known = batches.sources(job.exploration.at(step.source_size))
            gone = of_step(step), EXPANSIONS.c.source >= len(known), EXPANSIONS.c.lists_out.is_(None)
            if read(job.exploration, *gone, most=1) and job.exploration.at(step.source_size).is_complete():
                _delete(job.exploration, *gone)
            _plan_sources(job, step, list(known.values()))
            if step.work is Work.STORE:
                _number_and_plan(job, step.size)


def _plan_sources(job: Job, step: Step, sources: Sequence[NumberedBatch]) -> None:
    """Plans the expansions of batches that have their numbers, unless they are planned already.

    An expansion that is done and was made from another batch of that number is forgotten.
    """
    if not sources:
        return
    at = job.exploration.at(step.size)
    if step.work is Work.STORE:
        _begin_size(at, step, job.batch_lists(step.size))
    near = EXPANSIONS.c.source.between(sources[0].number, sources[-1].number)
    known = {each.source: each for each in read(job.exploration, of_step(step), near)}
    digests = {source.number: source.digest for source in sources}
    stale = {
        each.source
        for each in known.values()
        if each.was_done and each.source_digest not in (None, digests.get(each.source))
    }
    fresh = [_row(job.exploration, step, source) for source in sources if source.number not in known]
    job.database.insert(EXPANSIONS, fresh)
    if step.work is Work.COUNT:
        if stale:
            forget_counts(job.exploration, [known[source] for source in stale])
        return
    if stale:
        _forget_results(at, step, stale)
    elif fresh and any(
        size.size == step.size and fresh[0]["source"] < size.numbered for size in job.exploration.sizes()
    ):
        batches.reset_numbers(at)  # a row had vanished: the batches that come of it now belong before others
    else:
        return
    _number_and_plan(job, step.size)


def _begin_size(at: SizeKey, step: Step, batch_lists: int) -> None:
    """Records, once, the maximum number of lists per file of a size, and its source size."""
    row = {"exploration_id": at.exploration.id, "size": at.size, "source_size": step.source_size}
    row |= {"batch_lists": batch_lists, "numbered": 0}
    if not at.database.query(select(SIZES.c.size).where(at.row_here)):
        at.database.insert(SIZES, [row])
        # The rows of the size and of its batches had vanished: no other size that begins has results.
        done = read(at.exploration, of_step(step), EXPANSIONS.c.state == State.DONE)
        if done:
            _forget_results(at, step, {each.source for each in done})


def _number_and_plan(job: Job, size: int) -> None:
    """Gives numbers to the batches of a size, and plans the expansions that the job asks for."""
    numbered = batches.number_batches(job.exploration.at(size))
    for step in job.steps:
        if step.source_size == size:
            _plan_sources(job, step, numbered)


def _row(exploration: ExplorationKey, step: Step, source: NumberedBatch) -> dict[str, Any]:
    return {
        "exploration_id": exploration.id,
        "work": step.work,
        "size": step.size,
        "source_size": step.source_size,
        "source": source.number,
        "state": State.PLANNED,
        "attempts": 0,
        "lists_in": source.lists,
    }


def record_and_claim(
    job: Job, finished: Sequence[tuple[ClaimedExpansion, TaskResult]], unfinished: Sequence[Unfinished], want: int
) -> list[ClaimedExpansion]:
    """Records results and claims up to `want` expansions, in one transaction.

    Batches that get their numbers get, in the same transaction, the expansions that the job asks for.
    """
    with job.database.transaction():
        runs.require_recorded(job.database, job.run_id)
        stored = {claimed.task.size for claimed, _ in finished if isinstance(claimed.task, ExpandTask)}
        for size in stored - {size.size for size in job.exploration.sizes()}:
            raise replaced(job.database.folder.database, f"size {size} is not recorded")
        added = Counter[str]()
        for claimed, result in finished:
            added.update(finish(job, claimed, result))
        if added:
            job.database.change(
                RUNS,
                [RUNS.c.id == job.run_id],
                lambda row: {name: row[name] + number for name, number in added.items()},
            )
        for size in stored:
            _number_and_plan(job, size)
        for each in unfinished:
            put_back(job, each)
        return claim(job, want) if want else []


def claim(job: Job, want: int) -> list[ClaimedExpansion]:
    """Claims the first expansions that are due and whose sources are there, smallest sizes first."""
    claimed: list[ClaimedExpansion] = []
    sizes = {size.size: size for size in job.exploration.sizes()}
    for step in job.steps:
        if len(claimed) < want:
            found = read(job.exploration, _claimable(job, step), most=want - len(claimed))
            mine = EXPANSIONS.c.id.in_([each.id for each in found])
            job.database.change(EXPANSIONS, [mine], {"state": State.RUNNING, "run_id": job.run_id})
            claimed += [_claimed(job, sizes.get(step.size), each) for each in found]
    return claimed


def _claimed(job: Job, size: SizeRecord | None, expansion: Expansion) -> ClaimedExpansion:
    """Task of a row. If it was done before, the task has its recorded files and goes to the same storage root."""
    source, root_id, exploration = None, job.root_id, job.exploration
    if expansion.source_size != SEED_SOURCE_SIZE:
        batch = batches.get(exploration.at(expansion.source_size), expansion.source)
        source, expansion = batches.source_of(batch), replace(expansion, lists_in=batch.lists)
    task: ExpandTask | CountTask
    if size is None or expansion.work is Work.COUNT:
        assert source is not None, "the seeds are stored, not counted"
        known = tallies.sizes_counted(exploration.at(expansion.source_size)) if expansion.was_done else {}
        only_last = expansion.size in job.counted_alone or known.get(expansion.id) == 1
        task = CountTask(exploration.target, expansion.size, source, exploration.pruned, only_last)
    else:
        recorded = batches.of_source(size, expansion.source) if expansion.was_done else []
        root_id = min(recorded, key=lambda batch: batch.defect is None).root_id if recorded else root_id
        task = ExpandTask(
            exploration.target,
            expansion.size,
            size.batch_lists,
            source,
            job.destinations[root_id],
            tuple(batch.file for batch in recorded),
            reuse=not expansion.was_done,
            pruned=exploration.pruned,
        )
    return ClaimedExpansion(expansion, task, root_id, expansion.attempts)


def finish(job: Job, claimed: ClaimedExpansion, result: TaskResult) -> dict[str, int]:
    """Records that an expansion is done, and its batches or counts. Returns the amounts that this adds to the run."""
    expansion, task, database = claimed.expansion, claimed.task, job.database
    stored, fresh = isinstance(task, ExpandTask), list(result.batches)
    lists = result.lists if stored else dict(result.counts).get(task.size, 0)
    values = {
        "state": State.DONE,
        "attempts": claimed.attempts + 1,
        "lists_in": expansion.lists_in,
        "lists_out": lists,
        "batches_out": len(fresh) if stored else None,
        "bytes_out": result.bytes if stored else None,
        "source_digest": NO_SOURCE if task.source is None else task.source.digest,
        "host": result.host,
        "pid": result.pid,
        "started_at": result.started_at,
        "seconds": result.seconds,
        "finished_at": now(),
        "error": None,
    }
    database.change(EXPANSIONS, [EXPANSIONS.c.id == expansion.id], values)
    if result.counts:
        tallies.record(database, expansion.id, result.counts, dict(result.entries))
    if stored:
        at = job.exploration.at(task.size)
        known = batches.of_source(at, expansion.source)
        fresh = batches.record_again(at, claimed.root_id, known, fresh)
        batches.insert_files(at, [(claimed.root_id, file) for file in fresh])
        remade = [f"{batch.name} ({batch.defect})" for batch in known if batch.defect]
        if expansion.was_done and not known:
            remade = [f"{claimed} for target {task.target}"]
        if remade:
            explorations.set_checked(at, None)
        database.repaired += remade
    return {
        "batches_added": len(fresh),
        "lists_added": sum(file.lists for file in fresh),
        "lists_counted": 0 if stored else lists,
        "bytes_added": sum(file.bytes for file in fresh),
    }


def put_back(job: Job, unfinished: Unfinished) -> None:
    """Plans a claimed, unfinished expansion again, or gives it up until the next run."""
    state = State.FAILED if unfinished.given_up else State.PLANNED
    error = unfinished.error.encode(errors="backslashreplace").decode()
    values = {"state": state, "attempts": unfinished.claimed.attempts, "error": error}
    mine = EXPANSIONS.c.id == unfinished.claimed.expansion.id
    job.database.change(EXPANSIONS, [mine], values)


def forget_files(size: SizeRecord, defects: Mapping[Batch, str]) -> None:
    """Plans the expansions of damaged or missing files again.

    Their batches stay recorded, with their numbers, until the files are made again: with the same lists, in the same
    storage root. If a source has parts in a merged file, everything in that file is forgotten.
    """
    is_merged = (BATCHES.c.first_source != BATCHES.c.last_source) | (BATCHES.c.first_part != BATCHES.c.last_part)
    found = batches.read(size, is_merged)
    merged = {source for batch in found for source in batch.span.sources(batches.MOST_MERGED)}
    gone = {batch.span.first_source for batch in defects} & merged
    if gone:
        gone = forget(size, gone)
    alone = {batch: defect for batch, defect in defects.items() if batch.span.first_source not in gone}
    with size.database.transaction():
        for batch, defect in alone.items():
            batches.set_values(size, [batch], {"defect": defect})
            _plan_again(size.exploration, of_step(size.step), EXPANSIONS.c.source == batch.span.first_source)


def forget(size: SizeRecord, sources: set[int]) -> set[int]:
    """Forgets the results of these sources, and of sources that share a batch with them.

    Plans them again, except for sources that are gone. Returns all forgotten sources.
    """
    known, all_known = batches.sources(size.source), size.source.is_complete()
    with size.database.transaction():
        whole = _forget_results(size, size.step, sources)
        recorded = read(size.exploration, of_step(size.step))
        if all_known:
            _delete(size.exploration, of_step(size.step), EXPANSIONS.c.source >= len(known))
        new = sorted((whole & known.keys()) - {each.source for each in recorded})
        fresh = [{**_row(size.exploration, size.step, known[source]), "lists_out": 0} for source in new]
        size.database.insert(EXPANSIONS, fresh)
        batches.number_batches(size)
    return whole


def _forget_results(at: SizeKey, step: Step, sources: set[int]) -> set[int]:
    """Removes the batches of these sources, and of sources that share a batch with them, and plans all of them again.

    The batches of the size lose their numbers. Returns all forgotten sources.
    """
    found = batches.read(at)
    whole, gone = set(sources), set[int]()
    # Forwards, then backwards: a merged batch pulls in the sources on both sides of it.
    for batch in (*found, *reversed(found)):
        touched = batch.span.sources(batches.MOST_MERGED)
        if not whole.isdisjoint(touched):
            whole.update(touched)
            gone.add(batch.id)
    batches.delete_rows(at, gone)
    nothing = {"state": State.PLANNED, "attempts": 0, "batches_out": None, "bytes_out": None, "source_digest": None}
    at.database.change(
        EXPANSIONS,
        [EXPANSIONS.c.exploration_id == at.exploration.id, of_step(step)],
        lambda row: {**nothing, "lists_out": row["lists_out"] or 0} if row["source"] in whole else None,
    )
    batches.reset_numbers(at)
    return whole


def forget_counts(exploration: ExplorationKey, counted: Collection[Expansion]) -> None:
    """Plans stale counts again: their sources have changed."""
    again = {each.id for each in counted}
    with exploration.database.transaction():
        exploration.database.change(
            EXPANSIONS,
            [EXPANSIONS.c.exploration_id == exploration.id, EXPANSIONS.c.work == Work.COUNT],
            lambda row: COUNT_AGAIN if row["id"] in again else None,
        )


def distrust(database: Database, altered: Iterable[AlteredRow]) -> None:
    """Plans expansions and counts again whose rows were changed by another program.

    Deletes the rows of batches, of counts, and of expansions that store files: the proof misses them, and plans them
    again.
    """
    with database.transaction():
        for row in altered:
            if row.table is EXPANSIONS and row.values["work"] == Work.COUNT:
                database.change(EXPANSIONS, row.key, COUNT_AGAIN)
            elif row.table is EXPANSIONS:
                database.execute(delete(TALLIES).where(TALLIES.c.expansion_id == row.values["id"]))
                database.execute(delete(EXPANSIONS).where(*row.key))
            elif row.table in (BATCHES, TALLIES):
                database.execute(delete(row.table).where(*row.key))


def _plan_again(exploration: ExplorationKey, *conditions: ColumnElement[bool]) -> None:
    where = [EXPANSIONS.c.exploration_id == exploration.id, *conditions]
    values = {"state": State.PLANNED, "attempts": 0}
    exploration.database.change(EXPANSIONS, where, values)


def remove(exploration: ExplorationKey, expanded_from: int, stored_from: int = LARGEST + 1) -> None:
    """Removes the expansions of batches of `expanded_from` cards and more, and the expansions that make files of
    `stored_from` cards and more."""
    stored = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.size >= stored_from)
    _delete(exploration, stored | (EXPANSIONS.c.source_size >= expanded_from))


def _delete(exploration: ExplorationKey, *conditions: ColumnElement[bool]) -> None:
    mine = EXPANSIONS.c.exploration_id == exploration.id, *conditions
    ids = select(EXPANSIONS.c.id).where(*mine)
    exploration.database.execute(delete(TALLIES).where(TALLIES.c.expansion_id.in_(ids)))
    exploration.database.execute(delete(EXPANSIONS).where(*mine))


def remove_sizes(exploration: ExplorationKey, first: int) -> None:
    """Removes the sizes from `first` on, and all counts from them; from 3 on, the exploration too.

    Counts from smaller sizes stay: they need no larger one.
    """
    everything = first <= SEED_SOURCE_SIZE + 1
    with exploration.database.transaction():
        remove(exploration, 0 if everything else first, first)
        explorations.remove_sizes(exploration, first)


def replace_merged(at: SizeKey, merged: Iterable[tuple[Sequence[Batch], BatchFile]]) -> None:
    """Replaces batches by merged files, and numbers the size again.

    Expansions of the old batches that were planned are removed with them.
    """
    with at.database.transaction():
        for old, new in merged:
            batches.delete_rows(at, [batch.id for batch in old])
            batches.insert_files(at, [(old[0].root_id, new)])
        numbered = at.exploration.size(at.size).numbered
        batches.reset_numbers(at)
        batches.give_numbers(at)
        explorations.set_numbered(at, numbered)
        remove(at.exploration, expanded_from=at.size)


def adopt(
    at: SizeKey,
    source_size: int,
    batch_lists: int,
    found: Sequence[tuple[int, BatchFile]],
    known: Mapping[NumberedBatch, Sequence[BatchFile] | None],
) -> None:
    """Records batches, each with its storage root, and expansions that files alone prove.

    Args:
        known: The files of each source; None if it is still to be expanded.
    """
    step = Step(Work.STORE, at.size, source_size)
    rows = []
    for source, made in known.items():
        row = {**_row(at.exploration, step, source), "attempts": 1}
        if made is not None:
            row |= {"state": State.DONE, "lists_out": sum(batch.lists for batch in made)}
            row |= {"batches_out": len(made), "bytes_out": sum(batch.bytes for batch in made)}
            row |= {"source_digest": source.digest, "finished_at": now()}
        rows.append(row)
    with at.database.transaction():
        _begin_size(at, step, batch_lists)
        batches.insert_files(at, found)
        at.database.insert(EXPANSIONS, rows)
        batches.number_batches(at)


# Questions


@dataclass(frozen=True)
class Remaining:
    """Expansions of a step that are not done, and the number of lists of their sources."""

    step: Step
    tasks: int
    lists_in: int


def remaining(job: Job) -> list[Remaining]:
    """Steps with planned expansions that are not done, smallest sizes first."""
    sums = func.count(), func.coalesce(func.sum(EXPANSIONS.c.lists_in), 0)
    found = []
    for step in job.steps:
        undone = select(*sums).where(_due(job, step), EXPANSIONS.c.state != State.DONE)
        ((tasks, lists_in),) = [tuple(row) for row in job.database.query(undone)]
        if tasks:
            found.append(Remaining(step, tasks, lists_in))
    return found


def any_claimable(job: Job) -> bool:
    """Whether an expansion is due whose source exists."""
    return any(read(job.exploration, _claimable(job, step), most=1) for step in job.steps)


def _claimable(job: Job, step: Step) -> ColumnElement[bool]:
    due = and_(_due(job, step), EXPANSIONS.c.state == State.PLANNED)
    if step.source_size == SEED_SOURCE_SIZE:
        return due
    sound = BATCHES.c.number == EXPANSIONS.c.source, BATCHES.c.defect.is_(None)
    return and_(due, exists().where(job.exploration.at(step.source_size).batches_here, *sound))


def _due(job: Job, step: Step) -> ColumnElement[bool]:
    was_done = EXPANSIONS.c.lists_out.is_not(None)
    from_first = job.first and step == job.steps[-1]
    return and_(
        EXPANSIONS.c.exploration_id == job.exploration.id,
        of_step(step),
        or_(EXPANSIONS.c.source >= job.first, was_done) if from_first else true(),
        was_done if step in job.only_forgotten else true(),
    )

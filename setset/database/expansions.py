"""Expansions: the queue. The table `expansions` has a row for each unit of work. Its counts are in `tallies`.

Each change of state is one function here:

    plan       new row -> planned, once the source batch has its number
    claim      planned -> running, handed to a worker
    finish     running -> done, with its batches or counts
    put_back   running -> planned, to be retried; or -> failed, given up until the next run
    forget     done -> planned, since its result is missing, damaged or not proven

An expansion always gives the same result, so a doubtful result can be forgotten and made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from sqlalchemy import and_, delete, exists, func, or_, select, true
from sqlalchemy.sql.elements import ColumnElement

from setset.batches.records import NO_SOURCE, Batch, BatchFile
from setset.cards import LARGEST
from setset.database import batches, explorations, storage_roots, tallies
from setset.database.batches import NumberedBatch
from setset.database.connection import Database, now, replaced
from setset.database.explorations import ExplorationKey, SizeKey, SizeRecord, Step
from setset.database.models import BATCHES, EXPANSIONS, EXPLORATIONS, RUNS, SIZES, TALLIES, State, Work
from setset.database.rows import AlteredRow
from setset.tasks.kinds import SEED_SOURCE_SIZE, CountTask, Destination, ExpandTask, TaskResult

SUMS = func.count(), func.coalesce(func.sum(EXPANSIONS.c.lists_in), 0)
"""Columns of a query: number of expansions, and total number of lists in their sources."""
COUNT_AGAIN = {"state": State.PLANNED, "attempts": 0, "source_digest": None}
"""Column values that make a counting expansion planned again."""


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
        """Whether the expansion was ever done, even if its result is forgotten now."""
        return self.lists_out is not None

    def __str__(self) -> str:
        if self.source_size == SEED_SOURCE_SIZE:
            return "the seeds"
        return f"the expansion of batch {self.source} of size {self.source_size}"


@dataclass(frozen=True)
class ClaimedExpansion:
    """An expansion that this run has claimed, with its task and the storage root of its files."""

    expansion: Expansion
    task: ExpandTask | CountTask
    root_id: int
    attempts: int
    error: str = ""
    """Error of the latest attempt."""
    given_up: bool = False

    def tried_again(self, error: str, given_up: bool = False) -> ClaimedExpansion:
        return replace(self, attempts=self.attempts + 1, error=error, given_up=given_up)

    def __str__(self) -> str:
        return str(self.expansion)


Finished = tuple[ClaimedExpansion, TaskResult]


@dataclass(frozen=True)
class Job:
    """Steps of a run in one exploration, and the storage root of new files."""

    run_id: int
    exploration: ExplorationKey
    steps: tuple[Step, ...]
    """Steps of the run, smallest sizes first."""
    root_id: int
    batch_lists: Callable[[int], int]
    """Returns the maximum number of lists per file of a new size."""
    first: int = 0
    """Number of the first source to expand in the final step."""
    counted_alone: frozenset[int] = frozenset()
    """Sizes that are counted in one walk, without counting the sizes in between."""
    only_forgotten: frozenset[Step] = frozenset()
    """Steps in which only forgotten expansions are done, and no new expansions."""

    @property
    def database(self) -> Database:
        return self.exploration.database

    @cached_property
    def destinations(self) -> dict[int, Destination]:
        """Each storage root, by its id, as the `Destination` of a task."""
        return storage_roots.destinations(self.database)


def read(exploration: ExplorationKey, *conditions: ColumnElement[bool], most: int | None = None) -> list[Expansion]:
    """Expansions of an exploration that meet all SQL conditions, ordered by source; at most `most` of them."""
    columns = [EXPANSIONS.c[field.name] for field in fields(Expansion)]
    query = select(*columns).where(EXPANSIONS.c.exploration_id == exploration.id, *conditions)
    return exploration.database.read(
        query.order_by(EXPANSIONS.c.source).limit(most),
        lambda row: Expansion(**{**row._mapping, "work": Work(row.work), "state": State(row.state)}),
    )


def with_results(size: SizeRecord) -> list[Expansion]:
    """Expansions that store a size and whose results are recorded, even if some files must be made again."""
    return read(size.exploration, of_step(size.step), EXPANSIONS.c.batches_out.is_not(None))


def find_stale_counts(at: SizeKey) -> list[Expansion]:
    """Stale counts that start from the batches of a size. A finished count is stale if its tally is missing or wrong,
    or if its source batch was changed or removed."""
    counting = EXPANSIONS.c.work == Work.COUNT, EXPANSIONS.c.source_size == at.size
    counted = read(at.exploration, *counting, EXPANSIONS.c.state == State.DONE)
    if not counted:
        return []
    sources, all_known, counted_sizes = batches.sources(at), at.is_complete(), tallies.sizes_counted(at)
    digests = {number: source.digest for number, source in sources.items()}
    return [
        count
        for count in counted
        if (count.source not in sources and all_known)
        # A count of one size alone has one tally, with entries. Any other has a tally for each size up to its own.
        or not (
            counted_sizes[count.id] == {count.size: True}
            or sorted(counted_sizes[count.id]) == [*range(count.source_size + 1, min(count.size, LARGEST) + 1)]
        )
        # Version 0.1 recorded no digest of the source.
        or count.source_digest not in (None, digests.get(count.source, count.source_digest))
    ]


def was_expanded(at: SizeKey) -> bool:
    """Whether a batch of a size was ever expanded, to files or to counts."""
    derived = EXPANSIONS.c.source_size == at.size, EXPANSIONS.c.lists_out.is_not(None)
    return bool(read(at.exploration, *derived, most=1))


def of_step(step: Step) -> ColumnElement[bool]:
    """SQL condition that selects the expansions of a step."""
    return and_(
        EXPANSIONS.c.work == step.work, EXPANSIONS.c.size == step.size, EXPANSIONS.c.source_size == step.source_size
    )


# Changes of state


def plan(job: Job) -> None:
    """Plans each expansion of the job that has no row yet, smallest sizes first. If a dead run left an expansion
    running, or an earlier run gave an expansion up, plans this expansion again."""
    with job.database.transaction():
        mine = EXPANSIONS.c.exploration_id == job.exploration.id
        no_result = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.batches_out.is_(None))
        abandoned = or_(EXPANSIONS.c.state == State.RUNNING, mine & no_result & (EXPANSIONS.c.state == State.DONE))
        job.database.change(EXPANSIONS, [abandoned], {"state": State.PLANNED})
        _plan_again(job.exploration, EXPANSIONS.c.state == State.FAILED)
        for step in job.steps:
            sources = batches.sources(job.exploration.at(step.source_size))
            sourceless = of_step(step), EXPANSIONS.c.source >= len(sources), EXPANSIONS.c.lists_out.is_(None)
            if read(job.exploration, *sourceless, most=1) and job.exploration.at(step.source_size).is_complete():
                _delete(job.exploration, *sourceless)
            _plan_sources(job, step, list(sources.values()))
            if step.work is Work.STORE:
                _number_and_plan(job, step.size)


def _plan_sources(job: Job, step: Step, sources: Sequence[NumberedBatch]) -> None:
    """Plans the expansions of numbered batches, unless they are planned already.

    If the source of a finished expansion has another digest now, forgets the expansion.
    """
    if not sources:
        return
    at = job.exploration.at(step.size)
    if step.work is Work.STORE:
        _begin_size(at, step, job.batch_lists(step.size))
    near = EXPANSIONS.c.source.between(sources[0].number, sources[-1].number)
    planned = {expansion.source: expansion for expansion in read(job.exploration, of_step(step), near)}
    digests = {source.number: source.digest for source in sources}
    stale = {
        expansion.source
        for expansion in planned.values()
        if expansion.was_done and expansion.source_digest not in (None, digests.get(expansion.source))
    }
    fresh = [_row(job.exploration, step, source) for source in sources if source.number not in planned]
    job.database.insert(EXPANSIONS, fresh)
    if step.work is Work.COUNT:
        if stale:
            forget_counts(job.database, {planned[source].id for source in stale})
        return
    if stale:
        _forget_results(at, step, stale)
        _number_and_plan(job, step.size)


def _begin_size(at: SizeKey, step: Step, batch_lists: int) -> None:
    """Records a new size: the size of its sources, and its maximum number of lists per file."""
    row = {"exploration_id": at.exploration.id, "size": at.size, "source_size": step.source_size}
    row |= {"batch_lists": batch_lists, "numbered": 0}
    if not at.database.query(select(SIZES.c.size).where(at.row_here)):
        at.database.insert(SIZES, [row])
        # A new size has results only if the rows of the size and of its batches were lost.
        done = read(at.exploration, of_step(step), EXPANSIONS.c.state == State.DONE)
        if done:
            _forget_results(at, step, {expansion.source for expansion in done})


def _number_and_plan(job: Job, size: int) -> None:
    """Numbers the batches of a size, and plans their expansions in the steps of the job."""
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
    job: Job, finished: Sequence[Finished], unfinished: Sequence[ClaimedExpansion], want: int
) -> list[ClaimedExpansion]:
    """Records results, puts unfinished expansions back, and claims up to `want` expansions, in one transaction.

    The same transaction numbers new batches, and plans the expansions of the job that start from these batches.
    """
    with job.database.transaction():
        if not job.database.query(select(RUNS.c.id).where(RUNS.c.id == job.run_id)):  # replaced by an older copy
            raise replaced(job.database.folder.database, f"run {job.run_id} is not recorded")
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
        for claimed in unfinished:
            put_back(job, claimed)
        return claim(job, want) if want else []


def claim(job: Job, want: int) -> list[ClaimedExpansion]:
    """Claims up to `want` planned expansions whose source batches have no defect, smallest sizes first."""
    claimed: list[ClaimedExpansion] = []
    sizes = {size.size: size for size in job.exploration.sizes()}
    for step in job.steps:
        if len(claimed) < want:
            due = read(job.exploration, _claimable(job, step), most=want - len(claimed))
            mine = EXPANSIONS.c.id.in_([expansion.id for expansion in due])
            job.database.change(EXPANSIONS, [mine], {"state": State.RUNNING, "run_id": job.run_id})
            claimed += [_claimed(job, sizes.get(step.size), expansion) for expansion in due]
    return claimed


def _claimed(job: Job, size: SizeRecord | None, expansion: Expansion) -> ClaimedExpansion:
    """Builds the task of an expansion. If the expansion was done before, the task makes the recorded files again, in
    their storage root."""
    source, root_id, exploration = None, job.root_id, job.exploration
    if expansion.source_size != SEED_SOURCE_SIZE:
        batch = batches.get(exploration.at(expansion.source_size), expansion.source)
        source, expansion = batches.source_of(batch), replace(expansion, lists_in=batch.lists)
    task: ExpandTask | CountTask
    if size is None or expansion.work is Work.COUNT:
        assert source is not None, "the seeds are stored, not counted"
        sizes_counted = tallies.sizes_counted(exploration.at(expansion.source_size)) if expansion.was_done else {}
        # If a count has lost its tally, another count of its step tells whether it counted one size alone.
        only_last = expansion.size in job.counted_alone or {expansion.size: True} in sizes_counted.values()
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
    """Records a finished expansion with its batches or counts. Returns the amounts to add to the run's totals."""
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
        recorded = batches.of_source(at, expansion.source)
        fresh = batches.record_again(at, claimed.root_id, recorded, fresh)
        batches.insert_files(at, [(claimed.root_id, file) for file in fresh])
        remade = [f"{batch.name} ({batch.defect})" for batch in recorded if batch.defect]
        if expansion.was_done and not recorded:
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


def put_back(job: Job, claimed: ClaimedExpansion) -> None:
    """Plans a claimed, unfinished expansion again, or gives it up until the next run."""
    state = State.FAILED if claimed.given_up else State.PLANNED
    error = claimed.error.encode(errors="backslashreplace").decode()
    values = {"state": state, "attempts": claimed.attempts, "error": error}
    job.database.change(EXPANSIONS, [EXPANSIONS.c.id == claimed.expansion.id], values)


def forget_files(size: SizeRecord, defects: Mapping[Batch, str]) -> None:
    """Plans again the expansions that made these damaged or missing files.

    The batches keep their rows and numbers, since the remade files must have the same lists and the same storage root.
    If the source of a file has parts in a merged file, forgets all sources of the merged file instead.
    """
    is_merged = (BATCHES.c.first_source != BATCHES.c.last_source) | (BATCHES.c.first_part != BATCHES.c.last_part)
    merged_batches = batches.read(size, is_merged)
    merged = {source for batch in merged_batches for source in batch.span.sources(batches.MOST_MERGED)}
    forgotten = {batch.span.first_source for batch in defects} & merged
    if forgotten:
        forgotten = forget(size, forgotten)
    unmerged = {batch: defect for batch, defect in defects.items() if batch.span.first_source not in forgotten}
    with size.database.transaction():
        for batch, defect in unmerged.items():
            batches.set_values(size, batch, {"defect": defect})
            _plan_again(size.exploration, of_step(size.step), EXPANSIONS.c.source == batch.span.first_source)


def forget(size: SizeRecord, sources: set[int]) -> set[int]:
    """Forgets the results of these sources, and of sources that share a batch with them.

    Plans their expansions again, unless the source no longer exists. Returns all forgotten sources.
    """
    numbered, all_known = batches.sources(size.source), size.source.is_complete()
    with size.database.transaction():
        forgotten = _forget_results(size, size.step, sources)
        recorded = read(size.exploration, of_step(size.step))
        if all_known:
            _delete(size.exploration, of_step(size.step), EXPANSIONS.c.source >= len(numbered))
        lost = sorted((forgotten & numbered.keys()) - {expansion.source for expansion in recorded})
        fresh = [{**_row(size.exploration, size.step, numbered[source]), "lists_out": 0} for source in lost]
        size.database.insert(EXPANSIONS, fresh)
        batches.number_batches(size)
    return forgotten


def _forget_results(at: SizeKey, step: Step, sources: set[int]) -> set[int]:
    """Forgets the results of these sources and of all sources that share a batch with them: deletes the batches, and
    plans the expansions again.

    Also removes the numbers of all batches of the size. Returns all forgotten sources.
    """
    recorded = batches.read(at)
    forgotten, batch_ids = set(sources), set[int]()
    # Forwards, then backwards: a merged batch adds all its sources, which may share batches on either side.
    for batch in (*recorded, *reversed(recorded)):
        batch_sources = batch.span.sources(batches.MOST_MERGED)
        if not forgotten.isdisjoint(batch_sources):
            forgotten.update(batch_sources)
            batch_ids.add(batch.id)
    batches.delete_rows(at, batch_ids)
    planned = {"state": State.PLANNED, "attempts": 0, "batches_out": None, "bytes_out": None, "source_digest": None}
    at.database.change(
        EXPANSIONS,
        [EXPANSIONS.c.exploration_id == at.exploration.id, of_step(step)],
        lambda row: {**planned, "lists_out": row["lists_out"] or 0} if row["source"] in forgotten else None,
    )
    batches.reset_numbers(at)
    return forgotten


def forget_counts(database: Database, ids: Collection[int]) -> None:
    """Plans the counting expansions with these ids again."""
    with database.transaction():
        is_count = EXPANSIONS.c.work == Work.COUNT
        database.change(EXPANSIONS, [is_count], lambda row: COUNT_AGAIN if row["id"] in ids else None)


def distrust(database: Database, altered: Iterable[AlteredRow]) -> None:
    """Makes the next run repeat all work whose rows another program has changed.

    Plans an altered counting expansion again. Deletes altered rows of batches, tallies and storing expansions. Then
    `proof.forget_unproven` finds that rows are missing, and plans the expansions again.
    """
    with database.transaction():
        for row in altered:
            if row.table is EXPANSIONS and row.values["work"] == Work.COUNT:
                database.change(EXPANSIONS, row.key, COUNT_AGAIN, accept=True)
                continue
            if row.table is EXPANSIONS:
                database.execute(delete(TALLIES).where(TALLIES.c.expansion_id == row.values["id"]))
            if row.table in (BATCHES, EXPANSIONS, TALLIES):
                database.execute(delete(row.table).where(*row.key))


def _plan_again(exploration: ExplorationKey, *conditions: ColumnElement[bool]) -> None:
    where = [EXPANSIONS.c.exploration_id == exploration.id, *conditions]
    values = {"state": State.PLANNED, "attempts": 0}
    exploration.database.change(EXPANSIONS, where, values)


def _delete(exploration: ExplorationKey, *conditions: ColumnElement[bool]) -> None:
    mine = EXPANSIONS.c.exploration_id == exploration.id, *conditions
    ids = select(EXPANSIONS.c.id).where(*mine)
    exploration.database.execute(delete(TALLIES).where(TALLIES.c.expansion_id.in_(ids)))
    exploration.database.execute(delete(EXPANSIONS).where(*mine))


def remove_sizes(exploration: ExplorationKey, first: int) -> None:
    """Deletes size `first` and all larger sizes from the database, with the counts that were made from their batches.

    A count made from a smaller size stays, even if it counts a deleted size. If `first` is 3, deletes the whole
    exploration.
    """
    everything, database = first <= SEED_SOURCE_SIZE + 1, exploration.database
    stored = and_(EXPANSIONS.c.work == Work.STORE, EXPANSIONS.c.size >= first)
    with database.transaction():
        _delete(exploration, stored | (EXPANSIONS.c.source_size >= (0 if everything else first)))
        for table in (BATCHES, SIZES):
            database.execute(delete(table).where(table.c.exploration_id == exploration.id, table.c.size >= first))
        if everything:
            database.execute(delete(EXPLORATIONS).where(EXPLORATIONS.c.id == exploration.id))


def replace_merged(at: SizeKey, merged: Iterable[tuple[Sequence[Batch], BatchFile]]) -> None:
    """Replaces batches by merged files in the database, and renumbers the size.

    Deletes the planned expansions of the old batches.
    """
    with at.database.transaction():
        for old, new in merged:
            batches.delete_rows(at, [batch.id for batch in old])
            batches.insert_files(at, [(old[0].root_id, new)])
        numbered = at.exploration.size(at.size).numbered
        batches.reset_numbers(at)
        batches.give_numbers(at)
        explorations.set_numbered(at, numbered)
        _delete(at.exploration, EXPANSIONS.c.source_size >= at.size)


def adopt(
    at: SizeKey,
    source_size: int,
    batch_lists: int,
    files: Sequence[tuple[int, BatchFile]],
    files_of: Mapping[NumberedBatch, Sequence[BatchFile] | None],
) -> None:
    """Records batches and expansions that `setset db rebuild` has proven from the batch files.

    Args:
        files: Batches to record, each with the id of its storage root.
        files_of: The files made from each source. None if the source is still to be expanded.
    """
    step = Step(Work.STORE, at.size, source_size)
    rows = []
    for source, parts in files_of.items():
        row = {**_row(at.exploration, step, source), "attempts": 1}
        if parts is not None:
            row |= {"state": State.DONE, "lists_out": sum(batch.lists for batch in parts)}
            row |= {"batches_out": len(parts), "bytes_out": sum(batch.bytes for batch in parts)}
            row |= {"source_digest": source.digest, "finished_at": now()}
        rows.append(row)
    with at.database.transaction():
        _begin_size(at, step, batch_lists)
        batches.insert_files(at, files)
        at.database.insert(EXPANSIONS, rows)
        batches.number_batches(at)


# Queries


@dataclass(frozen=True)
class Remaining:
    """Unfinished expansions of a step: their number, and the number of lists in their sources."""

    step: Step
    tasks: int
    lists_in: int


def remaining(job: Job) -> list[Remaining]:
    """Steps with unfinished expansions, smallest sizes first."""
    return [
        Remaining(step, tasks, lists_in)
        for step in job.steps
        for tasks, lists_in in job.database.read(
            select(*SUMS).where(_due(job, step), EXPANSIONS.c.state != State.DONE), tuple
        )
        if tasks
    ]


def any_claimable(job: Job) -> bool:
    """Whether `claim` would return an expansion: a planned expansion whose source batch has no defect."""
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

"""Expansions in the database: plan them, claim them, record what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from setset.database.models import Batch, Expansion, Run, Size, State, Tally, Work
from setset.database.numbering import number_batches, these
from setset.database.store import Store, batch_columns, now, stored_batch, stored_batches
from setset.errors import SetsetError
from setset.tasks.kinds import SEED_SOURCE_SIZE, CountOrder, ExpandOrder, Job, Report, Source


@dataclass(frozen=True)
class Claim:
    """What a run is working on: the expansions of one kind from one size to another, from source `first` on."""

    run_id: int
    exploration: int
    target: int
    work: Work
    size: int
    source_size: int
    root_id: int
    root: Path
    batch_lists: int
    first: int = 0

    def order(self, source: Source | None) -> ExpandOrder | CountOrder:
        if self.work is Work.STORE:
            return ExpandOrder(self.target, self.size, self.batch_lists, source, str(self.root))
        if source is None:
            raise SetsetError("the seeds are stored, not counted")
        return CountOrder(self.target, self.size, source)


def plan(store: Store, exploration: int, work: Work, size: int, source_size: int) -> None:
    """Makes a row for each source batch that has none yet, and takes back what a dead run left running."""
    with store.transaction() as do:
        mine = these(exploration, work, size, source_size)
        do.execute(
            update(Expansion).where(mine, Expansion.state == State.RUNNING).values(state=State.PLANNED)
        )
        do.execute(
            update(Expansion)
            .where(mine, Expansion.state == State.FAILED)
            .values(state=State.PLANNED, attempts=0)
        )
        row = {"exploration_id": exploration, "work": work, "size": size, "source_size": source_size}
        fresh = {**row, "state": State.PLANNED, "attempts": 0}
        if source_size == SEED_SOURCE_SIZE:
            if do.scalar(select(Expansion.id).where(mine)) is None:
                do.execute(insert(Expansion).values(**fresh, source=0, lists_in=0))
            return
        known = select(Expansion.source).where(mine)
        sources = select(Batch.number, Batch.lists).where(
            Batch.exploration_id == exploration,
            Batch.size == source_size,
            Batch.number.is_not(None),
            Batch.number.not_in(known),
        )
        # What is known from files alone does not say how many lists the source has.
        lists = select(Batch.lists).where(
            Batch.exploration_id == exploration, Batch.size == source_size, Batch.number == Expansion.source
        )
        do.execute(
            update(Expansion)
            .where(mine, Expansion.lists_in == 0)
            .values(lists_in=func.coalesce(lists.scalar_subquery(), 0))
        )
        missing = [{**fresh, "source": number, "lists_in": lists} for number, lists in do.execute(sources)]
        if missing:
            do.execute(insert(Expansion), missing)
        elif work is Work.STORE:
            # Nothing may be left to do but to note that, if the last run was stopped or its note was damaged.
            number_batches(do, exploration, size)


def remaining(
    store: Store, exploration: int, work: Work, size: int, source_size: int, first: int
) -> tuple[int, int]:
    """How many expansions from source `first` on are not done, and how many lists their sources hold."""
    undone = select(func.count(), func.coalesce(func.sum(Expansion.lists_in), 0)).where(
        these(exploration, work, size, source_size),
        Expansion.state != State.DONE,
        Expansion.source >= first,
    )
    ((count, lists),) = [tuple(row) for row in store.query(undone)]
    return count, lists


def turn(
    store: Store,
    done: Sequence[tuple[Job, Report]],
    again: Sequence[tuple[Job, State, str]],
    claim: Claim,
    want: int,
) -> list[Job]:
    """Records, in one transaction, what was finished and what was not, and claims up to `want` jobs."""
    with store.transaction() as do:
        for job, report in done:
            _finish(do, claim, job, report)
        for job, state, error in again:
            retry = update(Expansion).where(Expansion.id == job.expansion_id)
            do.execute(retry.values(state=state, attempts=job.attempts, error=error))
        if done and claim.work is Work.STORE:
            number_batches(do, claim.exploration, claim.size)
        return _claim(store, do, claim, want) if want else []


def _claim(store: Store, do: Connection, claim: Claim, want: int) -> list[Job]:
    mine = these(claim.exploration, claim.work, claim.size, claim.source_size)
    due = (
        select(Expansion.id, Expansion.lists_in, Expansion.attempts, Expansion.source)
        .where(mine, Expansion.state == State.PLANNED, Expansion.source >= claim.first)
        .order_by(Expansion.source)
        .limit(want)
    )
    jobs = []
    for row in do.execute(due).all():
        source = None
        if claim.source_size != SEED_SOURCE_SIZE:
            at = and_(
                Batch.exploration_id == claim.exploration,
                Batch.size == claim.source_size,
                Batch.number == row.source,
            )
            source = store.source_of(stored_batch(do.execute(stored_batches().where(at)).one()))
        do.execute(
            update(Expansion).where(Expansion.id == row.id).values(state=State.RUNNING, run_id=claim.run_id)
        )
        jobs.append(Job(row.id, row.lists_in, row.attempts, claim.order(source)))
    return jobs


def _finish(do: Connection, claim: Claim, job: Job, report: Report) -> None:
    lists = sum(batch.lists for batch in report.batches) + dict(report.counts).get(claim.size, 0)
    size_in_bytes = sum(batch.bytes for batch in report.batches)
    do.execute(
        update(Expansion)
        .where(Expansion.id == job.expansion_id)
        .values(
            state=State.DONE,
            attempts=job.attempts + 1,
            lists_out=lists,
            batches_out=len(report.batches) if claim.work is Work.STORE else None,
            bytes_out=size_in_bytes if claim.work is Work.STORE else None,
            host=report.host,
            pid=report.pid,
            seconds=report.seconds,
            finished_at=now(),
            error=None,
        )
    )
    if report.batches:
        # In one statement: with many small batches this is what the coordinator does most.
        do.execute(
            insert(Batch),
            [batch_columns(claim.exploration, claim.size, claim.root_id, batch) for batch in report.batches],
        )
    for size, found in report.counts:
        do.execute(insert(Tally).values(expansion_id=job.expansion_id, size=size, lists=found))
    stored = claim.work is Work.STORE
    do.execute(
        update(Run)
        .where(Run.id == claim.run_id)
        .values(
            batches_added=Run.batches_added + len(report.batches),
            lists_added=Run.lists_added + (lists if stored else 0),
            lists_counted=Run.lists_counted + (0 if stored else lists),
            bytes_added=Run.bytes_added + size_in_bytes,
        )
    )


def redo(store: Store, exploration: int, size: int, source: int, root_id: int, report: Report) -> None:
    """Puts the outcome of an expansion that was done again in the place of what is recorded of it."""
    with store.transaction() as do:
        mine = and_(Batch.exploration_id == exploration, Batch.size == size)
        do.execute(delete(Batch).where(mine, Batch.first_source == source))
        for batch in report.batches:
            do.execute(insert(Batch).values(**batch_columns(exploration, size, root_id, batch)))
        done = update(Expansion).where(
            these(exploration, Work.STORE, size, size - 1), Expansion.source == source
        )
        source_lists = (
            select(Batch.lists)
            .where(Batch.exploration_id == exploration, Batch.size == size - 1, Batch.number == source)
            .scalar_subquery()
        )
        do.execute(
            done.values(
                state=State.DONE,
                lists_in=func.coalesce(source_lists, 0),
                lists_out=sum(batch.lists for batch in report.batches),
                batches_out=len(report.batches),
                bytes_out=sum(batch.bytes for batch in report.batches),
                finished_at=now(),
            )
        )
        do.execute(update(Batch).where(mine).values(number=None))
        do.execute(
            update(Size)
            .where(Size.exploration_id == exploration, Size.size == size)
            .values(numbered=0, complete=False)
        )
        number_batches(do, exploration, size)

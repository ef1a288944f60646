"""Records of the expansions of a size and of their sources, for `maintenance.proof`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import and_, func, select

from setset.batches.records import NO_SOURCE
from setset.database import batches, explorations
from setset.database.connection import Database
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.database.models import BATCHES, EXPANSIONS, State, Work
from setset.tasks.kinds import SEED_SOURCE_SIZE


class Source(NamedTuple):
    """How many lists a source batch has, and the digest of its file."""

    lists: int
    digest: str


class CountedExpansion(NamedTuple):
    """A count that was made from a batch, and the digest that the batch had."""

    id: int
    source: int
    source_digest: str | None


@dataclass(frozen=True)
class FinishedExpansion:
    """An expansion whose outcome is recorded: how many lists it read and its source has, and what it made."""

    source: int
    lists_in: int
    source_lists: int | None
    source_digest: str | None
    """Digest of the source at that time; None if version 0.1 recorded the expansion."""
    batches_out: int
    lists_out: int


def _finished(database: Database, exploration: ExplorationKey, size: SizeRecord) -> list[FinishedExpansion]:
    """The expansions that made the files of a size, also those whose files are to be made again."""
    batch = BATCHES.alias()
    at_source = and_(
        batch.c.exploration_id == exploration.id,
        batch.c.size == size.source_size,
        batch.c.number == EXPANSIONS.c.source,
    )
    rows = database.query(
        select(
            EXPANSIONS.c.source,
            EXPANSIONS.c.lists_in,
            batch.c.lists,
            EXPANSIONS.c.source_digest,
            EXPANSIONS.c.batches_out,
            func.coalesce(EXPANSIONS.c.lists_out, 0),
        )
        .outerjoin(batch, at_source)
        .where(and_(explorations.at_step(exploration, size.step), EXPANSIONS.c.batches_out.is_not(None)))
        .order_by(EXPANSIONS.c.source)
    )
    return [FinishedExpansion(*tuple(row)) for row in rows]


@dataclass(frozen=True)
class Evidence:
    """Records that show what the batches of a size were made from."""

    finished: list[FinishedExpansion]
    counted: list[CountedExpansion]
    """Counts that were made from the batches of the size."""
    sources: dict[int, Source]
    all_known: bool
    """Whether those are all sources; otherwise others may come."""


def read_evidence(database: Database, exploration: ExplorationKey, size: SizeRecord) -> Evidence:
    """The finished expansions of a size, and the sources that there are now."""
    return Evidence(
        _finished(database, exploration, size),
        _counted_from(database, exploration, size.size),
        sources_of_size(database, exploration, size.source_size),
        has_all_batches(database, exploration, size.source_size),
    )


def _counted_from(
    database: Database, exploration: ExplorationKey, source_size: int
) -> list[CountedExpansion]:
    """The counts that were made from the batches of a size."""
    found = select(EXPANSIONS.c.id, EXPANSIONS.c.source, EXPANSIONS.c.source_digest).where(
        EXPANSIONS.c.exploration_id == exploration.id,
        EXPANSIONS.c.work == Work.COUNT,
        EXPANSIONS.c.source_size == source_size,
        EXPANSIONS.c.state == State.DONE,
    )
    return [CountedExpansion(*tuple(row)) for row in database.query(found)]


def sources_of_size(database: Database, exploration: ExplorationKey, size: int) -> dict[int, Source]:
    """The batches of a size that have their numbers; the seeds have one source, which is empty."""
    if size == SEED_SOURCE_SIZE:
        return {0: Source(0, NO_SOURCE)}
    found = select(BATCHES.c.number, BATCHES.c.lists, BATCHES.c.digest).where(
        batches.numbered_at(exploration, size)
    )
    return {row.number: Source(row.lists, row.digest) for row in database.query(found)}


def has_all_batches(database: Database, exploration: ExplorationKey, size: int) -> bool:
    """Whether all batches of a size are known, so that there will be no others."""
    return size == SEED_SOURCE_SIZE or explorations.is_complete(database, exploration, size)


def was_expanded(database: Database, exploration: ExplorationKey, source_size: int) -> bool:
    """Whether anything was derived from the batches of a size."""
    used = and_(
        EXPANSIONS.c.exploration_id == exploration.id,
        EXPANSIONS.c.source_size == source_size,
        EXPANSIONS.c.lists_out.is_not(None),
    )
    return bool(database.query(select(EXPANSIONS.c.id).where(used).limit(1)))


def count_finished(
    database: Database, exploration: ExplorationKey, size: SizeRecord, sources: range | None = None
) -> int:
    """How many expansions to a size have their outcome recorded, of all sources or of a range of them."""
    done = and_(explorations.at_step(exploration, size.step), EXPANSIONS.c.batches_out.is_not(None))
    if sources is not None:
        done = and_(done, EXPANSIONS.c.source.between(sources.start, sources.stop - 1))
    return int(database.query(select(func.count()).select_from(EXPANSIONS).where(done))[0][0])

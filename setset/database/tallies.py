"""Counts by source: the table `tallies`. A counted size can be read like a stored one, since its lists are made again
from the source that holds them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from sqlalchemy import delete, func, select

from setset.batches.records import Batch
from setset.database import batches, explorations
from setset.database.connection import BadDatabase, Database, checksum, now
from setset.database.explorations import SizeKey
from setset.database.models import EXPANSIONS, EXPLORATIONS, TALLIES, State, Work

ENTRY_BYTES = 8


class Part(NamedTuple):
    """Consecutive lists of a size: the lists in a batch, or the lists below a source."""

    batch: Batch
    lists: int
    entries: tuple[int, ...] = ()
    """Numbers of lists below consecutive runs of equally many lists of the source, if they were counted."""


def record(
    database: Database, expansion_id: int, counts: Sequence[tuple[int, int]], entries: Mapping[int, Sequence[int]]
) -> None:
    """Records the counts of an expansion by size, in the place of earlier ones, within a transaction."""
    database.execute(delete(TALLIES).where(TALLIES.c.expansion_id == expansion_id))
    packed = {size: b"".join(n.to_bytes(ENTRY_BYTES, "little") for n in found) for size, found in entries.items()}
    rows = [{"expansion_id": expansion_id, "size": size, "lists": n, "entries": packed.get(size)} for size, n in counts]
    database.insert(TALLIES, rows)


@dataclass(frozen=True)
class SourceCount:
    """The count of one source, as a file keeps it."""

    target: int
    pruned: bool
    size: int
    source_size: int
    source: int
    source_digest: str
    lists_in: int
    tallies: tuple[tuple[int, int, str], ...]
    """Size, number of lists, and the entries as hexadecimal digits."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The count whose fields these are; ValueError or TypeError if they are not."""
        rows = tuple(
            (int(size), int(lists), bytes.fromhex(entries).hex()) for size, lists, entries in values["tallies"]
        )
        return cls(**{**values, "tallies": rows})


def source_counts(database: Database) -> list[SourceCount]:
    """All counts that are done, with the digests of their sources."""
    done = EXPANSIONS.c.work == Work.COUNT, EXPANSIONS.c.state == State.DONE, EXPANSIONS.c.source_digest.is_not(None)
    names = ("size", "source_size", "source", "source_digest", "lists_in")
    columns = EXPLORATIONS.c.target, EXPLORATIONS.c.pruned, *(EXPANSIONS.c[name] for name in names)
    with database.transaction():
        tallies = defaultdict[int, list[tuple[int, int, str]]](list)
        for row in database.query(select(TALLIES).order_by(TALLIES.c.size)):
            tallies[row.expansion_id].append((row.size, row.lists, (row.entries or b"").hex()))
        query = select(EXPANSIONS.c.id, *columns).join(EXPLORATIONS).where(*done)
        rows = database.query(query.order_by(EXPLORATIONS.c.target, EXPANSIONS.c.size, EXPANSIONS.c.source))
    return [
        SourceCount(
            row.target, bool(row.pruned), **{name: row._mapping[name] for name in names}, tallies=tuple(tallies[row.id])
        )
        for row in rows
    ]


def adopt(database: Database, found: Sequence[SourceCount]) -> int:
    """Records counts whose sources are there as they were; returns how many."""
    explored = {(each.target, each.pruned): each for each in explorations.find_all(database)}
    known: dict[tuple[int, int], dict[int, batches.NumberedBatch]] = {}
    adopted = 0
    with database.transaction():
        for count in found:
            exploration = explored.get((count.target, count.pruned))
            if exploration is None:
                continue
            key = exploration.id, count.source_size
            known[key] = known.get(key) or batches.sources(exploration.at(count.source_size))
            source = known[key].get(count.source)
            if source is None or source.digest != count.source_digest:
                continue
            row = {"exploration_id": exploration.id, "work": Work.COUNT, "state": State.DONE, "attempts": 1}
            row |= {
                name: getattr(count, name) for name in ("size", "source_size", "source", "source_digest", "lists_in")
            }
            last = next((lists for size, lists, _ in count.tallies if size == count.size), 0)
            database.insert(EXPANSIONS, [{**row, "lists_out": last, "finished_at": now()}])
            (made,) = database.query(select(func.max(EXPANSIONS.c.id)))
            rows = [
                {"size": size, "lists": n, "entries": bytes.fromhex(hexed) or None} for size, n, hexed in count.tallies
            ]
            database.insert(TALLIES, [{"expansion_id": made[0], **each} for each in rows])
            adopted += 1
    return adopted


def sizes_counted(at: SizeKey) -> dict[int, int]:
    """How many sizes each count from the batches of a size has tallies of, by the id of the expansion."""
    mine = EXPANSIONS.c.exploration_id == at.exploration.id, EXPANSIONS.c.source_size == at.size
    query = select(TALLIES.c.expansion_id, func.count()).join(EXPANSIONS).where(*mine)
    return dict(at.database.read(query.group_by(TALLIES.c.expansion_id), tuple))


def counted_parts(at: SizeKey) -> list[Part]:
    """The parts of a size that is counted in full, in order; none if it is not.

    Raises:
        BadDatabase: A row was changed by hand, so lists by number would be wrong ones.
    """
    with at.database.transaction():
        for source_size in sorted(at.exploration.complete_sizes(), reverse=True):
            sources = batches.numbered(at.exploration.at(source_size)) if source_size < at.size else []
            parts = _parts_from(at, source_size, sources)
            if sources and len(parts) == len(sources):
                return [part for part in parts if part.lists]
    return []


def _parts_from(at: SizeKey, source_size: int, sources: Sequence[Batch]) -> list[Part]:
    mine = EXPANSIONS.c.exploration_id == at.exploration.id, EXPANSIONS.c.source_size == source_size
    done = EXPANSIONS.c.work == Work.COUNT, EXPANSIONS.c.state == State.DONE
    found = at.database.query(select(EXPANSIONS).where(*mine, *done).order_by(EXPANSIONS.c.source, EXPANSIONS.c.size))
    tallies = {row.expansion_id: row for row in at.database.query(select(TALLIES).where(TALLIES.c.size == at.size))}
    parts: dict[int, Part] = {}
    for row in found:
        tally = tallies.get(row.id)
        if tally is None or row.source >= len(sources):
            continue
        for table, each in ((EXPANSIONS, row), (TALLIES, tally)):
            if each.checksum != checksum(table, each._mapping):
                raise BadDatabase(f"the count from batch {row.source} was changed by hand: run 'setset repair'")
        if row.source_digest == sources[row.source].digest:
            packed = tally.entries or b""
            starts = range(0, len(packed), ENTRY_BYTES)
            entries = tuple(int.from_bytes(packed[start : start + ENTRY_BYTES], "little") for start in starts)
            parts[row.source] = Part(sources[row.source], tally.lists, entries)
    return [parts[source] for source in sorted(parts)]

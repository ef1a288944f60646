"""Counts by source: the table `tallies`. A counted size can be read like a stored size, since its lists are derived
again from the source batches."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from sqlalchemy import delete, func, or_, select

from setset.batches.records import Batch
from setset.cards import LARGEST
from setset.database import batches, explorations
from setset.database.connection import BadDatabase, Database, checksum, now
from setset.database.explorations import SizeKey
from setset.database.models import EXPANSIONS, EXPLORATIONS, TALLIES, State, Work
from setset.tasks.kinds import SEED_SOURCE_SIZE

ENTRY_BYTES = 8
MOST = 1 << 63
"""Exclusive upper limit of an integer in SQLite."""
KEPT = ("size", "source_size", "source", "source_digest", "lists_in")
"""Columns of the table `expansions` that `SourceCount` has as fields."""


class Part(NamedTuple):
    """Consecutive lists of a size: the lists in a batch, or the lists derived from a source batch."""

    batch: Batch
    lists: int
    entries: tuple[int, ...] = ()
    """Subtotals of a counted size: number of lists derived from each stretch of consecutive source lists."""


def record(
    database: Database, expansion_id: int, counts: Sequence[tuple[int, int]], entries: Mapping[int, Sequence[int]]
) -> None:
    """Records the counts of an expansion by size, replacing earlier counts. Needs an open transaction."""
    database.execute(delete(TALLIES).where(TALLIES.c.expansion_id == expansion_id))
    packed = {size: b"".join(n.to_bytes(ENTRY_BYTES, "little") for n in numbers) for size, numbers in entries.items()}
    rows = [{"expansion_id": expansion_id, "size": size, "lists": n, "entries": packed.get(size)} for size, n in counts]
    database.insert(TALLIES, rows)


@dataclass(frozen=True)
class SourceCount:
    """All counts of one expansion of a source batch, as in a line of the file `setset.counts` of the workspace."""

    target: int
    pruned: bool
    size: int
    source_size: int
    source: int
    source_digest: str
    lists_in: int
    tallies: tuple[tuple[int, int, str], ...]
    """For each counted size: the size, the number of lists, and the packed subtotals as hexadecimal digits."""

    @property
    def exploration(self) -> tuple[int, bool]:
        """Target of the exploration, and whether it is pruned."""
        return self.target, self.pruned

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Parses a count from its fields. Raises ValueError, TypeError or LookupError if they are invalid."""
        rows = tuple((size, lists, bytes.fromhex(entries).hex()) for size, lists, entries in values["tallies"])
        count = cls(**{**values, "tallies": rows})
        numbers = count.target, count.size, count.source_size, count.source, count.lists_in
        numbers += tuple(number for size, lists, _ in rows for number in (size, lists))
        if any(type(number) is not int or not 0 <= number < MOST for number in numbers):
            raise ValueError("a number of a count is out of range")
        sizes = [size for size, _, _ in rows]
        if count.size > LARGEST or sizes not in ([count.size], [*range(count.source_size + 1, count.size + 1)]):
            raise ValueError(f"a count has the wrong sizes: {sizes}")
        for size, lists, entries in rows:
            if entries and (len(entries) % (2 * ENTRY_BYTES) or sum(unpack_entries(bytes.fromhex(entries))) != lists):
                raise ValueError(f"the entries of size {size} do not add up to its number of lists")
        return count


def unpack_entries(packed: bytes) -> tuple[int, ...]:
    """Unpacks the entries that `record` packed."""
    starts = range(0, len(packed), ENTRY_BYTES)
    return tuple(int.from_bytes(packed[start : start + ENTRY_BYTES], "little") for start in starts)


def source_counts(database: Database) -> list[SourceCount]:
    """All finished counts that record the digest of their source, for the file `setset.counts`."""
    done = EXPANSIONS.c.work == Work.COUNT, EXPANSIONS.c.state == State.DONE, EXPANSIONS.c.source_digest.is_not(None)
    columns = EXPLORATIONS.c.target, EXPLORATIONS.c.pruned, *(EXPANSIONS.c[name] for name in KEPT)
    with database.transaction():
        tallies = defaultdict[int, list[tuple[int, int, str]]](list)
        for row in database.query(select(TALLIES).order_by(TALLIES.c.size)):
            tallies[row.expansion_id].append((row.size, row.lists, (row.entries or b"").hex()))
        query = select(EXPANSIONS.c.id, *columns).join(EXPLORATIONS).where(*done)
        rows = database.query(query.order_by(EXPLORATIONS.c.target, EXPANSIONS.c.size, EXPANSIONS.c.source))
    return [
        SourceCount(
            row.target, bool(row.pruned), **{name: row._mapping[name] for name in KEPT}, tallies=tuple(tallies[row.id])
        )
        for row in rows
    ]


def adopt(database: Database, counts: Sequence[SourceCount]) -> int:
    """Records the given counts, except counts whose source batch has changed. Returns the number of recorded counts."""
    explored = {
        (exploration.target, exploration.pruned): exploration for exploration in explorations.find_all(database)
    }
    sources_of: dict[tuple[int, int], dict[int, batches.NumberedBatch]] = {}
    adopted = 0
    with database.transaction():
        for count in counts:
            exploration = explored.get(count.exploration)
            if exploration is None:
                continue
            key = exploration.id, count.source_size
            sources_of[key] = sources_of.get(key) or batches.sources(exploration.at(count.source_size))
            source = sources_of[key].get(count.source)
            if source is None or (source.digest, source.lists) != (count.source_digest, count.lists_in):
                continue
            row = {"exploration_id": exploration.id, "work": Work.COUNT, "state": State.DONE, "attempts": 1}
            row |= {name: getattr(count, name) for name in KEPT}
            lists = {size: number for size, number, _ in count.tallies}
            database.insert(EXPANSIONS, [{**row, "lists_out": lists.get(count.size, 0), "finished_at": now()}])
            expansion_id = database.query(select(func.max(EXPANSIONS.c.id)))[0][0]
            entries = {size: unpack_entries(bytes.fromhex(hexed)) for size, _, hexed in count.tallies if hexed}
            record(database, expansion_id, list(lists.items()), entries)
            adopted += 1
    return adopted


def sizes_counted(at: SizeKey) -> dict[int, dict[int, bool]]:
    """For each count that starts from the batches of a size, by expansion id: each size that was counted, and whether
    its tally has entries (subtotals).

    Only a count of a single size has entries. Leaves out a tally that contradicts its expansion.
    """
    mine = EXPANSIONS.c.exploration_id == at.exploration.id, EXPANSIONS.c.source_size == at.size
    agrees = or_(TALLIES.c.size != EXPANSIONS.c.size, TALLIES.c.lists == EXPANSIONS.c.lists_out)
    columns = TALLIES.c.expansion_id, TALLIES.c.size, TALLIES.c.entries.is_not(None)
    sizes_of = defaultdict[int, dict[int, bool]](dict)
    for expansion_id, size, has_entries in at.database.read(
        select(*columns).join(EXPANSIONS).where(*mine, agrees), tuple
    ):
        sizes_of[expansion_id][size] = bool(has_entries)
    return sizes_of


def counted_parts(at: SizeKey) -> list[Part]:
    """The lists of a counted size as parts, each from one source batch, in lexicographic order. Empty if the count is
    not complete.

    Raises:
        BadDatabase: A row was changed by hand, so the indexes of the lists could be wrong.
    """
    with at.database.transaction():
        for source_size in sorted(at.exploration.complete_sizes(), reverse=True):
            sources = (
                batches.numbered(at.exploration.at(source_size)) if SEED_SOURCE_SIZE < source_size < at.size else []
            )
            parts = _parts_from(at, source_size, sources)
            if sources and len(parts) == len(sources):
                return [part for part in parts if part.lists]
    return []


def _parts_from(at: SizeKey, source_size: int, sources: Sequence[Batch]) -> list[Part]:
    mine = EXPANSIONS.c.exploration_id == at.exploration.id, EXPANSIONS.c.source_size == source_size
    done = EXPANSIONS.c.work == Work.COUNT, EXPANSIONS.c.state == State.DONE
    rows = at.database.query(select(EXPANSIONS).where(*mine, *done).order_by(EXPANSIONS.c.source, EXPANSIONS.c.size))
    tallies = {row.expansion_id: row for row in at.database.query(select(TALLIES).where(TALLIES.c.size == at.size))}
    parts: dict[int, Part] = {}
    counted = sizes_counted(at.exploration.at(source_size))
    for row in rows:
        tally = tallies.get(row.id)
        if tally is None or row.size not in counted[row.id] or row.source >= len(sources):
            continue
        for table, checked_row in ((EXPANSIONS, row), (TALLIES, tally)):
            if checked_row.checksum != checksum(table, checked_row._mapping):
                raise BadDatabase(f"the count from batch {row.source} was changed by hand: run 'setset repair'")
        if row.source_digest == sources[row.source].digest:
            parts[row.source] = Part(sources[row.source], tally.lists, unpack_entries(tally.entries or b""))
    return [parts[source] for source in sorted(parts)]

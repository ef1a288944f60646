"""Recorded batch files: the table `batches`, and the numbers of the batches.

The number of a batch is its index among all batches of its size, in lexicographic order. A batch gets its number once
all batches before it are known. So no number depends on the order in which expansions finish.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, bindparam, delete, func, select
from sqlalchemy.sql.elements import ColumnElement

from setset.batches.records import NO_SOURCE, Batch, BatchFile, Span
from setset.cards import Cards
from setset.database import explorations
from setset.database.connection import BadDatabase, Database, checksum, damaged
from setset.database.explorations import SizeKey
from setset.database.models import BATCHES, EXPANSIONS, EXPLORATIONS, ROOTS, SIZES, Work
from setset.errors import BadInput, ChangedMeanwhile, SetsetError
from setset.tasks.kinds import SEED_SOURCE_SIZE, Source

MOST_BATCHES = 1 << 31
"""Exclusive upper limit for the number of batches of a size."""
MOST_MERGED = 1_000_000
"""Maximum number of sources per merged batch. A damaged row may claim more."""


class NumberedBatch(NamedTuple):
    """A batch as the source of expansions: its number, its number of lists, and the digest of its file."""

    number: int
    lists: int
    digest: str


SEEDS = NumberedBatch(0, 0, NO_SOURCE)
"""Placeholder for the source of the seeds (the lists of size 3), which are made from no file."""


def read(at: SizeKey, *conditions: ColumnElement[bool], verified: bool = False) -> list[Batch]:
    """Batches of a size that meet all SQL conditions, in lexicographic order.

    Raises:
        BadDatabase: `verified` is true, and the checksum of a row is wrong, since it was changed by hand.
    """
    folder = at.database.folder

    def record(row: Row[Any]) -> Batch:
        if verified and row.checksum != checksum(BATCHES, row._mapping):
            raise BadDatabase(f"batch {row.number} of size {at.size} was changed by hand: run 'setset repair'")
        span = Span(row.first_source, row.first_part, row.last_source, row.last_part, bool(row.ends_source))
        if not (0, 0) <= span.start <= (span.last_source, span.last_part) < (MOST_BATCHES, MOST_BATCHES):
            raise ValueError(f"source {span.last_source} part {span.last_part} is out of range")
        first, last = (tuple(map(int, cards.split())) for cards in (row.first_list, row.last_list))
        file = span, row.lists, first, last, str(row.path), row.bytes, row.digest, row.source_digest or ""
        key = row.id, row.target, bool(row.pruned), row.size, row.number
        return Batch(*file, *key, row.root_id, str(folder.root(row.root)), row.defect)

    columns = *BATCHES.c, EXPLORATIONS.c.target, EXPLORATIONS.c.pruned, ROOTS.c.path.label("root")
    query = select(*columns).join(EXPLORATIONS).join(ROOTS).where(at.batches_here, *conditions)
    return at.database.read(query.order_by(BATCHES.c.first_source, BATCHES.c.first_part), record)


def find(at: SizeKey, number: int) -> Batch | None:
    """Returns the batch with this number. None if there is none."""
    return next(iter(read(at, BATCHES.c.number == number)), None)


def get(at: SizeKey, number: int) -> Batch:
    """Returns the batch with this number. Raises BadInput if there is none."""
    if (batch := find(at, number)) is not None:
        return batch
    if not (count := count_numbered(at)):
        raise BadInput(
            f"no batch of size {at.size} has its number yet, since the files of its first source are missing: "
            f"run 'setset run {at.size} {at.exploration.options}' first"
        )
    raise BadInput(f"there is no batch {number} of size {at.size}: the batches are 0 to {count - 1:,}")


def of_source(at: SizeKey, source: int) -> list[Batch]:
    """Batches whose first list is derived from this source."""
    return read(at, BATCHES.c.first_source == source)


def numbered(at: SizeKey) -> list[Batch]:
    """The numbered batches, up to the first gap in the numbers.

    Raises:
        BadDatabase: A row was changed by hand, so the lists could have wrong numbers.
    """
    with at.database.transaction():
        count = count_numbered(at)
        numbered_batches = read(at, BATCHES.c.number < count, verified=True)
    if len(numbered_batches) < count:
        raise damaged(at.database.folder.database, f"batches of size {at.size} have no storage root")
    return numbered_batches


def require_unchanged(batch: Batch, at: SizeKey) -> None:
    """Raises ChangedMeanwhile if another command has removed, merged or moved the batch since its row was read."""
    recorded = [(row.root, row.name, row.digest) for row in read(at, BATCHES.c.id == batch.id)]
    if recorded != [(batch.root, batch.name, batch.digest)]:
        raise ChangedMeanwhile(at.size)


def count_numbered(at: SizeKey) -> int:
    """Number of batches of a size that have numbers. For SEED_SOURCE_SIZE, 1.

    If rows were deleted by hand, the numbers have a gap. Then counts only the batches before the gap.
    """
    if at.size == SEED_SOURCE_SIZE:
        return 1
    with at.database.transaction():
        numbered_here = BATCHES.c.number.is_not(None), at.batches_here
        count, last = tuple(
            at.database.query(select(func.count(), func.max(BATCHES.c.number)).where(*numbered_here))[0]
        )
        if not count or last == count - 1:
            return int(count)
        rows = at.database.query(select(BATCHES.c.number).where(*numbered_here).order_by(BATCHES.c.number))
        return next((index for index, row in enumerate(rows) if row.number != index), len(rows))


def totals(at: SizeKey) -> tuple[int, int]:
    """Number of stored lists of a size, and the bytes of their files."""
    sums = (func.coalesce(func.sum(column), 0) for column in (BATCHES.c.lists, BATCHES.c.bytes))
    lists, file_bytes = tuple(at.database.query(select(*sums).where(at.batches_here))[0])
    return int(lists), int(file_bytes)


def sources(at: SizeKey) -> dict[int, NumberedBatch]:
    """Batches of a size that have numbers, by number. SEED_SOURCE_SIZE has one batch, the placeholder SEEDS."""
    return {
        batch.number: batch
        for batch in (
            [SEEDS]
            if at.size == SEED_SOURCE_SIZE
            else at.database.read(
                select(BATCHES.c.number, BATCHES.c.lists, BATCHES.c.digest)
                .where(at.batches_here, BATCHES.c.number.is_not(None))
                .order_by(BATCHES.c.number),
                lambda row: NumberedBatch(*tuple(row)),
            )
        )
    }


def source_of(batch: Batch) -> Source:
    """A batch as the source of a task."""
    if batch.number is None:
        raise SetsetError(f"{batch} has no number yet")
    return Source(batch.size, batch.number, batch.path, batch.digest)


# Changes, which need an open transaction


def delete_rows(at: SizeKey, ids: Iterable[int]) -> None:
    """Deletes batches by their ids, one per statement, since SQLite limits the number of values in a statement."""
    at.database.execute(
        delete(BATCHES).where(BATCHES.c.id == bindparam("batch")), [{"batch": batch_id} for batch_id in ids]
    )


def insert_files(at: SizeKey, files: Sequence[tuple[int, BatchFile]]) -> None:
    """Records files, each with the id of its storage root."""
    at.database.insert(BATCHES, [_columns(at, *file) for file in files])


def record_again(at: SizeKey, root_id: int, recorded: Sequence[Batch], files: Sequence[BatchFile]) -> list[BatchFile]:
    """Updates the rows of `recorded` batches whose files were made again, and clears their defects.

    Returns the files that belong to no recorded batch.
    """
    rows = {batch.span.start: batch for batch in recorded}
    for file in files:
        if (old := rows.get(file.span.start)) and (old.file != file or old.defect):
            set_values(at, old, {**_columns(at, root_id, file), "defect": None})
    return [file for file in files if file.span.start not in rows]


def set_values(at: SizeKey, batch: Batch, values: dict[str, Any]) -> None:
    """Sets values in the row of a batch."""
    at.database.change(BATCHES, [BATCHES.c.id == batch.id], values)


def mark_missing(database: Database, root_id: int, names: Collection[str]) -> None:
    """Records these files of a storage root as missing. Skips files that have a defect already."""
    with database.transaction():
        sound = BATCHES.c.root_id == root_id, BATCHES.c.defect.is_(None)
        database.change(BATCHES, sound, lambda row: {"defect": "missing"} if row["path"] in names else None)


def _columns(at: SizeKey, root_id: int, batch: BatchFile) -> dict[str, Any]:
    span = {name: getattr(batch.span, name) for name in batch.span.__dataclass_fields__}
    names = ("lists", "bytes", "digest", "source_digest")
    return {
        "exploration_id": at.exploration.id,
        "size": at.size,
        **span,
        **{name: getattr(batch, name) for name in names},
        "first_list": spell(batch.first),
        "last_list": spell(batch.last),
        "root_id": root_id,
        "path": batch.name,
    }


def spell(cards: Cards) -> str:
    return " ".join(map(str, cards))


# Numbers, which need an open transaction


def reset_numbers(at: SizeKey) -> None:
    """Removes the numbers of all batches of a size, so the size is incomplete until they are numbered again."""
    at.database.change(BATCHES, [at.batches_here], {"number": None})
    explorations.set_numbered(at, 0)


def number_batches(at: SizeKey) -> list[NumberedBatch]:
    """Numbers batches that have no number, up to the first source without a result. Returns these batches."""
    database = at.database
    row = next(iter(database.query(select(SIZES).where(at.row_here))), None)
    if row is None:
        return []
    planned = (EXPANSIONS.c.exploration_id == at.exploration.id) & (EXPANSIONS.c.work == Work.STORE)
    planned &= (EXPANSIONS.c.size == at.size) & (EXPANSIONS.c.source_size == row.source_size)
    missing = planned & (EXPANSIONS.c.source >= row.numbered) & EXPANSIONS.c.batches_out.is_(None)
    gap = database.query(select(func.min(EXPANSIONS.c.source)).where(missing))[0][0]
    last = database.query(select(func.max(EXPANSIONS.c.source)).where(planned))[0][0]
    end = gap if gap is not None else 0 if last is None else last + 1
    if end <= row.numbered:
        return []
    explorations.set_numbered(at, end)
    return give_numbers(at, row.numbered, end)


def give_numbers(at: SizeKey, first: int = 0, end: int = MOST_BATCHES) -> list[NumberedBatch]:
    """Gives the next free numbers to all batches without a number whose first source is from `first` to `end` - 1.
    Returns these batches."""
    last = at.database.query(select(func.max(BATCHES.c.number)).where(at.batches_here))[0][0]
    waiting = BATCHES.c.number.is_(None) & BATCHES.c.first_source.between(first, end - 1)
    query = select(BATCHES.c.id, BATCHES.c.lists, BATCHES.c.digest).where(at.batches_here, waiting)
    rows = at.database.query(query.order_by(BATCHES.c.first_source, BATCHES.c.first_part))
    start = 0 if last is None else last + 1
    numbers = {row.id: number for number, row in enumerate(rows, start)}
    at.database.change(BATCHES, [at.batches_here, waiting], lambda row: {"number": numbers[row["id"]]})
    return [NumberedBatch(number, row.lists, row.digest) for number, row in enumerate(rows, start)]

"""Rows that something other than setset changed: wrong checksums, and rows that contradict each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import Table, select, text
from sqlalchemy.sql.elements import ColumnElement

from setset.database.connection import BadDatabase, Database, Values, checked_columns, checksum_of
from setset.database.models import CHECKED, EXPLORATIONS, ROOTS, RUNS, SIZES


@dataclass(frozen=True)
class AlteredRow:
    """A row with a wrong checksum, so something other than setset changed it."""

    table: Table
    values: Values

    @property
    def key(self) -> list[ColumnElement[bool]]:
        """SQL condition that selects this row."""
        return [column == self.values[column.name] for column in self.table.primary_key]

    @property
    def is_structure(self) -> bool:
        """Whether the row is an exploration, size or storage root, on which all other data depends."""
        return self.table in (EXPLORATIONS, SIZES, ROOTS)

    @property
    def is_history(self) -> bool:
        """Whether the row is in the history (the table `runs`), on which no other data depends."""
        return self.table is RUNS

    def __str__(self) -> str:
        keys = ", ".join(f"{column.name} {self.values[column.name]}" for column in self.table.primary_key)
        return f"row {keys} of the table {self.table.name}"


def altered_rows(database: Database, tables: Sequence[Table] = CHECKED) -> list[AlteredRow]:
    """All rows with a wrong checksum in these tables."""
    altered = []
    for table in tables:
        names = table.columns.keys()
        covered, stored = itemgetter(*map(names.index, checked_columns(table))), names.index("checksum")
        rows = database.query(select(table))
        altered += [AlteredRow(table, row._mapping) for row in rows if row[stored] != checksum_of(covered(row))]
    return altered


def unrecorded_sizes(database: Database) -> list[str]:
    """Sizes that have recorded batches, but no row in the table `sizes`."""
    return database.read(
        text(
            "SELECT DISTINCT x.target, b.size FROM batches b JOIN explorations x ON x.id = b.exploration_id "
            "LEFT JOIN sizes z ON z.exploration_id = b.exploration_id AND z.size = b.size WHERE z.size IS NULL"
        ),
        lambda row: f"size {row.size} of target {row.target}",
    )


def exchanged_targets(database: Database) -> list[str]:
    """Targets whose recorded files all have the path of another target.

    This is so if another program has exchanged the ids of two rows of `explorations`. No checksum covers an id.
    """
    query = (
        "SELECT x.target FROM batches b JOIN explorations x ON x.id = b.exploration_id GROUP BY x.id "
        "HAVING NOT MAX(b.path GLOB printf('%s%02d/*', IIF(x.pruned, 'p', 't'), x.target))"
    )
    return database.read(text(query), lambda row: f"target {row.target}")


def require_consistent(database: Database) -> None:
    """Raises BadDatabase if rows contradict each other, so that only the batch files can tell which row is right."""
    for size in unrecorded_sizes(database):
        raise BadDatabase(f"{size} is not recorded, but its batches are: run 'setset db rebuild'")
    for target in exchanged_targets(database):
        raise BadDatabase(f"{target} has the files of another target: run 'setset db rebuild'")


def require_unaltered(database: Database, tables: Sequence[Table] = CHECKED) -> None:
    """Raises BadDatabase if a row of these tables was changed by hand, or if rows contradict each other.

    Ignores changed rows of the table `runs`, since no other data depends on it.
    """
    for row in altered_rows(database, tables):
        if not row.is_history:
            raise BadDatabase(f"{row} was changed by hand: run 'setset repair'")
    require_consistent(database)


def accept(database: Database, altered: Iterable[AlteredRow]) -> None:
    """Corrects the checksums of altered rows that still exist, so that they count as sound."""
    with database.transaction():
        for row in altered:
            database.change(row.table, row.key, {}, accept=True)

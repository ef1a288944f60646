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
        """Condition: this row."""
        return [column == self.values[column.name] for column in self.table.primary_key]

    @property
    def is_structure(self) -> bool:
        """Whether all other data depends on the row."""
        return self.table in (EXPLORATIONS, SIZES, ROOTS)

    @property
    def is_history(self) -> bool:
        """Whether no other data depends on the row."""
        return self.table is RUNS

    def __str__(self) -> str:
        keys = ", ".join(f"{column.name} {self.values[column.name]}" for column in self.table.primary_key)
        return f"row {keys} of the table {self.table.name}"


def altered_rows(database: Database, tables: Sequence[Table] = CHECKED) -> list[AlteredRow]:
    """All rows of some tables with a wrong checksum."""
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
    """Targets none of whose files has a name of this target: their ids, which no checksum covers, were exchanged."""
    query = (
        "SELECT x.target FROM batches b JOIN explorations x ON x.id = b.exploration_id GROUP BY x.id "
        "HAVING NOT MAX(b.path GLOB printf('%s%02d/*', IIF(x.pruned, 'p', 't'), x.target))"
    )
    return database.read(text(query), lambda row: f"target {row.target}")


def lost_tallies(database: Database) -> list[str]:
    """Counts that lack a tally. A count of one size alone has one, with entries; any other has one for each size."""
    query = (
        "SELECT DISTINCT target, size FROM (SELECT x.target, e.size FROM expansions e JOIN explorations x "
        "ON x.id = e.exploration_id LEFT JOIN tallies t ON t.expansion_id = e.id WHERE e.work = 'count' AND "
        "e.state = 'done' GROUP BY e.id HAVING COUNT(t.size) <> e.size - e.source_size "
        "AND NOT (COUNT(t.size) = 1 AND MAX(t.entries IS NOT NULL)))"
    )
    return database.read(text(query), lambda row: f"a tally of the count of size {row.size} of target {row.target}")


def require_consistent(database: Database) -> None:
    """Refuses rows that contradict each other, so that only the files can tell what is right."""
    for size in unrecorded_sizes(database):
        raise BadDatabase(f"{size} is not recorded, but its batches are: run 'setset db rebuild'")
    for target in exchanged_targets(database):
        raise BadDatabase(f"{target} has the files of another target: run 'setset db rebuild'")


def require_unaltered(database: Database, tables: Sequence[Table] = CHECKED) -> None:
    """Refuses rows that were changed by hand, or that contradict each other. Ignores the history."""
    for row in altered_rows(database, tables):
        if not row.is_history:
            raise BadDatabase(f"{row} was changed by hand: run 'setset repair'")
    require_consistent(database)


def accept(database: Database, altered: Iterable[AlteredRow]) -> None:
    """Corrects the checksums of altered rows that still exist, so that they count as sound."""
    with database.transaction():
        for row in altered:
            database.change(row.table, row.key, {}, accept=True)

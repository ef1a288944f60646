"""Altered rows: rows with a wrong checksum, so something other than setset changed them."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import Table, select
from sqlalchemy.sql.elements import ColumnElement

from setset.database.connection import Database, Values, checked_columns, checksum_of
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


def altered_rows(database: Database) -> list[AlteredRow]:
    """All rows with a wrong checksum."""
    altered = []
    for table in CHECKED:
        names = table.columns.keys()
        covered, stored = itemgetter(*map(names.index, checked_columns(table))), names.index("checksum")
        rows = database.query(select(table))
        altered += [AlteredRow(table, row._mapping) for row in rows if row[stored] != checksum_of(covered(row))]
    return altered


def accept(database: Database, altered: Iterable[AlteredRow]) -> None:
    """Corrects the checksums of altered rows that still exist, so that they count as sound."""
    with database.transaction():
        for row in altered:
            database.change(row.table, row.key, {}, accept=True)

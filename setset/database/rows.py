"""Rows whose checksum does not fit: something other than setset changed them."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from sqlalchemy import Table, select
from sqlalchemy.sql.elements import ColumnElement

from setset.database.connection import Database, Values, checked_columns, checksum_of
from setset.database.models import CHECKED, EXPLORATIONS, ROOTS, RUNS, SIZES


@dataclass(frozen=True)
class AlteredRow:
    """A row whose checksum does not fit: something other than setset changed it."""

    table: Table
    values: Values

    @property
    def key(self) -> list[ColumnElement[bool]]:
        """Condition: this row."""
        return [column == self.values[column.name] for column in self.table.primary_key]

    @property
    def is_structure(self) -> bool:
        """Whether everything else depends on it."""
        return self.table in (EXPLORATIONS, SIZES, ROOTS)

    @property
    def is_history(self) -> bool:
        """Whether nothing depends on it."""
        return self.table is RUNS

    def __str__(self) -> str:
        keys = ", ".join(f"{column.name} {self.values[column.name]}" for column in self.table.primary_key)
        return f"row {keys} of the table {self.table.name}"


def altered_rows(database: Database) -> list[AlteredRow]:
    """All rows whose checksum does not fit."""
    found = []
    for table in CHECKED:
        names = table.columns.keys()
        covered, stored = itemgetter(*map(names.index, checked_columns(table))), names.index("checksum")
        rows = database.query(select(table))
        found += [AlteredRow(table, row._mapping) for row in rows if row[stored] != checksum_of(covered(row))]
    return found


def accept(database: Database, altered: Iterable[AlteredRow]) -> None:
    """Gives rows that something else changed their checksums, as far as they are still there."""
    with database.transaction():
        for row in altered:
            database.change(row.table, row.key, {}, accept=True)

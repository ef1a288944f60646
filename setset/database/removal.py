"""Rows that go: of batches that were merged, and of sizes that are removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete

from setset.batches.records import BatchFile
from setset.database import batches, expansions, explorations, numbering
from setset.database.batches import StoredBatch
from setset.database.connection import Database
from setset.database.explorations import ExplorationKey
from setset.database.models import BATCHES, SIZES
from setset.tasks.kinds import SEED_SOURCE_SIZE


@dataclass(frozen=True)
class Merged:
    """Batches that were merged, and the file that takes their place."""

    old: tuple[StoredBatch, ...]
    new: BatchFile


def replace_merged(
    database: Database, exploration: ExplorationKey, size: int, merged: Sequence[Merged]
) -> None:
    """Puts merged batches in the place of those that they are made of, and numbers the size again.

    Expansions of the old batches that were planned are removed with them.
    """
    with database.transaction() as connection:
        for each in merged:
            batches.delete_rows(connection, [batch.id for batch in each.old])
            batches.insert_rows(connection, exploration, size, [(each.old[0].root_id, each.new)])
        numbering.take_numbers(connection, exploration, size)
        numbering.give_numbers(connection, exploration, size)
        expansions.remove(connection, exploration, expanded_from=size)


def remove_sizes(database: Database, exploration: ExplorationKey, first: int) -> None:
    """Removes the sizes from `first` on, and all that was counted from them; from 3 on, the exploration too.

    What was counted from smaller sizes stays: it needs no larger one.
    """
    everything = first <= SEED_SOURCE_SIZE + 1
    with database.transaction() as connection:
        expansions.remove(connection, exploration, 0 if everything else first, first)
        for table in (BATCHES, SIZES):
            gone = delete(table).where(table.c.exploration_id == exploration.id, table.c.size >= first)
            connection.execute(gone)
        if everything:
            explorations.remove(connection, exploration)

"""Stages: the expansions of one kind from one size to another."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_
from sqlalchemy.sql.elements import ColumnElement

from setset.database.explorations import ExplorationKey
from setset.database.models import EXPANSIONS, Work


@dataclass(frozen=True)
class Stage:
    """The expansions of one kind from one size to another."""

    exploration: ExplorationKey
    work: Work
    size: int
    source_size: int

    @property
    def condition(self) -> ColumnElement[bool]:
        return and_(
            EXPANSIONS.c.exploration_id == self.exploration.id,
            EXPANSIONS.c.work == self.work,
            EXPANSIONS.c.size == self.size,
            EXPANSIONS.c.source_size == self.source_size,
        )


def storing(exploration: ExplorationKey, size: int) -> Stage:
    """The expansions that make the files of a size."""
    return Stage(exploration, Work.STORE, size, size - 1)

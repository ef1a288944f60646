"""The tables. The module named after a table has its queries; docs/schema.md describes them for people.

Tables and no mapped classes: those would take a third of the time that a short command takes to start.
"""

from __future__ import annotations

import enum
from functools import partial
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    Enum,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.schema import SchemaItem


class Work(enum.StrEnum):
    """What an expansion leaves behind."""

    STORE = "store"
    """Batch files of the next size."""
    COUNT = "count"
    """Counts of all sizes up to the one asked for, and no files."""


class State(enum.StrEnum):
    """Where an expansion stands."""

    PLANNED = "planned"
    """To be done, or to be done again."""
    RUNNING = "running"
    """Handed to a worker by the run that holds the workspace; planned again when that run is gone."""
    DONE = "done"
    """Its outcome is recorded."""
    FAILED = "failed"
    """Given up after several attempts; the next run tries again."""


METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_required = partial(Column, nullable=False)


def _one_of(kinds: type[enum.StrEnum]) -> Enum:
    return Enum(
        kinds,
        values_callable=lambda all_kinds: [each.value for each in all_kinds],
        native_enum=False,
        length=None,
    )


def _digested(name: str, comment: str, *items: SchemaItem, **options: Any) -> Table:
    """A table whose rows have a digest of their values, which triggers keep up to date: SQLite does not notice every
    altered bit."""
    return Table(name, METADATA, *items, Column("row_digest", Integer), comment=comment, **options)


WORKSPACE = _digested(
    "workspace",
    "The one row that says which workspace this is, so that a storage root knows whose it is, and where it was last.",
    Column("id", Text, primary_key=True),
    _required("created_at", Text),
    Column("folder", Text),
)

# The goal is that of the last run: the largest size, the sizes that are stored on the way ("3 4 5"), and up to which
# size the lists beyond them are counted, if they are.
EXPLORATIONS = _digested(
    "explorations",
    "All that this database knows for one target. If it is pruned, only lists that may reach the target are kept.",
    Column("id", Integer, primary_key=True),
    _required("target", Integer, unique=True),
    _required("created_at", Text),
    _required("pruned", Boolean, default=False, server_default=text("0")),
    Column("goal_size", Integer),
    Column("goal_stored", Text),
    Column("goal_counted", Integer),
    CheckConstraint("target BETWEEN 4 AND 20", name="target"),
)

# The files of a size are made from those of `source_size`. The batches that stem from the sources numbered below
# `numbered` have their numbers. The size is complete when those are all sources, and its source size is complete.
SIZES = _digested(
    "sizes",
    "A size of an exploration: how many lists its files may hold, and how far its numbering has come.",
    Column("exploration_id", ForeignKey("explorations.id"), primary_key=True),
    Column("size", Integer, primary_key=True),
    _required("batch_lists", Integer),
    _required("numbered", Integer, default=0),
    _required("complete", Boolean, default=False),
    _required("source_size", Integer, server_default=text("2")),
    CheckConstraint("batch_lists > 0", name="batch_lists"),
)

ROOTS = _digested(
    "storage_roots",
    "A folder below which batch files are: an absolute path, or one relative to the workspace.",
    Column("id", Integer, primary_key=True),
    _required("path", Text, unique=True),
    _required("created_at", Text),
)

# The span (first_source, first_part) to (last_source, last_part) says from which parts of which source batches'
# expansions it comes, and `source_digest` from which files. `number` is its place among all batches of the size, known
# once everything before it is; `lists_before` is how many lists are in those before it. `defect` says what is wrong
# with the file, if something was noticed.
BATCHES = _digested(
    "batches",
    "A batch file that is, or should be, there.",
    Column("id", Integer, primary_key=True),
    _required("exploration_id", ForeignKey("explorations.id")),
    _required("size", Integer),
    Column("number", Integer),
    Column("lists_before", Integer),
    _required("first_source", Integer),
    _required("first_part", Integer),
    _required("last_source", Integer),
    _required("last_part", Integer),
    _required("ends_source", Boolean),
    _required("lists", Integer),
    _required("first_list", Text),
    _required("last_list", Text),
    _required("root_id", ForeignKey("storage_roots.id")),
    _required("path", Text),
    _required("bytes", Integer),
    _required("digest", Text),
    Column("source_digest", Text),
    Column("defect", Text),
    UniqueConstraint("exploration_id", "size", "number"),
    UniqueConstraint("exploration_id", "size", "first_source", "first_part"),
    UniqueConstraint("root_id", "path"),
    CheckConstraint("lists > 0 AND bytes > 0", name="not_empty"),
    Index("ix_batches_defect", "defect", sqlite_where=text("defect IS NOT NULL")),
    Index("ix_batches_lists_before", "exploration_id", "size", "lists_before"),
)

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Integer, primary_key=True),
    _required("command", Text),
    _required("version", Text),
    _required("host", Text),
    _required("pid", Integer),
    _required("workers", Integer),
    _required("started_at", Text),
    Column("finished_at", Text),
    Column("outcome", Text),
    _required("batches_added", Integer, default=0),
    _required("lists_added", Integer, default=0),
    _required("lists_counted", Integer, default=0),
    _required("bytes_added", Integer, default=0),
    comment="One invocation that wrote to the workspace.",
)

# The seeds come from a source of their own, number 0 of size 2. `source_digest` is the digest of the source that it was
# made from. A row that was done and was forgotten keeps `lists_out`; while its batches are still recorded, and their
# files are only to be made again, it keeps `batches_out` and `bytes_out` too.
EXPANSIONS = _digested(
    "expansions",
    "The unit of work: source batch number `source` of size `source_size` becomes lists of `size`.",
    Column("id", Integer, primary_key=True),
    _required("exploration_id", ForeignKey("explorations.id")),
    _required("work", _one_of(Work)),
    _required("size", Integer),
    _required("source_size", Integer),
    _required("source", Integer),
    _required("state", _one_of(State)),
    _required("attempts", Integer, default=0),
    _required("lists_in", Integer),
    Column("lists_out", Integer),
    Column("batches_out", Integer),
    Column("bytes_out", Integer),
    Column("run_id", ForeignKey("runs.id")),
    Column("host", Text),
    Column("pid", Integer),
    Column("seconds", Double),
    Column("finished_at", Text),
    Column("error", Text),
    Column("started_at", Text),
    Column("source_digest", Text),
    UniqueConstraint("exploration_id", "work", "size", "source_size", "source"),
    Index(None, "exploration_id", "work", "size", "source_size", "state", "source"),
)

TALLIES = _digested(
    "tallies",
    "How many lists of a size a counting expansion found.",
    Column("expansion_id", ForeignKey("expansions.id"), primary_key=True),
    Column("size", Integer, primary_key=True),
    _required("lists", Integer),
)

# Written together with its classes and links or not at all; `digest` tells whether they changed since.
LEVELS = _digested(
    "levels",
    "A size whose classes are in the catalogue, with its totals; `hands` counts all hands, sets or not.",
    Column("size", Integer, primary_key=True, autoincrement=False),
    _required("classes", Integer),
    _required("links", Integer),
    _required("lists", Integer),
    _required("complete_classes", Integer),
    _required("complete_lists", Integer),
    _required("game_classes", Integer),
    _required("hands", Integer),
    _required("digest", Text),
    _required("built_at", Text),
    CheckConstraint("size BETWEEN 0 AND 20", name="size"),
)

# `number` counts from 0 in the order of the representatives. `game_classes` says into how many classes it falls under
# the game's own symmetries.
CLASSES = Table(
    "classes",
    METADATA,
    Column("size", ForeignKey("levels.size"), primary_key=True),
    Column("number", Integer, primary_key=True),
    _required("representative", Text),
    _required("stabilizer", Integer),
    _required("lists", Integer),
    _required("extensions", Integer),
    _required("complete", Boolean),
    _required("game_classes", Integer),
    UniqueConstraint("representative"),
    CheckConstraint("stabilizer * lists = 1965150720", name="orbit"),
    CheckConstraint("complete = (extensions = 0)", name="complete"),
    sqlite_with_rowid=False,
    comment="All lists that affine maps make of one list, its representative: the canonical form.",
)

# `extensions` cards, added to a list of the smaller class, make one of the larger; `deletions` cards, taken from a list
# of the larger class, leave one of the smaller.
LINKS = Table(
    "links",
    METADATA,
    Column("size", Integer, primary_key=True),
    Column("larger", Integer, primary_key=True),
    Column("smaller", Integer, primary_key=True),
    _required("extensions", Integer),
    _required("deletions", Integer),
    ForeignKeyConstraint(["size", "larger"], ["classes.size", "classes.number"]),
    CheckConstraint("extensions > 0 AND deletions > 0", name="not_empty"),
    sqlite_with_rowid=False,
    comment="Class `larger` of a size and class `smaller` of the size before: one card more, one card less.",
)

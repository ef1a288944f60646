"""The schema: the tables here, the views in `views.sql`. `tools/schema.py` writes docs/schema.md from both.

A new database is made from these tables. Migrations upgrade an old database, and `alembic check` compares both. A
module named after a table holds its queries. There are no mapped classes, since importing `sqlalchemy.orm` would make a
short command start 50 % slower.
"""

import enum
from functools import partial

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

HEAD = "0008"
"""The revision of this schema. A test compares it with the migrations."""


class Work(enum.StrEnum):
    """Kind of an expansion, by its result: files or counts."""

    STORE = "store"
    """The expansion writes files with the lists of a larger size."""
    COUNT = "count"
    """The expansion counts the lists of larger sizes, without files."""


class State(enum.StrEnum):
    """State of an expansion."""

    PLANNED = "planned"
    """To be done, or to be done again."""
    RUNNING = "running"
    """Claimed by the run that has the lock. If that run dies, the next run plans it again."""
    DONE = "done"
    """The result is recorded."""
    FAILED = "failed"
    """Given up after several attempts. The next run tries again."""


METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_table = partial(Table, sqlite_strict=True)
_required = partial(Column, nullable=False)


def _checksum() -> Column[int]:
    return Column("checksum", Integer, nullable=False, doc="checksum of the row, see `database.connection.checksum`")


def _one_of(column: str, kinds: type[enum.StrEnum]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(kind.value) for kind in kinds)})", name=column)


WORKSPACE = _table(
    "workspace",
    METADATA,
    Column("id", Text, primary_key=True, doc="id that `setset-root.json` in each storage root repeats"),
    _required("created_at", Text),
    Column("folder", Text, doc="folder of the workspace at the last write; distinguishes it from its copies"),
    comment="the one row that identifies this workspace",
)

EXPLORATIONS = _table(
    "explorations",
    METADATA,
    Column("id", Integer, primary_key=True),
    _required("target", Integer, unique=True),
    _required("created_at", Text),
    _required("pruned", Integer, doc="1 if the exploration drops lists that cannot reach the target"),
    Column("goal_size", Integer, doc="largest size of the goal of the latest run"),
    Column("goal_stored", Text, doc="sizes that the goal stores, as `3 4 5 6`"),
    Column("goal_counted", Integer, doc="largest size that the goal counts without files; NULL if none"),
    _checksum(),
    CheckConstraint("target BETWEEN 4 AND 20", name="target"),
    comment="each target",
)

SIZES = _table(
    "sizes",
    METADATA,
    Column("exploration_id", ForeignKey("explorations.id"), primary_key=True),
    Column("size", Integer, primary_key=True),
    _required("source_size", Integer, doc="size of its source batches"),
    _required("batch_lists", Integer, doc="maximum number of lists per file, fixed by the first run of the size"),
    _required("numbered", Integer, doc="number of sources, from source 0 on, whose batches have their final numbers"),
    Column("checked_at", Text, doc="time of the latest `setset check` of its files; NULL if none"),
    Column("findings", Integer, doc="number of problems that this check found"),
    _checksum(),
    CheckConstraint("size BETWEEN 3 AND 20", name="size"),
    CheckConstraint("batch_lists > 0", name="batch_lists"),
    comment="each stored size of an exploration",
)

ROOTS = _table(
    "storage_roots",
    METADATA,
    Column("id", Integer, primary_key=True),
    _required("path", Text, unique=True, doc="absolute, or relative to the workspace; see `setset roots`"),
    _required("created_at", Text),
    _checksum(),
    comment="each folder with batch files",
)

BATCHES = _table(
    "batches",
    METADATA,
    Column("id", Integer, primary_key=True),
    _required("exploration_id", ForeignKey("explorations.id")),
    _required("size", Integer),
    Column("number", Integer, doc="index in the order of its size; NULL until all batches before it are known"),
    _required("first_source", Integer, doc="number of the source batch that its first list is derived from"),
    _required("first_part", Integer, doc="number of its first part among the parts of first_source, from 0"),
    _required(
        "last_source",
        Integer,
        doc="number of the last source batch; other than first_source only after `setset compact`",
    ),
    _required("last_part", Integer),
    _required("ends_source", Integer, doc="1 if last_part is the last part of last_source"),
    _required("lists", Integer),
    _required("first_list", Text),
    _required("last_list", Text),
    _required("root_id", ForeignKey("storage_roots.id")),
    _required("path", Text, doc="path below the storage root"),
    _required("bytes", Integer),
    _required("digest", Text),
    Column("source_digest", Text, doc="digest of the source files it was made from; NULL if recorded by version 0.1"),
    Column("defect", Text, doc="problem of the file that a command found; NULL if none"),
    _checksum(),
    UniqueConstraint("exploration_id", "size", "number"),
    UniqueConstraint("exploration_id", "size", "first_source", "first_part"),
    UniqueConstraint("root_id", "path"),
    CheckConstraint("lists > 0 AND bytes > 0", name="not_empty"),
    Index("ix_batches_defect", "defect", sqlite_where=text("defect IS NOT NULL")),
    comment="each recorded batch file, present or missing",
)

RUNS = _table(
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
    Column(
        "outcome", Text, doc="done, interrupted, killed, failed, the error or `refused: REASON`; NULL during the run"
    ),
    Column("repaired", Text, doc="files and expansions that the run made again, with reasons"),
    _required("batches_added", Integer),
    _required("lists_added", Integer),
    _required("lists_counted", Integer),
    _required("bytes_added", Integer),
    _checksum(),
    comment="each command that writes: `run`, `repair`, `compact`, `rm`, `roots move` and the like",
)

EXPANSIONS = _table(
    "expansions",
    METADATA,
    Column("id", Integer, primary_key=True),
    _required("exploration_id", ForeignKey("explorations.id")),
    _required("work", Text, doc="store or count"),
    _required("size", Integer),
    _required("source_size", Integer, doc="2 for the seeds, which come from source 0 of that size"),
    _required("source", Integer, doc="number of the source batch"),
    _required("state", Text, doc="planned, running, done or failed"),
    _required("attempts", Integer),
    _required("lists_in", Integer, doc="number of lists in the source batch"),
    Column("lists_out", Integer, doc="number of resulting lists; stays if the expansion must be done again"),
    Column("batches_out", Integer, doc="number of resulting files; NULL if no result is recorded"),
    Column("bytes_out", Integer),
    Column("source_digest", Text, doc="digest of the source that it was made from"),
    Column("run_id", ForeignKey("runs.id")),
    Column("host", Text),
    Column("pid", Integer),
    Column("started_at", Text, doc="by the clock of the worker; NULL if unknown, as after `setset db rebuild`"),
    Column("seconds", REAL, doc="duration, by the clock of the worker"),
    Column("finished_at", Text, doc="time at which the result was recorded"),
    Column("error", Text, doc="error of the latest attempt"),
    _checksum(),
    UniqueConstraint("exploration_id", "work", "size", "source_size", "source"),
    Index(None, "exploration_id", "work", "size", "source_size", "state", "source"),
    _one_of("work", Work),
    _one_of("state", State),
    comment="each unit of work; the rows are the queue",
)

TALLIES = _table(
    "tallies",
    METADATA,
    Column("expansion_id", ForeignKey("expansions.id"), primary_key=True),
    Column("size", Integer, primary_key=True),
    _required("lists", Integer),
    Column("entries", LargeBinary, doc="subtotals: lists from each stretch of consecutive source lists, 8 bytes each"),
    _checksum(),
    comment="each size that a counting expansion counted",
)

LEVELS = _table(
    "levels",
    METADATA,
    Column("size", Integer, primary_key=True, autoincrement=False),
    _required("classes", Integer),
    _required("links", Integer),
    _required("lists", Integer),
    _required("complete_classes", Integer),
    _required("complete_lists", Integer),
    _required("game_classes", Integer),
    _required("hands", Integer, doc="number of all hands of this size, with sets or without"),
    _required("digest", Text, doc="digest of the classes and links of this size"),
    _required("built_at", Text),
    _checksum(),
    CheckConstraint("size BETWEEN 0 AND 20", name="size"),
    comment="each classified size, written together with its classes and links",
)

CLASSES = _table(
    "classes",
    METADATA,
    Column("size", ForeignKey("levels.size"), primary_key=True),
    Column("number", Integer, primary_key=True, doc="from 0, in the order of the representatives"),
    _required("representative", Text, doc="canonical form"),
    _required("stabilizer", Integer, doc="number of symmetries that map the representative to itself"),
    _required("lists", Integer, doc="number of lists in the class"),
    _required("extensions", Integer, doc="number of cards that can be added to the representative"),
    _required("complete", Integer, doc="1 if no card can be added"),
    _required("game_classes", Integer, doc="number of classes that it splits into under the game's own symmetries"),
    UniqueConstraint("representative"),
    CheckConstraint("stabilizer * lists = 1965150720", name="orbit"),
    CheckConstraint("complete = (extensions = 0)", name="complete"),
    sqlite_with_rowid=False,
    comment="each class: all lists that affine maps turn into each other",
)

LINKS = _table(
    "links",
    METADATA,
    Column("size", Integer, primary_key=True, doc="size of the larger class"),
    Column("larger", Integer, primary_key=True),
    Column("smaller", Integer, primary_key=True),
    _required("extensions", Integer, doc="number of cards that extend a list of the smaller class to the larger class"),
    _required(
        "deletions", Integer, doc="number of cards in a list of the larger class whose removal gives the smaller class"
    ),
    ForeignKeyConstraint(["size", "larger"], ["classes.size", "classes.number"]),
    CheckConstraint("extensions > 0 AND deletions > 0", name="not_empty"),
    sqlite_with_rowid=False,
    comment="each pair of classes where one more card turns lists of the smaller into lists of the larger",
)

CHECKED = (EXPLORATIONS, SIZES, ROOTS, BATCHES, RUNS, EXPANSIONS, TALLIES)
"""Tables whose row checksums `check` verifies. `check` also compares the rows of batches with the headers of their
files."""

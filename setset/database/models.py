"""The tables. The module named after a table has its queries; docs/schema.md describes them for people."""

from __future__ import annotations

import enum

from sqlalchemy import (
    CheckConstraint,
    Enum,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {str: Text()}  # noqa: RUF012 (SQLAlchemy's declarative style)


class Work(enum.StrEnum):
    """What an expansion leaves behind."""

    STORE = "store"
    """Batch files of the next size."""
    COUNT = "count"
    """Counts of all sizes up to the one asked for, and no files."""


class State(enum.StrEnum):
    """Where an expansion stands."""

    PLANNED = "planned"
    """Nobody works on it."""
    RUNNING = "running"
    """Handed to a worker by the run that holds the workspace; planned again when that run is gone."""
    DONE = "done"
    """Its outcome is recorded."""
    FAILED = "failed"
    """Given up after several attempts; the next run tries again."""


def _values(states: type[enum.StrEnum]) -> list[str]:
    return [state.value for state in states]


class Digested:
    """A row with a digest of its values, which triggers keep up to date: SQLite does not notice every altered bit."""

    row_digest: Mapped[int | None]


class WorkspaceRow(Digested, Base):
    """The one row that says which workspace this is, so that a storage root knows whose it is."""

    __tablename__ = "workspace"

    id: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[str]


class ExplorationRow(Digested, Base):
    """All that this database knows for one target. If it is pruned, only lists that may reach the target are kept."""

    __tablename__ = "explorations"
    __table_args__ = (CheckConstraint("target BETWEEN 4 AND 20", name="target"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    target: Mapped[int] = mapped_column(unique=True)
    created_at: Mapped[str]
    pruned: Mapped[bool] = mapped_column(default=False, server_default=text("0"))


class SizeRow(Digested, Base):
    """A size of an exploration: how many lists its files may hold, and how far its numbering has come.

    The batches that stem from the sources numbered below `numbered` have their numbers; the size is
    complete when those are all sources, and the size before it is complete.
    """

    __tablename__ = "sizes"
    __table_args__ = (CheckConstraint("batch_lists > 0", name="batch_lists"),)

    exploration_id: Mapped[int] = mapped_column(ForeignKey("explorations.id"), primary_key=True)
    size: Mapped[int] = mapped_column(primary_key=True)
    batch_lists: Mapped[int]
    numbered: Mapped[int] = mapped_column(default=0)
    complete: Mapped[bool] = mapped_column(default=False)


class RootRow(Digested, Base):
    """A folder below which batch files are: an absolute path, or one relative to the workspace."""

    __tablename__ = "storage_roots"

    id: Mapped[int] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[str]


class BatchRow(Digested, Base):
    """A batch file that is, or should be, there.

    The span (first_source, first_part) to (last_source, last_part) says from which parts of which source
    batches' expansions it comes, and `source_digest` from which files. `number` is its place among all batches of
    the size, known once everything before it is; `lists_before` is how many lists are in those before it. `defect`
    says what is wrong with the file, if something was noticed.
    """

    __tablename__ = "batches"
    __table_args__ = (
        UniqueConstraint("exploration_id", "size", "number"),
        UniqueConstraint("exploration_id", "size", "first_source", "first_part"),
        UniqueConstraint("root_id", "path"),
        CheckConstraint("lists > 0 AND bytes > 0", name="not_empty"),
        Index("ix_batches_defect", "defect", sqlite_where=text("defect IS NOT NULL")),
        Index("ix_batches_lists_before", "exploration_id", "size", "lists_before"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    exploration_id: Mapped[int] = mapped_column(ForeignKey("explorations.id"))
    size: Mapped[int]
    number: Mapped[int | None]
    lists_before: Mapped[int | None]
    first_source: Mapped[int]
    first_part: Mapped[int]
    last_source: Mapped[int]
    last_part: Mapped[int]
    ends_source: Mapped[bool]
    lists: Mapped[int]
    first_list: Mapped[str]
    last_list: Mapped[str]
    root_id: Mapped[int] = mapped_column(ForeignKey("storage_roots.id"))
    path: Mapped[str]
    bytes: Mapped[int]
    digest: Mapped[str]
    source_digest: Mapped[str | None]
    defect: Mapped[str | None]


class RunRow(Base):
    """One invocation that wrote to the workspace."""

    __tablename__ = "runs"

    id: Mapped[int] = mapped_column(primary_key=True)
    command: Mapped[str]
    version: Mapped[str]
    host: Mapped[str]
    pid: Mapped[int]
    workers: Mapped[int]
    started_at: Mapped[str]
    finished_at: Mapped[str | None]
    outcome: Mapped[str | None]
    batches_added: Mapped[int] = mapped_column(default=0)
    lists_added: Mapped[int] = mapped_column(default=0)
    lists_counted: Mapped[int] = mapped_column(default=0)
    bytes_added: Mapped[int] = mapped_column(default=0)


class ExpansionRow(Digested, Base):
    """The unit of work: source batch number `source` of size `source_size` becomes lists of `size`.

    The seeds come from a source of their own, number 0 of size 2.
    """

    __tablename__ = "expansions"
    __table_args__ = (
        UniqueConstraint("exploration_id", "work", "size", "source_size", "source"),
        Index(None, "exploration_id", "work", "size", "source_size", "state", "source"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    exploration_id: Mapped[int] = mapped_column(ForeignKey("explorations.id"))
    work: Mapped[Work] = mapped_column(Enum(Work, values_callable=_values, native_enum=False, length=None))
    size: Mapped[int]
    source_size: Mapped[int]
    source: Mapped[int]
    state: Mapped[State] = mapped_column(Enum(State, values_callable=_values, native_enum=False, length=None))
    attempts: Mapped[int] = mapped_column(default=0)
    lists_in: Mapped[int]
    lists_out: Mapped[int | None]
    batches_out: Mapped[int | None]
    bytes_out: Mapped[int | None]
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
    host: Mapped[str | None]
    pid: Mapped[int | None]
    seconds: Mapped[float | None]
    finished_at: Mapped[str | None]
    error: Mapped[str | None]
    started_at: Mapped[str | None]


class TallyRow(Digested, Base):
    """How many lists of a size a counting expansion found."""

    __tablename__ = "tallies"

    expansion_id: Mapped[int] = mapped_column(ForeignKey("expansions.id"), primary_key=True)
    size: Mapped[int] = mapped_column(primary_key=True)
    lists: Mapped[int]


class LevelRow(Digested, Base):
    """A size whose classes are in the catalogue, with its totals; `hands` counts all hands, sets or not.

    Written together with its classes and links or not at all; `digest` tells whether they changed since.
    """

    __tablename__ = "levels"
    __table_args__ = (CheckConstraint("size BETWEEN 0 AND 20", name="size"),)

    size: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    classes: Mapped[int]
    links: Mapped[int]
    lists: Mapped[int]
    complete_classes: Mapped[int]
    complete_lists: Mapped[int]
    game_classes: Mapped[int]
    hands: Mapped[int]
    digest: Mapped[str]
    built_at: Mapped[str]


class ClassRow(Base):
    """All lists that affine maps make of one list, its representative: the canonical form.

    `number` counts from 0 in the order of the representatives. `game_classes` says into how many classes it
    falls under the game's own symmetries.
    """

    __tablename__ = "classes"
    __table_args__ = (
        UniqueConstraint("representative"),
        CheckConstraint("stabilizer * lists = 1965150720", name="orbit"),
        CheckConstraint("complete = (extensions = 0)", name="complete"),
        {"sqlite_with_rowid": False},
    )

    size: Mapped[int] = mapped_column(ForeignKey("levels.size"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    representative: Mapped[str]
    stabilizer: Mapped[int]
    lists: Mapped[int]
    extensions: Mapped[int]
    complete: Mapped[bool]
    game_classes: Mapped[int]


class LinkRow(Base):
    """Class `larger` of a size and class `smaller` of the size before: one card more, one card less.

    `extensions` cards, added to a list of the smaller class, make one of the larger; `deletions` cards, taken
    from a list of the larger class, leave one of the smaller.
    """

    __tablename__ = "links"
    __table_args__ = (
        ForeignKeyConstraint(["size", "larger"], ["classes.size", "classes.number"]),
        CheckConstraint("extensions > 0 AND deletions > 0", name="not_empty"),
        {"sqlite_with_rowid": False},
    )

    size: Mapped[int] = mapped_column(primary_key=True)
    larger: Mapped[int] = mapped_column(primary_key=True)
    smaller: Mapped[int] = mapped_column(primary_key=True)
    extensions: Mapped[int]
    deletions: Mapped[int]

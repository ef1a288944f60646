"""Proofs of the rows: the digest of the sources of each batch, and a digest of each row that matters

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

DIGESTED = {
    "workspace": ("id", "created_at"),
    "explorations": ("id", "target", "created_at"),
    "sizes": ("exploration_id", "size", "batch_lists", "numbered", "complete"),
    "storage_roots": ("id", "path", "created_at"),
    "batches": (
        "id",
        "exploration_id",
        "size",
        "number",
        "first_source",
        "first_part",
        "last_source",
        "last_part",
        "ends_source",
        "lists",
        "first_list",
        "last_list",
        "root_id",
        "path",
        "bytes",
        "digest",
        "source_digest",
        "defect",
    ),
    "expansions": (
        "id",
        "exploration_id",
        "work",
        "size",
        "source_size",
        "source",
        "state",
        "attempts",
        "lists_in",
        "lists_out",
        "batches_out",
        "bytes_out",
    ),
    "tallies": ("expansion_id", "size", "lists"),
    "levels": (
        "size",
        "classes",
        "links",
        "lists",
        "complete_classes",
        "complete_lists",
        "game_classes",
        "hands",
        "digest",
    ),
}
"""The columns of each table whose values are vouched for. `database/schema.py` compares."""


def upgrade() -> None:
    op.add_column("batches", sa.Column("source_digest", sa.Text(), nullable=True))
    for table, columns in DIGESTED.items():
        op.add_column(table, sa.Column("row_digest", sa.Integer(), nullable=True))
        old = ", ".join(columns)
        new = ", ".join(f"NEW.{column}" for column in columns)
        op.execute(f"UPDATE {table} SET row_digest = hash_of_row({old})")  # noqa: S608 (our own names)
        for event in ("INSERT", f"UPDATE OF {old}"):
            name = f"{table}_digest_on_{event.split()[0].lower()}"
            op.execute(
                f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN "  # noqa: S608
                f"UPDATE {table} SET row_digest = hash_of_row({new}) WHERE rowid = NEW.rowid; END"
            )

"""The folder of a workspace, which tells the workspace from its copies

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

VOUCHED = ("id", "created_at", "folder")
"""Columns of `workspace` in the digest of a row, from this revision on."""


def upgrade() -> None:
    for event in ("insert", "update"):
        op.execute(f"DROP TRIGGER workspace_digest_on_{event}")
    op.add_column("workspace", sa.Column("folder", sa.Text(), nullable=True))
    old, new = ", ".join(VOUCHED), ", ".join(f"NEW.{column}" for column in VOUCHED)
    op.execute(f"UPDATE workspace SET row_digest = hash_of_row({old})")  # noqa: S608 (our own names)
    for event in ("INSERT", f"UPDATE OF {old}"):
        op.execute(
            f"CREATE TRIGGER workspace_digest_on_{event.split()[0].lower()} AFTER {event} ON workspace BEGIN "  # noqa: S608
            f"UPDATE workspace SET row_digest = hash_of_row({new}) WHERE rowid = NEW.rowid; END"
        )

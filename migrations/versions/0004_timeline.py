"""Start time of each expansion, a view of the work of each host, and the number of lists before each batch

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TIMELINE = """
CREATE VIEW timeline AS -- when each expansion was done, where and in how many seconds of one worker
SELECT x.target, e.size, e.work, e.source_size, e.source, e.run_id AS run, e.host, e.pid,
       e.started_at, e.seconds, e.finished_at AS recorded_at, e.lists_in, e.lists_out
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'done'
ORDER BY x.target, e.started_at, e.size, e.source
"""


VOUCHED = (
    *("id", "exploration_id", "size", "number", "lists_before"),
    *("first_source", "first_part", "last_source", "last_part", "ends_source"),
    *("lists", "first_list", "last_list", "root_id", "path", "bytes", "digest", "source_digest", "defect"),
)
"""Columns of `batches` in the digest of a row, from this revision on."""


def upgrade() -> None:
    _add_lists_before()
    # Nothing depends on this time: like `seconds` and `finished_at` it is not in the digest of the row.
    op.add_column("expansions", sa.Column("started_at", sa.Text(), nullable=True))
    op.execute(TIMELINE)


def _add_lists_before() -> None:
    for event in ("insert", "update"):
        op.execute(f"DROP TRIGGER batches_digest_on_{event}")
    op.add_column("batches", sa.Column("lists_before", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE batches SET lists_before = given.before FROM (SELECT id, SUM(lists) OVER (PARTITION BY exploration_id, "
        "size ORDER BY number) - lists AS before FROM batches WHERE number IS NOT NULL) AS given "
        "WHERE given.id = batches.id"
    )
    op.create_index("ix_batches_lists_before", "batches", ["exploration_id", "size", "lists_before"])
    old, new = ", ".join(VOUCHED), ", ".join(f"NEW.{column}" for column in VOUCHED)
    op.execute(f"UPDATE batches SET row_digest = hash_of_row({old})")  # noqa: S608 (our own names)
    for event in ("INSERT", f"UPDATE OF {old}"):
        op.execute(
            f"CREATE TRIGGER batches_digest_on_{event.split()[0].lower()} AFTER {event} ON batches BEGIN "  # noqa: S608
            f"UPDATE batches SET row_digest = hash_of_row({new}) WHERE rowid = NEW.rowid; END"
        )

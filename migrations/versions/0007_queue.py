"""One queue: the goal of each exploration, the source size of each size, and the source digest of each expansion

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

CHECKED = {
    "explorations": ("id", "target", "created_at", "pruned", "goal_size", "goal_stored", "goal_counted"),
    "sizes": ("exploration_id", "size", "batch_lists", "numbered", "complete", "source_size"),
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
        "source_digest",
    ),
}
"""Columns in the digest of a row, from this revision on."""
SEED_SOURCE_SIZE, NO_SOURCE = 2, "0" * 32

PROGRESS = """
CREATE VIEW progress AS -- each size: source batches known and expanded, batches, lists and bytes so far
WITH stored AS (
  SELECT exploration_id, size, COUNT(*) AS batches, SUM(lists) AS lists, SUM(bytes) AS bytes,
         COUNT(defect) AS defects
  FROM batches GROUP BY exploration_id, size
), worked AS (
  SELECT exploration_id, work, size, source_size, COUNT(*) AS planned, SUM(state = 'done') AS done,
         SUM(state = 'running') AS running, SUM(state = 'failed') AS failed, SUM(lists_in) AS lists_in,
         SUM(CASE WHEN state = 'done' THEN lists_in END) AS lists_in_done,
         SUM(CASE WHEN state = 'done' THEN lists_out END) AS lists_out,
         SUM(seconds) AS seconds
  FROM expansions GROUP BY exploration_id, work, size, source_size
)
SELECT x.target, w.size, w.work, w.source_size,
       COALESCE(source.batches, 1) AS sources, w.done AS expanded, w.running, w.failed,
       CASE w.work WHEN 'store' THEN stored.batches END AS batches,
       CASE w.work WHEN 'store' THEN stored.defects END AS defects,
       CASE w.work WHEN 'store' THEN stored.lists ELSE w.lists_out END AS lists,
       CASE w.work WHEN 'store' THEN stored.bytes END AS bytes,
       COALESCE(source.lists, w.lists_in) AS source_lists, COALESCE(w.lists_in_done, 0) AS source_lists_done,
       w.lists_out AS lists_out, w.seconds,
       CASE w.work WHEN 'store' THEN z.complete
            ELSE w.done = source.batches AND source_size.complete END AS complete, x.pruned
FROM worked w
JOIN explorations x ON x.id = w.exploration_id
LEFT JOIN sizes z ON z.exploration_id = w.exploration_id AND z.size = w.size
LEFT JOIN sizes source_size ON source_size.exploration_id = w.exploration_id AND source_size.size = w.source_size
LEFT JOIN stored ON stored.exploration_id = w.exploration_id AND stored.size = w.size
LEFT JOIN stored source ON source.exploration_id = w.exploration_id AND source.size = w.source_size
ORDER BY x.target, w.size, w.work DESC, w.source_size
"""
"""This view counts only the lists of expansions that are done. A forgotten expansion keeps its number of lists."""


def upgrade() -> None:
    op.execute("DROP VIEW progress")
    for table in CHECKED:
        for event in ("insert", "update"):
            op.execute(f"DROP TRIGGER {table}_digest_on_{event}")
    op.add_column("explorations", sa.Column("goal_size", sa.Integer()))
    op.add_column("explorations", sa.Column("goal_stored", sa.Text()))
    op.add_column("explorations", sa.Column("goal_counted", sa.Integer()))
    op.add_column("sizes", sa.Column("source_size", sa.Integer(), server_default=sa.text("2"), nullable=False))
    op.add_column("expansions", sa.Column("source_digest", sa.Text()))
    op.execute(PROGRESS)
    op.execute("UPDATE sizes SET source_size = size - 1")
    # Earlier revisions recorded no expansion as done if its source had changed since then.
    source = (
        "FROM batches b WHERE b.exploration_id = expansions.exploration_id AND b.size = expansions.source_size "
        "AND b.number = expansions.source"
    )
    op.execute(
        f"UPDATE expansions SET source_digest = (SELECT b.digest {source}) "  # noqa: S608 (our own names)
        f"WHERE state = 'done' AND source_size > {SEED_SOURCE_SIZE}"
    )
    op.execute(
        f"UPDATE expansions SET source_digest = '{NO_SOURCE}' "  # noqa: S608
        f"WHERE state = 'done' AND source_size = {SEED_SOURCE_SIZE}"
    )
    # Version 0.1 did not record the number of lists of a source that it found as a file.
    op.execute(
        f"UPDATE expansions SET lists_in = COALESCE((SELECT b.lists {source}), 0) WHERE lists_in = 0"  # noqa: S608
    )
    for table, columns in CHECKED.items():
        old, new = ", ".join(columns), ", ".join(f"NEW.{column}" for column in columns)
        op.execute(f"UPDATE {table} SET row_digest = hash_of_row({old})")  # noqa: S608
        for event in ("INSERT", f"UPDATE OF {old}"):
            op.execute(
                f"CREATE TRIGGER {table}_digest_on_{event.split()[0].lower()} AFTER {event} ON {table} BEGIN "  # noqa: S608
                f"UPDATE {table} SET row_digest = hash_of_row({new}) WHERE rowid = NEW.rowid; END"
            )

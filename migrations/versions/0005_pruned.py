"""Pruned explorations, which keep only lists that may reach the target, and two views that show `pruned`

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

VOUCHED = ("id", "target", "created_at", "pruned")
"""Columns of `explorations` in the digest of a row, from this revision on."""

VIEWS = {
    "progress": """
CREATE VIEW progress AS -- each size: source batches known and expanded, batches, lists and bytes so far
WITH stored AS (
  SELECT exploration_id, size, COUNT(*) AS batches, SUM(lists) AS lists, SUM(bytes) AS bytes,
         COUNT(defect) AS defects
  FROM batches GROUP BY exploration_id, size
), worked AS (
  SELECT exploration_id, work, size, source_size, COUNT(*) AS planned, SUM(state = 'done') AS done,
         SUM(state = 'running') AS running, SUM(state = 'failed') AS failed, SUM(lists_in) AS lists_in,
         SUM(CASE WHEN state = 'done' THEN lists_in END) AS lists_in_done, SUM(lists_out) AS lists_out,
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
""",
    "counts": """
CREATE VIEW counts AS -- how many lists of each size are kept for each target, and whether that is all of them
WITH found AS (
  SELECT b.exploration_id, b.size, 'stored' AS origin, SUM(b.lists) AS lists, z.complete
  FROM batches b JOIN sizes z ON z.exploration_id = b.exploration_id AND z.size = b.size
  GROUP BY b.exploration_id, b.size
  UNION ALL
  SELECT z.exploration_id, z.size, 'stored', 0, 1 FROM sizes z WHERE z.complete AND NOT EXISTS
    (SELECT 1 FROM batches b WHERE b.exploration_id = z.exploration_id AND b.size = z.size)
  UNION ALL
  SELECT e.exploration_id, t.size, 'counted from size ' || e.source_size, SUM(t.lists),
         z.complete AND COUNT(*) = (SELECT COUNT(*) FROM batches b
                                    WHERE b.exploration_id = e.exploration_id AND b.size = e.source_size)
  FROM expansions e JOIN tallies t ON t.expansion_id = e.id
  JOIN sizes z ON z.exploration_id = e.exploration_id AND z.size = e.source_size
  WHERE e.work = 'count' AND e.state = 'done'
  GROUP BY e.exploration_id, e.source_size, e.size, t.size
), ranked AS (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY exploration_id, size
                               ORDER BY complete DESC, origin = 'stored' DESC, lists DESC) AS place
  FROM found
)
SELECT x.target, r.size, r.lists, r.complete, r.origin, x.pruned
FROM ranked r JOIN explorations x ON x.id = r.exploration_id
WHERE r.place = 1 ORDER BY x.target, r.size
""",
}


def upgrade() -> None:
    for event in ("insert", "update"):
        op.execute(f"DROP TRIGGER explorations_digest_on_{event}")
    for view in VIEWS:
        op.execute(f"DROP VIEW {view}")
    op.add_column("explorations", sa.Column("pruned", sa.Boolean(), server_default=sa.text("0"), nullable=False))
    old, new = ", ".join(VOUCHED), ", ".join(f"NEW.{column}" for column in VOUCHED)
    op.execute(f"UPDATE explorations SET row_digest = hash_of_row({old})")  # noqa: S608 (our own names)
    for event in ("INSERT", f"UPDATE OF {old}"):
        op.execute(
            f"CREATE TRIGGER explorations_digest_on_{event.split()[0].lower()} AFTER {event} ON explorations BEGIN "  # noqa: S608
            f"UPDATE explorations SET row_digest = hash_of_row({new}) WHERE rowid = NEW.rowid; END"
        )
    for view in VIEWS.values():
        op.execute(view)

"""When each expansion began, and a view of who did what when

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


def upgrade() -> None:
    # Nothing depends on it: like `seconds` and `finished_at` it is not in the digest of the row.
    op.add_column("expansions", sa.Column("started_at", sa.Text(), nullable=True))
    op.execute(TIMELINE)

"""The job manager's tables and views

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

VIEWS = (
    """
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
            ELSE w.done = source.batches AND source_size.complete END AS complete
FROM worked w
JOIN explorations x ON x.id = w.exploration_id
LEFT JOIN sizes z ON z.exploration_id = w.exploration_id AND z.size = w.size
LEFT JOIN sizes source_size ON source_size.exploration_id = w.exploration_id AND source_size.size = w.source_size
LEFT JOIN stored ON stored.exploration_id = w.exploration_id AND stored.size = w.size
LEFT JOIN stored source ON source.exploration_id = w.exploration_id AND source.size = w.source_size
ORDER BY x.target, w.size, w.work DESC, w.source_size
""",
    """
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
SELECT x.target, r.size, r.lists, r.complete, r.origin
FROM ranked r JOIN explorations x ON x.id = r.exploration_id
WHERE r.place = 1 ORDER BY x.target, r.size
""",
    """
CREATE VIEW files AS -- the batches of each size: number, lists, first and last list, file, bytes, digest
SELECT x.target, b.size, b.number, b.lists, b.first_list, b.last_list,
       r.path AS root, b.path, b.bytes, b.digest, b.defect,
       b.first_source AS source, b.first_part AS part
FROM batches b JOIN explorations x ON x.id = b.exploration_id JOIN storage_roots r ON r.id = b.root_id
ORDER BY x.target, b.size, b.first_source, b.first_part
""",
    """
CREATE VIEW defects AS -- batches with a known defect and expansions that failed
SELECT x.target, b.size, b.number, b.path, b.defect AS what
FROM batches b JOIN explorations x ON x.id = b.exploration_id WHERE b.defect IS NOT NULL
UNION ALL
SELECT x.target, e.size, NULL, 'source ' || e.source || ' of size ' || e.source_size,
       'failed ' || e.attempts || ' times: ' || e.error
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'failed'
ORDER BY 1, 2, 3
""",
    """
CREATE VIEW throughput AS -- how fast each size went on each host: lists found a second of one worker
SELECT x.target, e.size, e.work, e.host, COUNT(*) AS expansions, SUM(e.lists_out) AS lists,
       SUM(e.seconds) AS seconds, SUM(e.lists_out) / SUM(e.seconds) AS lists_per_second,
       MIN(e.finished_at) AS first_finished, MAX(e.finished_at) AS last_finished
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'done'
GROUP BY x.target, e.size, e.work, e.host ORDER BY x.target, e.size, e.work DESC, e.host
""",
)


def upgrade() -> None:
    op.create_table(
        "explorations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.CheckConstraint("target BETWEEN 4 AND 20", name=op.f("ck_explorations_target")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_explorations")),
        sa.UniqueConstraint("target", name=op.f("uq_explorations_target")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("workers", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("batches_added", sa.Integer(), nullable=False),
        sa.Column("lists_added", sa.Integer(), nullable=False),
        sa.Column("lists_counted", sa.Integer(), nullable=False),
        sa.Column("bytes_added", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_table(
        "storage_roots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_roots")),
        sa.UniqueConstraint("path", name=op.f("uq_storage_roots_path")),
    )
    op.create_table(
        "workspace",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace")),
    )
    op.create_table(
        "batches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("exploration_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("first_source", sa.Integer(), nullable=False),
        sa.Column("first_part", sa.Integer(), nullable=False),
        sa.Column("last_source", sa.Integer(), nullable=False),
        sa.Column("last_part", sa.Integer(), nullable=False),
        sa.Column("ends_source", sa.Boolean(), nullable=False),
        sa.Column("lists", sa.Integer(), nullable=False),
        sa.Column("first_list", sa.Text(), nullable=False),
        sa.Column("last_list", sa.Text(), nullable=False),
        sa.Column("root_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("defect", sa.Text(), nullable=True),
        sa.CheckConstraint("lists > 0 AND bytes > 0", name=op.f("ck_batches_not_empty")),
        sa.ForeignKeyConstraint(["exploration_id"], ["explorations.id"], name=op.f("fk_batches_exploration_id")),
        sa.ForeignKeyConstraint(["root_id"], ["storage_roots.id"], name=op.f("fk_batches_root_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batches")),
        sa.UniqueConstraint(
            "exploration_id",
            "size",
            "first_source",
            "first_part",
            name=op.f("uq_batches_exploration_id_size_first_source_first_part"),
        ),
        sa.UniqueConstraint("exploration_id", "size", "number", name=op.f("uq_batches_exploration_id_size_number")),
        sa.UniqueConstraint("root_id", "path", name=op.f("uq_batches_root_id_path")),
    )
    with op.batch_alter_table("batches", schema=None) as batch_op:
        batch_op.create_index("ix_batches_defect", ["defect"], unique=False, sqlite_where=sa.text("defect IS NOT NULL"))

    op.create_table(
        "expansions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("exploration_id", sa.Integer(), nullable=False),
        sa.Column("work", sa.Enum("store", "count", name="work", native_enum=False, length=None), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("source_size", sa.Integer(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum("planned", "running", "done", "failed", name="state", native_enum=False, length=None),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lists_in", sa.Integer(), nullable=False),
        sa.Column("lists_out", sa.Integer(), nullable=True),
        sa.Column("batches_out", sa.Integer(), nullable=True),
        sa.Column("bytes_out", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("finished_at", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["exploration_id"], ["explorations.id"], name=op.f("fk_expansions_exploration_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_expansions_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_expansions")),
        sa.UniqueConstraint(
            "exploration_id",
            "work",
            "size",
            "source_size",
            "source",
            name=op.f("uq_expansions_exploration_id_work_size_source_size_source"),
        ),
    )
    with op.batch_alter_table("expansions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_expansions_exploration_id_work_size_source_size_state_source"),
            ["exploration_id", "work", "size", "source_size", "state", "source"],
            unique=False,
        )

    op.create_table(
        "sizes",
        sa.Column("exploration_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("batch_lists", sa.Integer(), nullable=False),
        sa.Column("numbered", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.CheckConstraint("batch_lists > 0", name=op.f("ck_sizes_batch_lists")),
        sa.ForeignKeyConstraint(["exploration_id"], ["explorations.id"], name=op.f("fk_sizes_exploration_id")),
        sa.PrimaryKeyConstraint("exploration_id", "size", name=op.f("pk_sizes")),
    )
    op.create_table(
        "tallies",
        sa.Column("expansion_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("lists", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["expansion_id"], ["expansions.id"], name=op.f("fk_tallies_expansion_id")),
        sa.PrimaryKeyConstraint("expansion_id", "size", name=op.f("pk_tallies")),
    )
    for view in VIEWS:
        op.execute(view)

"""STRICT tables, checksums that setset writes instead of triggers, and what a run repaired in a column of its own

An owner can change a row with any tool; `setset check` reports it. The view `complete_sizes` proves what the column
`complete` claimed, and a size records its last check.

Revision ID: 0008
Revises: 0007
"""

import xxhash
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

DIGESTED = {
    "workspace": "id, created_at, folder",
    "explorations": "id, target, created_at, pruned, goal_size, goal_stored, goal_counted",
    "sizes": "exploration_id, size, batch_lists, numbered, complete, source_size",
    "storage_roots": "id, path, created_at",
    "batches": "id, exploration_id, size, number, lists_before, first_source, first_part, last_source, last_part, "
    "ends_source, lists, first_list, last_list, root_id, path, bytes, digest, source_digest, defect",
    "expansions": "id, exploration_id, work, size, source_size, source, state, attempts, lists_in, lists_out, "
    "batches_out, bytes_out, source_digest",
    "tallies": "expansion_id, size, lists",
    "levels": "size, classes, links, lists, complete_classes, complete_lists, game_classes, hands, digest",
}
"""Columns that the digests of revision 0007 are made of."""

TABLES = {
    "workspace": """
CREATE TABLE workspace (
    id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    folder TEXT,
    CONSTRAINT pk_workspace PRIMARY KEY (id)
)
 STRICT""",
    "explorations": """
CREATE TABLE explorations (
    id INTEGER NOT NULL,
    target INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    pruned INTEGER NOT NULL,
    goal_size INTEGER,
    goal_stored TEXT,
    goal_counted INTEGER,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_explorations PRIMARY KEY (id),
    CONSTRAINT ck_explorations_target CHECK (target BETWEEN 4 AND 20),
    CONSTRAINT uq_explorations_target UNIQUE (target)
)
 STRICT""",
    "sizes": """
CREATE TABLE sizes (
    exploration_id INTEGER NOT NULL,
    size INTEGER NOT NULL,
    source_size INTEGER NOT NULL,
    batch_lists INTEGER NOT NULL,
    numbered INTEGER NOT NULL,
    checked_at TEXT,
    findings INTEGER,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_sizes PRIMARY KEY (exploration_id, size),
    CONSTRAINT ck_sizes_size CHECK (size BETWEEN 3 AND 20),
    CONSTRAINT ck_sizes_batch_lists CHECK (batch_lists > 0),
    CONSTRAINT fk_sizes_exploration_id FOREIGN KEY(exploration_id) REFERENCES explorations (id)
)
 STRICT""",
    "storage_roots": """
CREATE TABLE storage_roots (
    id INTEGER NOT NULL,
    path TEXT NOT NULL,
    created_at TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_storage_roots PRIMARY KEY (id),
    CONSTRAINT uq_storage_roots_path UNIQUE (path)
)
 STRICT""",
    "batches": """
CREATE TABLE batches (
    id INTEGER NOT NULL,
    exploration_id INTEGER NOT NULL,
    size INTEGER NOT NULL,
    number INTEGER,
    first_source INTEGER NOT NULL,
    first_part INTEGER NOT NULL,
    last_source INTEGER NOT NULL,
    last_part INTEGER NOT NULL,
    ends_source INTEGER NOT NULL,
    lists INTEGER NOT NULL,
    first_list TEXT NOT NULL,
    last_list TEXT NOT NULL,
    root_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    digest TEXT NOT NULL,
    source_digest TEXT,
    defect TEXT,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_batches PRIMARY KEY (id),
    CONSTRAINT uq_batches_exploration_id_size_number UNIQUE (exploration_id, size, number),
    CONSTRAINT uq_batches_exploration_id_size_first_source_first_part
        UNIQUE (exploration_id, size, first_source, first_part),
    CONSTRAINT uq_batches_root_id_path UNIQUE (root_id, path),
    CONSTRAINT ck_batches_not_empty CHECK (lists > 0 AND bytes > 0),
    CONSTRAINT fk_batches_exploration_id FOREIGN KEY(exploration_id) REFERENCES explorations (id),
    CONSTRAINT fk_batches_root_id FOREIGN KEY(root_id) REFERENCES storage_roots (id)
)
 STRICT""",
    "runs": """
CREATE TABLE runs (
    id INTEGER NOT NULL,
    command TEXT NOT NULL,
    version TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    workers INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    outcome TEXT,
    repaired TEXT,
    batches_added INTEGER NOT NULL,
    lists_added INTEGER NOT NULL,
    lists_counted INTEGER NOT NULL,
    bytes_added INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_runs PRIMARY KEY (id)
)
 STRICT""",
    "expansions": """
CREATE TABLE expansions (
    id INTEGER NOT NULL,
    exploration_id INTEGER NOT NULL,
    work TEXT NOT NULL,
    size INTEGER NOT NULL,
    source_size INTEGER NOT NULL,
    source INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    lists_in INTEGER NOT NULL,
    lists_out INTEGER,
    batches_out INTEGER,
    bytes_out INTEGER,
    source_digest TEXT,
    run_id INTEGER,
    host TEXT,
    pid INTEGER,
    started_at TEXT,
    seconds REAL,
    finished_at TEXT,
    error TEXT,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_expansions PRIMARY KEY (id),
    CONSTRAINT uq_expansions_exploration_id_work_size_source_size_source
        UNIQUE (exploration_id, work, size, source_size, source),
    CONSTRAINT ck_expansions_work CHECK (work IN ('store', 'count')),
    CONSTRAINT ck_expansions_state CHECK (state IN ('planned', 'running', 'done', 'failed')),
    CONSTRAINT fk_expansions_exploration_id FOREIGN KEY(exploration_id) REFERENCES explorations (id),
    CONSTRAINT fk_expansions_run_id FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT""",
    "tallies": """
CREATE TABLE tallies (
    expansion_id INTEGER NOT NULL,
    size INTEGER NOT NULL,
    lists INTEGER NOT NULL,
    entries BLOB,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_tallies PRIMARY KEY (expansion_id, size),
    CONSTRAINT fk_tallies_expansion_id FOREIGN KEY(expansion_id) REFERENCES expansions (id)
)
 STRICT""",
    "levels": """
CREATE TABLE levels (
    size INTEGER NOT NULL,
    classes INTEGER NOT NULL,
    links INTEGER NOT NULL,
    lists INTEGER NOT NULL,
    complete_classes INTEGER NOT NULL,
    complete_lists INTEGER NOT NULL,
    game_classes INTEGER NOT NULL,
    hands INTEGER NOT NULL,
    digest TEXT NOT NULL,
    built_at TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    CONSTRAINT pk_levels PRIMARY KEY (size),
    CONSTRAINT ck_levels_size CHECK (size BETWEEN 0 AND 20)
)
 STRICT""",
    "classes": """
CREATE TABLE classes (
    size INTEGER NOT NULL,
    number INTEGER NOT NULL,
    representative TEXT NOT NULL,
    stabilizer INTEGER NOT NULL,
    lists INTEGER NOT NULL,
    extensions INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    game_classes INTEGER NOT NULL,
    CONSTRAINT pk_classes PRIMARY KEY (size, number),
    CONSTRAINT uq_classes_representative UNIQUE (representative),
    CONSTRAINT ck_classes_orbit CHECK (stabilizer * lists = 1965150720),
    CONSTRAINT ck_classes_complete CHECK (complete = (extensions = 0)),
    CONSTRAINT fk_classes_size FOREIGN KEY(size) REFERENCES levels (size)
)
 WITHOUT ROWID,
 STRICT""",
    "links": """
CREATE TABLE links (
    size INTEGER NOT NULL,
    larger INTEGER NOT NULL,
    smaller INTEGER NOT NULL,
    extensions INTEGER NOT NULL,
    deletions INTEGER NOT NULL,
    CONSTRAINT pk_links PRIMARY KEY (size, larger, smaller),
    CONSTRAINT fk_links_size_larger FOREIGN KEY(size, larger) REFERENCES classes (size, number),
    CONSTRAINT ck_links_not_empty CHECK (extensions > 0 AND deletions > 0)
)
 WITHOUT ROWID,
 STRICT""",
}
INDEXES = (
    "CREATE INDEX ix_batches_defect ON batches (defect) WHERE defect IS NOT NULL",
    "CREATE INDEX ix_expansions_exploration_id_work_size_source_size_state_source "
    "ON expansions (exploration_id, work, size, source_size, state, source)",
)


def upgrade() -> None:
    connection = op.get_bind()
    for table, columns in DIGESTED.items():
        altered = f"SELECT rowid FROM {table} WHERE row_digest IS NOT hash_of_row({columns}) LIMIT 1"  # noqa: S608
        for (row,) in connection.exec_driver_sql(altered).all():
            raise RuntimeError(f"row {row} of the table {table} was altered")
    kinds = "SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'trigger')"
    for kind, name in connection.exec_driver_sql(kinds).all():
        op.execute(f"DROP {kind} {name}")
    for table, sql in TABLES.items():
        _rebuild(table, sql)
    for sql in INDEXES:
        op.execute(sql)


def _rebuild(table: str, sql: str) -> None:
    """Makes a table anew, with its rows and their checksums."""
    connection = op.get_bind()
    rows = [dict(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()]  # noqa: S608
    op.execute(f"DROP TABLE {table}")
    op.execute(sql)
    names = [row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
    values = []
    for row in rows:
        if table == "runs":
            row["outcome"], _, row["repaired"] = (row["outcome"] or "").partition("; repaired ")
            row |= {name: row[name] or None for name in ("outcome", "repaired")}
        if row.get("seconds") is not None:
            row["seconds"] = float(row["seconds"])
        row["checksum"] = _checksum([row.get(name) for name in names if name not in ("id", "checksum")])
        values.append(tuple(row.get(name) for name in names))
    if values:
        marks = ", ".join("?" * len(names))
        connection.exec_driver_sql(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", values)  # noqa: S608


def _checksum(values: list[object]) -> int:
    text = "\x1f".join("\x00" if value is None else str(value) for value in values)
    return int.from_bytes(xxhash.xxh3_64_digest(text.encode(errors="replace")), "big", signed=True)

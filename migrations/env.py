"""Runs migrations on one SQLite database, in one transaction."""

from pathlib import Path

import xxhash
from alembic import context
from sqlalchemy import text

from setset.database.connection import open_engine
from setset.database.models import HEAD, METADATA
from setset.database.schema import VIEWS


def hash_of_row(*values: object) -> int:
    """Digest of a row, for revisions 0003 to 0007."""
    return int.from_bytes(xxhash.xxh3_64_digest(repr(values).encode(errors="replace")), "big", signed=True)


def renew_views() -> None:
    """Replaces all views by the views of this version. Views hold no rows, so they need no migration."""
    for (name,) in connection.execute(text("SELECT name FROM sqlite_schema WHERE type = 'view'")).all():
        connection.execute(text(f"DROP VIEW {name}"))
    for statement in VIEWS.read_text(encoding="utf-8").split(";\n"):
        if "CREATE VIEW" in statement:
            connection.exec_driver_sql(statement[statement.index("CREATE VIEW") :])


database = context.config.attributes.get("database") or Path(context.get_x_argument(as_dictionary=True)["database"])

engine = open_engine(database, read_only=False)
with engine.connect() as connection:
    driver = connection.connection.driver_connection
    driver.create_function("hash_of_row", -1, hash_of_row, deterministic=True)
    # Rebuilding a table would empty the tables that refer to it. In a transaction, the pragma has no effect.
    driver.execute("PRAGMA foreign_keys = OFF")
    with connection.begin():
        context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True, transactional_ddl=True)
        before = context.get_context().get_current_revision()
        context.run_migrations()
        if before != HEAD == context.get_context().get_current_revision():
            renew_views()
        broken = connection.execute(text("PRAGMA foreign_key_check")).fetchall()
        if broken:
            raise RuntimeError(f"the migration would break references: {broken[:5]}")
engine.dispose()

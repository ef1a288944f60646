"""The catalogue: classes of lists under the affine symmetries

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

VIEW = """
CREATE VIEW catalogue AS -- each size: classes, lists in them, those that no card can be added to, all hands
SELECT v.size, COUNT(*) AS classes, SUM(c.lists) AS lists, SUM(c.complete) AS complete_classes,
       SUM(CASE WHEN c.complete THEN c.lists ELSE 0 END) AS complete_lists,
       SUM(c.game_classes) AS game_classes, v.hands, 1.0 * SUM(c.lists) / v.hands AS chance
FROM levels v JOIN classes c ON c.size = v.size GROUP BY v.size ORDER BY v.size
"""


def upgrade() -> None:
    op.create_table(
        "levels",
        sa.Column("size", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("classes", sa.Integer(), nullable=False),
        sa.Column("links", sa.Integer(), nullable=False),
        sa.Column("lists", sa.Integer(), nullable=False),
        sa.Column("complete_classes", sa.Integer(), nullable=False),
        sa.Column("complete_lists", sa.Integer(), nullable=False),
        sa.Column("game_classes", sa.Integer(), nullable=False),
        sa.Column("hands", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("built_at", sa.Text(), nullable=False),
        sa.CheckConstraint("size BETWEEN 0 AND 20", name=op.f("ck_levels_size")),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_levels")),
    )
    op.create_table(
        "classes",
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("representative", sa.Text(), nullable=False),
        sa.Column("stabilizer", sa.Integer(), nullable=False),
        sa.Column("lists", sa.Integer(), nullable=False),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("game_classes", sa.Integer(), nullable=False),
        sa.CheckConstraint("stabilizer * lists = 1965150720", name=op.f("ck_classes_orbit")),
        sa.CheckConstraint("complete = (extensions = 0)", name=op.f("ck_classes_complete")),
        sa.ForeignKeyConstraint(["size"], ["levels.size"], name=op.f("fk_classes_size")),
        sa.PrimaryKeyConstraint("size", "number", name=op.f("pk_classes")),
        sa.UniqueConstraint("representative", name=op.f("uq_classes_representative")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "links",
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("larger", sa.Integer(), nullable=False),
        sa.Column("smaller", sa.Integer(), nullable=False),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.Column("deletions", sa.Integer(), nullable=False),
        sa.CheckConstraint("extensions > 0 AND deletions > 0", name=op.f("ck_links_not_empty")),
        sa.ForeignKeyConstraint(
            ["size", "larger"], ["classes.size", "classes.number"], name=op.f("fk_links_size_larger")
        ),
        sa.PrimaryKeyConstraint("size", "larger", "smaller", name=op.f("pk_links")),
        sqlite_with_rowid=False,
    )
    op.execute(VIEW)

"""The catalogue of classes in the database: stored whole or not at all, read as it was stored."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from setset.database import Database
from setset.database import levels as stored_levels
from setset.database.levels import load_level, load_totals
from setset.database.models import LINKS
from setset.errors import SetsetError
from setset.symmetry import Catalogue, game_classes
from tests.small import build_classes, reading, rows


def test_the_rows_are_what_was_computed(classified: Path, catalogue: Catalogue) -> None:
    levels = [catalogue.level(size) for size in range(21)]
    assert rows(
        classified,
        "SELECT size, number, representative, stabilizer, lists, extensions, complete FROM classes ORDER BY 1, 2",
    ) == [
        (
            list_class.size,
            list_class.number,
            " ".join(map(str, list_class.cards)),
            list_class.stabilizer,
            list_class.lists,
            list_class.extensions,
            int(list_class.complete),
        )
        for level in levels
        for list_class in level.classes
    ]
    assert rows(classified, "SELECT size, smaller, larger, extensions, deletions FROM links ORDER BY 1, 2, 3") == [
        (level.size, *link) for level in levels for link in level.links
    ]


def test_what_is_read_is_what_was_stored(classified: Path, catalogue: Catalogue) -> None:
    with reading(classified) as database:
        for size in range(21):
            assert load_level(database, size) == catalogue.level(size)
        assert load_level(database, 21) is None
        totals = load_totals(database)
    assert [totals[size].lists for size in range(21)] == [catalogue.lists(size) for size in range(21)]


def test_the_view_gives_the_figures(classified: Path, catalogue: Catalogue) -> None:
    figures = rows(
        classified, "SELECT size, classes, lists, complete_classes, complete_lists, game_classes, hands FROM catalogue"
    )
    levels = [catalogue.level(size) for size in range(21)]
    assert figures == [
        (
            level.size,
            len(level.classes),
            level.lists,
            level.complete_classes,
            level.complete_lists,
            game_classes(level.classes),
            comb(81, level.size),
        )
        for level in levels
    ]
    assert {row[0]: row[2] for row in figures if row[0] in (12, 15, 18, 20)} == {
        12: 2_284_535_476_080,
        15: 2_970_003_246_912,
        18: 6_482_268_000,
        20: 682_344,
    }
    assert dict(rows(classified, "SELECT size, chance FROM catalogue"))[12] == pytest.approx(0.032302, abs=1e-6)


def test_the_largest_number_is_stored_exactly(classified: Path) -> None:
    """All hands of 20 cards: above 2^53, where a float would lose digits, and below 2^63."""
    assert rows(classified, "SELECT hands, typeof(hands) FROM levels WHERE size = 20") == [
        (4_694_436_188_839_116_720, "integer")
    ]
    assert 2**53 < comb(81, 20) < 2**63
    kinds = "SELECT DISTINCT typeof(stabilizer), typeof(lists), typeof(game_classes) FROM classes"
    assert rows(classified, kinds) == [("integer", "integer", "integer")]


def test_the_double_count_holds_in_the_database(classified: Path) -> None:
    query = (
        "SELECT COUNT(*), SUM(c.lists * k.extensions = d.lists * k.deletions) FROM links k "
        "JOIN classes c ON (c.size, c.number) = (k.size - 1, k.smaller) "
        "JOIN classes d ON (d.size, d.number) = (k.size, k.larger)"
    )
    assert rows(classified, query) == [(116_052, 116_052)]


def test_a_size_is_stored_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_classes(tmp_path, 5)
    with monkeypatch.context() as context:
        insert = stored_levels._insert

        def insert_no_links(database: Database, table: Table, *rest: Any) -> None:
            if table is LINKS:
                database.connection.exec_driver_sql("INSERT INTO nowhere VALUES (1)")
            insert(database, table, *rest)

        context.setattr(stored_levels, "_insert", insert_no_links)
        with pytest.raises(SetsetError, match="no such table"):
            build_classes(tmp_path, 8)
    assert rows(tmp_path, "SELECT size FROM levels ORDER BY size") == [(size,) for size in range(6)]
    assert rows(tmp_path, "SELECT MAX(size) FROM classes") == [(5,)]
    assert build_classes(tmp_path, 8) == [6, 7, 8]

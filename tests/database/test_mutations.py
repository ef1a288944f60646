"""Some hundred altered databases: each is noticed or harmless. `tools/mutations` does thousands."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.mutations import PAGE, Subject, try_many
from tests.small import rows


@pytest.mark.posix
def test_nothing_altered_is_silent(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "w")
    found = list(try_many(subject, "database", 100, "1"))
    assert [each for each in found if each[2].startswith(("crash", "silent"))] == []
    assert sum(outcome.startswith("noticed") for _, _, outcome, _ in found) > 50


@pytest.mark.posix
def test_no_row_vanishes_doubles_or_changes_in_silence(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "w")
    found = list(try_many(subject, "rows", 150, "1"))
    assert [each for each in found if each[2].startswith(("crash", "silent"))] == []
    assert sum(outcome.startswith("noticed") for _, _, outcome, _ in found) > 100


@pytest.mark.posix
def test_a_table_with_the_page_of_another_one_is_noticed(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "w")
    found = rows(subject.path, "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    pages = dict(found)
    for name in ("batches", "expansions"):
        for other, page in pages.items():
            if other == name:
                continue

            def copy_page(data: bytearray, _random: Random, page: int = page, place: int = pages[name]) -> None:
                data[PAGE * (place - 1) : PAGE * place] = data[PAGE * (page - 1) : PAGE * page]

            _, outcome = subject.try_one(subject.database, (copy_page,), Random(1))
            assert outcome.startswith(("noticed", "unaltered")), (name, other, outcome)

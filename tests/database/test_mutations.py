"""Some dozens of altered databases: each is noticed or harmless. `tools/mutations` does thousands."""

from __future__ import annotations

from random import Random

import pytest

from tests.mutations import DATABASE, PAGE, ROWS, TABLES, Subject, double
from tests.small import rows


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return Subject(tmp_path_factory.mktemp("mutations") / "w")


@pytest.mark.posix("limits the memory of a process")
def test_nothing_altered_is_silent(subject: Subject) -> None:
    results = [
        subject.try_one(subject.database, (mutation,), Random(number)) for number, mutation in enumerate(3 * DATABASE)
    ]
    assert [result for result in results if result[1].startswith(("crash", "silent"))] == []
    assert sum(outcome.startswith("noticed") for _, outcome in results) > len(results) / 2


@pytest.mark.posix("limits the memory of a process")
def test_no_row_vanishes_doubles_or_changes_in_silence(subject: Subject) -> None:
    results = [subject.try_rows(Random(f"{table}/{number}"), ROWS, (table,)) for table in TABLES for number in range(4)]
    results += [subject.try_rows(Random(number), (double,)) for number in range(4)]  # few tables allow it
    assert [result for result in results if result[1].startswith(("crash", "silent"))] == []
    assert sum(outcome.startswith("noticed") for _, outcome in results) > len(results) / 2


@pytest.mark.posix("limits the memory of a process")
def test_a_table_with_the_page_of_another_one_is_noticed(subject: Subject) -> None:
    tables = rows(subject.path, "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    pages = dict(tables)
    for name in ("batches", "expansions"):
        for table, page in pages.items():
            if table == name:
                continue

            def copy_page(data: bytearray, _random: Random, page: int = page, target: int = pages[name]) -> None:
                data[PAGE * (target - 1) : PAGE * target] = data[PAGE * (page - 1) : PAGE * page]

            _, outcome = subject.try_one(subject.database, (copy_page,), Random(1))
            assert outcome.startswith(("noticed", "unaltered")), (name, table, outcome)

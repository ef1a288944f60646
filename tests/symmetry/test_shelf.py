"""The catalogue in the workspace's database."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from math import comb
from pathlib import Path
from typing import Any

import pytest

from setset.database import catalogue as shelf
from setset.database.store import Store
from setset.errors import BadInput, Locked, SetsetError
from setset.folder import Workspace
from setset.jobs.progress import Unwatched
from setset.jobs.run import Request, explore
from setset.symmetry import Catalogue, Totals, game_classes
from setset.workspace import catalogue as cataloguing
from setset.workspace import status as overview


def build(folder: Path, size: int = 20, anew: bool = False) -> list[int]:
    """The sizes that were classified."""
    built: list[Totals] = []
    cataloguing.build(Workspace(folder), size, Unwatched(), built.append, anew)
    return [each.size for each in built]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with all sizes. Not to be changed."""
    folder = tmp_path_factory.mktemp("catalogue") / "w"
    assert build(folder) == list(range(21))
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "setset.db")) as connection:
        return connection.execute(query).fetchall()


def change(folder: Path, statements: str) -> None:
    with closing(sqlite3.connect(folder / "setset.db")) as connection:
        for statement in statements.split(";"):
            assert connection.execute(statement).rowcount > 0
        connection.commit()


def stored_sizes(folder: Path) -> list[int]:
    return [size for (size,) in rows(folder, "SELECT size FROM levels ORDER BY size")]


def test_the_rows_are_what_was_computed(whole: Path, catalogue: Catalogue) -> None:
    levels = [catalogue.level(size) for size in range(21)]
    assert rows(
        whole,
        "SELECT size, number, representative, stabilizer, lists, extensions, complete FROM classes ORDER BY 1, 2",
    ) == [
        (
            one.size,
            one.number,
            " ".join(map(str, one.cards)),
            one.stabilizer,
            one.lists,
            one.extensions,
            int(one.complete),
        )
        for level in levels
        for one in level.classes
    ]
    assert rows(whole, "SELECT size, smaller, larger, extensions, deletions FROM links ORDER BY 1, 2, 3") == [
        (level.size, *link) for level in levels for link in level.links
    ]


def test_what_is_read_is_what_was_stored(whole: Path, catalogue: Catalogue) -> None:
    store = Store.reading(Workspace(whole))
    for size in range(21):
        assert shelf.level(store, size) == catalogue.level(size)
    assert shelf.level(store, 21) is None


def test_the_view_gives_the_figures(whole: Path, catalogue: Catalogue) -> None:
    found = rows(
        whole,
        "SELECT size, classes, lists, complete_classes, complete_lists, game_classes, hands FROM catalogue",
    )
    levels = [catalogue.level(size) for size in range(21)]
    assert found == [
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
    assert {row[0]: row[2] for row in found if row[0] in (12, 15, 18, 20)} == {
        12: 2_284_535_476_080,
        15: 2_970_003_246_912,
        18: 6_482_268_000,
        20: 682_344,
    }
    assert dict(rows(whole, "SELECT size, chance FROM catalogue"))[12] == pytest.approx(0.032302, abs=1e-6)


def test_the_largest_number_is_stored_exactly(whole: Path) -> None:
    """All hands of 20 cards: above 2^53, where a float would lose digits, and below 2^63."""
    assert rows(whole, "SELECT hands, typeof(hands) FROM levels WHERE size = 20") == [
        (4_694_436_188_839_116_720, "integer")
    ]
    assert 2**53 < comb(81, 20) < 2**63
    kinds = "SELECT DISTINCT typeof(stabilizer), typeof(lists), typeof(game_classes) FROM classes"
    assert rows(whole, kinds) == [("integer", "integer", "integer")]


def test_the_double_count_holds_in_the_database(whole: Path) -> None:
    query = (
        "SELECT COUNT(*), SUM(c.lists * k.extensions = d.lists * k.deletions) FROM links k "
        "JOIN classes c ON (c.size, c.number) = (k.size - 1, k.smaller) "
        "JOIN classes d ON (d.size, d.number) = (k.size, k.larger)"
    )
    assert rows(whole, query) == [(116_052, 116_052)]


def test_a_second_build_does_nothing(whole: Path) -> None:
    before = (whole / "setset.db").read_bytes()
    assert build(whole) == []
    assert build(whole, 7) == []
    assert (whole / "setset.db").read_bytes() == before


def test_an_interrupted_build_goes_on(tmp_path: Path, catalogue: Catalogue) -> None:
    class PulledPlug(Exception):
        pass

    def tell(each: Totals) -> None:
        if each.size == 7:
            raise PulledPlug

    with pytest.raises(PulledPlug):
        cataloguing.build(Workspace(tmp_path), 11, Unwatched(), tell)
    assert stored_sizes(tmp_path) == list(range(8))
    assert build(tmp_path, 9) == [8, 9]
    assert build(tmp_path, 11) == [10, 11]
    store = Store.reading(Workspace(tmp_path))
    assert all(shelf.level(store, size) == catalogue.level(size) for size in range(12))
    assert [run[0] for run in rows(tmp_path, "SELECT outcome FROM runs")] == ["failed", "done", "done"]


def test_a_size_is_stored_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, 5)
    with monkeypatch.context() as broken:
        broken.setattr(shelf, "_INSERT_LINKS", shelf._INSERT_LINKS.replace("INTO links", "INTO nowhere"))
        with pytest.raises(SetsetError, match="no such table"):
            build(tmp_path, 8)
    assert stored_sizes(tmp_path) == [0, 1, 2, 3, 4, 5]
    assert rows(tmp_path, "SELECT MAX(size) FROM classes") == [(5,)]
    assert build(tmp_path, 8) == [6, 7, 8]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE classes SET representative = '0 1 3 4 9 10 27 99' WHERE (size, number) = (8, 3)",
        "DELETE FROM links WHERE (size, larger, smaller) = (8, 30, 10)",
        "UPDATE links SET deletions = deletions + 1 WHERE (size, larger, smaller) = (8, 30, 10)",
        "DELETE FROM links WHERE (size, larger) = (8, 32); DELETE FROM classes WHERE (size, number) = (8, 32)",
    ],
)
def test_damage_is_noticed_and_built_anew(copy: Path, damage: str) -> None:
    change(copy, damage)
    complaint = "classes of size 8 in .* are damaged: run 'setset classes build --anew'"
    with pytest.raises(SetsetError, match=complaint):
        cataloguing.at_hand(Workspace(copy), 8)
    change(copy, "; ".join(f"DELETE FROM {table} WHERE size = 9" for table in ("links", "classes", "levels")))
    with pytest.raises(SetsetError, match=complaint):  # nothing is built on what is damaged
        build(copy, 9)
    assert build(copy, 9, anew=True) == list(range(10))
    assert cataloguing.at_hand(Workspace(copy), 8).lists(8) == 14_587_567_020
    assert stored_sizes(copy) == list(range(21))


def test_the_table_is_the_same_whatever_is_stored(whole: Path, tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path / "some", 6)
    tables = [
        cataloguing.table(Workspace(folder)) for folder in (whole, tmp_path / "some", tmp_path / "none")
    ]
    assert tables[0] == tables[1] == tables[2]
    assert not (tmp_path / "none").exists()
    assert [each.lists for each in tables[0]] == [catalogue.lists(size) for size in range(21)]


def test_who_else_holds_the_workspace_is_said(tmp_path: Path) -> None:
    """A lock belongs to a process, so somebody else must be one."""
    build(tmp_path, 3)
    program = (
        "import sys, time; from pathlib import Path; from setset.folder import Workspace\n"
        f"with Workspace(Path({str(tmp_path)!r})).held(): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(Locked, match=f"in use by pid {other.pid}"):
            build(tmp_path, 4)
        assert build(tmp_path, 3) == []
        other.communicate("")
    assert build(tmp_path, 4) == [4]


def test_somebody_who_locks_the_database_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path, 3)
    other = sqlite3.connect(tmp_path / "setset.db", isolation_level=None)
    notices: list[str] = []

    class Notices(Unwatched):
        def notice(self, text: str) -> None:
            notices.append(text)
            other.execute("ROLLBACK")

    def put(*arguments: Any) -> Totals:
        """Somebody comes in before the size is written, and leaves when the notice is given."""
        if not notices:
            other.execute("BEGIN IMMEDIATE")
        return stored(*arguments)

    stored = shelf.put
    monkeypatch.setattr(shelf, "put", put)
    monkeypatch.setattr("setset.database.schema.BUSY_SECONDS", 0.05)
    cataloguing.build(Workspace(tmp_path), 4, Notices(), lambda _: None)
    other.close()
    assert notices == ["the database is held by another program; waiting for it"]
    assert stored_sizes(tmp_path) == [0, 1, 2, 3, 4]


def test_sizes_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="lists of 0 to 20 cards, not of 21"):
        build(tmp_path / "w", 21)
    assert not (tmp_path / "w").exists()


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exploration with all lists of 4 cards in files and those of 5 counted; no catalogue."""
    folder = tmp_path_factory.mktemp("counted") / "w"
    for request in (Request(4, target=4, batch_lists=500_000), Request(5, target=4, count_only=True)):
        explore(Workspace(folder), request, Unwatched(), ThreadPoolExecutor)
    return folder


@pytest.fixture
def both(counted: Path, tmp_path: Path) -> Path:
    """The same with the catalogue up to size 5."""
    folder = Path(shutil.copytree(counted, tmp_path / "both"))
    build(folder, 5)
    return folder


def counts(folder: Path) -> dict[int, overview.Count]:
    return {count.size: count for count in overview.counts(Store.reading(Workspace(folder)))}


def test_enumeration_and_classes_agree(counted: Path, both: Path) -> None:
    alone = counts(counted)
    assert [(alone[size].class_sum, alone[size].agree) for size in (3, 4, 5)] == [(None, None)] * 3
    assert alone[4].verdict == "complete"
    found = counts(both)
    assert (found[3].class_sum, found[3].agree) == (None, None)  # seeds are not all lists of 3 cards
    assert (found[4].lists, found[4].class_sum, found[4].agree) == (1_579_500, 1_579_500, True)
    assert (found[5].lists, found[5].class_sum, found[5].agree) == (22_441_536, 22_441_536, True)
    assert [found[size].verdict for size in (4, 5)] == ["OK", "OK"]


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE tallies SET lists = lists - 1 WHERE rowid = (SELECT MIN(rowid) FROM tallies)",
        "UPDATE classes SET stabilizer = stabilizer / 2, lists = lists * 2 WHERE (size, number) = (5, 0)",
    ],
)
def test_a_disagreement_is_wrong(both: Path, forgery: str) -> None:
    change(both, forgery)
    found = counts(both)
    assert (found[5].agree, found[5].verdict) == (False, "WRONG")
    assert found[4].verdict == "OK"


def test_nothing_is_said_of_a_count_that_is_not_complete(both: Path) -> None:
    change(both, "DELETE FROM tallies WHERE rowid = (SELECT MIN(rowid) FROM tallies)")
    found = counts(both)[5]
    assert (found.class_sum, found.agree, found.verdict) == (22_441_536, None, "incomplete")


def test_building_the_catalogue_does_not_change_the_estimates(both: Path) -> None:
    """They go by the workers of the last run that had some."""
    workers: Callable[[Store], int] = overview._workers
    change(both, "UPDATE runs SET workers = 7 WHERE workers > 0")
    assert workers(Store.reading(Workspace(both))) == 7

"""Charts of the results of SQL queries."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from setset.web.results import HEIGHT, MOST_BARS, MOST_PANELS, WIDTH, draw_panels


def test_bars_have_their_row_as_a_title_and_a_link() -> None:
    rows = [(4, 1_579_500, None), (5, 22_441_536, 2.5), (6, None, 1.25)]
    lists, ratio = draw_panels(("size", "lists", "ratio"), rows)
    assert (lists.column, ratio.column, lists.is_line) == ("lists", "ratio", False)
    assert [(mark.title, mark.path) for mark in lists.marks] == [
        ("size: 4\nlists: 1,579,500\nratio: ", "classes/4"),
        ("size: 5\nlists: 22,441,536\nratio: 2.5", "classes/5"),
    ]
    assert [text for _, text in lists.labels] == ["4", "5", "6"]
    assert [text for _, text in lists.ticks] == ["0", "10 M", "20 M"]
    small, large = lists.marks
    assert (HEIGHT - small.y) / (HEIGHT - large.y) == pytest.approx(1_579_500 / 22_441_536)
    assert (lists.zero, large.y) == (HEIGHT, 0)


def test_values_of_very_different_size_have_a_logarithmic_scale() -> None:
    (panel,) = draw_panels(("name", "lists"), [("a", 1), ("b", 10_000), ("c", 100)])
    heights = [HEIGHT - mark.y for mark in panel.marks]
    assert 0 < heights[0] < heights[2] < heights[1]
    assert heights[1] - heights[2] == pytest.approx(heights[2] - heights[0])
    (panel,) = draw_panels(("name", "change"), [("a", -5), ("b", 5), ("c", 0)])
    assert 0 < panel.zero < HEIGHT
    assert panel.marks[2].y == panel.zero


def test_times_become_a_line() -> None:
    times = ["2026-11-19T22:00:00+00:00", "2026-11-19T22:10:00+00:00", "2026-11-19T23:00:00+00:00"]
    (panel,) = draw_panels(("at", "lists"), [(time, 7) for time in times])
    assert panel.is_line
    assert [mark.x for mark in panel.marks] == pytest.approx([0, WIDTH / 6, WIDTH])
    assert [text for _, text in panel.labels] == ["22:00", "22:10", "23:00"]
    (panel,) = draw_panels(("at", "lists"), [("2026-11-19T99:99", 1), ("2026-11-20T10:00", 2)])
    assert [mark.x for mark in panel.marks] == [0, WIDTH]
    many = [(number * number, number) for number in range(MOST_BARS + 1)]
    (panel,) = draw_panels(("n", "root"), many)
    assert panel.is_line
    assert panel.marks[6].x == pytest.approx(WIDTH * 36 / MOST_BARS**2)
    assert len(panel.labels) < 20


def test_rows_link_to_what_they_name() -> None:
    (panel,) = draw_panels(("class", "lists"), [("12/786", 1), ("x/1", 2)])
    assert [mark.path for mark in panel.marks] == ["classes/12/786", ""]
    panel, _ = draw_panels(("n", "first_list", "lists", "size"), [(1, "0 1 3", 5, 3), (2, "x", 6, 99)])
    assert [mark.path for mark in panel.marks] == ["identify?cards=0,1,3", ""]


def test_results_without_a_chart() -> None:
    assert draw_panels(("a",), [("x",), ("y",)]) == []
    assert draw_panels(("a", "b"), [(1, 2)]) == []
    assert draw_panels(("a", "b"), []) == []
    assert draw_panels(("a", "b"), [(1, "x"), (2, 3)]) == []
    assert draw_panels(("a", "b"), [(1, None), (2, None)]) == []
    assert draw_panels(("a", "b"), [(1, float("inf")), (2, 3)]) == []
    assert [len(panel.marks) for panel in draw_panels(("only",), [(5,), (6,)])] == [2]
    wide = tuple(range(20))
    assert len(draw_panels([f"c{at}" for at in wide], [wide, wide])) == MOST_PANELS


def test_a_result_is_drawn_above_its_rows(page: TestClient) -> None:
    text = page.get("/sql", params={"query": "SELECT size, SUM(lists) AS '<b>' FROM files GROUP BY size"}).text
    assert "<figcaption>&lt;b&gt;</figcaption>" in text
    assert re.search(r'<a href="\./classes/4"><title>size: 4\n&lt;b&gt;: ', text)
    assert "<svg" not in page.get("/sql").text.partition("<main")[2]
    assert "<figure" not in page.get("/sql", params={"query": "SELECT 'x' AS a, 1 AS b"}).text

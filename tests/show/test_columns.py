"""Columns that fit a terminal, and columns that do not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from setset.show.columns import Column, block_lines, fit, fold, shorten, text_width
from tests.terminal import places

LETTERS = st.text(st.sampled_from("ab ±集合語"), max_size=60)
WIDTH = st.integers(1, 60)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], list[int]]:
    columns = st.builds(
        Column, st.just("title"), importance=st.none() | st.integers(1, 9), least=st.none() | st.integers(5, 20)
    )
    first = Column("first")
    titles = [first, *draw(st.lists(columns, max_size=8))]
    return titles, draw(st.lists(WIDTH, min_size=len(titles), max_size=len(titles)))


@given(tables(), st.integers(1, 200))
def test_a_table_fits_or_becomes_blocks(table: tuple[list[Column], list[int]], room: int) -> None:
    columns, natural = table
    layout = fit(columns, natural, room)
    floors = [min(width, column.least or width) for column, width in zip(columns, natural, strict=True)]
    required = [index for index, column in enumerate(columns) if column.importance is None]
    if not layout.widths:
        assert sum(floors[index] + 2 for index in required) - 2 > room
        return
    assert sum(layout.widths.values()) + 2 * len(layout.widths) - 2 == layout.total <= room
    assert layout.widths.keys() >= set(required)
    assert list(layout.widths) == sorted(layout.widths)
    assert len(layout.left_out) == len(columns) - len(layout.widths)
    for index, width in layout.widths.items():
        assert floors[index] <= width <= natural[index]
    for index, column in enumerate(columns):
        if index not in layout.widths:
            candidates = [
                other for other in layout.widths if (columns[other].importance or 99) >= (column.importance or 99)
            ]
            assert sum(floors[other] + 2 for other in candidates) + floors[index] > room, "it had no room"


@given(tables())
def test_without_a_width_everything_is_shown(table: tuple[list[Column], list[int]]) -> None:
    columns, natural = table
    layout = fit(columns, natural, None)
    assert (list(layout.widths.values()), layout.left_out, layout.shortened) == (natural, (), False)
    assert fit(columns, natural, layout.total) == layout, "nor is anything left out where there is room for all"


@given(LETTERS, st.integers(2, 40))
def test_a_shortened_text_fits_and_says_so(text: str, width: int) -> None:
    shortened = shorten(text, width)
    assert places(shortened) <= width
    if places(text) <= width:
        assert shortened == text
    else:
        assert shortened.endswith("…")
        assert text.startswith(shortened[:-1])


@given(LETTERS, st.integers(2, 40))
def test_a_folded_text_fits_and_loses_nothing_but_spaces(text: str, width: int) -> None:
    lines = fold(text, width)
    assert lines
    assert all(places(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(LETTERS)
def test_the_width_of_a_text_is_what_terminals_make_of_it(text: str) -> None:
    assert text_width(text) == places(text)


def test_a_long_text_is_folded_at_once() -> None:
    """Folding takes linear time, not quadratic."""
    lines = fold("x" * 3_000_000 + " y", 60)
    assert len(lines) == 50_001


def test_what_has_no_value_has_no_line() -> None:
    assert block_lines(["a", "long title"], ["1", None], None) == ["a           1"]

"""Strategies for hypothesis: maps, lists as a player would pick them, and lists of any class."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from setset.cards import CARDS
from setset.symmetry import AffineMap, catalogue_in_memory
from tests.symmetry import naive


def examples(count: int = 100) -> settings:
    """`count` examples, the same in every run. No deadline, since the first example may have to wait for numba."""
    return settings(max_examples=count, deadline=None, derandomize=True)


@st.composite
def maps(draw: st.DrawFn) -> AffineMap:
    frame: list[int] = []
    while len(frame) < 5:
        spanned = naive.flat(tuple(frame))
        frame.append(draw(st.sampled_from([card for card in range(CARDS) if card not in spanned])))
    return AffineMap.to_frame(frame)


@st.composite
def picked_lists(draw: st.DrawFn, least: int = 0, most: int = 20) -> tuple[int, ...]:
    """Card after card, whatever still fits, up to the size drawn or until nothing does."""
    size = draw(st.integers(least, most))
    hand: tuple[int, ...] = ()
    while len(hand) < size and (fitting := naive.extensions(hand)):
        hand = (*hand, draw(st.sampled_from(fitting)))
    return tuple(sorted(hand))


@st.composite
def lists_of_classes(draw: st.DrawFn, least: int = 0, most: int = 20) -> tuple[int, ...]:
    """A class of any size, rare ones as likely as frequent ones, and a list of it."""
    classes = catalogue_in_memory().level(draw(st.integers(least, most))).classes
    list_class = classes[draw(st.integers(0, len(classes) - 1))]
    return draw(maps()).on(list_class.cards)


def lists(least: int = 0, most: int = 20) -> st.SearchStrategy[tuple[int, ...]]:
    return st.one_of(picked_lists(least, most), lists_of_classes(least, most))

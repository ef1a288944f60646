"""The proof that sources are expanded, against examples of every flaw and a naive twin."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence, Set
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setset.batches.records import NO_SOURCE, Batch, Span, combine_digests
from setset.database import Database
from setset.database.batches import SEEDS, NumberedBatch
from setset.database.expansions import Expansion
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.database.models import State, Work
from setset.maintenance.proof import Evidence, Flaw, Sources

UNKNOWN = "the source batch is not recorded"
ANOTHER = "the result was made from another source than the recorded one"
NOT_DONE = "batches are recorded, but the expansion is not recorded as done"
NOT_WHOLE = "parts of its expansion are missing, or recorded twice"
LOST = "its batches are not recorded"


def find_flaws(
    batches: Sequence[Batch],
    done: Mapping[int, str | None] | Set[int],
    sources: Sources,
    not_empty: Set[int] = frozenset(),
    all_known: bool = True,
) -> list[Flaw]:
    """The flaws of expansions, with the digests of the sources that they were made from if they say so."""
    digests = done if isinstance(done, Mapping) else dict.fromkeys(done)
    expanded = [
        Expansion(0, Work.STORE, 5, 4, source, State.DONE, 1, 0, 0, int(source in not_empty), made_from)
        for source, made_from in digests.items()
    ]
    size = SizeRecord(ExplorationKey(cast(Database, None), 1, 12), 5, 100, 4, 0)
    return Evidence(size, list(batches), expanded, sources, all_known).flaws()


def digest(source: int) -> str:
    return hashlib.md5(str(source).encode()).hexdigest()


def known(number: int) -> Sources:
    """Sources 0 to `number` - 1."""
    return {source: NumberedBatch(source, 100, digest(source)) for source in range(number)}


def batch(span: Span, source_digest: str | None = "right") -> Batch:
    """A batch of which nothing matters but where it comes from."""
    if source_digest == "right":
        numbers = range(span.first_source, min(span.last_source, span.first_source + 100) + 1)
        source_digest = combine_digests([digest(number) for number in numbers])
    file = span, 10, (0,), (1,), files_name(span), 1, "ab", source_digest or ""
    return Batch(*file, 1, 12, False, 5, None, 1, "batches", None)


def files_name(span: Span) -> str:
    return f"{span.start}-{span.end}"


def part(source: int, number: int = 0, ends: bool = False) -> Batch:
    return batch(Span(source, number, source, number, ends))


def merged(start: tuple[int, int], last: tuple[int, int], ends: bool = True) -> Batch:
    return batch(Span(*start, *last, ends))


WHOLE = [part(0, 0), part(0, 1), part(0, 2, True), part(1, 0, True), part(2, 0), part(2, 1, True)]
ALL = {0, 1, 2}


def reasons(batches: Sequence[Batch], done: set[int] = ALL, sources: int = 3) -> dict[int, str]:
    flaws = find_flaws(batches, done, known(sources))
    assert flaws == sorted(flaws, key=lambda flaw: flaw.source)
    assert len({flaw.source for flaw in flaws}) == len(flaws)
    return {flaw.source: flaw.reason for flaw in flaws}


def test_every_part_of_every_source_is_a_proof() -> None:
    assert reasons(WHOLE) == {}
    assert reasons(WHOLE[::-1]) == {}, "in any order"
    assert reasons([]) == {}, "sources without lists have nothing to show"
    assert reasons([], done=set()) == {}
    assert reasons(WHOLE[:3], done={0}) == {}, "what is neither done nor there is not claimed"


@pytest.mark.parametrize("gone", range(len(WHOLE)))
def test_a_missing_part_is_a_flaw_of_its_source(gone: int) -> None:
    """But not where nothing is left of a source: it may have had no lists."""
    source = WHOLE[gone].span.first_source
    expected = {} if source == 1 else {source: NOT_WHOLE}
    assert reasons([*WHOLE[:gone], *WHOLE[gone + 1 :]]) == expected


@pytest.mark.parametrize("double", range(len(WHOLE)))
def test_a_part_that_is_there_twice_is_a_flaw(double: int) -> None:
    duplicate = WHOLE[double]
    assert reasons([*WHOLE, duplicate]) == {duplicate.span.first_source: NOT_WHOLE}


def test_a_part_after_the_last_and_a_last_that_is_none() -> None:
    assert reasons([part(0, 0, True), part(0, 1)], {0}) == {0: NOT_WHOLE}
    assert reasons([part(0, 0), part(0, 1)], {0}) == {0: NOT_WHOLE}
    assert reasons([part(0, 0, True), part(0, 1, True)], {0}) == {0: NOT_WHOLE}


def test_merged_batches_prove_all_their_sources() -> None:
    assert reasons([merged((0, 0), (2, 1))]) == {}
    assert reasons([part(0, 0), merged((0, 1), (2, 0), False), part(2, 1, True)]) == {}
    assert reasons([merged((0, 0), (0, 1), False), merged((0, 2), (2, 1))]) == {}


def test_merged_batches_with_a_gap_or_an_overlap() -> None:
    head, middle, tail = part(0, 0), merged((0, 1), (2, 0), False), part(2, 1, True)
    assert reasons([middle, tail]) == {0: NOT_WHOLE}, "source 1 is inside"
    assert reasons([head, middle]) == {2: NOT_WHOLE}
    assert reasons([head, middle, part(1, 0, True), tail]) == {1: NOT_WHOLE}
    assert reasons([head, middle, part(2, 0), tail]) == {2: NOT_WHOLE}
    assert reasons([*WHOLE, merged((0, 0), (2, 1))]) == dict.fromkeys(ALL, NOT_WHOLE)


def test_what_was_made_from_another_source() -> None:
    """One source of several that changed is enough."""
    altered = batch(Span(1, 0, 1, 0, True), digest(0))
    assert reasons([*WHOLE[:3], altered, *WHOLE[4:]]) == {1: ANOTHER}
    span = Span(0, 0, 2, 1, True)
    mixed = batch(span, combine_digests([digest(0), digest(7), digest(2)]))
    assert reasons([mixed]) == dict.fromkeys(ALL, ANOTHER)
    first_only = batch(span, digest(0))
    assert reasons([first_only]) == dict.fromkeys(ALL, ANOTHER)


def test_a_batch_that_version_0_1_recorded_is_taken_at_its_word() -> None:
    assert reasons([batch(part_of_whole.span, None) for part_of_whole in WHOLE]) == {}
    assert reasons([batch(Span(0, 0, 2, 1, True), None)]) == {}
    assert reasons([batch(part_of_whole.span, None) for part_of_whole in WHOLE[1:]]) == {0: NOT_WHOLE}


def test_sources_that_are_not_there() -> None:
    assert reasons([part(3, 0, True)], {3}) == {3: UNKNOWN}
    assert reasons([], {0, 7}) == {7: UNKNOWN}
    assert reasons([merged((2, 0), (3, 0))], {2}) == {2: UNKNOWN, 3: UNKNOWN}
    assert reasons([part(0, 0, True)], {0}, sources=0) == {0: UNKNOWN}


def test_numbers_that_make_no_sense_exhaust_nothing() -> None:
    largest = (1 << 31) - 1
    flaws = reasons([merged((0, 0), (largest, 0)), part(1, 0, True)], {0, 1})
    assert set(flaws) <= set(range(10))
    assert {0, 1} <= flaws.keys()
    assert reasons([batch(Span(largest, 0, largest, 0, True), digest(largest))], set()) == {largest: UNKNOWN}


def test_batches_of_an_expansion_that_is_not_done() -> None:
    assert reasons(WHOLE, {0, 2}) == {1: NOT_DONE}
    assert reasons(WHOLE[:2], set()) == {0: NOT_DONE}


def test_batches_that_were_made_and_are_not_there() -> None:
    """All of a source's rows may be gone, too."""
    sources = known(3)
    without = [member for member in WHOLE if member.span.first_source != 1]
    assert find_flaws(without, ALL, sources) == []
    assert find_flaws(without, ALL, sources, not_empty={0, 2}) == []
    assert find_flaws(without, ALL, sources, not_empty=ALL) == [Flaw(1, LOST)]
    assert find_flaws([merged((0, 0), (2, 1))], ALL, sources, not_empty=ALL) == []


def test_an_expansion_without_lists_that_was_made_from_another_source() -> None:
    """It has no batch that could tell."""
    sources = known(2)
    assert find_flaws([], {0: digest(0), 1: None}, sources) == []
    assert find_flaws([], {0: digest(7)}, sources) == [Flaw(0, ANOTHER)]


def test_nothing_is_said_of_sources_that_may_yet_come() -> None:
    """While the size before is done again, its batches have no numbers."""
    for flaws in (
        find_flaws(WHOLE, ALL, known(2), ALL, all_known=False),
        find_flaws([merged((0, 0), (2, 1))], ALL, known(2), ALL, all_known=False),
    ):
        assert flaws == []
    altered = batch(Span(1, 0, 1, 0, True), digest(0))
    assert find_flaws([altered], {1: None}, known(2), all_known=False) == [Flaw(1, ANOTHER)]


def test_the_seeds_have_a_source_without_lists() -> None:
    seeds = {0: SEEDS}
    parts = [batch(Span(0, number, 0, number, number == 1), NO_SOURCE) for number in range(2)]
    assert find_flaws(parts, {0}, seeds) == []
    assert find_flaws(parts[:1], {0}, seeds) == [Flaw(0, NOT_WHOLE)]
    assert find_flaws([batch(Span(0, 0, 0, 0, True), digest(0))], {0}, seeds) == [Flaw(0, ANOTHER)]


# Against a naive twin

SOURCES, PARTS = 4, 3
TOP = PARTS + 1
"""More parts than any source has: what ends a source covers all of them from where it starts."""


def covered(span: Span, source: int) -> set[int]:
    """The parts of a source that a span covers, one by one."""
    if not span.first_source <= source <= span.last_source:
        return set()
    first = span.first_part if source == span.first_source else 0
    is_complete = source != span.last_source or span.ends_source
    return set(range(first, TOP if is_complete else span.last_part + 1))


def naive_flaws(batches: Sequence[Batch], done: set[int], sources: Sources, not_empty: set[int]) -> set[int]:
    """The known sources that are not proven: each part of each must be covered once, by what is right."""
    flawed = set()
    for source in sources:
        covering = [candidate for candidate in batches if covered(candidate.span, source)]
        counts = [sum(number in covered(candidate.span, source) for candidate in covering) for number in range(TOP)]
        is_right = all(
            candidate.span.last_source in sources
            and candidate.source_digest
            in (
                "",
                combine_digests(
                    [sources[n].digest for n in range(candidate.span.first_source, candidate.span.last_source + 1)]
                ),
            )
            for candidate in covering
        )
        if covering and (not is_right or source not in done or counts != [1] * TOP):
            flawed.add(source)
        if not covering and source in not_empty:
            flawed.add(source)
    return flawed


places = st.tuples(st.integers(0, SOURCES), st.integers(0, PARTS - 1))


@st.composite
def any_batches(draw: st.DrawFn) -> list[Batch]:
    """Anything: what a sequence of damages may leave."""
    drawn = []
    for _ in range(draw(st.integers(0, 5))):
        first, last = sorted([draw(places), draw(places)])
        span = Span(*first, *last, draw(st.booleans()))
        source_digest = draw(st.sampled_from(["right", "right", "right", None, digest(99)]))
        drawn.append(batch(span, source_digest))
    return drawn


@st.composite
def tiled_batches(draw: st.DrawFn) -> list[Batch]:
    """All parts of all sources, some merged: whole, then damaged in one place or none."""
    parts = [draw(st.integers(1, PARTS)) for _ in range(SOURCES)]
    cells = [(source, number) for source in range(SOURCES) for number in range(parts[source])]
    cuts = sorted(draw(st.sets(st.integers(1, len(cells) - 1)))) if len(cells) > 1 else []
    tiles = []
    for start, end in zip([0, *cuts], [*cuts, len(cells)], strict=True):
        last = cells[end - 1]
        tiles.append(batch(Span(*cells[start], *last, last[1] == parts[last[0]] - 1)))
    damage = draw(st.sampled_from(["none", "lost", "twice", "another"]))
    index = draw(st.integers(0, len(tiles) - 1))
    if damage == "lost":
        del tiles[index]
    elif damage == "twice":
        tiles.append(tiles[index])
    elif damage == "another":
        tiles[index] = batch(tiles[index].span, digest(99))
    return tiles


@given(
    any_batches() | tiled_batches(),
    st.just(set(range(SOURCES))) | st.sets(st.integers(0, SOURCES - 1)),
    st.sets(st.integers(0, SOURCES - 1)),
    st.integers(1, SOURCES),
)
def test_flaws_are_those_of_the_naive_twin(
    recorded: list[Batch], done: set[int], not_empty: set[int], number: int
) -> None:
    sources = known(number)
    done, not_empty = done & sources.keys(), not_empty & done & sources.keys()
    flaws = {flaw.source for flaw in find_flaws(recorded, done, sources, not_empty)}
    assert flaws & sources.keys() == naive_flaws(recorded, done, sources, not_empty)
    unknown = {record.span.last_source for record in recorded if record.span.last_source not in sources}
    assert bool(flaws - sources.keys()) == bool(unknown)

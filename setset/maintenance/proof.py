"""The proof that sources are expanded: every part from the first to the last is there, made from the source as it is.

"Complete" is a claim; here is what it takes for it to hold. `check` asks it of what is recorded, `run` before it goes
on, `rebuild` of the files that it finds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass

from setset.batches.records import Span
from setset.database.batches import StoredBatch, source_digest

Digests = dict[int, tuple[int, str]]
"""Lists and digest of each source, by its number."""


@dataclass(frozen=True)
class Flaw:
    """Why the expansion of a source is not proven."""

    source: int
    reason: str


def find_flaws(
    found: Iterable[StoredBatch], done: set[int], sources: Digests, not_empty: Set[int] = frozenset()
) -> list[Flaw]:
    """The sources, among those whose expansion is recorded as done or has batches, that are not proven.

    An expansion that is done and has no batches has nothing to prove: it found no lists, unless it is one of
    `not_empty`, which are recorded to have made some.
    """
    flaws: dict[int, str] = dict.fromkeys(done - sources.keys(), "there is no such source")
    spans: list[Span] = []
    for batch in found:
        expected = source_digest(sources, batch.span)
        if batch.span.last_source >= max(len(sources), 1) or expected is None:
            reason = "there is no such source"
        elif batch.source_digest not in (None, expected):
            reason = "made from another source than the one that is recorded"
        else:
            spans.append(batch.span)
            continue
        for source in _sources(batch.span, len(sources)):
            flaws.setdefault(source, reason)
    by_source = _parts_by_source(spans)
    for source, parts in by_source.items():
        if source not in done:
            flaws.setdefault(source, "has batches, but its expansion is not recorded as done")
        elif not _is_whole(parts):
            flaws.setdefault(source, "parts of its expansion are missing, or recorded twice")
    for source in not_empty - by_source.keys():
        flaws.setdefault(source, "its batches are not recorded")
    return [Flaw(source, reason) for source, reason in sorted(flaws.items())]


def _sources(span: Span, known: int) -> Iterable[int]:
    """The sources of a span, which may be anything: not more than there can be."""
    last = min(span.last_source, span.first_source + known)
    return range(span.first_source, last + 1)


def _parts_by_source(spans: Iterable[Span]) -> dict[int, list[tuple[int, int | None]]]:
    """For each source its stretches of parts, from the first to the last; None is the part that ends it."""
    parts: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
    for span in spans:
        for source in range(span.first_source, span.last_source + 1):
            first = span.first_part if source == span.first_source else 0
            ended = source < span.last_source or span.ends_source
            parts[source].append((first, None if ended else span.last_part))
    return parts


def _is_whole(parts: list[tuple[int, int | None]]) -> bool:
    """Whether stretches of parts are all of them: part 0, each next one, and the one that ends the source."""
    expected: int | None = 0
    for first, last in sorted(parts, key=lambda part: part[0]):
        if first != expected:
            return False
        expected = None if last is None else last + 1
    return expected is None

"""The proof that sources are expanded: every part from the first to the last is there, made from the source as it is.

"Complete" is a claim; here is what it takes for it to hold. `check` asks it of what is recorded, `run` and `repair`
before they begin and again when they are through, `rebuild` of the files that it finds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from setset.batches.records import Span, combine_digests
from setset.database import Database, batches, expansions, explorations, numbering
from setset.database.batches import StoredBatch
from setset.database.evidence import (
    CountedExpansion,
    Evidence,
    Source,
    has_all_batches,
    read_evidence,
    sources_of_size,
)
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.progress import ProgressListener

UNKNOWN = "there is no such source"
ANOTHER = "made from another source than the one that is recorded"
NOT_RECORDED = "its expansion is not recorded"

Digests = Mapping[int, Source]
"""Lists and digest of each source, by its number."""


@dataclass(frozen=True, order=True)
class Flaw:
    """Why the expansion of a source is not proven."""

    source: int
    reason: str


def prove(size: SizeRecord, evidence: Evidence, found: Iterable[StoredBatch]) -> list[Flaw]:
    """Why the batches of a size do not prove that its sources were expanded."""
    done = {each.source: each.source_digest for each in evidence.finished}
    not_empty = {each.source for each in evidence.finished if each.batches_out}
    lost = [source for source in evidence.sources if source < size.numbered and source not in done]
    flaws = {source: Flaw(source, NOT_RECORDED) for source in lost}
    for flaw in find_flaws(found, done, evidence.sources, not_empty, evidence.all_known):
        flaws[flaw.source] = flaw
    return sorted(flaws.values())


def forget_unproven(
    database: Database, exploration: ExplorationKey, largest: int, progress: ProgressListener
) -> None:
    """Plans again what is recorded as done up to size `largest` and is not proven, or has a file with a defect."""
    for size in explorations.sizes(database, exploration):
        if size.size > largest:
            return
        evidence = read_evidence(database, exploration, size)
        found = list(batches.in_order(database, exploration, size.size))
        flaws = prove(size, evidence, found) or find_wrong_sums(evidence, found)
        again = set[int]()
        if flaws:
            again = expansions.forget(database, exploration, size, {flaw.source for flaw in flaws})
            progress.notice(
                f"size {size.size}: doing {len(again):,} expansions again, the first since {flaws[0].reason}"
            )
        elif size.complete and any(batch.number is None for batch in found):
            numbering.renumber(database, exploration, size)
        defects = {
            batch: batch.defect for batch in found if batch.defect and batch.span.first_source not in again
        }
        if defects:
            expansions.forget_files(database, exploration, size, defects)
        if evidence.counted:
            stale = find_stale_counts(database, exploration, size.size, evidence)
            expansions.forget_counts(database, stale)


def find_stale_counts(
    database: Database, exploration: ExplorationKey, size: int, evidence: Evidence
) -> list[CountedExpansion]:
    """Counts that were made from other batches of a size than those of now."""
    sources = sources_of_size(database, exploration, size)
    all_known = has_all_batches(database, exploration, size)
    return [
        each
        for each in evidence.counted
        if (each.source not in sources and all_known)
        or (each.source in sources and not _is_from(each.source_digest, sources[each.source]))
    ]


def find_wrong_sums(evidence: Evidence, found: Sequence[StoredBatch]) -> list[Flaw]:
    """The sources whose lists do not add up. Merged batches do not say how many lists each of their sources made."""
    merged = {
        source
        for batch in found
        if batch.span.is_merged
        for source in batch.span.sources(len(evidence.sources))
    }
    sums: dict[int, tuple[int, int]] = {}
    for batch in found:
        parts, lists = sums.get(batch.span.first_source, (0, 0))
        sums[batch.span.first_source] = parts + 1, lists + batch.lists
    flaws = []
    for each in evidence.finished:
        if each.source in merged:
            continue
        if each.source_lists is not None and each.lists_in not in (0, each.source_lists):
            flaws.append(Flaw(each.source, f"read {each.lists_in:,} lists of {each.source_lists:,}"))
        parts, lists = sums.get(each.source, (0, 0))
        if (parts, lists) != (each.batches_out, each.lists_out):
            made = f"made {each.batches_out} batches with {each.lists_out:,} lists"
            flaws.append(Flaw(each.source, f"{made}; {parts} with {lists:,} are recorded"))
    return flaws


def find_flaws(
    found: Iterable[StoredBatch],
    done: Mapping[int, str | None],
    sources: Digests,
    not_empty: Set[int] = frozenset(),
    all_known: bool = True,
) -> list[Flaw]:
    """The sources, among those whose expansion is recorded as done or has batches, that are not proven.

    An expansion that is done and has no batches has nothing to prove: it found no lists, unless it is one of
    `not_empty`, which are recorded to have made some.

    Args:
        found: The batches that are recorded.
        done: The sources whose expansion is recorded as done, with the digests that they had, if they are known.
        sources: The sources that there are.
        not_empty: Sources that are recorded to have made lists.
        all_known: Those are all. Otherwise others may come, and nothing is said of them.
    """
    flaws: dict[int, str] = {}
    for source, digest in done.items():
        if source not in sources:
            flaws[source] = UNKNOWN
        elif not _is_from(digest, sources[source]):
            flaws[source] = ANOTHER
    spans: list[Span] = []
    for batch in found:
        expected = source_digest(sources, batch.span)
        if batch.span.last_source >= max(len(sources), 1) or expected is None:
            reason = UNKNOWN
        elif batch.source_digest not in (None, expected):
            reason = ANOTHER
        else:
            spans.append(batch.span)
            continue
        for source in batch.span.sources(len(sources)):
            flaws.setdefault(source, reason)
    by_source = _parts_by_source(spans)
    for source, parts in by_source.items():
        if source not in done:
            flaws.setdefault(source, "has batches, but its expansion is not recorded as done")
        elif not _is_whole(parts):
            flaws.setdefault(source, "parts of its expansion are missing, or recorded twice")
    for source in not_empty - by_source.keys():
        flaws.setdefault(source, "its batches are not recorded")
    return [
        Flaw(source, reason) for source, reason in sorted(flaws.items()) if all_known or reason != UNKNOWN
    ]


def _is_from(digest: str | None, source: Source) -> bool:
    """Whether a source is the one with this digest. Version 0.1 did not record it."""
    return digest in (None, source.digest)


def source_digest(sources: Digests, span: Span) -> str | None:
    """The digest of the sources of a span; None if one of them is not known."""
    if span.last_source - span.first_source >= len(sources):
        return None
    found = [sources.get(source) for source in range(span.first_source, span.last_source + 1)]
    digests = [source.digest for source in found if source is not None]
    if len(digests) < len(found):
        return None
    return digests[0] if len(digests) == 1 else combine_digests(digests)


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

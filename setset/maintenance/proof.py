"""The proof that a source is expanded: all its parts (the files that it expands to) are recorded, and were made from
the source as it is recorded now.

A size counts as complete only with this proof for all its sources. `check` and `count` require the proof. `run` and
`repair` require it before they begin and again at their end. `rebuild` requires it of the files that it finds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from setset.batches.records import Batch, Span, combine_digests
from setset.database import Database, batches, expansions, explorations
from setset.database.batches import NumberedBatch
from setset.database.connection import BadDatabase
from setset.database.expansions import Expansion, find_stale_counts
from setset.database.explorations import ExplorationKey, SizeRecord
from setset.database.rows import altered_rows, require_consistent, require_unaltered
from setset.errors import ChangedMeanwhile
from setset.progress import ProgressListener

UNKNOWN = "the source batch is not recorded"
ANOTHER = "the result was made from another source than the recorded one"

END = -1
"""End of a range of parts that includes the last part of its source."""

Sources = Mapping[int, NumberedBatch]


@dataclass(frozen=True)
class Flaw:
    """Reason why the expansion of a source is not proven."""

    source: int
    reason: str


@dataclass(frozen=True)
class Evidence:
    """Records that show from which sources the batches of a size were made."""

    size: SizeRecord
    batches: list[Batch]
    expansions: list[Expansion]
    """Expansions with recorded results."""
    sources: Sources
    all_known: bool
    """Whether the source size is complete, so that all sources are known."""

    def flaws(self) -> list[Flaw]:
        """Sources whose expansion is not proven, with reasons, ordered by number.

        Checks sources with a finished expansion, sources with batches, and the first `size.numbered` sources.
        """
        done = {expansion.source: expansion for expansion in self.expansions}
        flaws: dict[int, str] = {}
        for source, expansion in done.items():
            if source not in self.sources:
                flaws[source] = UNKNOWN
            elif not _is_from(expansion.source_digest, self.sources[source]):
                flaws[source] = ANOTHER
        spans: list[Span] = []
        for batch in self.batches:
            expected = source_digest(self.sources, batch.span)
            if batch.span.last_source >= max(len(self.sources), 1) or expected is None:
                reason = UNKNOWN
            elif batch.source_digest not in ("", expected):
                reason = ANOTHER
            else:
                spans.append(batch.span)
                continue
            for source in batch.span.sources(len(self.sources)):
                flaws.setdefault(source, reason)
        by_source = _parts_by_source(spans)
        for source, parts in by_source.items():
            if source not in done:
                flaws.setdefault(source, "batches are recorded, but the expansion is not recorded as done")
            elif not _has_all_parts(parts):
                flaws.setdefault(source, "parts of its expansion are missing, or recorded twice")
        for source, expansion in done.items():
            if expansion.batches_out and source not in by_source:
                flaws.setdefault(source, "its batches are not recorded")
        if not self.all_known:
            flaws = {source: reason for source, reason in flaws.items() if reason != UNKNOWN}
        for source in self.sources:
            if source < self.size.numbered and source not in done:
                flaws.setdefault(source, "its expansion is not recorded")
        return [Flaw(source, reason) for source, reason in sorted(flaws.items())]

    def wrong_sums(self) -> list[Flaw]:
        """Sources whose expansion recorded a wrong number: of the lists in the source, of the batches that it made, or
        of the lists in these batches.

        Skips sources of merged batches, since a merged batch does not record its number of lists per source.
        """
        merged, recorded = set[int](), defaultdict[int, list[int]](list)
        for batch in self.batches:
            recorded[batch.span.first_source].append(batch.lists)
            if batch.span.is_merged:
                merged.update(batch.span.sources(len(self.sources)))
        flaws = []
        for expansion in self.expansions:
            if expansion.source in merged:
                continue
            source = self.sources.get(expansion.source)
            if source and expansion.lists_in not in (0, source.lists):
                reason = f"{expansion.lists_in:,} lists were read, but the source has {source.lists:,}"
                flaws.append(Flaw(expansion.source, reason))
            parts, lists = len(recorded[expansion.source]), sum(recorded[expansion.source])
            if (parts, lists) != (expansion.batches_out, expansion.lists_out):
                result = f"{expansion.batches_out} batches with {expansion.lists_out:,} lists were made"
                flaws.append(Flaw(expansion.source, f"{result}, but {parts} with {lists:,} lists are recorded"))
        return flaws


def read_evidence(size: SizeRecord) -> Evidence:
    """Reads the evidence for a size in one transaction. Raises ChangedMeanwhile if another command has removed the size
    since its record was read."""
    with size.database.transaction():
        current = [record for record in size.exploration.sizes() if record.size == size.size]
        if not current:
            raise ChangedMeanwhile(size.size)
        size = current[0]
        recorded, done = batches.read(size), expansions.with_results(size)
        return Evidence(size, recorded, done, batches.sources(size.source), size.source.is_complete())


def forget_unproven(exploration: ExplorationKey, largest: int, progress: ProgressListener) -> None:
    """Forgets unproven expansions, expansions with a defective file, and stale counts, up to size `largest`. So they
    are planned again."""
    for size in exploration.sizes():
        if size.size > largest:
            return
        evidence = read_evidence(size)
        flaws = evidence.flaws() or evidence.wrong_sums()
        again = set[int]()
        if flaws:
            again = expansions.forget(size, {flaw.source for flaw in flaws})
            progress.notice(
                f"size {size.size}: doing {len(again):,} expansions again; reason for the first one: {flaws[0].reason}"
            )
        elif any(batch.number is None and batch.span.first_source < size.numbered for batch in evidence.batches):
            renumber(size)
        kept = [batch for batch in evidence.batches if batch.span.first_source not in again]
        if defects := {batch: batch.defect for batch in kept if batch.defect}:
            expansions.forget_files(size, defects)
        if stale := find_stale_counts(size):
            expansions.forget_counts(exploration.database, {count.id for count in stale})


def distrust_altered_rows(database: Database) -> None:
    """Plans expansions, counts and batches again if another program has changed their rows.

    Raises:
        BadDatabase: The row of an exploration, size or storage root was changed, or rows contradict each other. All
            other data depends on these rows.
    """
    altered = altered_rows(database)
    for row in altered:
        if row.is_structure:
            raise BadDatabase(
                f"{row} was changed by hand: run 'setset repair', which accepts the row if the files agree with it"
            )
    require_consistent(database)
    if altered:
        expansions.distrust(database, altered)


def require_proven(database: Database) -> None:
    """Raises BadDatabase if rows were altered or contradict each other, or if an expansion or a count is not proven.

    The message names the first problem.
    """
    require_unaltered(database)
    for exploration in explorations.find_all(database):
        for size in exploration.sizes():
            evidence = read_evidence(size)
            reasons = [f"source {flaw.source}: {flaw.reason}" for flaw in evidence.flaws() or evidence.wrong_sums()]
            reasons += ["a count is missing, or was made from other batches" for _ in find_stale_counts(size)]
            for reason in reasons:
                raise BadDatabase(
                    f"size {size.size} of target {exploration.target} is not proven ({reason}): run 'setset repair'"
                )


def renumber(size: SizeRecord) -> None:
    """Numbers the batches of a size again, from 0 in lexicographic order, up to the first source without a result."""
    with size.database.transaction():
        batches.reset_numbers(size)
        batches.number_batches(size)


def _is_from(digest: str | None, source: NumberedBatch) -> bool:
    """Whether a source has this digest. True for None, since version 0.1 recorded no digest."""
    return digest in (None, source.digest)


def source_digest(sources: Sources, span: Span) -> str | None:
    """Combined digest of the sources of a span (a range of parts). None if a source is not known."""
    numbers = range(span.first_source, span.last_source + 1)
    if len(numbers) > len(sources) or not sources.keys() >= set(numbers):
        return None
    return combine_digests([sources[number].digest for number in numbers])


def _parts_by_source(spans: Iterable[Span]) -> dict[int, list[tuple[int, int]]]:
    """Ranges of parts by source. A range is a pair of numbers: its first part, and the part after its last part. If its
    last part is also the last part of the source, the second number is END."""
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for span in spans:
        for source in range(span.first_source, span.last_source + 1):
            first = span.first_part if source == span.first_source else 0
            ended = source < span.last_source or span.ends_source
            parts[source].append((first, END if ended else span.last_part + 1))
    return parts


def _has_all_parts(ranges: list[tuple[int, int]]) -> bool:
    """Whether ranges cover all parts of a source once, from part 0 to END."""
    ranges = sorted(ranges)
    return [0, *(following for _, following in ranges)] == [*(first for first, _ in ranges), END]

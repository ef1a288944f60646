"""The proof that sources are expanded: every part from the first to the last is there, made from the source as it is.

"Complete" is a claim, and this is its proof. `check` and `count` ask for it, `run` and `repair` before they begin and
again when they are through, `rebuild` of the files that it finds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from setset.batches.records import Batch, Span, combine_digests
from setset.database import Database, batches, expansions, explorations, tallies
from setset.database.batches import NumberedBatch
from setset.database.connection import BadDatabase
from setset.database.expansions import Expansion
from setset.database.explorations import ExplorationKey, SizeKey, SizeRecord
from setset.database.rows import altered_rows
from setset.progress import ProgressListener

UNKNOWN = "there is no such source"
ANOTHER = "made from another source than the recorded one"

END = -1
"""Part number after the last part of a source."""

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
    """Whether all sources are known."""

    def flaws(self) -> list[Flaw]:
        """Sources that are not proven, although their expansion is or should be done or has batches.

        An expansion that is recorded to have made no batches has nothing to prove.
        """
        done = {each.source: each for each in self.expansions}
        flaws: dict[int, str] = {}
        for source, each in done.items():
            if source not in self.sources:
                flaws[source] = UNKNOWN
            elif not _is_from(each.source_digest, self.sources[source]):
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
                flaws.setdefault(source, "has batches, but its expansion is not recorded as done")
            elif not _is_whole(parts):
                flaws.setdefault(source, "parts of its expansion are missing, or recorded twice")
        for source, each in done.items():
            if each.batches_out and source not in by_source:
                flaws.setdefault(source, "its batches are not recorded")
        if not self.all_known:
            flaws = {source: reason for source, reason in flaws.items() if reason != UNKNOWN}
        for source in self.sources:
            if source < self.size.numbered and source not in done:
                flaws.setdefault(source, "its expansion is not recorded")
        return [Flaw(source, reason) for source, reason in sorted(flaws.items())]

    @property
    def made(self) -> int:
        """Lists that the expansions made."""
        return sum(each.lists_out or 0 for each in self.expansions)

    @property
    def recorded(self) -> int:
        """Lists in the batches."""
        return sum(batch.lists for batch in self.batches)

    def wrong_sums(self) -> list[Flaw]:
        """Sources whose lists do not add up. Merged batches do not say how many lists each of their sources made."""
        merged, recorded = set[int](), defaultdict[int, list[int]](list)
        for batch in self.batches:
            recorded[batch.span.first_source].append(batch.lists)
            if batch.span.is_merged:
                merged.update(batch.span.sources(len(self.sources)))
        flaws = []
        for each in self.expansions:
            if each.source in merged:
                continue
            source = self.sources.get(each.source)
            if source and each.lists_in not in (0, source.lists):
                flaws.append(Flaw(each.source, f"read {each.lists_in:,} lists of {source.lists:,}"))
            parts, lists = len(recorded[each.source]), sum(recorded[each.source])
            if (parts, lists) != (each.batches_out, each.lists_out):
                made = f"made {each.batches_out} batches with {each.lists_out:,} lists"
                flaws.append(Flaw(each.source, f"{made}; {parts} with {lists:,} are recorded"))
        return flaws


def read_evidence(size: SizeRecord) -> Evidence:
    """The records of a size, from one state of the database."""
    with size.database.transaction():
        found, done = batches.read(size), expansions.with_results(size)
        return Evidence(size, found, done, batches.sources(size.source), size.source.is_complete())


def forget_unproven(exploration: ExplorationKey, largest: int, progress: ProgressListener) -> None:
    """Plans expansions up to size `largest` again that are not proven, or have a file with a defect."""
    for size in exploration.sizes():
        if size.size > largest:
            return
        evidence = read_evidence(size)
        flaws = evidence.flaws() or evidence.wrong_sums()
        again = set[int]()
        if flaws:
            again = expansions.forget(size, {flaw.source for flaw in flaws})
            progress.notice(
                f"size {size.size}: doing {len(again):,} expansions again, the first since {flaws[0].reason}"
            )
        elif any(batch.number is None and batch.span.first_source < size.numbered for batch in evidence.batches):
            renumber(size)
        found = [batch for batch in evidence.batches if batch.span.first_source not in again]
        defects = {batch: batch.defect for batch in found if batch.defect}
        if defects:
            expansions.forget_files(size, defects)
        stale = find_stale_counts(size)
        if stale:
            expansions.forget_counts(exploration, stale)


def distrust_altered_rows(database: Database) -> None:
    """Plans expansions and counts with altered rows again.

    Raises:
        BadDatabase: A row was changed that everything depends on.
    """
    require_sizes(database)
    altered = altered_rows(database)
    for row in altered:
        if row.is_structure:
            raise BadDatabase(f"{row} was changed by hand: 'setset repair' checks and accepts it")
    if altered:
        expansions.distrust(database, altered)


def require_proven(database: Database) -> None:
    """Refuses sizes whose records contradict each other.

    Raises:
        BadDatabase: Names what is wrong.
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


def require_sizes(database: Database) -> None:
    """Refuses a database in which batches are recorded and their size is not."""
    for size in explorations.unrecorded_sizes(database):
        raise BadDatabase(f"{size} is not recorded, but its batches are: run 'setset db rebuild'")


def require_unaltered(database: Database) -> None:
    """Refuses a database with rows that were changed by hand or are gone, except for its history."""
    require_sizes(database)
    for row in altered_rows(database):
        if not row.is_history:
            raise BadDatabase(f"{row} was changed by hand: run 'setset repair'")


def renumber(size: SizeRecord) -> None:
    """Gives the batches of a size their numbers again, as far as nothing before them is missing."""
    with size.database.transaction():
        batches.reset_numbers(size)
        batches.number_batches(size)


def find_stale_counts(at: SizeKey) -> list[Expansion]:
    """Stale counts: their source batch has changed, or a tally is missing."""
    counted = expansions.counted_from(at)
    if not counted:
        return []
    sources, all_known, counted_sizes = batches.sources(at), at.is_complete(), tallies.sizes_counted(at)
    return [
        each
        for each in counted
        if (each.source not in sources and all_known)
        # A count of one size has one tally, any other count has one for each size on the way.
        or counted_sizes.get(each.id, 0) not in (1, each.size - each.source_size)
        or (each.source in sources and not _is_from(each.source_digest, sources[each.source]))
    ]


def _is_from(digest: str | None, source: NumberedBatch) -> bool:
    """Whether a source is the one with this digest. Version 0.1 did not record it."""
    return digest in (None, source.digest)


def source_digest(sources: Sources, span: Span) -> str | None:
    """The digest of the sources of a span; None if one of them is not known."""
    numbers = range(span.first_source, span.last_source + 1)
    if len(numbers) > len(sources) or not sources.keys() >= set(numbers):
        return None
    return combine_digests([sources[number].digest for number in numbers])


def _parts_by_source(spans: Iterable[Span]) -> dict[int, list[tuple[int, int]]]:
    """For each source its ranges of parts: the first part, and the part that comes next, END after the last one."""
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for span in spans:
        for source in range(span.first_source, span.last_source + 1):
            first = span.first_part if source == span.first_source else 0
            ended = source < span.last_source or span.ends_source
            parts[source].append((first, END if ended else span.last_part + 1))
    return parts


def _is_whole(parts: list[tuple[int, int]]) -> bool:
    """Whether ranges of parts are complete: from part 0, without a gap, to the part that ends the source."""
    parts = sorted(parts)
    return [0, *(following for _, following in parts)] == [*(first for first, _ in parts), END]

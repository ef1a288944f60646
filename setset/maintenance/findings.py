"""What a check can find, and what to do about it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from setset.database.batches import StoredBatch


class Remedy(enum.Enum):
    """What mends a finding, as advice; what comes first is to be done first."""

    MOVE = (
        "bring the storage root back; 'setset roots move' records that it was moved, 'setset roots forget' that it "
        "is lost for good"
    )
    REPAIR = "run 'setset repair' to rebuild what is damaged"
    DEEP_REPAIR = "run 'setset repair --deep' to rebuild what is damaged"
    REBUILD = (
        "the database contradicts itself: run 'setset db rebuild' to make a new one from the batch files"
    )
    RUN = "'setset run' takes over or removes what a stopped run left, 'setset rm' what a stopped rm left"
    NONE = ""

    @property
    def is_repair(self) -> bool:
        return self in (Remedy.REPAIR, Remedy.DEEP_REPAIR)


class FindingKind(enum.StrEnum):
    """What is wrong."""

    FILE = "file"
    """The file of a batch is missing, altered, truncated or another one."""
    LISTS = "lists"
    """The lists in a file are not those that its sources expand to."""
    SUM = "sum"
    """The batches of an expansion do not add up."""
    PROOF = "proof"
    """Nothing shows that a source was expanded from its first part to its last, as it is now."""
    GONE = "gone"
    """A storage root is gone with all its files, which are not looked for one by one."""
    ROOT = "root"
    """The token that says whose a storage root is was altered."""
    NUMBER = "number"
    """The number of a batch is wrong."""
    ORDER = "order"
    """A batch does not come after the one before it."""
    STATE = "state"
    """What is recorded of a size as a whole is wrong."""
    TEMPORARY = "temporary"
    """A file is half-written; no row records it."""
    ORPHAN = "orphan"
    """A sound batch file that no row records."""
    FOREIGN = "foreign"
    """A file that is not one of setset."""

    @property
    def remedy(self) -> Remedy:
        return _REMEDIES[self]

    @property
    def is_warning(self) -> bool:
        """Whether nothing of setset is wrong: nobody mends it, and it may stay for good."""
        return self is FindingKind.FOREIGN


_REMEDIES = {
    FindingKind.FILE: Remedy.REPAIR,
    FindingKind.LISTS: Remedy.DEEP_REPAIR,
    FindingKind.SUM: Remedy.REPAIR,
    FindingKind.PROOF: Remedy.REPAIR,
    FindingKind.GONE: Remedy.MOVE,
    FindingKind.ROOT: Remedy.REPAIR,
    FindingKind.NUMBER: Remedy.REBUILD,
    FindingKind.ORDER: Remedy.REBUILD,
    FindingKind.STATE: Remedy.REBUILD,
    FindingKind.TEMPORARY: Remedy.RUN,
    FindingKind.ORPHAN: Remedy.RUN,
    FindingKind.FOREIGN: Remedy.NONE,
}


@dataclass(frozen=True)
class Finding:
    """Something that is wrong: what, where, and in words; the batch or source that is concerned, if it is one."""

    kind: FindingKind
    where: str
    what: str
    target: int | None = None
    size: int | None = None
    batch: StoredBatch | None = None
    source: int | None = None


@dataclass(frozen=True)
class Repaired:
    """Findings that a repair mended, or would mend, and findings that are left."""

    repaired: list[Finding]
    left: list[Finding]

    @classmethod
    def split(cls, found: list[Finding]) -> Repaired:
        """Splits findings into those that can be repaired and the others."""
        repaired = [each for each in found if each.kind.remedy.is_repair]
        return cls(repaired, [each for each in found if not each.kind.remedy.is_repair])

    @property
    def needs_rebuild(self) -> bool:
        """Whether something is left that only a new database mends."""
        return any(finding.kind.remedy is Remedy.REBUILD for finding in self.left)

    @property
    def needs_roots(self) -> bool:
        """Whether a storage root is gone, whose files are left."""
        return any(finding.kind.remedy is Remedy.MOVE for finding in self.left)


def advice(findings: Iterable[Finding]) -> str | None:
    """What to do about findings first, in one line; None if nothing is to be done."""
    remedies = {finding.kind.remedy for finding in findings}
    return next((remedy.value for remedy in Remedy if remedy in remedies and remedy.value), None)

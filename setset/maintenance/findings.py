"""Findings of a check, and their remedies."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from setset.batches.records import Batch


class Remedy(enum.Enum):
    """Remedy of a finding, as advice. Remedies come in the order in which to apply them."""

    UPGRADE = "files of a newer setset are here: upgrade setset"
    MOVE = (
        "bring the storage root back; 'setset roots move' records that it was moved, 'setset roots forget' that it "
        "is lost for good"
    )
    REPAIR = "run 'setset repair' to rebuild what is damaged"
    DEEP_REPAIR = "run 'setset repair --deep' to rebuild what is damaged"
    REBUILD = "the database contradicts itself: run 'setset db rebuild' to make a new one from the batch files"
    RUN = "'setset run' takes over or removes what a stopped run left, 'setset rm' what a stopped rm left"
    NONE = ""

    @property
    def is_repair(self) -> bool:
        return self in (Remedy.REPAIR, Remedy.DEEP_REPAIR)


class FindingKind(enum.StrEnum):
    """Kind of a finding, with its remedy."""

    remedy: Remedy

    def __new__(cls, name: str, remedy: Remedy) -> FindingKind:
        kind = str.__new__(cls, name)
        kind._value_, kind.remedy = name, remedy
        return kind

    FILE = "file", Remedy.REPAIR
    """The file of a batch is missing, altered, truncated or another one."""
    NEWER = "newer", Remedy.UPGRADE
    """A batch file of a format that this version does not know. It is left alone."""
    LISTS = "lists", Remedy.DEEP_REPAIR
    """A file has other lists than its sources expand to."""
    SUM = "sum", Remedy.REPAIR
    """The batches of an expansion do not add up."""
    PROOF = "proof", Remedy.REPAIR
    """No proof that a source, as it is now, was expanded from its first part to its last."""
    GONE = "gone", Remedy.MOVE
    """A storage root is missing with all its files. They are not reported one by one."""
    ROOT = "root", Remedy.REPAIR
    """The token of a storage root was altered."""
    ROW = "row", Remedy.REPAIR
    """A row of the database was changed by hand, or is damaged."""
    NUMBER = "number", Remedy.REBUILD
    """The number of a batch is wrong."""
    ORDER = "order", Remedy.REBUILD
    """A batch does not come after the one before it."""
    STATE = "state", Remedy.REBUILD
    """The record of a size as a whole is wrong."""
    TEMPORARY = "temporary", Remedy.RUN
    """A file is half-written; no row records it."""
    ORPHAN = "orphan", Remedy.RUN
    """A sound batch file that no row records."""
    FOREIGN = "foreign", Remedy.NONE
    """A file that is not one of setset."""

    @property
    def is_warning(self) -> bool:
        """Whether it is harmless and may stay."""
        return self is FindingKind.FOREIGN


@dataclass(frozen=True)
class Finding:
    """A problem: its kind, place and description; the batch or source at fault, if there is one."""

    kind: FindingKind
    where: str
    what: str
    target: int | None = None
    size: int | None = None
    batch: Batch | None = None
    source: int | None = None

    @property
    def reason(self) -> str:
        """Description of the problem, without the name of the batch."""
        return self.what.removeprefix(f"{self.batch}: ")


@dataclass(frozen=True)
class Repaired:
    """Findings that a repair mended, or would mend, and findings that are left."""

    repaired: list[Finding]
    left: list[Finding]

    @classmethod
    def split(cls, found: list[Finding]) -> Repaired:
        """Splits findings into repairable ones and others."""
        repaired = [each for each in found if each.kind.remedy.is_repair]
        return cls(repaired, [each for each in found if not each.kind.remedy.is_repair])

    @property
    def needs_rebuild(self) -> bool:
        """Whether a finding is left that only a new database mends."""
        return any(finding.kind.remedy is Remedy.REBUILD for finding in self.left)

    @property
    def needs_roots(self) -> bool:
        """Whether a storage root is missing."""
        return any(finding.kind.remedy is Remedy.MOVE for finding in self.left)


def advice(findings: Sequence[Finding]) -> str | None:
    """The first remedy for findings, in one line; None if there is nothing to do."""
    return min((finding.kind.remedy for finding in findings), key=list(Remedy).index, default=Remedy.NONE).value or None

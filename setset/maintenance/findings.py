"""Findings of a check, and their remedies."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from setset.batches.records import Batch


class Remedy(enum.Enum):
    """Remedy of a finding, as advice to the user. The members are in the order in which a user should apply them."""

    UPGRADE = "files of a newer setset are here: upgrade setset"
    MOVE = (
        "bring the storage root back; if it was moved, run 'setset roots move'; if it is lost for good, run "
        "'setset roots forget'"
    )
    REPAIR = "run 'setset repair' to rebuild what is damaged"
    DEEP_REPAIR = "run 'setset repair --deep' to rebuild what is damaged"
    REBUILD = "the database contradicts itself: run 'setset db rebuild' to make a new one from the batch files"
    RUN = "'setset run' adopts or removes leftovers of a stopped run; 'setset rm' removes leftovers of a stopped rm"
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
    """The file of a batch is missing, altered or truncated, or belongs to another batch."""
    NEWER = "newer", Remedy.UPGRADE
    """A batch file has a format that this version does not know. setset leaves the file alone."""
    LISTS = "lists", Remedy.DEEP_REPAIR
    """A file has other lists than the expansion of its sources gives."""
    SUM = "sum", Remedy.REPAIR
    """An expansion recorded another number of lists or batches than its source or its batches have."""
    PROOF = "proof", Remedy.REPAIR
    """The expansion of a source is not proven: a part is missing, or was made from another source."""
    GONE = "gone", Remedy.MOVE
    """A storage root is missing with all its files. The files are not reported one by one."""
    ROOT = "root", Remedy.REPAIR
    """The token of a storage root was altered."""
    ROW = "row", Remedy.REPAIR
    """A row of the database was changed by hand, or is damaged."""
    NUMBER = "number", Remedy.REBUILD
    """The number of a batch is wrong."""
    ORDER = "order", Remedy.REBUILD
    """The lists of two neighbouring batches are in the wrong order."""
    STATE = "state", Remedy.REBUILD
    """The row of a size is missing, or its batches have another total number of lists than its expansions made."""
    TEMPORARY = "temporary", Remedy.RUN
    """A file is half-written, and no row records it."""
    ORPHAN = "orphan", Remedy.RUN
    """A batch file that no row records."""
    FOREIGN = "foreign", Remedy.NONE
    """A file that setset did not make."""

    @property
    def is_warning(self) -> bool:
        """Whether the finding is harmless and needs no remedy."""
        return self is FindingKind.FOREIGN


@dataclass(frozen=True)
class Finding:
    """A problem with its kind, path and description, and the batch or source at fault, if any."""

    kind: FindingKind
    where: str
    what: str
    target: int | None = None
    size: int | None = None
    batch: Batch | None = None
    source: int | None = None
    reason: str = ""
    """Description of the problem of `batch`, without the name of the batch."""

    @classmethod
    def of_batch(cls, kind: FindingKind, where: str, batch: Batch, reason: str) -> Finding:
        """Finding about a batch or its file."""
        return cls(kind, where, f"{batch}: {reason}", batch.target, batch.size, batch, reason=reason)


@dataclass(frozen=True)
class Repaired:
    """Findings that a repair has repaired, or in a dry run would repair; and findings that remain."""

    repaired: list[Finding]
    left: list[Finding]

    @classmethod
    def split(cls, findings: list[Finding]) -> Repaired:
        """Splits findings into repairable and other findings."""
        repaired = [finding for finding in findings if finding.kind.remedy.is_repair]
        return cls(repaired, [finding for finding in findings if not finding.kind.remedy.is_repair])

    @property
    def needs_rebuild(self) -> bool:
        """Whether a remaining finding requires `setset db rebuild`."""
        return any(finding.kind.remedy is Remedy.REBUILD for finding in self.left)

    @property
    def needs_roots(self) -> bool:
        """Whether a storage root is missing."""
        return any(finding.kind.remedy is Remedy.MOVE for finding in self.left)

    @property
    def needs_upgrade(self) -> bool:
        """Whether files of a newer setset remain."""
        return any(finding.kind.remedy is Remedy.UPGRADE for finding in self.left)


def advice(findings: Sequence[Finding]) -> str | None:
    """Advice for the remedy to apply first, in one line. None if there is nothing to do."""
    return min((finding.kind.remedy for finding in findings), key=list(Remedy).index, default=Remedy.NONE).value or None

"""What a person asks of a workspace: how far it is, how many lists there are, what is wrong, what was run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from setset.database.store import Store

REFERENCE_BY_TARGET = {
    (12, 3): 58_896,
    (12, 4): 1_004_589,
    (12, 5): 13_394_538,
    (12, 6): 141_370_218,
    (12, 7): 1_180_345_041,
    (12, 8): 7_920_450_378,
    (12, 9): 43_126_538_805,
}
"""Lists kept for a target at sizes below it, from independent programs."""

REFERENCE = {
    12: 2_284_535_476_080,
    15: 2_970_003_246_912,
    18: 6_482_268_000,
    20: 682_344,
}
"""All lists of a size: what every exploration keeps from its target on (Knuth, SETSET-ALL)."""


@dataclass(frozen=True)
class Progress:
    """How far one size is. A count-only size has no batches and no bytes."""

    target: int
    size: int
    work: str
    source_size: int
    sources: int
    expanded: int
    running: int
    failed: int
    batches: int | None
    defects: int | None
    lists: int
    bytes: int | None
    share: float
    lists_per_second: float | None
    seconds_left: float | None
    state: str


@dataclass(frozen=True)
class Trouble:
    """An expansion that is running or failed, or a batch with a defect."""

    target: int
    size: int
    state: str
    what: str
    detail: str


@dataclass(frozen=True)
class Throughput:
    """What a host has done of one size, and how fast one of its workers was."""

    target: int
    size: int
    work: str
    host: str
    expansions: int
    lists: int
    seconds: float
    lists_per_second: float | None
    last_finished: str


@dataclass(frozen=True)
class Count:
    """How many lists of a size are kept for a target, as far as the database knows."""

    target: int
    size: int
    lists: int
    complete: bool
    origin: str
    reference: int | None
    class_sum: int | None = None
    """The same by the catalogue, for sizes from the target on, if the size is in the catalogue."""

    @property
    def agree(self) -> bool | None:
        """Whether enumeration and classes come to the same; None if one of them is not complete."""
        return self.lists == self.class_sum if self.complete and self.class_sum is not None else None

    @property
    def counts(self) -> str:
        """What is counted, in words."""
        if self.size >= self.target:
            return f"all lists of {self.size} cards"
        if self.size == 3:
            return f"seeds for target {self.target}"
        return f"lists of {self.size} with {self.target - self.size} or more cards remaining"

    @property
    def verdict(self) -> str:
        if not self.complete:
            return "incomplete"
        known = {self.reference, self.class_sum} - {None}
        if not known:
            return "complete"
        return "OK" if known == {self.lists} else "WRONG"


def progress(store: Store) -> list[Progress]:
    """How far each size is, and how fast its workers were."""
    crews, workers, in_use = _crews(store), _workers(store), store.workspace.in_use()
    return [
        _progress(row, crews.get((row.target, row.work, row.size, row.source_size), 1.0), workers, in_use)
        for row in store.query(text("SELECT * FROM progress"))
    ]


def _workers(store: Store) -> int:
    """The workers of the run that is under way, or of the last one."""
    for row in store.query(text("SELECT workers FROM runs WHERE workers > 0 ORDER BY id DESC LIMIT 1")):
        return int(row.workers)
    return 1


def _crews(store: Store) -> dict[tuple[int, str, int, int], float]:
    """How many workers the expansions to each size had beside them, on average."""
    found = text(
        "SELECT x.target, e.work, e.size, e.source_size, SUM(e.seconds * r.workers) / SUM(e.seconds) AS workers "
        "FROM expansions e JOIN explorations x ON x.id = e.exploration_id JOIN runs r ON r.id = e.run_id "
        "WHERE e.seconds > 0 AND r.workers > 0 GROUP BY x.target, e.work, e.size, e.source_size"
    )
    return {(row.target, row.work, row.size, row.source_size): row.workers for row in store.query(found)}


def _progress(row: Any, crew: float, workers: int, in_use: bool) -> Progress:
    total, done = row.source_lists or 0, row.source_lists_done
    share = 1.0 if row.complete else done / total if total else row.expanded / max(row.sources, 1)
    rate = row.lists_out * crew / row.seconds if row.seconds and row.lists_out else None
    left = (
        (total - done) * row.seconds / done / workers if row.seconds and done and not row.complete else None
    )
    if row.complete:
        state = "defective" if row.defects else "complete"
    elif row.failed:
        state = "failed"
    else:
        state = "running" if row.running and in_use else "stopped"
    return Progress(
        row.target,
        row.size,
        row.work,
        row.source_size,
        row.sources,
        row.expanded,
        row.running,
        row.failed,
        row.batches if row.work == "store" else None,
        row.defects,
        row.lists or 0,
        row.bytes,
        share,
        rate,
        left,
        state,
    )


def troubles(store: Store) -> list[Trouble]:
    """What is running, failed or defective."""
    running = text(
        "SELECT x.target, e.size, e.source, e.source_size, e.attempts, r.host, r.pid FROM expansions e "
        "JOIN explorations x ON x.id = e.exploration_id LEFT JOIN runs r ON r.id = e.run_id "
        "WHERE e.state = 'running' ORDER BY e.size, e.source LIMIT 100"
    )
    found = [
        Trouble(
            row.target,
            row.size,
            "running",
            f"source {row.source} of size {row.source_size}",
            f"attempt {row.attempts + 1}, run by pid {row.pid} on {row.host}",
        )
        for row in (store.query(running) if store.workspace.in_use() else ())
    ]
    for row in store.query(text("SELECT * FROM defects LIMIT 100")):
        state = "failed" if row.what.startswith("failed ") else "defective"
        found.append(Trouble(row.target, row.size, state, row.path, row.what))
    return found


def throughput(store: Store) -> list[Throughput]:
    """What each host has done; what is known from files alone has no host."""
    return [
        Throughput(
            row.target,
            row.size,
            row.work,
            row.host,
            row.expansions,
            row.lists or 0,
            row.seconds or 0.0,
            row.lists_per_second,
            row.last_finished,
        )
        for row in store.query(text("SELECT * FROM throughput WHERE host IS NOT NULL"))
    ]


def counts(store: Store, size: int | None = None) -> list[Count]:
    sums = {row.size: row.lists for row in store.query(text("SELECT size, lists FROM catalogue"))}
    return [
        Count(
            row.target,
            row.size,
            row.lists,
            bool(row.complete),
            row.origin,
            reference(row.target, row.size),
            sums.get(row.size) if row.size >= row.target else None,
        )
        for row in store.query(text("SELECT * FROM counts"))
        if size in (None, row.size)
    ]


def reference(target: int, size: int) -> int | None:
    return REFERENCE.get(size) if size >= target else REFERENCE_BY_TARGET.get((target, size))


def runs(store: Store, limit: int) -> list[dict[str, Any]]:
    """The last runs, newest first."""
    found = text("SELECT * FROM runs ORDER BY id DESC LIMIT :limit").bindparams(limit=limit)
    rows = [dict(row._mapping) for row in store.query(found)]
    for place, run in enumerate(rows):
        # Only the last one can be under way; what another one did not say at its end, it could not say.
        if run["outcome"] is None and (place > 0 or not store.workspace.in_use()):
            run["outcome"] = "killed"
    return rows

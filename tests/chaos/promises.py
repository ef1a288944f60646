"""Promises that must hold after a disturbance."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.chaos.rounds import Place, Reference


def require_same(place: Place, reference: Reference) -> None:
    """All is as if nothing had happened; no command ended in a traceback or left a process."""
    assert reference.differences(place) == []
    assert place.orphans == []
    assert [outcome.said for _, outcome in place.said if outcome.traceback] == []


def require_whole(place: Place) -> None:
    """No row without its complete file, no temporary, no traceback, one line that says what is wrong."""
    found = place.command("check", "--json")
    assert {finding["kind"] for finding in json.loads(found.said)} <= {"orphan"}
    assert not list(place.folder.rglob("*.tmp"))


def started(place: Place, files: int) -> Callable[[], bool]:
    return lambda: len(place.files()) >= files

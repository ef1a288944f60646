"""Promises that must hold after a disturbance."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.chaos.rounds import Reference, Sandbox


def require_same(sandbox: Sandbox, reference: Reference) -> None:
    """All is as if nothing had happened; no command ended in a traceback or left a process."""
    assert reference.differences(sandbox) == []
    assert sandbox.orphans == []
    assert [outcome.output for _, outcome in sandbox.commands if outcome.traceback] == []


def require_whole(sandbox: Sandbox) -> None:
    """No row without its complete file, no temporary, no traceback, one line that says what is wrong."""
    outcome = sandbox.command("check", "--json")
    assert {finding["kind"] for finding in json.loads(outcome.output)} <= {"orphan"}
    assert not list(sandbox.folder.rglob("*.tmp"))


def started(sandbox: Sandbox, files: int) -> Callable[[], bool]:
    return lambda: len(sandbox.files()) >= files

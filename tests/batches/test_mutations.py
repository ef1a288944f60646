"""Some hundred altered batch files: each is noticed or harmless. `tools/mutations` does thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations import Subject, try_many


@pytest.mark.posix("limits the memory of a process")
def test_nothing_altered_is_silent(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "w")
    found = list(try_many(subject, "batch", 200, "1"))
    assert [each for each in found if each[2].startswith(("crash", "silent"))] == []
    assert sum(outcome.startswith("noticed") for _, _, outcome, _ in found) > 100

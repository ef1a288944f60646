"""Some hundred altered batch files: each is noticed or harmless. `tools/mutations` does thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations import Subject, try_many


@pytest.mark.posix("limits the memory of a process")
def test_nothing_altered_is_silent(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "w")
    results = list(try_many(subject, "batch", 200, "1"))
    assert [result for result in results if result[2].startswith(("crash", "silent"))] == []
    assert sum(outcome.startswith("noticed") for _, _, outcome, _ in results) > 100

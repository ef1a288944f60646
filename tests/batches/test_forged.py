"""Some dozens of forged batch files with right checksums. `tools/mutations --kind forged` does thousands."""

from __future__ import annotations

from random import Random

import pytest

from tests import small
from tests.forged import FORGERIES, ROWS, Forger

pytestmark = pytest.mark.posix("limits the memory of a process")


@pytest.fixture(scope="module")
def forger(tmp_path_factory: pytest.TempPathFactory) -> Forger:
    return Forger(tmp_path_factory.mktemp("forged"))


def test_no_forged_file_gives_a_wrong_number_in_silence(forger: Forger) -> None:
    results = [
        forger.try_one(Random(f"test/{number}"), (forgery,), ROWS[number % len(ROWS)])
        for number, forgery in enumerate(2 * FORGERIES)
    ]
    assert [result for result in results if result[1].startswith(("crash", "silent"))] == []
    assert {name.split()[0] for name, _ in results} == {forgery.__name__ for forgery in FORGERIES}
    assert {name.split()[1] for name, _ in results} == {"left", "adjusted", "consistent"}
    assert {outcome for _, outcome in results} >= {"noticed", "found by check --deep"}


def test_a_wrong_number_that_no_check_finds_is_silent(forger: Forger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "findings", lambda *_, **__: [])
    assert any(forger.try_one(Random(f"test/{number}"))[1].startswith("silent") for number in range(40))

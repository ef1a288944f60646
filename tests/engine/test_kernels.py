"""Single functions of the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import config, njit

from setset.engine import kernels

words = st.integers(0, 2**64 - 1)
by_steps = njit(kernels.extract_by_steps)
by_this_processor = njit(lambda word, mask: kernels.extract(word, mask))


@given(words, words)
def test_the_bits_that_a_mask_selects(word: int, mask: int) -> None:
    selected = [word >> place & 1 for place in range(64) if mask >> place & 1]
    expected = sum(bit << place for place, bit in enumerate(selected))
    for extract in (by_steps, by_this_processor):
        assert int(extract(np.uint64(word), np.uint64(mask))) == expected


def test_processors_without_the_instruction_or_with_a_slow_one_take_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, features, fast in (
        ("generic", "", False),
        ("znver2", None, False),
        ("skylake", "+bmi,+bmi2", True),
        ("skylake", "+bmi,-bmi2", False),
    ):
        monkeypatch.setattr(config, "CPU_NAME", name)
        monkeypatch.setattr(config, "CPU_FEATURES", features)
        monkeypatch.setattr("platform.machine", lambda: "x86_64")
        assert kernels.has_fast_extract() is fast
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert not kernels.has_fast_extract()

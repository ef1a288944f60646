"""Single functions of the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import config, njit

from setset.engine import kernels

words = st.integers(0, 2**64 - 1)
extract_by_steps, deposit_by_steps = njit(kernels.extract_by_steps), njit(kernels.deposit_by_steps)
extract_by_this_processor = njit(lambda word, mask: kernels.extract(word, mask))
deposit_by_this_processor = njit(lambda word, mask: kernels.deposit(word, mask))


@given(words, words)
def test_the_bits_that_a_mask_selects(word: int, mask: int) -> None:
    bits = [word >> index & 1 for index in range(64) if mask >> index & 1]
    expected = sum(bit << index for index, bit in enumerate(bits))
    for extract in (extract_by_steps, extract_by_this_processor):
        assert int(extract(np.uint64(word), np.uint64(mask))) == expected


@given(words, words)
def test_the_bits_of_a_mask_that_a_word_selects(word: int, mask: int) -> None:
    bits = [bit for bit in range(64) if mask >> bit & 1]
    expected = sum(1 << bit for index, bit in enumerate(bits) if word >> index & 1)
    for deposit in (deposit_by_steps, deposit_by_this_processor):
        assert int(deposit(np.uint64(word), np.uint64(mask))) == expected


def test_processors_without_the_instruction_or_with_a_slow_one_take_steps(monkeypatch: pytest.MonkeyPatch) -> None:
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

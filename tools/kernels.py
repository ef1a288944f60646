"""Compiles all kernels in half a minute, so that no test has to wait for the compiler."""

from __future__ import annotations

from setset.engine.compilation import prepare_kernels
from setset.symmetry import catalogue_in_memory, game_classes, member_arrays, sample
from setset.table import simulate

if __name__ == "__main__":
    prepare_kernels()
    catalogue = catalogue_in_memory()
    whole = catalogue.level(20)
    game_classes(whole.classes)
    next(member_arrays(whole.classes[0], chunk=10))
    sample(12, count=1, seed=1)
    simulate(1, seed=1, workers=1)

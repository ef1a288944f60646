"""The counters in C that the kernels are measured against count the same lists."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from setset.engine import deep, search
from setset.engine.probing import draw_lists

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled(TOOLS / "counter.c", tmp_path_factory.mktemp("c"))


def compiled(source: Path, folder: Path) -> str:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("there is no gcc")
    program = folder / source.stem
    subprocess.run([gcc, "-O2", "-Wall", "-Werror", str(source), "-o", str(program)], check=True)
    return str(program)


def counted(*words: object) -> int:
    return int(subprocess.run(map(str, words), capture_output=True, check=True).stdout.split()[0])


@pytest.mark.parametrize("target", [4, 5, 6, 9, 12, 16])
def test_from_the_root(counter: str, target: int) -> None:
    (seeds,) = search.pack([search.seeds(target)], 3, 10**6)
    counts = search.count(seeds, target, 5)
    assert [counted(counter, "tree", target, size) for size in (4, 5)] == [counts[4], counts[5]]


@pytest.mark.parametrize(("target", "size"), [(12, 6), (12, 7), (7, 7), (6, 7), (20, 6)])
def test_from_lists_of_a_file(counter: str, target: int, size: int, tmp_path: Path) -> None:
    (source,) = search.pack([search.seeds(20)[::500]], 3, 10**6)
    rows = np.concatenate([rows.copy() for rows in search.unpack(source)])
    (tmp_path / "lists").write_bytes(rows.tobytes())
    lists = counted(counter, "from", tmp_path / "lists", 3, target, size)
    assert lists == search.count(source, target, size)[size] > 0


@pytest.mark.parametrize("target", [9, 12, 15])
def test_deep_counter(target: int, tmp_path: Path) -> None:
    rows = draw_lists(target, 6, 20, np.random.default_rng(target))
    (tmp_path / "lists").write_bytes(rows.tobytes())
    (source,) = search.pack([rows], 6, 100)
    lists = counted(compiled(TOOLS / "deep.c", tmp_path), tmp_path / "lists", target)
    assert lists == deep.count(source, target, target).sum() > 0

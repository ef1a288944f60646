"""The kernels are compiled once a node, however many workers start there."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from setset.compiler import node_folder
from setset.engine import search
from setset.engine.compilation import prepare_kernels


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    node_folder.cache_clear()
    yield tmp_path
    node_folder.cache_clear()


@pytest.mark.usefixtures("node")
def test_one_compiles_and_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[bool] = []

    def compile_slowly() -> None:
        time.sleep(0.2)
        compiled.append(True)

    monkeypatch.setattr(search, "compile_kernels", compile_slowly)
    with ThreadPoolExecutor(4) as workers:
        waiting = [workers.submit(prepare_kernels) for _ in range(4)]
        wait(waiting, return_when=FIRST_COMPLETED)
        assert len(compiled) == 1
    assert len(compiled) == 1
    assert all(future.exception() is None for future in waiting)


@pytest.mark.usefixtures("node")
def test_one_that_fails_leaves_it_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise MemoryError

    monkeypatch.setattr(search, "compile_kernels", fail)
    with pytest.raises(MemoryError):
        prepare_kernels()
    compiled: list[bool] = []
    monkeypatch.setattr(search, "compile_kernels", lambda: compiled.append(True))
    prepare_kernels()
    assert compiled

"""The kernels are compiled once a node, however many workers start there."""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from setset.engine import search
from setset.jobs.warming import node_folder, warm


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("node")
def test_one_compiles_and_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[bool] = []

    def compile_slowly() -> None:
        time.sleep(0.2)
        compiled.append(True)

    monkeypatch.setattr(search, "warm", compile_slowly)
    with ThreadPoolExecutor(4) as workers:
        waiting = [workers.submit(warm) for _ in range(4)]
        wait(waiting, return_when=FIRST_COMPLETED)
        assert len(compiled) == 1
    assert len(compiled) == 1
    assert all(future.exception() is None for future in waiting)


@pytest.mark.usefixtures("node")
def test_one_that_fails_leaves_it_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise MemoryError

    monkeypatch.setattr(search, "warm", fail)
    with pytest.raises(MemoryError):
        warm()
    compiled: list[bool] = []
    monkeypatch.setattr(search, "warm", lambda: compiled.append(True))
    warm()
    assert compiled


def test_a_folder_that_somebody_else_put_there_is_not_used(node: Path) -> None:
    mine = node_folder()
    mine.rmdir()
    elsewhere = node / "elsewhere"
    elsewhere.mkdir()
    mine.symlink_to(elsewhere)
    assert node_folder() not in (mine, elsewhere)

"""Workspaces to ask about, real processes to ask with, and what a refusal must look like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from setset.symmetry import Catalogue, catalogue_in_memory
from tests.commands import run_here
from tests.conftest import Run

SETSET = [sys.executable, "-m", "setset"]
Refuse = Callable[..., None]


def run_process(*arguments: str, workspace: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command line in a process of its own."""
    variables = {**os.environ, **environment}
    if workspace is not None:
        variables["SETSET_WORKSPACE"] = str(workspace)
    return subprocess.run([*SETSET, *arguments], capture_output=True, text=True, check=False, env=variables)


@pytest.fixture(autouse=True)
def nowhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which all commands here are run in."""
    folder = tmp_path_factory.mktemp("nowhere")
    monkeypatch.delenv("SETSET_WORKSPACE", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with all lists of up to 5 cards for target 12. Not to be changed."""
    folder = tmp_path_factory.mktemp("cli") / "w"
    result = run_here("run", "--size", "5", "--workers", "2", workspace=folder)
    assert result.returncode == 0, result.stderr
    assert "lists of 5: 13,394,538 lists" in result.stderr
    assert result.stdout == ""
    return folder


@pytest.fixture
def own_workspace(workspace: Path, tmp_path: Path) -> Path:
    """A copy of that workspace, to be changed."""
    copy = tmp_path / "copy"
    shutil.copytree(workspace, copy)
    return copy


@pytest.fixture(scope="session")
def classified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the classes of all sizes. Not to be changed."""
    folder = tmp_path_factory.mktemp("classes") / "w"
    result = run_here("classes", "build", workspace=folder)
    lines = result.stdout.splitlines()
    assert len(lines) == 21
    assert lines[0] == "size 0: 1 class, 1 list"
    assert lines[12] == "size 12: 1,437 classes, 2,284,535,476,080 lists"
    assert result.stderr == ""
    return folder


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return catalogue_in_memory()


@pytest.fixture
def refuse(run: Run, nowhere: Path) -> Refuse:
    """Runs a command line that must be refused: one line that says why, on stderr, and nothing done."""

    def refuse_it(arguments: list[str], message: str) -> None:
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert err.startswith("setset: ")
        assert err.count("\n") == 1
        assert list(nowhere.iterdir()) == []

    return refuse_it


@pytest.fixture
def refuse_in_workspace(own_workspace: Path) -> Refuse:
    """The same in a workspace, where also click may refuse; only runs leave a record."""

    def refuse_it(arguments: list[str], message: str, code: int = 2) -> None:
        database = own_workspace / "setset.db"
        before = database.read_bytes()
        result = run_here(*arguments, workspace=own_workspace)
        assert result.returncode == code
        assert message in result.stderr
        assert "Traceback" not in result.stderr
        assert len(result.stderr.strip().splitlines()[-1]) < 300
        if arguments[0] != "run":
            assert database.read_bytes() == before

    return refuse_it

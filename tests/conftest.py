"""Fixtures for all tests."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from setset.cli import main
from setset.folder import WorkspaceFolder
from setset.show.commands import set_workspace
from setset.symmetry import Catalogue, catalogue_in_memory
from tests import small

if sys.platform == "win32":
    collect_ignore = ["chaos"]  # limits of resources, signals to groups and shims of the C library are of POSIX

# A suite started in the background may inherit that Ctrl-C or a closed terminal is ignored; what it starts must not.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Kernels compile at their first call, and the machine may be busy: no test fails for being slow.
settings.register_profile("setset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("setset")

SLOW = ("test_documents.py", "test_without_posix.py", "test_hops.py", "test_export.py", "test_rebuild.py")

Run = Callable[..., tuple[int, str, str]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts files that take long first, or one process would be at work on the last of them when all others are done."""
    unexplained = [item.nodeid for item in items for mark in item.iter_markers("posix") if not mark.args]
    assert not unexplained, f'a reason is missing, as in posix("sends signals"): {unexplained}'
    items.sort(key=lambda item: not (item.path.name in SLOW or {"chaos", "cluster"} & {*item.keywords}))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line; its exit code, output and errors."""

    def run_it(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["setset", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        output = capsys.readouterr()
        return int(end.value.code or 0), output.out, output.err

    return run_it


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace built without any disturbance. Not to be changed."""
    return small.build(tmp_path_factory.mktemp("reference") / "w")[0].path


@pytest.fixture
def copy(reference: Path, tmp_path: Path) -> small.Copy:
    """Makes a copy of the reference workspace to do damage to."""
    return lambda: WorkspaceFolder(Path(shutil.copytree(reference, tmp_path / "copy")))


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """All sizes, built once."""
    catalogue_of_all = catalogue_in_memory()
    catalogue_of_all.level(20)
    return catalogue_of_all


@pytest.fixture(scope="session")
def classified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the classes of all sizes. Not to be changed."""
    folder = tmp_path_factory.mktemp("classified") / "w"
    assert small.build_classes(folder) == list(range(21))
    return folder


@pytest.fixture(autouse=True)
def no_workspace() -> None:
    """Commands in messages name no workspace of an earlier test."""
    set_workspace(None)

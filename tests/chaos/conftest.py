"""Fresh places for runs, and a run that nobody disturbed to compare with."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.rounds import Reference, Sandbox, make_reference


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reference]:
    """The folder of a run that nobody disturbed, not to be changed, and what it left."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return folder, make_reference(folder)


@pytest.fixture
def reference(undisturbed: tuple[Path, Reference]) -> Reference:
    return undisturbed[1]


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path, workers=1)


@pytest.fixture
def copied(undisturbed: tuple[Path, Reference], sandbox: Sandbox) -> Callable[[], Sandbox]:
    """Makes a copy of the undisturbed workspace to do damage to."""

    def make() -> Sandbox:
        shutil.copytree(undisturbed[0] / "w", sandbox.workspace)
        return sandbox

    return make

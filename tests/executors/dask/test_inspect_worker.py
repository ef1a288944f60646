"""Checks that a worker passes before it gets a task."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from setset import __version__
from setset.batches.ownership import Token, claim_root
from setset.executors.base import Requirements
from setset.executors.build import build_digest
from setset.executors.dask import transfer
from setset.executors.dask.transfer import TEMPORARY_FOLDER, inspect_worker

TRIAL = "t12/s03"


@pytest.fixture(autouse=True)
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the kernels were prepared."""
    calls: list[bool] = []
    monkeypatch.setattr(transfer, "prepare_kernels", lambda: calls.append(True))
    return calls


@pytest.fixture
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Requirements:
    """Requirements that a worker of this version meets."""
    (tmp_path / "node").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "node"))
    roots = (tmp_path / "new", tmp_path / "old")
    for root in roots:
        claim_root(root, Token("mine"))
    return Requirements("mine", __version__, tuple(map(str, roots)), TRIAL, build_digest())


def test_a_worker_that_can_work(requirements: Requirements, prepared: list[bool], tmp_path: Path) -> None:
    assert inspect_worker(requirements) == ""
    assert prepared
    assert list((tmp_path / "new" / TRIAL).iterdir()) == [], "nothing is left of the trial"
    assert not (tmp_path / "old" / TRIAL).exists(), "and it is made where new files go"


def test_a_worker_that_is_sent_the_files_needs_no_root(requirements: Requirements) -> None:
    assert inspect_worker(replace(requirements, roots=())) == ""


def test_another_version_is_refused(requirements: Requirements, prepared: list[bool]) -> None:
    assert inspect_worker(replace(requirements, version="9.9")) == (
        f"has setset {__version__}, but the coordinator has 9.9: install the same version"
    )
    assert not prepared


def test_another_build_of_the_same_version_is_refused(requirements: Requirements, prepared: list[bool]) -> None:
    assert inspect_worker(replace(requirements, build="0123456789abcdef")) == (
        f"has another build of setset: install the coordinator's build of {__version__}, then start the worker again"
    )
    assert not prepared


@pytest.mark.posix("sets limits of a process")
@pytest.mark.parametrize("shipped", [False, True])
def test_a_disk_without_room_for_a_batch_file_is_named(shipped: bool, requirements: Requirements) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        problem = inspect_worker(replace(requirements, roots=()) if shipped else requirements)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert problem.startswith(f"cannot write to {'its temporary folder' if shipped else 'the storage root'} ")
    assert problem.endswith(": File too large")


@pytest.mark.parametrize("name", ["new", "old"])
def test_a_root_that_is_not_there_is_named(name: str, requirements: Requirements, tmp_path: Path) -> None:
    (tmp_path / name).rename(tmp_path / "elsewhere")
    assert inspect_worker(requirements) == (
        f"cannot see the storage root {tmp_path / name}: mount it there, or see --map and --ship"
    )
    assert not (tmp_path / name).exists()


def test_the_root_of_another_workspace_is_named(requirements: Requirements, tmp_path: Path) -> None:
    assert inspect_worker(replace(requirements, workspace_id="another")) == (
        f"sees another workspace's files at {tmp_path / 'new'}: mount the right folder there, or see --map"
    )


def test_a_root_that_cannot_be_written_to_is_named(requirements: Requirements, tmp_path: Path) -> None:
    (tmp_path / "new" / "t12").touch()
    problem = inspect_worker(requirements)
    assert problem.startswith(f"cannot write to the storage root {tmp_path / 'new'}: ")


def test_what_killed_workers_left_is_removed(requirements: Requirements, tmp_path: Path) -> None:
    folder = tmp_path / "node" / f"{TEMPORARY_FOLDER}x"
    folder.mkdir()
    (folder / "lock").touch()
    assert inspect_worker(requirements) == ""
    assert not folder.exists()

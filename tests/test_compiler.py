"""Compiled code has a folder, also for a user without a home in a read-only installation."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from setset.compiler import node_folder
from tests.service import Service, service

KERNELS = ("engine.kernels", "symmetry.build", "symmetry.enumeration", "symmetry.game", "symmetry.least")
KERNELS += ("symmetry.sampling", "table.kernel")


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    node_folder.cache_clear()
    yield tmp_path
    node_folder.cache_clear()


@pytest.mark.parametrize(
    "what",
    [pytest.param("a link", marks=pytest.mark.posix("makes links")), "a file", "a folder that others may write to"],
)
def test_what_somebody_else_put_there_is_not_used(what: str, node: Path) -> None:
    if what.endswith("write to") and not hasattr(os, "getuid"):
        pytest.skip("folders have no such rights here")
    folder = node_folder()
    folder.rmdir()
    if what == "a link":
        (node / "elsewhere").mkdir()
        folder.symlink_to(node / "elsewhere")
    elif what == "a file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    node_folder.cache_clear()
    replacement = node_folder()
    assert replacement.resolve() not in (folder, node / "elsewhere")
    assert node_folder() == replacement, "and each process has one only"


@pytest.fixture
def somebody() -> Iterator[Service]:
    with service() as user:
        yield user


@pytest.mark.posix("needs users and modes of files")
def test_a_user_without_a_home_can_run_and_check(somebody: Service) -> None:
    somebody.give_kernels()
    ran = somebody.run("-m", "setset", "run", "--size", "3", "--target", "18", "--workers", "1")
    assert ran.returncode == 0, ran.stderr
    assert "lists of 3: 45,189 lists" in ran.stderr
    checked = somebody.run("-m", "setset", "check", "--deep", "--quiet")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "no problems found\n", "")


@pytest.mark.posix("needs users and modes of files")
def test_every_kernel_has_a_place(somebody: Service) -> None:
    names = ", ".join(f"setset.{name}" for name in KERNELS)
    code = f"import {names}; from setset.symmetry.least import _find_least_of_each as f; print(f.stats.cache_path)"
    compile_one = "import numpy; from setset.engine.kernels import _lowest_bits; _lowest_bits(numpy.uint64(6), 1)"
    result = somebody.run("-c", f"{code}\n{compile_one}")
    assert (result.returncode, result.stderr) == (0, "")
    assert Path(result.stdout.strip()).is_relative_to(somebody.temporary)
    (folder,) = somebody.temporary.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.glob("engine_*/*.nbi")), "so that the next command need not compile"

"""The wheel and the sdist: their content, their installation, and the packages that they declare."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def build(source: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout."""
    pytest.importorskip("hatchling", reason="tools/test-windows does not install it")
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    return folder


def test_the_wheel_makes_databases_on_its_own(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("setset-*.whl")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
        names = archive.namelist()
    assert "setset/py.typed" in names
    stubs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "setset").rglob("*.pyi")}
    assert "setset/__init__.pyi" in stubs
    assert stubs <= set(names)
    assert "setset/migrations/env.py" in names
    web = ROOT / "setset" / "web"
    pages = [*(web / "templates").iterdir(), *(web / "static").iterdir()]
    assert len(pages) > 15
    assert {path.relative_to(ROOT).as_posix() for path in pages} <= set(names)
    assert any("entry_points.txt" in name for name in names)
    assert not any(name.startswith(("tests/", "tools/")) for name in names)
    code = (
        "from pathlib import Path; import setset; from setset.database import schema\n"
        "assert setset.GROUP_ORDER; schema.create(Path('new.db')); schema.require_current(Path('new.db'))\n"
        "print(setset.__file__, schema.migrations(), sep='\\n')"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
    )
    package = unpacked / "setset"
    assert [Path(line) for line in run.stdout.splitlines()] == [package / "__init__.py", package / "migrations"]


def test_ctrl_c_while_the_installed_script_starts_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    module, _, function = PROJECT["scripts"]["setset"].partition(":")
    script = f"import sys; from {module} import {function}; sys.exit({function}())"  # as installers write it
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert (result.returncode, result.stderr) == (130, "setset: interrupted\n")


def test_a_build_from_the_sdist_gives_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    """In another folder, at another time, with other modes for the group, and without git."""
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for path in source.rglob("*.py"):
        os.utime(path, (1, 1))
        path.chmod(path.stat().st_mode & 0o700)
    build(source, tmp_path / "again")
    for path in dist.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_pip_installs_it_into_an_empty_environment(dist: Path, tmp_path: Path) -> None:
    """All but the packages that it needs, which come from this environment: a test asks no registry.
    Commands that compile kernels would take a minute. The sdist gives the same wheel, as the test before shows."""
    venv.create(tmp_path / "venv", with_pip=False)
    folders = sysconfig.get_paths("venv", vars={"base": str(tmp_path / "venv"), "platbase": str(tmp_path / "venv")})
    (Path(folders["purelib"]) / "needed.pth").write_text(sysconfig.get_path("purelib"))
    (file,) = dist.glob("*.whl")
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    python = [sys.executable, "-m", "pip", "--python", str(tmp_path / "venv")]
    subprocess.run([*python, "install", *options, str(file)], check=True)
    command = shutil.which("setset", path=folders["scripts"])
    assert command is not None
    code = "import setset; print(setset.__file__)"
    commands = [[str(Path(folders["scripts"]) / "python"), "-c", code], [command, "--version"]]
    for words in [*commands, [command, "classes", "show", "12/786"]]:
        result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        if words is commands[0]:
            assert Path(result.stdout.strip()).is_relative_to(folders["purelib"])


def imported_packages() -> set[str]:
    """Top-level packages of others that the modules of setset import."""
    names = set()
    for path in (ROOT / "setset").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"setset"}


def test_every_imported_package_is_declared() -> None:
    optional = [line for name, lines in PROJECT["optional-dependencies"].items() if name != "test" for line in lines]
    declared = {re.split(r"[\[<>=; ]", line)[0].lower() for line in PROJECT["dependencies"] + optional}
    providers = packages_distributions()
    imported = imported_packages()
    assert len(imported) > 12
    missing = {
        name for name in imported if not {provider.lower() for provider in providers.get(name, [name])} & declared
    }
    # compression.zstd is part of Python from 3.14 on. IPython is imported inside a notebook only.
    assert missing - {"backports", "compression", "IPython"} == set()

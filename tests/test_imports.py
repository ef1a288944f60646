"""The packages and what they may import: the plan, no cycles, and what starting a command loads.

`tools/imports.py` prints the same imports as a table and draws docs/packages.svg.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.imports import cycles, read_packages

ROOT = Path(__file__).parent.parent
BASICS = {"cards", "compiler", "durable", "errors", "lazy", "listtext", "platform", "progress", "spawning"}
"""Modules that everything may import."""
ALLOWED = {
    "activity": BASICS | {"folder"},
    "cards": {"errors", "lazy"},
    "compiler": {"platform"},
    "durable": {"errors", "platform"},
    "errors": set(),
    "lazy": set(),
    "listtext": {"cards"},
    "platform": set(),
    "progress": set(),
    "spawning": {"platform"},
    "engine": BASICS,
    "batches": BASICS | {"engine", "folder"},
    "tasks": BASICS | {"batches", "engine"},
    "executors": BASICS | {"activity", "tasks", "batches", "engine"},
    "export": BASICS | {"executors", "tasks", "engine"},
    "statistics": BASICS | {"executors", "tasks", "engine", "symmetry"},
    "folder": BASICS,
    "database": BASICS | {"activity", "folder", "batches.records", "batches.ownership", "tasks", "symmetry"},
    "maintenance": BASICS | {"database", "executors", "tasks", "batches", "folder"},
    "jobs": BASICS | {"activity", "maintenance", "database", "executors", "tasks", "batches", "folder"},
    "workspace": BASICS
    | {"jobs", "maintenance", "database", "executors", "batches", "engine", "export", "folder", "symmetry", "tasks"}
    | {"statistics"},
    "symmetry": BASICS,
    "table": BASICS | {"spaces", "symmetry"},
    "distribution": BASICS | {"spaces", "symmetry"},
    "sat": BASICS | {"symmetry"},
    "spaces": BASICS | {"symmetry"},
    "show": BASICS | {"distribution", "spaces", "symmetry", "table", "sat", "maintenance.findings"},
    "web": BASICS | {"setset", "show"},
    "cli": BASICS | {"setset", "show", "table", "sat", "symmetry", "web", "executors.dask.servers"},
    "__main__": {"cli"},
    "setset": {"lazy"},
}
"""Allowed imports of a package: packages, or single modules of them. "setset" is the public API."""
ALLOWED_FOR_TYPES = {
    "show": {"activity", "batches", "workspace", "export", "maintenance", "database", "jobs", "statistics"},
    "setset": BASICS
    | {
        "batches",
        "database",
        "distribution",
        "export",
        "jobs",
        "maintenance",
        "sat",
        "show",
        "spaces",
        "statistics",
        "symmetry",
        "table",
        "workspace",
    },
}
"""The same under `if TYPE_CHECKING` and in stubs, in addition."""


@dataclass(frozen=True)
class Import:
    """An import anywhere in a module; the names are without the `setset.` in front."""

    line: int
    imported: str
    for_types: bool


def modules() -> dict[str, Path]:
    """All modules, by their names without the `setset.` in front; setset/__init__.py is `setset`."""
    paths = {}
    for path in sorted((ROOT / "setset").rglob("*.py")):
        parts = path.relative_to(ROOT / "setset").with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "setset"] = path
    return paths


MODULES = modules()


def imports(path: Path) -> Iterator[Import]:
    """The modules of setset that a module or its stub imports. `__version__` is a constant, not a dependency."""
    stub = path.with_suffix(".pyi")
    if stub != path and stub.exists():
        yield from imports(stub)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "setset" and name != "setset.__version__":
                assert isinstance(node, ast.stmt)
                yield Import(node.lineno, _module(name), path == stub or id(node) in for_types)


def _module(name: str) -> str:
    """The module that an imported name is, or is in."""
    inside = name.removeprefix("setset.")
    if inside in MODULES:
        return inside
    return inside.rpartition(".")[0] or "setset"


def package(module: str) -> str:
    return module.split(".")[0]


def test_modules_import_what_their_packages_may() -> None:
    forbidden = []
    for name, path in MODULES.items():
        importer = package(name)
        for entry in imports(path):
            allowed = ALLOWED[importer] | (ALLOWED_FOR_TYPES.get(importer, set()) if entry.for_types else set())
            if entry.imported not in allowed and package(entry.imported) not in {importer, *allowed}:
                forbidden.append(f"{path}:{entry.line} imports {entry.imported}")
    assert forbidden == []
    assert len(MODULES) > 100


def test_the_plan_is_of_the_packages_that_there_are() -> None:
    assert {package(name) for name in MODULES} == set(ALLOWED)


def test_the_plan_allows_no_cycle() -> None:
    """So that whatever keeps to it has none."""
    needs_of = {name: {package(imported) for imported in allowed} - {name} for name, allowed in ALLOWED.items()}
    while leaves := {name for name, needs in needs_of.items() if not needs & needs_of.keys()}:
        needs_of = {name: needs for name, needs in needs_of.items() if name not in leaves}
    assert not needs_of


def test_no_cycle_between_packages() -> None:
    assert cycles(read_packages(ROOT)) == []


def reachable(name: str) -> set[str]:
    """All that a module imports, directly or indirectly, at the start or later."""
    reached, waiting = {name}, [name]
    while waiting:
        for entry in imports(MODULES[waiting.pop()]):
            if entry.imported not in reached:
                reached.add(entry.imported)
                waiting.append(entry.imported)
    return reached - {name}


def test_checking_has_no_way_to_repair() -> None:
    """So that what only looks cannot write."""
    assert "maintenance.proof" in reachable("maintenance.check")
    assert "maintenance.repair" not in reachable("maintenance.check")


def test_no_pickle_or_other_executable_format() -> None:
    for path in MODULES.values():
        text = path.read_text(encoding="utf-8")
        assert not any(word in text for word in ("import pickle", "import marshal", "import shelve", "eval(", "exec("))


# Modules loaded at the start of a command

HEAVY = "sorted({'numba', 'sqlalchemy', 'alembic', 'numpy', 'distributed', 'starlette'} & set(sys.modules))"
COMMAND = (
    "import sys; sys.argv = ['setset', *sys.argv[1:]]; from setset.cli import main\n"
    "try: main()\n"
    "except SystemExit: pass\n"
    f"print({HEAVY}, file=sys.stderr)"
)


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", program, *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)


def test_importing_setset_loads_nothing_heavy() -> None:
    assert python(f"import sys, setset; print({HEAVY})").stdout.strip() == "[]"
    loaded = "import sys, setset; print(*sorted(name for name in sys.modules if name.startswith('setset.')))"
    assert python(loaded).stdout.split() == ["setset.lazy"]


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["run", "--help"], ["status", "--help"], ["play", "--help"], ["classes", "build", "--help"]],
    ids=" ".join,
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    run = python(COMMAND, *arguments)
    assert "Usage:" in run.stdout
    assert run.stderr.strip() == "[]"


@pytest.mark.parametrize("command", ["status", "count", "history"])
def test_what_only_reads_the_database_loads_neither_numba_nor_alembic(command: str, tmp_path: Path) -> None:
    from setset.database import schema

    schema.create(tmp_path / "setset.db")
    assert python(COMMAND, command, "-w", str(tmp_path)).stderr.strip() == "['sqlalchemy']"


@pytest.mark.parametrize(
    "arguments",
    [
        ["classify", "80", "3", "14"],
        ["rank", "80", "3", "14"],
        ["unrank", "--size", "12", "5"],
        ["find", "0", "40", "80"],
    ],
    ids=" ".join,
)
def test_one_hand_needs_no_compiler(arguments: list[str]) -> None:
    """Loading it took most of the time that these commands take."""
    assert python(COMMAND, *arguments).stderr.strip() == "['numpy']"


def test_a_new_run_loads_no_compiler_and_no_migrations(tmp_path: Path) -> None:
    run = python(COMMAND, "run", "--size", "3", "--workers", "1", "-w", str(tmp_path / "w"))
    assert run.stderr.splitlines()[-1] == "['numpy', 'sqlalchemy']"

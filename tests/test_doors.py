"""The import plan of the design: which room may use which."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "setset"
ROOF = {"cards", "errors"}
DOORS = {
    "cards": {"errors"},
    "errors": set(),
    "folder": ROOF | {"batches"},
    "engine": ROOF,
    "batches": ROOF | {"engine", "tasks", "folder"},
    "tasks": ROOF | {"engine", "batches"},
    "executors": ROOF | {"engine", "batches", "tasks", "folder"},
    "database": ROOF | {"batches", "tasks", "folder", "symmetry"},
    "jobs": ROOF | {"engine", "batches", "tasks", "executors", "database", "folder", "maintenance"},
    "maintenance": ROOF | {"engine", "batches", "tasks", "executors", "database", "folder", "jobs"},
    "workspace": ROOF
    | {"engine", "batches", "tasks", "executors", "database", "folder", "jobs", "maintenance", "symmetry"},
    "symmetry": ROOF | {"engine"},
    "table": ROOF | {"symmetry"},
    "sat": ROOF | {"symmetry"},
    "show": ROOF | {"jobs", "maintenance", "workspace", "symmetry", "table", "sat"},
    "cli": ROOF
    | {
        "show",
        "jobs",
        "executors",
        "maintenance",
        "workspace",
        "database",
        "folder",
        "symmetry",
        "table",
        "sat",
    },
    "__main__": {"cli"},
    "__init__": set(),
}


def modules() -> list[Path]:
    return sorted(HOUSE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The rooms that a module imports from, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "setset":
            parts = (node.module or "").split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("setset.")}
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: relative import"
    return found - {"__version__"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_imports_go_through_the_doors(path: Path) -> None:
    here = room(path)
    assert imported(path) <= DOORS[here] | {here}


def test_every_room_is_on_the_plan() -> None:
    assert {room(path) for path in modules()} == set(DOORS)


def test_no_pickle_or_other_executable_format() -> None:
    for path in modules():
        text = path.read_text()
        assert not any(
            word in text for word in ("import pickle", "import marshal", "import shelve", "eval(", "exec(")
        )


LOADED = (
    "import sys; sys.argv = ['setset', *sys.argv[1:]]; from setset.cli import main\n"
    "try: main()\n"
    "except SystemExit: pass\n"
    "print(sorted({'numba', 'sqlalchemy', 'alembic', 'numpy', 'distributed'} & set(sys.modules)), file=sys.stderr)"
)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["run", "--help"], ["status", "--help"], ["play", "--help"], ["classes", "build", "--help"]],
)
def test_help_loads_neither_numba_nor_sqlalchemy(arguments: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    assert "Usage:" in run.stdout
    assert run.stderr.strip() == "[]"


@pytest.mark.parametrize("command", ["status", "count", "history"])
def test_what_only_reads_the_database_loads_neither_numba_nor_alembic(command: str, tmp_path: Path) -> None:
    from setset.database import schema as database

    database.create(tmp_path / "setset.db")
    words = [sys.executable, "-c", LOADED, command, "-w", str(tmp_path)]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    assert run.stderr.strip() == "['sqlalchemy']"


def test_the_coordinator_leaves_the_compiler_to_its_workers(tmp_path: Path) -> None:
    arguments = ["run", "--size", "3", "--workers", "1", "-w", str(tmp_path / "w")]
    run = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    assert run.stderr.splitlines()[-1] == "['alembic', 'numpy', 'sqlalchemy']"

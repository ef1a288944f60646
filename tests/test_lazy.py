"""Names that packages export without importing them: each is there, documented, and loaded on first use."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import setset.sat
import setset.symmetry
import setset.table
from setset.lazy import read_stub

PACKAGES = (setset, setset.symmetry, setset.table, setset.sat)
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)


@each_package
def test_every_exported_name_is_there_and_documented(package: ModuleType) -> None:
    """The docstring must be its own: by default a dataclass has its signature, an enum the docstring of its base."""
    assert set(package.__all__) <= set(dir(package))
    undocumented = []
    for name in package.__all__:
        value = getattr(package, name)
        text = value.__doc__ or ""
        inherited = isinstance(value, type) and any(text == base.__doc__ for base in value.__mro__[1:])
        if len(text.split()) < 2 or inherited or text.startswith(f"{name}("):
            undocumented.append(name)
    # Constants have the docstring of their types.
    assert [name for name in undocumented if not name.isupper()] == []


@each_package
def test_no_exported_name_is_that_of_a_module(package: ModuleType) -> None:
    """Importing the module would overwrite the name on the package."""
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    public = {name for name, module in read_stub(package.__name__).items() if module == package.__name__}
    assert modules & set(package.__all__) == public
    assert all(getattr(package, name) is importlib.import_module(f"{package.__name__}.{name}") for name in public)


def test_dir_shows_public_names_only() -> None:
    code = "import setset; print(*dir(setset)); print(setset.cards.third(0, 40), setset.sat.encode.__name__)"
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert set(lines[0].split()) == {*setset.__all__, "__version__"}
    assert lines[1] == "80 encode"


def test_import_setset_loads_next_to_nothing() -> None:
    """So Ctrl-C while the command `setset` starts comes after `main` has begun, which ends with one line."""
    code = (
        "import sys; sys.path = sys.argv[1:]; import setset; print(len({'typing', 'pathlib', 're'} & set(sys.modules)))"
    )
    command = [sys.executable, "-S", "-c", code, str(Path(setset.__file__).parent.parent), *sys.path]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0\n"


@each_package
def test_an_unknown_name_is_an_attribute_error(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'nonsense'"):
        _ = package.nonsense


def test_names_come_from_the_stub_and_from_the_stubs_that_it_includes() -> None:
    modules = read_stub("setset")
    assert modules["Workspace"] == "setset.workspace.workspace"
    assert modules["charts"] == "setset.show"
    assert modules.items() > read_stub("setset.symmetry").items()
    assert sorted(modules) == setset.__all__
    assert setset.Level is importlib.import_module("setset.symmetry.classes").Level
    assert setset.charts is importlib.import_module("setset.show.charts")


@pytest.mark.parametrize(
    "statement",
    [
        "from setset.symmetry import AffineMap, Level",
        "from setset.table import find_sets, simulate",
        "from setset.sat import solve",
    ],
)
def test_records_and_simple_functions_come_without_numba(statement: str) -> None:
    check = f"import sys; {statement}; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)


@pytest.mark.parametrize("statement", ["import setset.cards", "from setset.table import deal, find_sets, play_out"])
def test_the_deck_and_the_rules_come_without_numpy(statement: str) -> None:
    check = f"import sys; {statement}; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)

"""Lazy exports: a package exports names without importing the modules that define them.

Some modules import numba, numpy or a solver, which takes time. A package that uses `lazy_exports` imports a module when
one of its names is used for the first time. The `__init__.pyi` of the package lists the names, and type
checkers read the same file. Each line of the file has one of three forms:

    from setset.symmetry.ranking import rank as rank
    from setset.symmetry import *
    from setset import cards as cards

The last form exports a submodule. No other exported name may equal the name of a submodule, because importing the
submodule would overwrite the exported name.
"""

from __future__ import annotations

import importlib
import os

TYPE_CHECKING = False
"""The constant of `typing`, for type checkers. Defined here, because `typing` is slow to import."""
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


def lazy_exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Makes the `__getattr__`, `__dir__` and `__all__` of a package that imports its modules on first use.

        __getattr__, __dir__, __all__ = lazy_exports(__name__)

    Args:
        package: the package's `__name__`.
    """
    module_of = _Modules(package)

    def load(name: str) -> Any:
        return (
            importlib.import_module(f"{package}.{name}")  # the name is a submodule or subpackage
            if module_of[name] == package
            else getattr(__import__(module_of[name], fromlist=[name]), name)
        )

    def names() -> list[str]:
        return sorted({*module_of, "__version__"} if package == "setset" else module_of)

    return load, names, sorted(module_of)


class _Modules(dict[str, str]):
    """Maps each exported name to the module that defines it. An unknown name raises AttributeError."""

    def __init__(self, package: str) -> None:
        super().__init__(read_stub(package))
        self._package = package

    def __missing__(self, name: str) -> str:
        raise AttributeError(f"module {self._package!r} has no attribute {name!r}")


def read_stub(package: str) -> dict[str, str]:
    """Reads the stub (`__init__.pyi`) of a package. Returns the module of each exported name."""
    stub = os.path.join(os.path.dirname(__file__), *package.split(".")[1:], "__init__.pyi")  # noqa: PTH118, PTH120
    module_of: dict[str, str] = {}
    with open(stub, encoding="utf-8") as lines:  # noqa: PTH123
        for line in lines:
            match line.split():
                case ["from", module, "import", "*", *_]:
                    module_of |= read_stub(module)
                case ["from", module, "import", name, *_]:
                    module_of[name] = module
    return module_of


class Shown:
    """Base class of records that a notebook shows as HTML.

    The function `as_html` of the module `shown_by` makes the HTML. setset/__init__.py sets `shown_by`, and the first
    display imports that module. So the modules of the records need no code for HTML.
    """

    __slots__ = ()
    shown_by: ClassVar[str] = ""

    def _repr_html_(self) -> str:
        """Makes the HTML that a notebook shows. Notebooks call this method."""
        page: str = importlib.import_module(Shown.shown_by).as_html(self)
        return page

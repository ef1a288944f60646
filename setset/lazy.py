"""Names that a package exports without importing the modules that define them.

Some modules bring numba, numpy or a solver along. A package that uses `lazy_exports` imports a module when
one of its names is used for the first time. The names stand once, in the `__init__.pyi` of the package, which is
also what type checkers read. A line of it is one of

    from setset.symmetry.ranking import rank as rank
    from setset.symmetry import *

No exported name may equal the name of a module of the package: importing the module would overwrite it.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar


def lazy_exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package that loads its modules on first use.

        __getattr__, __dir__, __all__ = lazy_exports(__name__)

    Args:
        package: the package's `__name__`.
    """
    module_of = _Modules(package)

    def load(name: str) -> Any:
        return getattr(__import__(module_of[name], fromlist=[name]), name)

    def names() -> list[str]:
        return sorted({*vars(importlib.import_module(package)), *module_of})

    return load, names, sorted(module_of)


class _Modules(dict[str, str]):
    """Modules of a package by the names that they define."""

    def __init__(self, package: str) -> None:
        super().__init__(read_stub(package))
        self._package = package

    def __missing__(self, name: str) -> str:
        raise AttributeError(f"module {self._package!r} has no attribute {name!r}")


def read_stub(package: str) -> dict[str, str]:
    """The names in the stub of a package, each with the module to import it from."""
    stub = Path(__file__).parent.parent.joinpath(*package.split("."), "__init__.pyi")
    module_of: dict[str, str] = {}
    for line in stub.read_text(encoding="utf-8").splitlines():
        match line.split():
            case ["from", module, "import", "*", *_]:
                module_of |= read_stub(module)
            case ["from", module, "import", name, *_]:
                module_of[name] = module
    return module_of


class Shown:
    """A record that a notebook shows as HTML. The module that makes the HTML is loaded when the first one is shown.

    So records need not know how they look: setset/__init__.py names the module, which has a function `as_html`.
    """

    __slots__ = ()
    shown_by: ClassVar[str] = ""

    def _repr_html_(self) -> str:
        """For notebooks."""
        page: str = importlib.import_module(Shown.shown_by).as_html(self)
        return page

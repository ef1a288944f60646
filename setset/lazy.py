"""Names that a package exports without importing the modules that define them.

Some modules bring numba, numpy or a solver along. A package that uses `lazy_exports` imports a module when
one of its names is used for the first time:

    __getattr__, __dir__, __all__ = lazy_exports(__name__, {"ranking": ("rank", "unrank")})

Type checkers do not see these names, so each package imports them once more under `if TYPE_CHECKING`.
No exported name may be that of a module of the package: importing the module would overwrite the name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, ClassVar


def lazy_exports(
    package: str, modules: dict[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package that loads its modules on first use.

    Args:
        package: the package's `__name__`.
        modules: for each module of the package (`"ranking"`, `"symmetry.ranking"`) the names to export; none to
            export the module itself, by the last part of its name.

    Returns:
        `__getattr__`, `__dir__`, `__all__`, to be assigned in the package's `__init__.py`.
    """
    module_of = {name: module for module, names in modules.items() for name in names}
    whole = {module.rpartition(".")[2]: module for module, names in modules.items() if not names}
    exported = sorted({*module_of, *whole})

    def load(name: str) -> Any:
        if name in whole:
            return importlib.import_module(f"{package}.{whole[name]}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    def names() -> list[str]:
        return sorted({*vars(importlib.import_module(package)), *exported})

    return load, names, exported


class Shown:
    """What a notebook shows as HTML, made by a module that is loaded when the first one is shown.

    So records need not know how they look: setset/__init__.py names the module, which has a function `as_html`.
    """

    __slots__ = ()
    shown_by: ClassVar[str] = ""

    def _repr_html_(self) -> str:
        """For notebooks."""
        page: str = importlib.import_module(Shown.shown_by).as_html(self)
        return page

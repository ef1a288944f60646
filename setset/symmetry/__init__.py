"""The 1,965,150,720 affine symmetries of the cards: canonical forms, the catalogue of classes, exact counts.

`docs/symmetry.md` explains the method. What is exported here is loaded on first use, since most of it
brings numba along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setset.symmetry.affine import AffineMap as AffineMap
    from setset.symmetry.forms import Form as Form
    from setset.symmetry.forms import canonical as canonical
    from setset.symmetry.forms import form as form
    from setset.symmetry.geometry import GROUP_ORDER as GROUP_ORDER
    from setset.symmetry.hand import HoldsSet as HoldsSet

_HOMES = {
    "AffineMap": "affine",
    "Form": "forms",
    "GROUP_ORDER": "geometry",
    "HoldsSet": "hand",
    "canonical": "forms",
    "form": "forms",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)

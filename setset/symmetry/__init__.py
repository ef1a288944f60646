"""The 1,965,150,720 affine symmetries of the cards: canonical forms, the catalogue of classes, exact counts.

`docs/symmetry.md` explains the method. What is exported here is loaded on first use, since most of it
brings numba along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setset.symmetry.affine import AffineMap as AffineMap
    from setset.symmetry.build import build_level as build_level
    from setset.symmetry.canonical import Form as Form
    from setset.symmetry.canonical import canonical_form as canonical_form
    from setset.symmetry.canonical import form as form
    from setset.symmetry.catalogue import Catalogue as Catalogue
    from setset.symmetry.catalogue import in_memory as in_memory
    from setset.symmetry.classes import Level as Level
    from setset.symmetry.classes import Link as Link
    from setset.symmetry.classes import ListClass as ListClass
    from setset.symmetry.classes import Totals as Totals
    from setset.symmetry.classification import Classified as Classified
    from setset.symmetry.classification import chance as chance
    from setset.symmetry.classification import classify as classify
    from setset.symmetry.game import game_classes as game_classes
    from setset.symmetry.geometry import GROUP_ORDER as GROUP_ORDER
    from setset.symmetry.ranking import member_arrays as member_arrays
    from setset.symmetry.ranking import member_rank as member_rank
    from setset.symmetry.ranking import members as members
    from setset.symmetry.ranking import rank as rank
    from setset.symmetry.ranking import unrank as unrank
    from setset.symmetry.sampling import sample as sample

_HOMES = {
    "AffineMap": "affine",
    "Catalogue": "catalogue",
    "Classified": "classification",
    "Form": "canonical",
    "GROUP_ORDER": "geometry",
    "Level": "classes",
    "Link": "classes",
    "ListClass": "classes",
    "Totals": "classes",
    "build_level": "build",
    "canonical_form": "canonical",
    "chance": "classification",
    "classify": "classification",
    "form": "canonical",
    "game_classes": "game",
    "in_memory": "catalogue",
    "member_arrays": "ranking",
    "member_rank": "ranking",
    "members": "ranking",
    "rank": "ranking",
    "sample": "sampling",
    "unrank": "ranking",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)

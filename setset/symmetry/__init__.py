"""The 1,965,150,720 affine symmetries of the cards: canonical forms, the catalogue of classes, exact counts.

`docs/symmetry.md` explains the method. What is exported here is loaded on first use, because most of it
needs numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from setset.lazy import lazy_exports

if TYPE_CHECKING:
    from setset.symmetry.affine import AffineMap as AffineMap
    from setset.symmetry.build import build_level as build_level
    from setset.symmetry.canonical import CanonicalForm as CanonicalForm
    from setset.symmetry.canonical import canonical_form as canonical_form
    from setset.symmetry.canonical import canonicalize as canonicalize
    from setset.symmetry.catalogue import Catalogue as Catalogue
    from setset.symmetry.catalogue import catalogue_in_memory as catalogue_in_memory
    from setset.symmetry.classes import Level as Level
    from setset.symmetry.classes import Link as Link
    from setset.symmetry.classes import Links as Links
    from setset.symmetry.classes import ListClass as ListClass
    from setset.symmetry.classes import Totals as Totals
    from setset.symmetry.classification import Classification as Classification
    from setset.symmetry.classification import chance as chance
    from setset.symmetry.classification import classes_of as classes_of
    from setset.symmetry.classification import classify as classify
    from setset.symmetry.classification import classify_many as classify_many
    from setset.symmetry.description import ClassDescription as ClassDescription
    from setset.symmetry.description import ClassOrder as ClassOrder
    from setset.symmetry.description import Direction as Direction
    from setset.symmetry.description import Neighbour as Neighbour
    from setset.symmetry.description import describe_class as describe_class
    from setset.symmetry.description import find_classes as find_classes
    from setset.symmetry.game import game_classes as game_classes
    from setset.symmetry.game import game_classes_of_each as game_classes_of_each
    from setset.symmetry.geometry import GROUP_ORDER as GROUP_ORDER
    from setset.symmetry.ranking import member_arrays as member_arrays
    from setset.symmetry.ranking import member_rank as member_rank
    from setset.symmetry.ranking import members as members
    from setset.symmetry.ranking import rank as rank
    from setset.symmetry.ranking import unrank as unrank
    from setset.symmetry.sampling import sample as sample

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "affine": ("AffineMap",),
        "build": ("build_level",),
        "canonical": ("CanonicalForm", "canonical_form", "canonicalize"),
        "catalogue": ("Catalogue", "catalogue_in_memory"),
        "classes": ("Level", "Link", "Links", "ListClass", "Totals"),
        "description": (
            "ClassDescription",
            "ClassOrder",
            "Direction",
            "Neighbour",
            "describe_class",
            "find_classes",
        ),
        "classification": ("Classification", "chance", "classes_of", "classify", "classify_many"),
        "game": ("game_classes", "game_classes_of_each"),
        "geometry": ("GROUP_ORDER",),
        "ranking": ("member_arrays", "member_rank", "members", "rank", "unrank"),
        "sampling": ("sample",),
    },
)

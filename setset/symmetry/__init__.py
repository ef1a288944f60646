"""The 1,965,150,720 affine symmetries of the cards: canonical forms, the catalogue of classes, exact counts.

`docs/symmetry.md` explains the method. Each exported name is loaded on first use, because most need numba.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

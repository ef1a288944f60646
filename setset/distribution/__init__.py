"""Exact number of hands of each size with k sets: tables that come with the package, and their computation.

`docs/hands.md` explains the method. Each exported name is loaded on first use, because the computation needs numba.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

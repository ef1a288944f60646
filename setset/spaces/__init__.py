"""Caps of any dimension up to 10: points of AG(n,3) from a file, and their verification.

Each exported name is loaded on first use, because most need numpy.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

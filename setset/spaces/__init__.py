"""Caps (points of which no three are on a line) in spaces AG(n,3) of up to 10 dimensions, and decks of fewer
features. Reads points from a file, and verifies that they are a cap.

Each exported name is loaded on first use, because most need numpy.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

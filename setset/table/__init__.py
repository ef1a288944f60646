"""The game of SET: finding sets, dealing, playing, simulating games, and the chances of hands without a set.

Each exported name is loaded on first use, because the simulation needs numpy and numba.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

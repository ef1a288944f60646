"""SAT problems for the question "how many cards can there be without a set?", and their solvers.

Each exported name is loaded on first use. Solving needs the extra `setset[sat]`.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

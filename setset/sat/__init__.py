"""The question "are there K cards without a set?" as a problem for SAT solvers: encoding, solving, reading answers.

Each exported name is loaded on first use. Solving needs the extra `setset[sat]`.
"""

from setset.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__)

"""The classic question "how many cards can there be without a set?", put to SAT solvers.

What is exported here is loaded on first use. Solving needs the extra `setset[sat]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from setset.lazy import lazy_exports

if TYPE_CHECKING:
    from setset.sat.encoding import Problem as Problem
    from setset.sat.encoding import dimacs_lines as dimacs_lines
    from setset.sat.encoding import encode as encode
    from setset.sat.fixing import Fixing as Fixing
    from setset.sat.fixing import fix_cards as fix_cards
    from setset.sat.fixing import spanning_sevens as spanning_sevens
    from setset.sat.reading import parse_answer as parse_answer
    from setset.sat.reading import read_answer as read_answer
    from setset.sat.solving import Answer as Answer
    from setset.sat.solving import NoAnswer as NoAnswer
    from setset.sat.solving import WrongAnswer as WrongAnswer
    from setset.sat.solving import solve as solve

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "encoding": ("Problem", "dimacs_lines", "encode"),
        "fixing": ("Fixing", "fix_cards", "spanning_sevens"),
        "reading": ("parse_answer", "read_answer"),
        "solving": ("Answer", "NoAnswer", "WrongAnswer", "solve"),
    },
)

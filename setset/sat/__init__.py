"""The classic question, how many cards without a set, put to SAT solvers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setset.sat.encoding import Problem as Problem
    from setset.sat.encoding import dimacs as dimacs
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

_HOMES = {
    "encoding": ("Problem", "dimacs", "encode"),
    "fixing": ("Fixing", "fix_cards", "spanning_sevens"),
    "reading": ("parse_answer", "read_answer"),
    "solving": ("Answer", "NoAnswer", "WrongAnswer", "solve"),
}
_ROOM = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_ROOM)


def __getattr__(name: str) -> Any:
    if name not in _ROOM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_ROOM[name]}"), name)

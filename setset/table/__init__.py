"""The game: find sets, deal, play, simulate.

What is exported here is loaded on first use, because the simulation needs numpy, and numba when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from setset.lazy import lazy_exports

if TYPE_CHECKING:
    from setset.table.autoplay import Policy as Policy
    from setset.table.autoplay import Step as Step
    from setset.table.autoplay import play_out as play_out
    from setset.table.deck import Stream as Stream
    from setset.table.deck import deal as deal
    from setset.table.deck import new_seed as new_seed
    from setset.table.estimates import by_round as by_round
    from setset.table.estimates import ends as ends
    from setset.table.estimates import in_play as in_play
    from setset.table.estimates import random_hands as random_hands
    from setset.table.exact import chance_without_set as chance_without_set
    from setset.table.exact import mean_sets as mean_sets
    from setset.table.game import Game as Game
    from setset.table.game import Verdict as Verdict
    from setset.table.game import call_none as call_none
    from setset.table.game import call_set as call_set
    from setset.table.game import more_cards as more_cards
    from setset.table.game import new_game as new_game
    from setset.table.sets import Ultra as Ultra
    from setset.table.sets import find_sets as find_sets
    from setset.table.sets import ultra_sets as ultra_sets
    from setset.table.sets import why_no_set as why_no_set
    from setset.table.simulation import Simulation as Simulation
    from setset.table.simulation import simulate as simulate

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "autoplay": ("Policy", "Step", "play_out"),
        "deck": ("Stream", "deal", "new_seed"),
        "estimates": ("by_round", "ends", "in_play", "random_hands"),
        "exact": ("chance_without_set", "mean_sets"),
        "game": ("Game", "Verdict", "call_none", "call_set", "more_cards", "new_game"),
        "sets": ("Ultra", "find_sets", "ultra_sets", "why_no_set"),
        "simulation": ("Simulation", "simulate"),
    },
)

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
    from setset.table.estimates import estimate_ends as estimate_ends
    from setset.table.estimates import estimate_random_hands as estimate_random_hands
    from setset.table.estimates import estimate_rounds as estimate_rounds
    from setset.table.estimates import estimate_tables as estimate_tables
    from setset.table.exact import chance_without_set as chance_without_set
    from setset.table.exact import mean_sets as mean_sets
    from setset.table.game import Game as Game
    from setset.table.game import Verdict as Verdict
    from setset.table.game import call_none as call_none
    from setset.table.game import call_set as call_set
    from setset.table.game import deal_more as deal_more
    from setset.table.game import new_game as new_game
    from setset.table.sets import UltraSet as UltraSet
    from setset.table.sets import find_sets as find_sets
    from setset.table.sets import find_ultra_sets as find_ultra_sets
    from setset.table.sets import why_no_set as why_no_set
    from setset.table.simulation import Simulation as Simulation
    from setset.table.simulation import simulate as simulate

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "autoplay": ("Policy", "Step", "play_out"),
        "deck": ("Stream", "deal", "new_seed"),
        "estimates": ("estimate_ends", "estimate_random_hands", "estimate_rounds", "estimate_tables"),
        "exact": ("chance_without_set", "mean_sets"),
        "game": ("Game", "Verdict", "call_none", "call_set", "deal_more", "new_game"),
        "sets": ("UltraSet", "find_sets", "find_ultra_sets", "why_no_set"),
        "simulation": ("Simulation", "simulate"),
    },
)

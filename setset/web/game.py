"""The page for playing SET alone against the clock, by the rules of `setset play`.

The URL has the random seed and all calls of the player so far: sets, or "none". Every answer replays the game, so the
server keeps no state.
"""

import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

import setset
from setset.cards import name
from setset.show.formatting import how_many, plain
from setset.web.query import Answer, Query, Redirect
from setset.web.site import Site

LETTERS: Final = "abcdefghijklmnopqrstu"
MOST_CALLS: Final = 300
"""Maximum number of calls in a URL, far more than a game needs."""
NONE: Final = "none"


def address(seed: int, calls: Sequence[str], hints: int = 0) -> str:
    """Makes the URL of a state of a game."""
    more = {"calls": ",".join(calls)} if calls else {}
    return "/play?" + urlencode({"seed": seed, **more, **({"hints": hints} if hints else {})}, safe=",.")


def play(_: Site, query: Query) -> Answer:
    """Shows the current state of a game. If the URL has no seed, redirects to a new game. If the URL has a new call
    besides the earlier calls, redirects to the state after this call."""
    seed = query.optional("seed", 0, 2**64 - 1)
    if seed is None:
        today = time.strftime("%Y%m%d")
        raise Redirect(address(int(today) if query.text("daily") else setset.new_seed(), ()))
    calls = [call for call in query.text("calls").split(",") if call]
    call = query.choice("call", ("", "set", NONE))
    if call:
        now = NONE if call == NONE else ".".join(query.all("card"))
        raise Redirect(address(seed, [*calls, now]))
    game, message, right = _replay(seed, calls)
    hints = query.number("hints", 0, 3, 0)
    chance = setset.chance_without_set(len(game.table))
    return {
        "seed": seed,
        "calls": calls,
        "table": [
            {"card": card, "letter": LETTERS[index], "name": name(card)} for index, card in enumerate(game.table)
        ],
        "deck": len(game.deck),
        "score": game.scores[0],
        "taken": [taken.cards for taken in game.taken],
        "round": game.round,
        "over": game.over,
        "said": message,
        "right": right,
        "hint": _hint(game, hints),
        "hinted": game.sets[0][: hints - 1] if hints > 1 and game.sets else (),
        "more_hints": address(seed, calls, hints + 1) if hints < 3 and not game.over else None,
        "chance_of_none": plain(chance),
    }


def _replay(seed: int, calls: Sequence[str]) -> tuple[setset.Game, str, bool | None]:
    """Replays a game from its seed and calls. Returns the game, the message about the last call, and whether this call
    was right."""
    if len(calls) > MOST_CALLS:
        raise setset.BadInput(f"calls: more than {MOST_CALLS}")
    game, message, right = setset.new_game(setset.Stream(seed).shuffled()), "", None
    for call in calls:
        cards = [] if call == NONE else [_card(part) for part in call.split(".")[:4]]
        verdict = setset.call_set(game, 0, cards) if call != NONE else setset.call_none(game, 0)
        game, right = verdict.game, verdict.right
        message = _said(cards, verdict)
    return game, message, right


def _card(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 3):
        raise setset.BadInput(f"calls: not a card: {text[:20]!r}")
    return int(text)


def _said(cards: Sequence[int], verdict: setset.Verdict) -> str:
    if not verdict.right:
        return f"Wrong, a point off. {verdict.reason[:1].upper()}{verdict.reason[1:]}."
    return f"A set, a point: {', '.join(map(name, cards))}." if cards else "Right, there is no set. Three more cards."


def _hint(game: setset.Game, hints: int) -> str:
    """Returns a hint, which tells more with each request: first the number of sets, then cards of the first set."""
    if not hints or game.over:
        return ""
    sets = game.sets
    if not sets or hints == 1:
        return f"There {'is' if len(sets) == 1 else 'are'} {how_many(len(sets), 'set')} on the table."
    letters = " and ".join(LETTERS[game.table.index(card)] for card in sets[0][: hints - 1])
    return f"One of the sets has {letters}."

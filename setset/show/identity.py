"""The identity of a hand, as text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from setset.show.cards.terminal import print_cards
from setset.show.classes import classified_as_json, neighbours_text, stabilizer_text
from setset.show.formatting import how_many, number, print_fields, print_json, spaced
from setset.show.hands import cards_as_json, show_sets

if TYPE_CHECKING:
    from setset.table import Identity, ListIdentity, Rarity


def show_identity(found: Identity, seed: int | None, as_json: bool, wide: bool) -> None:
    """Draws the hand, then prints its sets, or its class and how rare that is."""
    if as_json:
        print_json(identity_as_json(found, seed))
        return
    print_cards(found.cards)
    if seed is not None:
        click.echo(f"seed {seed}")
    if found.list is None:
        show_sets(found.cards, found.sets, "sets", None, as_json=False)
    else:
        click.echo(f"{how_many(len(found.cards), 'card')} without a set")
        print_fields(list_fields(found.list), wide)


def list_fields(found: ListIdentity) -> dict[str, str | None]:
    """The facts on a hand without a set, by their titles."""
    facts = found.classification
    one = facts.list_class
    size = f"the {how_many(found.lists_of_size, 'list')} of {how_many(one.size, 'card')}"
    added = f"{len(facts.extensions)}: {spaced(facts.extensions)}" if facts.extensions else "no card: it is complete"
    return {
        "class": f"{one}, 1 in {one_in(one.lists, found.lists_of_size)} of {size}",
        "how rare": rarity_text(found.rarity, one.size),
        "symmetries": stabilizer_text(one.stabilizer),
        "can be added": added,
        "rank": f"{number(found.rank)} of {size}, from 0",
        "neighbours": f"{neighbours_text(found.smaller, 'one card less')}; "
        f"{neighbours_text(found.larger, 'one card more')}",
    }


def one_in(part: int, whole: int) -> str:
    """'2,325' for one in 2,325; with a digit behind the point if it is small."""
    return number(whole / part, 0 if whole / part >= 100 else 1)


def rarity_text(rarity: Rarity, size: int) -> str:
    """Rank of a class among the classes of its size, from common to rare."""
    first = rarity.more_common + 1
    rank = (
        f"rank {number(first)}"
        if not rarity.as_common
        else f"rank {number(first)} to {number(first + rarity.as_common)}"
    )
    return f"{rank} of {how_many(rarity.classes, 'class', 'classes')} of {how_many(size, 'card')}, from common to rare"


def identity_as_json(found: Identity, seed: int | None) -> dict[str, Any]:
    shown: dict[str, Any] = {"seed": seed, "cards": cards_as_json(found.cards), "sets": found.sets, "list": None}
    if found.list is not None:
        facts = classified_as_json(found.list.classification, found.list.lists_of_size)
        near = {
            name: [{"class": str(other), "cards": cards} for other, cards in getattr(found.list, name)]
            for name in ("smaller", "larger")
        }
        shown["list"] = {**facts, "rank": found.list.rank, "rarity": found.list.rarity, **near}
    return shown

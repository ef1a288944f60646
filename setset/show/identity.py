"""Prints the result of `setset identify`, the identity of a hand, as text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from setset.show.cards.terminal import print_cards
from setset.show.classes import classified_as_json, neighbours_text, stabilizer_text
from setset.show.formatting import how_many, number, print_fields, print_json, spaced
from setset.show.hands import cards_as_json, show_sets

if TYPE_CHECKING:
    from setset.table import Identity, ListIdentity, Rarity


def show_identity(identity: Identity, seed: int | None, as_json: bool, wide: bool) -> None:
    """Draws the hand, then prints its sets or, if it has none, its class and rarity."""
    if as_json:
        print_json(identity_as_json(identity, seed))
        return
    print_cards(identity.cards)
    if seed is not None:
        click.echo(f"seed {seed}")
    if identity.list is None:
        show_sets(identity.cards, identity.sets, "sets", None, as_json=False)
    else:
        click.echo(f"{how_many(len(identity.cards), 'card')} without a set")
        print_fields(list_fields(identity.list), wide)


def list_fields(identity: ListIdentity) -> dict[str, str | None]:
    """Makes the output lines about a hand without a set, as a dictionary from title to text."""
    facts = identity.classification
    list_class = facts.list_class
    size = f"the {how_many(identity.lists_of_size, 'list')} of {how_many(list_class.size, 'card')}"
    added = (
        f"{len(facts.extensions)}: {spaced(facts.extensions)}" if facts.extensions else "no card: the hand is complete"
    )
    return {
        "class": f"{list_class}, 1 in {one_in(list_class.lists, identity.lists_of_size)} of {size}",
        "how rare": rarity_text(identity.rarity, list_class.size),
        "symmetries": stabilizer_text(list_class),
        "can be added": added,
        "rank": f"{number(identity.rank)} of {size}, from 0",
        "neighbours": f"{neighbours_text(identity.smaller, 'one card less')}; "
        f"{neighbours_text(identity.larger, 'one card more')}",
    }


def one_in(part: int, whole: int) -> str:
    """Formats the N of '1 in N', such as '2,325'. Below 100, N has one decimal."""
    return number(whole / part, 0 if whole / part >= 100 else 1)


def rarity_text(rarity: Rarity, size: int) -> str:
    """Describes the rank of a class among the classes of its size; rank 1 is the most common class."""
    first = rarity.more_common + 1
    rank = (
        f"rank {number(first)}"
        if not rarity.as_common
        else f"rank {number(first)} to {number(first + rarity.as_common)}"
    )
    return f"{rank} of {how_many(rarity.classes, 'class', 'classes')} of {how_many(size, 'card')}, 1 is the most common"


def identity_as_json(identity: Identity, seed: int | None) -> dict[str, Any]:
    shown: dict[str, Any] = {"seed": seed, "cards": cards_as_json(identity.cards), "sets": identity.sets, "list": None}
    if identity.list is not None:
        facts = classified_as_json(identity.list.classification, identity.list.lists_of_size)
        neighbours = {
            name: [{"class": str(neighbour), "cards": cards} for neighbour, cards in getattr(identity.list, name)]
            for name in ("smaller", "larger")
        }
        shown["list"] = {**facts, "rank": identity.list.rank, "rarity": identity.list.rarity, **neighbours}
    return shown

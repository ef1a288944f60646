"""Hands of cards, and the sets among them, as text, drawn, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from setset.cards import code, name
from setset.errors import BadInput
from setset.show.cards.terminal import can_draw, print_cards
from setset.show.formatting import how_many, print_json, to_json
from setset.table.sets import Triple, UltraSet, find_sets


def cards_as_json(cards: Sequence[int]) -> list[dict[str, Any]]:
    return [{"card": card, "code": code(card), "name": name(card)} for card in cards]


def show_deal(cards: Sequence[int], seed: int | None, as_json: bool) -> None:
    if as_json:
        print_json({"seed": seed, "cards": cards_as_json(cards)})
        return
    print_cards(cards)
    click.echo(f"seed {seed}", err=not can_draw())  # a pipe gets the cards alone


def show_sets(cards: Sequence[int], sets: Sequence[Triple], seed: int | None, as_json: bool) -> bool:
    """Prints every set; whether there was one."""
    if as_json:
        print_json({"seed": seed, "cards": cards_as_json(cards), "sets": [list(triple) for triple in sets]})
        return bool(sets)
    _show_dealt(cards, seed)
    click.echo(f"{how_many(len(sets), 'set')} among {how_many(len(cards), 'card')}")
    for triple in sets:
        click.echo(f"  {_codes(triple)}  {_names(triple)}")
    return bool(sets)


def show_ultra_sets(cards: Sequence[int], found: Sequence[UltraSet], seed: int | None, as_json: bool) -> bool:
    """Prints every ultra set with the card that completes both pairs; whether there was one."""
    if as_json:
        ultra = [{"first": each.first, "second": each.second, "third": each.third} for each in found]
        print_json({"seed": seed, "cards": cards_as_json(cards), "ultra_sets": ultra})
        return bool(found)
    _show_dealt(cards, seed)
    click.echo(f"{how_many(len(found), 'ultra set')} among {how_many(len(cards), 'card')}")
    for each in found:
        where = "on the table" if each.third in cards else "not there"
        click.echo(f"  {_codes(each.first)} + {_codes(each.second)}  both need {code(each.third)} ({where})")
    return bool(found)


def sets_line(
    line: int, cards: Sequence[int], found: Sequence[Triple] | Sequence[UltraSet], what: str, as_json: bool
) -> str:
    """The sets, or the ultra sets, of one of many hands."""
    groups = [(*each.first, *each.second) if isinstance(each, UltraSet) else each for each in found]
    if as_json:
        return to_json({"line": line, "cards": cards, what: groups})
    spelled = ", ".join(" ".join(map(str, group)) for group in groups)
    return f"{' '.join(map(str, cards))}: {spelled or 'none'}"


def show_picture(
    cards: Sequence[int], output: Path | None, columns: int | None, with_sets: bool, scale: float
) -> None:
    """Draws into the file, or on the terminal if there is none, and says what was drawn."""
    sets = find_sets(cards) if with_sets else []
    if output is None:
        if columns is not None:
            raise BadInput("--columns needs a picture: add -o cards.svg")
        print_cards(cards)
        if with_sets:
            show_sets(cards, sets, None, False)
        return
    from setset.show.cards.pictures import draw_cards

    draw_cards(cards, output, columns, sets, scale)
    outlined = f", {how_many(len(sets), 'set')} outlined" if with_sets else ""
    click.echo(f"{output}: {how_many(len(cards), 'card')}{outlined}")


def _show_dealt(cards: Sequence[int], seed: int | None) -> None:
    """Cards that the user did not name are shown before what is said about them."""
    if seed is not None:
        print_cards(cards)
        click.echo(f"seed {seed}")


def _codes(cards: Sequence[int]) -> str:
    return " ".join(code(card) for card in cards)


def _names(cards: Sequence[int]) -> str:
    return ", ".join(name(card) for card in cards)

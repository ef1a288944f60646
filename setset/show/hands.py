"""Prints hands, their sets, and automatic games, as drawings, text or JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from setset.cards import Triple, code, name
from setset.errors import BadInput
from setset.show.cards.layout import lay_out
from setset.show.cards.terminal import can_draw, print_cards
from setset.show.columns import fold
from setset.show.formatting import how_many, print_json, print_line, print_lines, spaced, terminal_width, to_json
from setset.show.saving import require_free, write_file
from setset.table.autoplay import Policy, Step, play_out
from setset.table.sets import UltraSet, find_sets

KINDS = (".svg", ".png")


def cards_as_json(cards: Sequence[int]) -> list[dict[str, Any]]:
    return [{"card": card, "code": code(card), "name": name(card)} for card in cards]


def show_deal(cards: Sequence[int], seed: int | None, as_json: bool) -> None:
    if as_json:
        print_json({"seed": seed, "cards": cards_as_json(cards)})
        return
    print_cards(cards)
    click.echo(f"seed {seed}", err=not can_draw())  # on stderr in a pipe, so that stdout has only the cards


def show_sets(
    cards: Sequence[int], sets: Sequence[Triple] | Sequence[UltraSet], key: str, seed: int | None, as_json: bool
) -> None:
    """Prints all sets or ultra sets among the cards. `key` is `sets` or `ultra_sets`, and names the array in JSON."""
    if as_json:
        print_json({"seed": seed, "cards": cards_as_json(cards), key: sets})
        return
    if seed is not None:  # setset dealt the cards, so the user has not seen them yet
        print_cards(cards)
        click.echo(f"seed {seed}")
    kind = key.replace("_", " ").removesuffix("s")
    click.echo(f"{how_many(len(sets), kind)} among {how_many(len(cards), 'card')}")
    for group in sets:
        text = _set_text(group, cards)
        print_lines(f"  {line}" for line in fold(text, (terminal_width() or len(text) + 2) - 2))


def _set_text(group: Triple | UltraSet, cards: Sequence[int]) -> str:
    if not isinstance(group, UltraSet):
        return f"{_codes(group)}  {', '.join(map(name, group))}"
    position = "on the table" if group.third in cards else "not on the table"
    return f"{_codes(group.first)} + {_codes(group.second)}  both need {code(group.third)} ({position})"


def sets_line(
    line: int, cards: Sequence[int], sets: Sequence[Triple] | Sequence[UltraSet], key: str, as_json: bool
) -> str:
    """Returns the output line for one of many hands: its cards, and its sets or ultra sets."""
    groups = [(*group.first, *group.second) if isinstance(group, UltraSet) else group for group in sets]
    if as_json:
        return to_json({"line": line, "cards": cards, key: groups})
    return f"{spaced(cards)}: {', '.join(map(spaced, groups)) or 'none'}"


def show_picture(
    cards: Sequence[int], output: Path | None, columns: int | None, with_sets: bool, scale: float, force: bool = False
) -> None:
    """Draws cards into a file and prints a line about the file. Without a file, draws on the terminal."""
    sets = find_sets(cards) if with_sets else []
    if output is None:
        if columns is not None:
            raise BadInput("--columns needs a picture file: add -o cards.svg")
        print_cards(cards)
        if with_sets:
            show_sets(cards, sets, "sets", None, False)
        return
    require_free(output, force)
    draw_cards(cards, output, columns, sets, scale)
    outlined = f", {how_many(len(sets), 'set')} outlined" if with_sets else ""
    print_line(f"{output}: {how_many(len(cards), 'card')}{outlined}")


def draw_cards(
    cards: Sequence[int], path: Path, columns: int | None = None, sets: Sequence[Triple] = (), scale: float = 2.0
) -> None:
    """Writes a picture of cards to a file, atomically. The suffix of the file name chooses the format. Replaces an
    existing file."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise BadInput(f"cannot draw {path.name!r}: the name must end in {' or '.join(KINDS)}")
    layout = lay_out(cards, columns, sets)
    if kind == ".svg":
        from setset.show.cards.svg import draw_svg

        content = draw_svg(layout).encode()
    else:
        from setset.show.cards.png import draw_png

        content = draw_png(layout, scale)
    write_file(path, content)


_TAKES = {Policy.RANDOM: "any set", Policy.FIRST: "the first set on the table"}


def show_game(seed: int, policy: Policy, as_json: bool, dimension: int = 4) -> None:
    """Plays a game automatically. Prints each step (cards, sets, and the taken set) and at the end the remaining
    cards."""
    if as_json:
        steps = [_step_as_json(step) for step in play_out(seed, policy, dimension=dimension)]
        print_json({"seed": seed, "policy": policy, "steps": steps})
        return
    click.echo(f"seed {seed}, taking {_TAKES[policy]}")
    for step in play_out(seed, policy, dimension=dimension):
        click.echo(_step_line(step))
    left = step.after.table
    click.echo(f"{how_many(len(step.after.taken), 'set')} taken, {how_many(len(left), 'card')} left")
    if left and can_draw():
        print_cards(left)
    elif left:
        click.echo(_codes(left))


def _step_line(step: Step) -> str:
    game = step.before
    if step.took:
        action = f"takes {_codes(step.took)}"
    else:
        action = "the game is over" if game.over else "three more cards"
    sets = how_many(len(game.sets), "set")
    return f"round {game.round:2}  {len(game.table):2} cards, deck {len(game.deck):2}, {sets:>7}: {action}"


def _step_as_json(step: Step) -> dict[str, Any]:
    game = step.before
    now = {"round": game.round, "table": game.table, "deck": len(game.deck), "sets": game.sets}
    return {**now, "took": step.took}


def _codes(cards: Sequence[int]) -> str:
    return spaced(map(code, cards))

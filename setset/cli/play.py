"""`setset play`: the game at the terminal, or an automatic game."""

import click

from setset.cli import options


@click.command("play")
@options.seed
@options.dimension
@click.option("--auto", is_flag=True, help="Let the program play the game, and print each step.")
@click.option(
    "--policy",
    type=click.Choice(["random", "first"]),
    show_default="random",
    help="Set that --auto takes: any set, or the first on the table.",
)
@click.option("--player", "players", multiple=True, help="Name of a player; may be repeated.")
@click.option("--no-record", is_flag=True, help="Do not record or show the best time.")
@options.as_json
def command(
    seed: int | None,
    dimension: int,
    auto: bool,
    policy: str | None,
    players: tuple[str, ...],
    no_record: bool,
    as_json: bool,
) -> None:
    """Play a game of SET with twelve cards on the table: one point for a set, minus one for a wrong call.

    Type the letters of three cards, `none` if there is no set, `hint`, `help` or `quit`. With several players, type
    the player's name or number first: `2 afk`. For each number of players, setset records the best time of a whole game
    without a hint in the user's data folder. The Junior deck has nine cards on the table, the deck of 9 has six; setset
    does not record their times.

    \b
    Examples:
      setset play --player Ada --player Emmy
      setset play --seed 7 --auto
      setset play --dimension 3
    """
    from setset.errors import BadInput
    from setset.show.hands import show_game
    from setset.show.session import Session, record_time
    from setset.table import Policy, new_seed

    chosen = new_seed() if seed is None else seed
    if auto:
        options.refuse_given("{option} cannot be combined with --auto, a game without players", "players", "no_record")
        show_game(chosen, Policy(policy or "random"), as_json, dimension)
    elif as_json or policy is not None:
        raise BadInput(f"{'--json' if as_json else '--policy'} needs --auto")
    else:
        record = None if no_record or dimension != 4 else record_time
        Session(chosen, players, record_time=record, dimension=dimension).play()

"""`setset odds`: the odds that some cards hold a set."""

import click

from setset.cli import options


@click.command("odds")
@options.size(help="The number of cards.", least=0, most=81, option="--cards")
@options.dimension
@options.as_json
def command(size: int | None, dimension: int, as_json: bool) -> None:
    """The odds that N cards hold a set: exact for random hands, estimated for tables in play.

    N is by default 12; of a smaller deck, 9 or 6. The estimate for tables in play is the stored result of 'setset
    simulate' with 20,000,000 games.

    \b
    Examples:
      setset odds
      setset odds 15
      setset odds 9 --dimension 3
    """
    import setset
    from setset.show.odds import show_odds

    show_odds(setset.odds(3 * dimension if size is None else size, dimension), as_json)

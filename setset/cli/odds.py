"""`setset odds`: how often there is no set."""

import click

from setset.cli import options


@click.command("odds")
@options.size(help="The number of cards.", least=0, most=81, option="--cards")
@options.dimension
@options.as_json
def command(size: int | None, dimension: int, as_json: bool) -> None:
    """How often N cards hold no set: exactly for random hands, and for tables in play.

    N is 12 if left out; 9 or 6 of a smaller deck.

    Nothing is simulated. For tables in play it has the result of 'setset simulate' with 20,000,000 games.

    \b
    Examples:
      setset odds
      setset odds 15
      setset odds 9 --dimension 3
    """
    import setset
    from setset.show.odds import show_odds

    show_odds(setset.odds(3 * dimension if size is None else size, dimension), as_json)

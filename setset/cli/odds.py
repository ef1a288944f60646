"""`setset odds`: the odds that some cards hold a set."""

import click

from setset.cli import options


@click.command("odds")
@options.size("Number of cards", least=0, most=81, option="--cards")
@options.dimension
@options.as_json
def command(size: int | None, dimension: int, as_json: bool) -> None:
    """Print the odds that N cards hold a set: exact for random hands, estimated for tables in play.

    N is 12 by default, 9 with --dimension 3, 6 with --dimension 2. A table in play is a table of a game in which
    players took sets before. Its odds come from 20,000,000 games of 'setset simulate'.

    \b
    Examples:
      setset odds
      setset odds 15
      setset odds 9 --dimension 3
    """
    import setset
    from setset.show.odds import show_odds

    show_odds(setset.odds(3 * dimension if size is None else size, dimension), as_json)

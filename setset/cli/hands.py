"""`setset hands`: how many hands hold exactly k sets."""

import click

from setset.cli import options


@click.command("hands")
@click.argument("size", metavar="[N]", type=int, required=False)
@click.option("--recompute", is_flag=True, help="Compute the tables again from nothing and compare: about a minute.")
@options.quiet
@options.wide
@options.as_json
def command(size: int | None, recompute: bool, quiet: bool, wide: bool, as_json: bool) -> None:
    """How many hands of N cards hold exactly k sets, for every k, exactly.

    N is 0 to 15, or 66 to 81: the cards that such a hand leaves in the deck. Without N a row for each of 0 to 15.

    \b
    Examples:
      setset hands
      setset hands 12
      setset hands 15 --json
      setset hands --recompute
    """
    import setset
    from setset.show.distribution import print_hands, print_overview

    if size is not None:
        print_hands(setset.hands(size), as_json, wide)
        return
    tables = [setset.hands(size) for size in setset.KNOWN_HANDS]
    if recompute:
        from setset.show.progress import show_progress

        with show_progress(quiet) as progress:
            if setset.compute_hands(progress=progress) != tables:
                raise setset.SetsetError("the tables that come with the package are not those computed now")
        click.echo("the tables that come with the package are those computed now", err=True)
    print_overview(tables, as_json, wide)

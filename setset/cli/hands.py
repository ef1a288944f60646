"""`setset hands`: the number of hands with exactly k sets."""

import click

from setset.cli import options


@click.command("hands")
@click.argument("size", metavar="[N]", type=int, required=False)
@click.option("--recompute", is_flag=True, help="Compute the tables of 0 to 15 cards again, and compare (30 s).")
@options.quiet
@options.wide
@options.as_json
def command(size: int | None, recompute: bool, quiet: bool, wide: bool, as_json: bool) -> None:
    """Exact number of hands of N cards with exactly k sets, for every k.

    N is 0 to 17 or 64 to 81 (all cards but 0 to 17). Without N, prints a row for each size from 0 to 17.

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
            computed = setset.compute_hands(progress=progress)
            if computed != tables[: len(computed)]:
                raise setset.SetsetError("the tables that come with the package differ from the tables computed now")
        click.echo(f"the tables of 0 to {computed[-1].size} cards equal the tables computed now", err=True)
    print_overview(tables, as_json, wide)

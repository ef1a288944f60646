"""`setset sample`"""

import click

from setset.cli import options


@click.command()
@options.size("Size of the lists", required=True, least=1)
@click.option("--count", type=click.IntRange(0, 10_000_000), default=1, show_default=True, help="Number of lists.")
@click.option(
    "--seed", type=click.IntRange(0), help="Random seed; the same seed draws the same lists, a larger --count more."
)
@options.dimension
@options.names
@options.json_lines
@options.ignored_workspace
def command(size: int, count: int, seed: int | None, dimension: int, names: bool, as_json: bool) -> None:
    """Draw random lists of N cards. Every list has the same chance. Needs no workspace.

    Without --seed, prints the seed on stderr.

    \b
    Examples:
      setset sample 12 --names
      setset sample 18 --count 1000 --seed 7
      setset sample 9 --dimension 3
    """
    import setset
    from setset.show.lists import print_lists

    chosen = setset.new_seed() if seed is None else seed
    if dimension == 4:
        lists = setset.sample(size, count, chosen, setset.catalogue_in_memory())
    else:
        lists = setset.Deck(dimension).sample(size, count, chosen)
    if seed is None:
        click.echo(f"seed {chosen}", err=True)
    print_lists([lists], names, as_json)

"""`setset sample`"""

import click

from setset.cli import options


@click.command()
@click.option("--size", type=int, required=True, help="The size of the lists, 1 to 20.")
@click.option("--count", type=click.IntRange(0, 10_000_000), default=1, show_default=True, help="How many lists.")
@click.option("--seed", type=click.IntRange(0), help="Draw the lists that this number fixes; else any.")
@options.names
@options.json_lines
@options.no_workspace
def command(size: int, count: int, seed: int | None, names: bool, as_json: bool) -> None:
    """Random lists of a size, independent, each as likely as any other. Needs no workspace.

    A seed that was not given is said on stderr.

    \b
    Examples:
      setset sample --size 12 --names
      setset sample --size 18 --count 1000 --seed 7
    """
    import setset
    from setset.show.lists import print_lists

    chosen = setset.new_seed() if seed is None else seed
    lists = setset.sample(size, count, chosen, setset.catalogue_in_memory())
    if seed is None:
        click.echo(f"seed {chosen}", err=True)
    print_lists([lists], names, as_json)

"""`setset unrank`"""

import click

from setset.cli import options


@click.command(context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@click.argument("numbers", nargs=-1, metavar="[N] RANK")
@click.option("--size", type=int, help="Size of the list, 0 to 20 (same as N).")
@options.names
@options.json_lines
@options.ignored_workspace
def command(numbers: tuple[str, ...], size: int | None, names: bool, as_json: bool) -> None:
    """Print the list that has this RANK, from 0, among all lists of N cards. Needs no workspace.

    \b
    Example:
      setset unrank 12 1234567890123
    """
    import setset
    from setset.show.lists import print_lists

    options.refuse_options(numbers)
    if len(numbers) != (2 if size is None else 1):
        raise click.UsageError("Give the number of cards and a rank, such as 12 1234567890123.")
    rank = options.whole_number(numbers[-1], "rank")
    chosen = options.whole_number(numbers[0], "number of cards") if size is None else size
    cards = setset.unrank(chosen, rank, setset.catalogue_in_memory())
    print_lists([[cards]], names, as_json)

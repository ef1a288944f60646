"""`setset unrank`"""

import click

from setset.cli import options


@click.command(context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@click.option("--size", type=int, required=True, help="The size of the list, 0 to 20.")
@click.argument("rank")
@options.names
@options.json_lines
@options.no_workspace
def command(size: int, rank: str, names: bool, as_json: bool) -> None:
    """The list of this RANK, from 0, among all lists of a size. Needs no workspace.

    \b
    Example:
      setset unrank --size 12 1234567890123
    """
    import setset
    from setset.show.lists import print_lists

    options.refuse_options([rank])
    place = options.whole_number(rank, "rank")
    cards = setset.unrank(size, place, setset.catalogue_in_memory())
    print_lists([[cards]], names, as_json)

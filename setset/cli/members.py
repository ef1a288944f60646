"""`setset members`"""

import click

from setset.cli import options


@click.command()
@click.argument("name", required=False, metavar="SIZE/NUMBER", shell_complete=options.complete_classes)
@click.option("--class", "class_name", metavar="SIZE/NUMBER", help="Class of the lists (same as the argument).")
@click.option("--start", type=int, default=0, help="Index of the first list in the class, from 0.")
@options.limit()
@options.names
@options.json_lines
@options.ignored_workspace
def command(
    name: str | None, class_name: str | None, start: int, limit: int | None, names: bool, as_json: bool
) -> None:
    """Print all lists of a class, each once, in a fixed order. Needs no workspace.

    \b
    Examples:
      setset members 20/0 --limit 3
      setset members 12/700 --start 1000000000 --names
    """
    import setset
    from setset.show.lists import print_lists

    if (name is None) == (class_name is None):
        raise click.UsageError("Give one class, such as 12/700.")
    chunks = setset.member_arrays(name or class_name or "", start, options.chunk(limit))
    print_lists(chunks, names, as_json, limit)

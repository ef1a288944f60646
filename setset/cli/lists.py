"""`setset lists`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size(required=True, help="The size of the lists.")
@click.option("--batch", type=click.IntRange(0), help="Only this batch.")
@click.option("--start", type=click.IntRange(0), default=0, help="Start at this list, numbered from 0.")
@options.limit
@options.all_lists
@options.names
@options.target
@options.json_lines
@options.workspace
def command(
    size: int,
    batch: int | None,
    start: int,
    limit: int,
    all_lists: bool,
    names: bool,
    target: int,
    as_json: bool,
    workspace: Path,
) -> None:
    """Print lists straight from the files, in lexicographic order.

    \b
    Examples:
      setset lists --size 6 --limit 3 --names
      setset lists --size 9 --start 20000000000
    """
    import setset
    from setset.show.lists import print_lists

    if all_lists:
        options.refuse_given("cannot be combined with --all", "limit")
    with setset.open(workspace) as opened:
        chunks = opened.exploration(target)[size].arrays(start, options.chunk(limit, all_lists), batch)
        print_lists(chunks, names, as_json, None if all_lists else limit)

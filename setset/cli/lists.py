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
@options.from_classes
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
    from_classes: bool,
    target: int | None,
    as_json: bool,
    workspace: Path,
) -> None:
    """Print lists straight from the files, in lexicographic order; or computed from the classes.

    \b
    Examples:
      setset lists --size 6 --limit 3 --names
      setset lists --size 9 --start 20000000000
      setset lists --size 18 --from-classes --start 6000000000
    """
    import setset
    from setset.show.lists import print_lists

    if all_lists:
        options.refuse_given("cannot be combined with --all", "limit")
    chunk = options.chunk(limit, all_lists)
    if from_classes:
        options.refuse_given("cannot be combined with --from-classes", "batch", "target", "workspace")
        print_lists(setset.lists(size).arrays(start, chunk), names, as_json, None if all_lists else limit)
        return
    with setset.open(workspace) as opened:
        chunks = opened.exploration(target)[size].arrays(start, chunk, batch)
        print_lists(chunks, names, as_json, None if all_lists else limit)

"""`setset lists`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size("Size of the lists", required=True)
@click.option("--batch", type=click.IntRange(0), help="Print only the lists of this batch.")
@click.option("--start", type=click.IntRange(0), default=0, help="Index of the first list, from 0.")
@options.limit()
@options.names
@options.from_classes
@options.target
@options.json_lines
@options.workspace
def command(
    size: int,
    batch: int | None,
    start: int,
    limit: int | None,
    names: bool,
    from_classes: bool,
    target: int | None,
    as_json: bool,
    workspace: Path,
) -> None:
    """Print lists (hands without a set) of N cards: from files, in ascending order, or with --from-classes computed.

    If the workspace lacks the lists, prints commands that compute, store or count them.

    \b
    Examples:
      setset lists 6 --limit 3 --names
      setset lists 9 --start 20000000000
      setset lists 18 --from-classes --start 6000000000
    """
    import setset
    from setset.show.lists import print_lists, suggest_lists

    chunk = options.chunk(limit)
    if from_classes:
        options.refuse_given("{option} cannot be combined with --from-classes", "batch", "target", "workspace")
        print_lists(setset.lists(size).arrays(start, chunk), names, as_json, limit)
        return
    try:
        with setset.open(workspace) as opened:
            lists = opened.exploration(target)[size]
            print_lists(lists.arrays(start, chunk, batch), names, as_json, limit)
    except (setset.NotStored, setset.NotAWorkspace) as error:
        suggest_lists(error, size, target, setset.catalogue_in_memory().lists(size))
        raise SystemExit(error.exit_code) from error

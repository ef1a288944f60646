"""`setset count`"""

import dataclasses
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size("Show only this size")
@click.option("--recount", is_flag=True, help="Count the lists in every batch file too, as column 'decoded'.")
@options.only_target
@options.dimension
@options.wide
@options.as_json
@options.workspace
def command(
    size: int | None, recount: bool, target: int | None, dimension: int, wide: bool, as_json: bool, workspace: Path
) -> None:
    """Print the number of lists of each size, and compare it with numbers from other sources.

    Column reference is the number that other programs found, if any. Column class sum is the number of all lists,
    computed from the classes; below the target it is empty, because an exploration keeps only some lists there. Exit
    code 1 if the number of a complete size differs from one of these numbers, or from the lists that --recount finds in
    the batch files.

    With --dimension 2 or 3, counts all lists of that smaller deck now, without a workspace.

    \b
    Examples:
      setset count
      setset count 7 --recount
      setset count --target 12 --wide
      setset count --dimension 3
    """
    import setset
    from setset.show.decks import print_deck_counts
    from setset.show.formatting import print_json
    from setset.show.progress import show_progress
    from setset.show.tables import print_counts

    if dimension != 4:
        options.refuse_given(
            "{option} is for a workspace: leave it out with --dimension", "recount", "target", "workspace"
        )
        raise SystemExit(0 if print_deck_counts(setset.Deck(dimension), size, as_json, wide) else 1)

    with setset.open(workspace) as opened, show_progress(as_json or not recount) as progress:
        counts = opened.counts(size, target=target, recount=recount, progress=progress)
    if as_json:
        print_json([dataclasses.asdict(count) for count in counts])
    else:
        print_counts(counts, size, target, wide)
    if any(count.verdict is setset.CountVerdict.WRONG for count in counts):
        raise SystemExit(1)

"""`setset count`"""

import dataclasses
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size()
@click.option("--recount", is_flag=True, help="Decode every file and compare.")
@options.only_target
@options.wide
@options.as_json
@options.workspace
def command(size: int | None, recount: bool, target: int | None, wide: bool, as_json: bool, workspace: Path) -> None:
    """How many lists there are of each size, with what that counts and the reference figure where one is known.

    From the target on also their number by the classes.

    Exit code 1 if a complete count differs from its reference, its class sum or the decoded files.

    \b
    Examples:
      setset count
      setset count 7 --recount
      setset count --target 12 --wide
    """
    import setset
    from setset.show.formatting import print_json
    from setset.show.progress import show_progress
    from setset.show.tables import print_counts

    with setset.open(workspace) as opened, show_progress(as_json or not recount) as progress:
        counts = opened.counts(size, target=target, recount=recount, progress=progress)
    if as_json:
        print_json([dataclasses.asdict(count) for count in counts])
    else:
        print_counts(counts, size, target, wide)
    if any(count.verdict is setset.CountVerdict.WRONG for count in counts):
        raise SystemExit(1)

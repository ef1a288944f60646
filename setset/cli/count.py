"""`setset count`"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size()
@click.option("--recount", is_flag=True, help="Decode every file and compare.")
@options.as_json
@options.workspace
def command(size: int | None, recount: bool, as_json: bool, workspace: Path) -> None:
    """How many lists there are of each size, with what that counts and the reference figure where one is known.

    From the target on also their number by the catalogue, if 'setset classes build' has made it.

    Exit code 1 if a complete count differs from its reference, its class sum or the decoded files.

    \b
    Examples:
      setset count
      setset count --size 7 --recount
    """
    from setset.database.store import Store
    from setset.folder import Workspace
    from setset.show.formatting import print_json
    from setset.show.progress import watching
    from setset.show.tables import print_counts
    from setset.workspace import status as overview

    store = Store.reading(Workspace(workspace))
    counts = overview.counts(store, size)
    again = None
    if recount:
        from setset.maintenance.recount import recounted

        with watching(as_json) as watcher:
            again = recounted(store, size, watcher)
    if as_json:
        rows = [
            {
                **dataclasses.asdict(count),
                "counts": count.counts,
                "agree": count.agree,
                "verdict": count.verdict,
                **({"decoded": again.get((count.target, count.size))} if again is not None else {}),
            }
            for count in counts
        ]
        print_json(rows)
    elif counts:
        print_counts(counts, again)
    elif size is None:
        click.echo("nothing is counted yet: start with 'setset run --size 6'")
    else:
        click.echo(f"size {size} is not counted yet: 'setset run --size {size}', or faster with --count-only")
    decoded = again or {}
    if any(c.verdict == "WRONG" or decoded.get((c.target, c.size), c.lists) != c.lists for c in counts):
        raise SystemExit(1)

"""`setset history`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of runs.")
@options.wide
@options.as_json
@options.workspace
def command(limit: int, wide: bool, as_json: bool, workspace: Path) -> None:
    """List past runs, newest first: time, command, version, outcome, added files and lists.

    \b
    Examples:
      setset history --limit 5
      setset history --wide
    """
    import setset
    from setset.show.formatting import print_result
    from setset.show.tables import print_history

    with setset.open(workspace) as opened:
        print_result(opened.runs(limit), as_json, print_history, wide)

"""`setset status`"""

import dataclasses
import time
from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--watch", is_flag=True, help="Refresh every two seconds, until Ctrl-C.")
@options.only_target
@options.wide
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables; with --watch one object per line.")
@options.workspace
def command(watch: bool, target: int | None, wide: bool, as_json: bool, workspace: Path) -> None:
    """Show the progress of each size, and running, failed and defective work.

    If several hosts have worked, also shows the speed of each host.

    \b
    Examples:
      setset status --watch
      setset status --target 12 --json
    """
    import setset
    from setset.show.formatting import print_json, print_json_line
    from setset.show.tables import print_status

    with setset.open(workspace) as opened:
        while True:
            status = opened.status(target)
            if as_json:
                (print_json_line if watch else print_json)(dataclasses.asdict(status))
            else:
                if watch:
                    click.clear()
                print_status(status, target, wide)
            if not watch:
                return
            time.sleep(2)

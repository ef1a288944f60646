"""`setset status`"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--watch", is_flag=True, help="Draw it again every two seconds, until Ctrl-C.")
@options.as_json
@options.workspace
def command(watch: bool, as_json: bool, workspace: Path) -> None:
    """How far each size is, what is running, failed or defective, and how fast each host is if there are several.

    \b
    Example:
      setset status --watch
    """
    import setset
    from setset.show.formatting import print_json
    from setset.show.tables import print_status

    with setset.open(workspace) as opened:
        while True:
            status = opened.status()
            if watch:
                click.clear()
            if as_json:
                print_json(dataclasses.asdict(status))
            else:
                print_status(status)
            if not watch:
                return
            time.sleep(2)

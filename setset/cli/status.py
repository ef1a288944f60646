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
    from setset.database.store import Store
    from setset.folder import Workspace
    from setset.show.formatting import print_json
    from setset.show.tables import print_status
    from setset.workspace import status as overview

    store = Store.reading(Workspace(workspace))
    while True:
        sizes, troubles = overview.progress(store), overview.troubles(store)
        hosts = overview.throughput(store)
        if watch:
            click.clear()
        if as_json:
            print_json(
                {
                    "sizes": [dataclasses.asdict(size) for size in sizes],
                    "troubles": [dataclasses.asdict(trouble) for trouble in troubles],
                    "hosts": [dataclasses.asdict(host) for host in hosts],
                }
            )
        else:
            print_status(sizes, troubles, hosts)
        if not watch:
            return
        time.sleep(2)

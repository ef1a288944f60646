"""`setset scheduler`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="Port; 0 for any free port."
)
@click.option(
    "--scheduler-file",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the address to this .json file, for 'setset worker' and 'setset run'.",
)
@options.certificates
@click.option("--dashboard", is_flag=True, help="Serve Dask's pages at http://127.0.0.1:8787, for this machine only.")
@click.option("--insecure", is_flag=True, help="Listen on a network without certificates.")
def command(
    host: str, port: int, file: Path | None, certificates: Path | None, dashboard: bool, insecure: bool
) -> None:
    """Start a Dask scheduler for runs on a cluster. It runs until Ctrl-C.

    The scheduler listens at one address, with TLS unless it is a loopback address.

    \b
    Examples:
      setset scheduler
      setset scheduler --host 10.0.0.1 --certificates ~/setset-tls --scheduler-file scheduler.json
    """
    from setset.errors import require_extra
    from setset.show.formatting import print_line

    with require_extra("dask", "a Dask scheduler"):
        from setset.executors.dask.servers import serve_scheduler
    serve_scheduler(host, port, file, certificates, dashboard, insecure, lambda line: print_line(line, err=True))

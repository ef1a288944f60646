"""`setset worker`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.argument("scheduler")
@click.option("--workers", type=click.IntRange(1), show_default="all cores", help="Number of worker processes.")
@click.option("--host", show_default="the address that the scheduler sees", help="Address to listen on.")
@click.option(
    "--memory-limit",
    default="0",
    show_default=True,
    help="Memory at which Dask pauses a process, such as 2GB; 0 for no limit.",
)
@click.option(
    "--local-directory",
    type=click.Path(path_type=Path, file_okay=False),
    show_default="current folder",
    help="Folder of this machine for temporary files.",
)
@options.certificates
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Wait until this storage root is mounted."
)
def command(
    scheduler: str,
    workers: int | None,
    host: str | None,
    memory_limit: str,
    local_directory: Path | None,
    certificates: Path | None,
    output: Path | None,
) -> None:
    """Start Dask workers for runs on a cluster. They run until Ctrl-C.

    SCHEDULER is the address of a scheduler, or its scheduler file. The command waits for the scheduler, replaces
    workers that die, and reconnects when the scheduler comes back. On Ctrl-C or SIGTERM workers finish their tasks.

    \b
    Examples:
      setset worker tcp://127.0.0.1:8786 --workers 2
      setset worker tls://10.0.0.1:8786 --certificates ~/setset-tls --output /mnt/nas/caps
    """
    from setset import platform
    from setset.errors import require_extra
    from setset.show.formatting import print_line

    with require_extra("dask", "a Dask worker"):
        from setset.executors.dask.servers import WorkerOptions, serve_workers
    processes = workers or platform.usable_cores()
    worker_options = WorkerOptions(scheduler, processes, host, memory_limit, local_directory, certificates, output)
    serve_workers(worker_options, lambda line: print_line(line, err=True))

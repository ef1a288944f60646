"""`setset check`"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size()
@click.option("--deep", is_flag=True, help="Decode each file and derive its lists anew from its sources.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@options.as_json
@options.workspace
def command(size: int | None, deep: bool, quiet: bool, as_json: bool, workspace: Path) -> None:
    """Compare the database with the files. Never writes; exit code 1 with findings.

    \b
    Examples:
      setset check
      setset check --size 7 --deep
    """
    from setset.folder import Workspace
    from setset.maintenance.repair import remedy
    from setset.show.formatting import print_json
    from setset.show.progress import watching
    from setset.show.tables import print_findings
    from setset.workspace.inspection import inspect

    with watching(quiet or as_json) as watcher:
        findings = list(inspect(Workspace(workspace), size, deep, watcher))
    if as_json:
        print_json([dataclasses.asdict(finding) for finding in findings])
    elif not print_findings(findings):
        click.echo("everything is as it should be")
    if findings:
        if not as_json and (advice := remedy(findings)):
            click.echo(f"setset: {advice}", err=True)
        raise SystemExit(1)

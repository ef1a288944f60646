"""`setset check`"""

from functools import partial
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size("Check only this size")
@click.option("--deep", is_flag=True, help="Decode each file too, and compare its lists with newly derived lists.")
@click.option("--strict", is_flag=True, help="Exit with code 1 for warnings too (files that setset did not make).")
@options.quiet
@options.as_json
@options.workspace
def command(size: int | None, deep: bool, strict: bool, quiet: bool, as_json: bool, workspace: Path) -> None:
    """Compare the database with the batch files. Changes no file; exit code 1 if there are problems.

    'setset status' shows the time and the number of problems of the last check of each size.

    \b
    Examples:
      setset check
      setset check 7 --deep
    """
    import setset
    from setset.show.formatting import print_result
    from setset.show.progress import show_progress
    from setset.show.tables import print_findings

    with show_progress(quiet or as_json) as progress, setset.open(workspace, mode="a") as opened:
        findings = list(opened.check(deep=deep, size=size, progress=progress))
    print_result(findings, as_json, partial(print_findings, strict=strict))
    if strict or not all(finding.kind.is_warning for finding in findings):
        raise SystemExit(bool(findings))

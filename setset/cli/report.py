"""`setset report`: a page about a workspace."""

import datetime
from pathlib import Path

import click

from setset.cli import options


@click.command("report")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="HTML file to write.",
)
@options.force
@click.option("--json", "with_json", is_flag=True, help="Write the data of the report too, as NAME.json.")
@options.workspace
def command(output: Path, force: bool, with_json: bool, workspace: Path) -> None:
    """Write a report on a workspace: one page without scripts, to mail or print.

    The page has the goal, counts and their confirmation, figures (with the extra setset[plot]), files, speeds, runs,
    defects, and the commands to reproduce the files. Only its date differs between reports on the same workspace.

    \b
    Examples:
      setset report
      setset report -o caps.html --json
    """
    import setset
    from setset.show.report import write_report
    from setset.show.saving import require_free

    for path in (output, *([output.with_suffix(".json")] if with_json else [])):
        require_free(path, force)
    made_at = datetime.datetime.now(datetime.UTC).isoformat(sep=" ", timespec="seconds")
    with setset.open(workspace) as opened:
        write_report(opened, output, made_at, with_json)

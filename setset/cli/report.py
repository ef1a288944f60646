"""`setset report`: a page on a workspace."""

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
    help="The page.",
)
@options.force
@click.option("--json", "with_json", is_flag=True, help="Write the same data beside it, as NAME.json.")
@options.workspace
def command(output: Path, force: bool, with_json: bool, workspace: Path) -> None:
    """Write a report on a workspace: one page without scripts that can be mailed or printed.

    What was asked, counts and what confirms them, figures (with the extra setset[plot]), files, rates, runs, defects,
    and how to reproduce it. The same workspace gives the same page, but for the line with the date.

    \b
    Examples:
      setset report
      setset report -o caps.html --json
    """
    import setset
    from setset.show.files import require_free
    from setset.show.report import write_report

    for path in (output, *([output.with_suffix(".json")] if with_json else [])):
        require_free(path, force)
    made_at = datetime.datetime.now(datetime.UTC).isoformat(sep=" ", timespec="seconds")
    with setset.open(workspace) as opened:
        write_report(opened, output, made_at, with_json)

"""`setset sql`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.argument("query", required=False)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="End the query after this number of seconds.",
)
@options.wide
@options.as_json
@options.workspace
def command(query: str | None, as_csv: bool, timeout: float, wide: bool, as_json: bool, workspace: Path) -> None:
    """Run a read-only query on the database. Without a query, list the tables and views.

    Columns of the same name get numbers: size, size_2.

    \b
    Examples:
      setset sql
      setset sql "SELECT size, lists FROM counts WHERE complete" --csv
    """
    if as_csv and as_json:
        raise click.UsageError("--csv cannot be combined with --json")
    if query is None:
        options.refuse_given("{option} needs a query", "timeout")
    import setset
    from setset.show.formatting import print_rows

    with setset.open(workspace) as opened:
        columns, rows = opened.sql_tables() if query is None else opened.sql_rows(query, timeout)
        print_rows(columns, rows, as_csv, as_json, wide)

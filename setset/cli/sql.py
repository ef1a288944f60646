"""`setset sql`"""

from __future__ import annotations

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.argument("query", required=False)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@options.as_json
@options.workspace
def command(query: str | None, as_csv: bool, as_json: bool, workspace: Path) -> None:
    """A read-only query of the database; without one, the tables and views that there are.

    \b
    Examples:
      setset sql
      setset sql "SELECT size, lists FROM counts WHERE complete" --csv
    """
    from setset.database.sql import ask, catalogue
    from setset.folder import Workspace
    from setset.show.formatting import print_csv, print_json, print_table

    database = Workspace(workspace).database
    if query is None:
        columns, rows = ["kind", "name", "columns", "what it holds"], iter(catalogue(database))
    else:
        columns, rows = ask(database, query)
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif as_csv:
        print_csv(columns, rows)
    else:
        print_table(
            "", columns, [["" if cell is None else str(cell) for cell in row] for row in rows], left=99
        )

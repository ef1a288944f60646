"""SQL: what `setset sql` answers, with limits for visitors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from setset.web.query import Query
from setset.web.site import SECONDS, Site

Answer = dict[str, Any]
MOST_ROWS: Final = {"table": 1_000, "json": 10_000, "csv": 100_000}
MOST_BYTES: Final = 10_000_000
EXAMPLES: Final = (
    "SELECT size, lists FROM counts WHERE target = 12 AND complete",
    "SELECT number, lists, bytes, first_list FROM files WHERE size = 7 ORDER BY number LIMIT 5",
    "SELECT * FROM defects",
    "SELECT size, host, lists_per_second / 1e6 AS m_lists_per_s FROM throughput",
    "SELECT size, SUM(bytes) * 1.0 / SUM(lists) AS bytes_a_list FROM files GROUP BY size",
)
"""Those of docs/schema.md; a test compares them."""


def sql(site: Site, query: Query) -> Answer:
    """The rows of a query, or the tables that there are."""
    asked = query.text("query").strip()
    most = MOST_ROWS[query.choice("format", tuple(MOST_ROWS))]
    with site.workspace() as opened, site.query_slot():
        columns, found = opened.sql_rows(asked, SECONDS) if asked else opened.sql_tables()
        rows, cut = _some(found, most)
        del found  # a query that is not read to its end would keep a run from recording
    return {"query": asked, "columns": columns, "rows": rows, "cut": cut, "examples": EXAMPLES}


def _some(found: Iterable[tuple[Any, ...]], most: int) -> tuple[list[tuple[Any, ...]], bool]:
    """The first rows, and whether there would be more: too many, or too much text."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in found:
        size += sum(len(each) if isinstance(each, str | bytes) else 8 for each in row)
        if len(rows) == most or (rows and size > MOST_BYTES):
            return rows, True
        rows.append(row)
    return rows, False

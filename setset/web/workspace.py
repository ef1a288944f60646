"""The pages on the workspace: home, progress, counts, SQL, and charts, which are drawn here and not in the browser."""

import dataclasses
import time
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import setset
from setset.show.classes import totals_as_json
from setset.show.commands import command_line
from setset.web.query import Answer, NotFound, Query
from setset.web.site import SECONDS, Site

RUNS: Final = 20
MOST_ROWS: Final = {"table": 1_000, "json": 10_000, "csv": 100_000}
MOST_BYTES: Final = 10_000_000
EXAMPLES: Final = (
    "SELECT size, lists FROM counts WHERE target = 12 AND complete",
    "SELECT number, lists, bytes, first_list FROM files WHERE size = 7 ORDER BY number LIMIT 5",
    "SELECT * FROM defects",
    "SELECT size, host, lists_per_second / 1e6 AS m_lists_per_s FROM throughput",
    "SELECT size, SUM(bytes) * 1.0 / SUM(lists) AS bytes_a_list FROM files GROUP BY size",
)
"""Example queries of docs/schema.md; a test compares them."""
CHARTS: Final = ("counts", "gantt", "rates", "throughput")
KEEP: Final = 10.0
"""Seconds for which a chart is shown again."""


def home(site: Site, _: Query) -> Answer:
    """The workspace, and how far each size is."""
    found = {"version": setset.__version__, "workspace": str(site.folder)}
    try:
        with site.workspace() as opened:
            sizes = list(map(dataclasses.asdict, opened.status().sizes))
            return {**found, "problem": None, "running": opened.in_use(), "sizes": sizes}
    except setset.SetsetError as error:
        return {**found, "problem": str(error), "running": False, "sizes": []}


def progress(site: Site, query: Query) -> Answer:
    """All of `setset status` and `setset history`, and the room on the disks."""
    target = query.optional("target", 4, 20)
    with site.workspace() as opened:
        status = dataclasses.asdict(opened.status(target))
        runs = [dataclasses.asdict(each) for each in opened.runs(RUNS)]
        running = opened.in_use()
    for item in status["items"]:
        pruned = any(size["pruned"] for size in status["sizes"] if size["target"] == item["target"])
        item["remedy"] = _remedy(item, pruned)
    current = runs[0] if running and runs and runs[0]["outcome"] is None else None
    left = sum(_bytes_left(size) for size in status["sizes"])
    return {"running": running, "run": current, **status, "bytes_left": left, "runs": runs}


def _remedy(item: Answer, pruned: bool) -> str | None:
    """The command that mends it."""
    if item["state"] == "failed":
        return command_line(f"run {item['size']} --target {item['target']}{' --prune' if pruned else ''}")
    return command_line("repair") if item["state"] == "defective" else None


def _bytes_left(size: Answer) -> int:
    """Bytes that the rest of a size will take, if it is as dense as what is there."""
    done = size["share"]
    return round((size["bytes"] or 0) * (1 - done) / done) if 0 < done < 1 and size["work"] == "store" else 0


def counts(site: Site, query: Query) -> Answer:
    """The counts of the workspace with their verdicts, and all that is known of each size from its classes."""
    target = query.optional("target", 4, 20)
    totals = [totals_as_json(each) for each in setset.class_totals()]
    try:
        with site.workspace() as opened:
            found = [dataclasses.asdict(each) for each in opened.counts(target=target)]
            return {"problem": None, "counts": found, "sizes": totals}
    except setset.SetsetError as error:
        return {"problem": str(error), "counts": [], "sizes": totals}


def sql(site: Site, query: Query) -> Answer:
    """The rows of a query as `setset sql` answers it, with limits for visitors; without a query, the tables."""
    asked = query.text("query").strip()
    most = MOST_ROWS[query.choice("format", tuple(MOST_ROWS))]
    with site.workspace() as opened, site.query_slot():
        columns, found = opened.sql_rows(asked, SECONDS) if asked else opened.sql_tables()
        rows, cut = _first_rows(found, most)
        del found  # a query that is not read to its end would keep a run from recording
    return {"query": asked, "columns": columns, "rows": rows, "cut": cut, "examples": EXAMPLES}


def _first_rows(found: Iterable[tuple[Any, ...]], most: int) -> tuple[list[tuple[Any, ...]], bool]:
    """The first rows, and whether there would be more: too many, or too much text."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in found:
        size += sum(len(each) if isinstance(each, str | bytes) else 8 for each in row)
        if len(rows) == most or (rows and size > MOST_BYTES):
            return rows, True
        rows.append(row)
    return rows, False


def can_draw() -> bool:
    """Whether the extra `setset[plot]` is installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def draw_chart(site: Site, name: str) -> bytes:
    """A chart as SVG, by its name. One is drawn at a time; viewers together cost no more than one."""
    if name not in CHARTS:
        raise NotFound(f"there is no chart {name[:40]!r}")
    with site.drawing:
        return _draw(site, name, int(time.monotonic() / KEEP))


@lru_cache(maxsize=len(CHARTS))
def _draw(site: Site, name: str, _moment: int) -> bytes:
    draw = getattr(setset.charts, name)
    try:
        with site.workspace() as opened:
            return setset.charts.as_bytes(draw(opened), "svg")
    except setset.NotAWorkspace:
        if name != "counts":
            raise
        return setset.charts.as_bytes(draw(), "svg")

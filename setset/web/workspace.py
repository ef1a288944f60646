"""Pages about the workspace: home, progress, counts, SQL and charts."""

import dataclasses
import re
import secrets
import time
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import setset
from setset.cards import LARGEST
from setset.errors import quoted
from setset.show.classes import totals_as_json
from setset.show.commands import command_line
from setset.show.distribution import table_as_json
from setset.show.formatting import how_many
from setset.web.query import Answer, NotFound, Query
from setset.web.site import SECONDS, Site
from setset.web.whole import describe_goal

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
"""Example queries on the SQL page. A test checks that docs/schema.md has the same queries."""
DEALT: Final = (12, 15)
"""Numbers of cards on the table in a game. For these, the counts page shows how many hands have k sets, for each k."""
CHARTS: Final = ("counts", "gantt", "rates", "throughput")
LETTERS: Final = 14
"""Maximum number of letters of a query shown on each side of the word at fault."""
KEEP: Final = 10.0
"""Maximum number of seconds for which the server reuses a drawn chart."""


def home(site: Site, _: Query) -> Answer:
    """Shows a random hand of twenty cards without a set, and a summary of the workspace."""
    cap = setset.unrank(LARGEST, secrets.randbelow(setset.catalogue_in_memory().lists(LARGEST)))
    about = {"version": setset.__version__, "workspace": str(site.folder), "cap": cap}
    try:
        answer = progress(site, Query())
    except setset.SetsetError as error:
        missing = isinstance(error, setset.NotAWorkspace)
        return {
            **about,
            "problem": str(error),
            "state": "none" if missing else "problem",
            "running": False,
            "sizes": [],
        }
    return {
        **about,
        "problem": None,
        **{name: answer[name] for name in ("state", "running", "goal", "problems", "sizes")},
    }


def progress(site: Site, query: Query) -> Answer:
    """Shows all data of `setset status` and `setset history`, the progress of the run, and the free space of the
    disks."""
    target = query.optional("target", 4, 20)
    with site.workspace() as opened:
        recorded, past = opened.status(target), opened.runs(RUNS)
        running = opened.in_use()
        last = next((run for run in past if run.command.startswith("setset run")), None)
        goal = describe_goal(opened, recorded.sizes, last, site.pace)
    status, runs = dataclasses.asdict(recorded), list(map(dataclasses.asdict, past))
    for item in status["items"]:
        pruned = any(size["pruned"] for size in status["sizes"] if size["target"] == item["target"])
        item["remedy"] = _remedy(item, pruned)
    problems = [item for item in status["items"] if item["remedy"]]
    problems += _absent_roots(recorded.roots) + [_altered_row(row) for row in recorded.altered]
    current = runs[0] if running and runs and runs[0]["outcome"] is None else None
    left = sum(_bytes_left(size) for size in status["sizes"])
    state = "running" if running else "problem" if problems else "idle"
    if state == "idle" and goal is not None:
        state = "complete" if goal["complete"] else "stopped"
    about = {"state": state, "running": running, "run": current, "goal": goal, "problems": problems}
    about["resume"] = _resuming(last.command) if last else None
    return {**about, **status, "bytes_left": left, "runs": runs}


def _resuming(command: str) -> str:
    """Makes the command that resumes a run."""
    return command if " -w" in command else command_line(command.removeprefix("setset "))


def _altered_row(row: str) -> Answer:
    """Makes a problem for the page from a database row that was altered."""
    remedy = command_line("repair")
    return {"state": "defective", "what": row, "detail": "changed by hand, or damaged", "remedy": remedy}


def _remedy(item: Answer, pruned: bool) -> str | None:
    """Returns the command that repairs a problem. None if there is nothing to repair."""
    if item["state"] == "failed":
        return command_line(f"run {item['size']} --target {item['target']}{' --prune' if pruned else ''}")
    return command_line("repair") if item["state"] == "defective" else None


def _absent_roots(roots: Iterable[setset.Root]) -> list[Answer]:
    """Makes a problem for the page from each storage root whose files are out of reach."""
    return [
        {
            "state": "absent",
            "what": f"storage root {root.path}",
            "detail": f"{how_many(root.files, 'file')} cannot be read: bring the folder back; if it was moved, type:",
            "remedy": command_line(f"roots move {quoted(root.path)} NEW"),
        }
        for root in roots
        if root.is_gone
    ]


def _bytes_left(size: Answer) -> int:
    """Estimates the number of bytes that the rest of a size will take, from the bytes of the part that is done."""
    done = size["share"]
    return round((size["bytes"] or 0) * (1 - done) / done) if 0 < done < 1 and size["work"] == "store" else 0


def counts(site: Site, query: Query) -> Answer:
    """Shows the counts of the workspace with their verdicts, the totals of the classes, and hands by their number of
    sets."""
    target = query.optional("target", 4, 20)
    totals = [totals_as_json(size_totals) for size_totals in setset.class_totals()]
    known: Answer = {"sizes": totals, "hands": [table_as_json(setset.hands(cards)) for cards in DEALT]}
    try:
        with site.workspace() as opened:
            recorded = [dataclasses.asdict(count) for count in opened.counts(target=target)]
            return {"problem": None, "counts": recorded, **known}
    except setset.SetsetError as error:
        return {"problem": str(error), "counts": [], **known}


def sql(site: Site, query: Query) -> Answer:
    """Shows the rows of an SQL query, with limits for visitors. Without a query, shows the list of the tables."""
    text = query.text("query").strip()
    most = MOST_ROWS[query.choice("format", tuple(MOST_ROWS))]
    began = time.monotonic()
    with site.workspace() as opened, site.query_slot():
        try:
            columns, all_rows = opened.sql_rows(text, SECONDS) if text else opened.sql_tables()
            rows, cut = _first_rows(all_rows, most)
        except setset.BadInput as error:
            raise setset.BadInput(_point_out(str(error), text)) from error
        del all_rows  # an open cursor would block the commits of a run
    took = round(1000 * (time.monotonic() - began))
    answer = {"query": text, "columns": columns, "rows": rows, "cut": cut, "examples": EXAMPLES}
    return {**answer, "milliseconds": took}


def _point_out(problem: str, query: str) -> str:
    """Adds the faulty line of the query to the message of an error, and marks the faulty word. Shortens the line for
    the screen of a phone. Replaces the advice about --timeout by the time limit."""
    problem = problem.replace(": give it more time with --timeout SECONDS", f", over {SECONDS:.0f} seconds")
    word = re.search(r'near "(.+?)"|no such (?:column|table|function): ([\w.]+)', problem)
    name = (word[1] or word[2]) if word else ""
    if not name or query.count(name) != 1:
        return problem
    before, _, after = query.partition(name)
    lead, rest = before.rpartition("\n")[2], after.partition("\n")[0]
    lead = lead if len(lead) <= LETTERS else f"...{lead[-LETTERS:]}"
    rest = rest if len(rest) <= LETTERS else f"{rest[:LETTERS]}..."
    return f"{problem}\n\n{lead}{name}{rest}\n{' ' * len(lead)}{'^' * len(name)}"


def _first_rows(all_rows: Iterable[tuple[Any, ...]], most: int) -> tuple[list[tuple[Any, ...]], bool]:
    """Reads the first rows of a result. Returns these rows, and whether rows are left out because there are too many
    rows or bytes."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in all_rows:
        size += sum(len(value) if isinstance(value, str | bytes) else 8 for value in row)
        if len(rows) == most or (rows and size > MOST_BYTES):
            return rows, True
        rows.append(row)
    return rows, False


def can_draw() -> bool:
    """Whether the extra `setset[plot]` is installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def draw_chart(site: Site, name: str) -> bytes:
    """Draws a chart as SVG. The server draws one chart at a time, and reuses the drawing for all viewers."""
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
    except setset.SetsetError:
        if name != "counts":
            raise
        return setset.charts.as_bytes(draw(), "svg")

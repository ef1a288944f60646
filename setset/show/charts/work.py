"""Charts of how the work went: speed by host, who did what when, bytes of files, benchmarks."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from setset.errors import BadInput
from setset.show.charts.style import (
    BLUE,
    HEIGHT,
    RED,
    WIDTH,
    Chart,
    Row,
    altair,
    categories,
    finish,
    table,
)

if TYPE_CHECKING:
    from setset.database.views import FinishedWork
    from setset.workspace.workspace import Workspace

PARTS = 200
"""Points of a line along the batches of a size, at most; neighbouring batches are taken together."""
BINS = 100
"""Steps of the time in which speeds are shown."""
STEPS = 800
"""Of the time axis: what one worker did of one size without a longer pause is one bar."""


def throughput(workspace: Workspace) -> Chart:
    """How fast one worker of each host was, by size."""
    rows: list[Row] = [
        {
            "host": host.host,
            "target": host.target,
            "size": host.size,
            "work": str(host.work),
            "label": f"{host.size}{' counted' if host.work == 'count' else ''}, target {host.target}",
            "lists": host.lists,
            "seconds": host.seconds,
            "rate": host.lists_per_second / 1e6,
        }
        for host in workspace.status().hosts
        if host.lists_per_second
    ]
    _require(rows, workspace, "no expansion is finished yet")
    alt = altair()
    colours, _ = categories(sorted({row["host"] for row in rows}))
    chart = (
        alt.Chart(table(rows))
        .mark_bar()
        .encode(
            x=alt.X("rate:Q", title="million lists a second of one worker"),
            y=alt.Y("label:N", title="size", sort=None),
            yOffset=alt.YOffset("host:N"),
            color=alt.Color(
                "host:N", scale=colours, legend=alt.Legend(title="host", orient="bottom", columns=2)
            ),
            tooltip=["host:N", "size:Q", "lists:Q", "seconds:Q", "rate:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(16))
    )
    notes = ["Lists found, by the time that workers spent on them."]
    return finish(chart, "Speed by size and host", notes, "setset status")


def rates(workspace: Workspace) -> Chart:
    """How many lists a second each host made, in the course of time."""
    finished = workspace.finished_work()
    _require(finished, workspace, "no expansion is finished yet")
    rows = _rates(finished)
    alt = altair()
    hosts = sorted({row["host"] for row in rows})
    colours, _ = categories(hosts)
    chart = (
        alt.Chart(table(rows))
        .mark_line(interpolate="step-after", strokeWidth=1.5)
        .encode(
            x=_time_axis(rows),
            y=alt.Y("rate:Q", title="million lists a second of all workers"),
            color=alt.Color(
                "host:N", scale=colours, legend=alt.Legend(title="host", orient="bottom", columns=2)
            ),
            strokeDash=alt.StrokeDash("host:N", sort=hosts, legend=None),
            tooltip=["host:N", "start:T", "end:T", "lists:Q", "rate:Q"],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    notes = [f"The lists of each expansion are spread over its time; {BINS} steps."]
    return finish(chart, "Speed of each host over time", notes, "table expansions (setset sql)")


def _rates(finished: Sequence[FinishedWork]) -> list[Row]:
    """For each host and step of time the lists that it made then."""
    spans = [(_time(each.started_at), _time(each.finished_at)) for each in finished]
    first = min(start for start, _ in spans)
    step = max((max(stop for _, stop in spans) - first) / BINS, datetime.timedelta(milliseconds=1))
    found: dict[str, list[float]] = {}
    for each, (start, stop) in zip(finished, spans, strict=True):
        lists = found.setdefault(each.host or "?", [0.0] * BINS)
        begin, end = (start - first) / step, max((stop - first) / step, (start - first) / step + 1e-9)
        for place in range(min(int(begin), BINS - 1), min(int(end), BINS - 1) + 1):
            inside = min(end, place + 1 if place < BINS - 1 else end) - max(begin, place)
            lists[place] += each.lists * inside / (end - begin)
    return [
        {
            "host": host,
            "start": (first + place * step).isoformat(timespec="milliseconds"),
            "end": (first + (place + 1) * step).isoformat(timespec="milliseconds"),
            "lists": round(made),
            "rate": made / step.total_seconds() / 1e6,
        }
        for host, lists in sorted(found.items())
        for place, made in enumerate(lists)
    ]


def _time_axis(rows: list[Row]) -> Any:
    alt = altair()
    return alt.X(
        "start:T",
        title=f"time (UTC), from {min(row['start'] for row in rows)[:16].replace('T', ' ')}",
        scale=alt.Scale(type="utc"),
        axis=alt.Axis(labelOverlap=True, tickCount=5, format=_time_format(rows)),
    )


def gantt(workspace: Workspace) -> Chart:
    """Which worker was at work on which size, and when."""
    finished = workspace.finished_work()
    _require(finished, workspace, "no expansion is finished yet")
    rows = _bars(finished)
    alt = altair()
    colours, _ = categories(sorted({row["label"] for row in rows}, key=lambda label: int(label.split()[0])))
    chart = (
        alt.Chart(table(rows))
        .mark_bar(height=10)
        .encode(
            x=_time_axis(rows),
            x2="end:T",
            y=alt.Y("worker:N", title=None, sort=None),
            color=alt.Color(
                "label:N", scale=colours, legend=alt.Legend(title="size", orient="bottom", columns=6)
            ),
            tooltip=["worker:N", "label:N", "start:T", "end:T", "expansions:Q", "lists:Q"],
        )
        .properties(width=WIDTH, height=alt.Step(14))
    )
    notes = [
        "A row is a worker: host and process. A bar is what it did of a size without pause.",
        "By the clock of the worker; work done by old versions ends when it was recorded.",
    ]
    return finish(chart, "Who worked on what, and when", notes, "table expansions (setset sql)")


def _time_format(rows: list[Row]) -> str:
    """As fine as the time from the first start to the last end needs it."""
    span = _time(max(row["end"] for row in rows)) - _time(min(row["start"] for row in rows))
    if span > datetime.timedelta(days=1):
        return "%d %b %H:%M"
    return "%H:%M" if span > datetime.timedelta(minutes=20) else "%H:%M:%S"


def _bars(finished: Iterable[FinishedWork]) -> list[Row]:
    """The expansions of each worker and size, those without a visible pause between them as one."""
    work = [
        (
            f"{each.host or '?'} {each.pid or '?'}",
            _label(each),
            _time(each.started_at),
            _time(each.finished_at),
            each,
        )
        for each in finished
    ]
    begin, end = min(start for _, _, start, _, _ in work), max(stop for *_, stop, _ in work)
    pause = (end - begin) / STEPS
    rows: list[Row] = []
    work.sort(key=lambda each: (each[0], each[2], each[3], each[1]))
    for worker, label, start, stop, each in work:
        last = rows[-1] if rows else None
        if last and (last["worker"], last["label"]) == (worker, label) and start - last["stop"] <= pause:
            last["stop"] = max(last["stop"], stop)
            last["expansions"] += 1
            last["lists"] += each.lists
        else:
            found = {"expansions": 1, "lists": each.lists}
            rows.append({"worker": worker, "label": label, "begin": start, "stop": stop, **found})
    for row in rows:
        row["start"] = row.pop("begin").isoformat(timespec="milliseconds")
        row["end"] = row.pop("stop").isoformat(timespec="milliseconds")
    return rows


def _label(each: FinishedWork) -> str:
    return f"{each.size}{' counted' if each.work == 'count' else ''}"


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


def bytes(workspace: Workspace, target: int = 12, size: int | None = None) -> Chart:  # noqa: A001 (of files)
    """Bytes a list takes along the batches of each size.

    Args:
        workspace: Whose files.
        target: Of the exploration.
        size: Only this size.
    """
    exploration = workspace.exploration(target)
    sizes = [each for each in exploration.sizes if size in (None, each.size) and each.lists]
    _require(
        sizes, workspace, f"nothing is stored for target {target}" + (f" of size {size}" if size else "")
    )
    rows: list[Row] = []
    for each in sizes:
        batches = each.batches
        in_one = -(-len(batches) // PARTS)
        before = 0
        for _, group in groupby(enumerate(batches), key=lambda pair: pair[0] // in_one):
            part = [batch for _, batch in group]
            lists, taken = sum(batch.lists for batch in part), sum(batch.bytes for batch in part)
            middle = 100 * (before + lists / 2) / each.lists
            rows.append(
                {"size": each.size, "at": middle, "batches": len(part), "lists": lists, "bytes": taken}
                | {"bytes_a_list": taken / lists}
            )
            before += lists
    alt = altair()
    colours, shapes = categories([str(each.size) for each in sizes])
    legend = alt.Legend(title="cards", orient="bottom", columns=9)
    base = (
        alt.Chart()
        .transform_calculate(cards="toString(datum.size)")
        .encode(
            x=alt.X(
                "at:Q", title="place among the lists of the size, in %", scale=alt.Scale(domain=[0, 100])
            ),
            y=alt.Y(
                "bytes_a_list:Q", title="bytes a list (logarithmic)", scale=alt.Scale(type="log", nice=False)
            ),
            color=alt.Color("cards:N", scale=colours, legend=legend),
        )
    )
    points = base.mark_point(filled=True, size=16, opacity=1).encode(
        shape=alt.Shape("cards:N", scale=shapes, legend=legend),
        tooltip=["size:Q", "batches:Q", "lists:Q", "bytes:Q", "bytes_a_list:Q"],
    )
    chart = alt.layer(base.mark_line(strokeWidth=1), points, data=table(rows))
    together = max(row["batches"] for row in rows)
    point = "a file" if together == 1 else f"up to {together} neighbouring files"
    notes = [f"Target {target}; a point is {point}."]
    chart = chart.properties(width=WIDTH, height=HEIGHT)
    return finish(chart, "Bytes a list, along the files of each size", notes, "table batches (setset sql)")


def speed(bench: Mapping[str, Any]) -> Chart:
    """The figures of a benchmark, beside the marks that they are held to.

    Args:
        bench: What `tools/bench --json` printed.

    Raises:
        BadInput: It is something else.
    """
    rows = _figures(bench)
    alt = altair()
    base = alt.Chart().encode(y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)))
    verdicts = alt.Scale(domain=["no mark", "meets its mark", "misses it"], range=["#aaaaaa", BLUE, RED])
    bars = base.mark_bar().encode(
        x=alt.X("value:Q", title=None),
        color=alt.Color("held:N", scale=verdicts, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=["name:N", "value:Q", "unit:N", "held:N"],
    )
    marks = (
        base.transform_filter("isValid(datum.mark)")
        .mark_tick(color="black", opacity=1, thickness=2, height=14)
        .encode(x="mark:Q")
    )
    chart = (
        alt.layer(bars, marks)
        .properties(width=WIDTH // 2, height=alt.Step(15))
        .facet(row=alt.Row("unit:N", title=None, sort=None), data=table(rows))
        .resolve_scale(x="independent", y="independent")
    )
    notes = [f"{bench['machine']}. The black tick is the mark that a figure is held to."]
    return finish(chart, "Speed of setset on one machine", notes, "tools/bench --json")


def _figures(bench: Mapping[str, Any]) -> list[Row]:
    try:
        return [
            {
                "name": str(figure["name"]),
                "value": float(figure["value"]),
                "unit": str(figure["unit"]),
                "mark": None if figure["mark"] is None else float(figure["mark"]),
                "held": {"": "no mark"}.get(
                    str(figure["verdict"]),
                    "misses it" if str(figure["verdict"]).endswith("NO") else "meets its mark",
                ),
            }
            for figure in bench["figures"]
            if str(bench["machine"])
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput("this is not what 'tools/bench --json' prints") from error


def _require(rows: list[Any], workspace: Workspace, missing: str) -> None:
    if not rows:
        raise BadInput(f"nothing to draw in {workspace.path}: {missing} (see 'setset status')")

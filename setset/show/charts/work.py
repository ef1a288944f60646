"""Charts of the work of runs: speed of each host, work of each worker over time, bytes of files, benchmarks."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from setset.errors import BadInput
from setset.show.charts.style import BLUE, RED, WIDTH, Chart, Row, altair, below, categories, finish, table
from setset.show.formatting import fields

if TYPE_CHECKING:
    from setset.database.views import FinishedWork, Throughput
    from setset.workspace.size import Size
    from setset.workspace.workspace import Workspace

PARTS = 200
"""Maximum number of points per size in the chart `bytes`. A point may stand for several neighbouring batches."""
BINS = 100
"""Number of time intervals in the chart `rates`."""
NOTHING_FINISHED = "no expansion is finished yet"
EXPANSIONS = "table expansions (setset sql)"
STEPS = 800
"""A pause splits a bar of the chart `gantt` only if the pause is longer than the whole time divided by this number."""


def throughput(workspace: Workspace) -> Chart:
    """Speed of one worker of each host, by size."""
    rows: list[Row] = [
        {
            **fields(host, "host", "target", "size"),
            "work": str(host.work),
            "label": f"{_label(host)}, target {host.target}",
            **fields(host, "lists", "seconds"),
            "rate": host.lists_per_second / 1e6,
        }
        for host in workspace.status().hosts
        if host.lists_per_second
    ]
    _require(rows, workspace, NOTHING_FINISHED)
    alt = altair()
    marks = alt.Chart(table(rows)).mark_bar()
    chart = marks.encode(
        x=alt.X("rate:Q").title("million lists per second, one worker").axis(tickCount=6),
        y=alt.Y("label:N").title("size").sort(None),
        yOffset=alt.YOffset("host:N"),
        color=_host_colour(rows),
        tooltip=["host:N", "size:Q", "lists:Q", "seconds:Q", "rate:Q"],
    )
    notes = ["Lists found per second of worker time."]
    return finish(chart, "Speed by size and host", notes, "setset status", height=alt.Step(16))


def _host_colour(rows: list[Row]) -> Any:
    colours, _ = categories(sorted({row["host"] for row in rows}))
    return below(altair().Color("host:N"), colours, "host", columns=2)


def rates(workspace: Workspace) -> Chart:
    """Lists per second of each host over time."""
    finished = workspace.finished_work()
    _require(finished, workspace, NOTHING_FINISHED)
    rows = _rates(finished)
    alt = altair()
    chart = (
        alt.Chart(table(rows))
        .mark_bar(width=WIDTH / BINS)
        .encode(
            x=_time_axis(rows),
            y=alt.Y("rate:Q").title("million lists per second, all workers"),
            color=_host_colour(rows),
            tooltip=["host:N", *_times(), "lists:Q", "rate:Q"],
        )
    )
    notes = [f"Lists are spread evenly over the time of their expansion. The chart has {BINS} time intervals."]
    return finish(chart, "Speed of each host over time", notes, EXPANSIONS)


def _rates(finished: Sequence[FinishedWork]) -> list[Row]:
    """Computes the chart data of `rates`: number of lists that each host made in each time interval."""
    spans = [_span(expansion) for expansion in finished]
    first = min(start for start, _ in spans)
    step = max((max(stop for _, stop in spans) - first) / BINS, datetime.timedelta(milliseconds=1))
    lists_by_host: dict[str, list[float]] = {}
    for expansion, (start, stop) in zip(finished, spans, strict=True):
        lists = lists_by_host.setdefault(expansion.host or "?", [0.0] * BINS)
        begin, end = (start - first) / step, max((stop - first) / step, (start - first) / step + 1e-9)
        for index in range(min(int(begin), BINS - 1), min(int(end), BINS - 1) + 1):
            inside = min(end, index + 1 if index < BINS - 1 else end) - max(begin, index)
            lists[index] += expansion.lists * inside / (end - begin)
    return [
        {
            "host": host,
            "start": _text(first + index * step),
            "end": _text(first + (index + 1) * step),
            "lists": round(made),
            "rate": made / step.total_seconds() / 1e6,
        }
        for host, lists in sorted(lists_by_host.items())
        for index, made in enumerate(lists)
    ]


def _time_axis(rows: list[Row]) -> Any:
    first = min(row["start"] for row in rows)[:16].replace("T", " ")
    axis = altair().X("start:T").title(f"time (UTC), from {first}").scale(type="utc")
    return axis.axis(labelOverlap=True, tickCount=5, format=_time_format(rows))


def gantt(workspace: Workspace) -> Chart:
    """Work of each worker, by size and time."""
    finished = workspace.finished_work()
    _require(finished, workspace, NOTHING_FINISHED)
    rows = _bars(finished)
    alt = altair()
    colours, _ = categories(sorted({row["label"] for row in rows}, key=lambda label: int(label.split()[0])))
    marks = alt.Chart(table(rows)).mark_bar(height=10)
    chart = marks.encode(
        x=_time_axis(rows),
        x2="end:T",
        y=alt.Y("worker:N").title(None).sort(None),
        color=below(alt.Color("label:N"), colours, "size", columns=6),
        tooltip=["worker:N", alt.Tooltip("label:N", title="size"), *_times(), "expansions:Q", "lists:Q"],
    )
    notes = [
        "A row is a worker: host and process. A bar is work on one size without a pause.",
        "Times are by the clock of the worker. Work recorded by old versions of setset ends at the time of its record.",
    ]
    return finish(chart, "Work of each worker, by size and time", notes, EXPANSIONS, height=alt.Step(14))


def _times() -> list[Any]:
    """Tooltips with the start and end of a bar, to the second."""
    return [altair().Tooltip(f"{name}:T", format="%d %b %H:%M:%S") for name in ("start", "end")]


def _time_format(rows: list[Row]) -> str:
    """Chooses the format of times on the axis (days, minutes or seconds) by the length of the time span."""
    span = _time(max(row["end"] for row in rows)) - _time(min(row["start"] for row in rows))
    if span > datetime.timedelta(days=1):
        return "%d %b %H:%M"
    return "%H:%M" if span > datetime.timedelta(minutes=20) else "%H:%M:%S"


def _bars(finished: Iterable[FinishedWork]) -> list[Row]:
    """Computes the bars of the chart `gantt`, per worker and size. Expansions without a visible pause between them
    share a bar."""
    work = sorted(
        (f"{expansion.host or '?'} {expansion.pid or '?'}", *_span(expansion), _label(expansion), expansion.lists)
        for expansion in finished
    )
    pause = (max(stop for _, _, stop, _, _ in work) - min(start for _, start, *_ in work)) / STEPS
    rows: list[Row] = []
    for worker, start, stop, label, lists in work:
        last = rows[-1] if rows else None
        if last and (last["worker"], last["label"]) == (worker, label) and start - last["end"] <= pause:
            last["end"] = max(last["end"], stop)
            last["expansions"] += 1
            last["lists"] += lists
        else:
            made = {"expansions": 1, "lists": lists, "start": start, "end": stop}
            rows.append({"worker": worker, "label": label, **made})
    return [{**row, "start": _text(row["start"]), "end": _text(row["end"])} for row in rows]


def _label(work: FinishedWork | Throughput) -> str:
    return f"{work.size}{' counted' if work.work == 'count' else ''}"


def _span(expansion: FinishedWork) -> tuple[datetime.datetime, datetime.datetime]:
    return _time(expansion.started_at), _time(expansion.finished_at)


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


def _text(time: datetime.datetime) -> str:
    return time.isoformat(timespec="milliseconds")


def bytes(workspace: Workspace, target: int = 12, size: int | None = None) -> Chart:  # noqa: A001 (of files)
    """Bytes per list in the batches of each size, in the order of the batches.

    Args:
        workspace: Workspace with the files.
        target: Target of the exploration.
        size: Show only this size; by default all sizes.
    """
    exploration = workspace.exploration(target)
    sizes = [stored for stored in exploration.sizes if size in (None, stored.size) and stored.lists]
    of_size = f" of size {size}" if size else ""
    _require(sizes, workspace, f"no lists are stored for target {target}{of_size}")
    rows = [row for stored in sizes for row in _parts(stored)]
    alt = altair()
    colours, shapes = categories([str(stored.size) for stored in sizes])
    calculated = alt.Chart().transform_calculate(cards="toString(datum.size)")
    base = calculated.encode(
        x=alt.X("at:Q").title("position among the lists of the size, in %").scale(domain=[0, 100]),
        y=alt.Y("bytes_a_list:Q").title("bytes per list (logarithmic)").scale(type="log", nice=False),
        color=below(alt.Color("cards:N"), colours, "cards", columns=9),
    )
    points = base.mark_point(filled=True, size=16, opacity=1).encode(
        shape=below(alt.Shape("cards:N"), shapes, "cards", columns=9),
        tooltip=["size:Q", "batches:Q", "lists:Q", "bytes:Q", "bytes_a_list:Q"],
    )
    chart = alt.layer(base.mark_line(strokeWidth=1), points, data=table(rows))
    files = max(row["batches"] for row in rows)
    point = "a file" if files == 1 else f"up to {files} neighbouring files"
    notes = [f"Target {target}; a point is {point}."]
    return finish(chart, "Bytes per list, along the files of each size", notes, "table batches (setset sql)")


def _parts(size: Size) -> Iterator[Row]:
    """Computes the chart data of `bytes` for a size: at most `PARTS` rows, each for a group of neighbouring batches."""
    batches, before = size.batches, 0
    in_one = -(-len(batches) // PARTS)
    for start in range(0, len(batches), in_one):
        part = batches[start : start + in_one]
        lists, taken = sum(batch.lists for batch in part), sum(batch.bytes for batch in part)
        row = {"size": size.size, "at": 100 * (before + lists / 2) / size.lists, "batches": len(part)}
        yield row | {"lists": lists, "bytes": taken, "bytes_a_list": taken / lists}
        before += lists


def speed(bench: Mapping[str, Any]) -> Chart:
    """Measured values of a benchmark, with the bounds that they should meet.

    Args:
        bench: Parsed output of `tools/bench --json`.

    Raises:
        BadInput: `bench` is not an output of `tools/bench --json`.
    """
    rows = _figures(bench)
    alt = altair()
    base = alt.Chart().encode(y=alt.Y("name:N").title(None).sort(None).axis(labelLimit=260))
    verdicts = alt.Scale(domain=["no mark", "meets its mark", "misses it"], range=["#aaaaaa", BLUE, RED])
    bars = base.mark_bar().encode(
        x=alt.X("value:Q").title(None),
        color=below(alt.Color("held:N"), verdicts),
        tooltip=["name:N", "value:Q", "unit:N", "held:N"],
    )
    marked = base.transform_filter("isValid(datum.mark)")
    marks = marked.mark_tick(color="black", opacity=1, thickness=2, height=14).encode(x="mark:Q")
    layers = alt.layer(bars, marks).properties(width=WIDTH // 2, height=alt.Step(15))
    chart = layers.facet(row=alt.Row("unit:N").title(None).sort(None), data=table(rows))
    chart = chart.resolve_scale(x="independent", y="independent")
    notes = [f"{bench['machine']}. A black tick marks the bound that the measured value of the bar should meet."]
    return finish(chart, "Speed of setset on one machine", notes, "tools/bench --json", height=None)


def _figures(bench: Mapping[str, Any]) -> list[Row]:
    try:
        return [
            {
                "name": str(figure["name"]),
                "value": float(figure["value"]),
                "unit": str(figure["unit"]),
                "mark": None if figure["mark"] is None else float(figure["mark"]),
                "held": _held(str(figure["verdict"])),
            }
            for figure in bench["figures"]
            if str(bench["machine"])
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput("the file is not an output of 'tools/bench --json'") from error


def _held(verdict: str) -> str:
    if not verdict:
        return "no mark"
    return "misses it" if verdict.endswith("NO") else "meets its mark"


def _require(rows: list[Any], workspace: Workspace, missing: str) -> None:
    if not rows:
        raise BadInput(f"nothing to draw in {workspace.path}: {missing} (see 'setset status')")

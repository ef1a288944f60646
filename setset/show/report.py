"""The report of a workspace (`setset report`): one self-contained page to mail, print and read offline."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from setset import __version__
from setset.errors import BadInput, MissingExtra
from setset.show import charts
from setset.show.charts.style import Chart
from setset.show.formatting import byte_count, fields, print_line, to_json
from setset.show.report_page import Data, as_html
from setset.show.saving import write_file

if TYPE_CHECKING:
    from setset.database.runs import Run
    from setset.workspace.counts import Count
    from setset.workspace.exploration import Exploration
    from setset.workspace.size import Size
    from setset.workspace.workspace import Workspace

MOST_RUNS = 200
"""Maximum number of runs in the report. The report leaves out older runs."""
LONGEST = 300
"""Maximum length of the texts of a run: its command, its outcome and its repairs. The rest is cut off."""
ROOM = 600_000
"""Maximum number of bytes of all charts in the report together, so that the page stays below 1 MB."""


def collect(workspace: Workspace, made_at: str) -> Data:
    """Collects the data of a report from the records of the workspace.

    Args:
        workspace: Workspace to report on.
        made_at: Date and time of the report. All other data depend on the workspace alone.
    """
    counts, status, runs = workspace.counts(), workspace.status(), workspace.runs(MOST_RUNS)
    explorations = workspace.explorations
    return {
        "made_at": made_at,
        "workspace": workspace.path.resolve().name,
        "setset": __version__,
        "schema": workspace.schema().database,
        "asked": [_progress(exploration, counts) for exploration in explorations],
        "counts": [{**dataclasses.asdict(count), "confirmed_by": _confirmed_by(count)} for count in counts],
        "sizes": [_size(size) for exploration in explorations for size in exploration.sizes],
        "rates": [dataclasses.asdict(host) for host in status.hosts],
        "runs": [_run(run) for run in runs],
        "versions": sorted({run.version for run in runs}),
        "hosts": sorted({host.host for host in status.hosts} | {run.host for run in runs}),
        "defects": [dataclasses.asdict(item) for item in status.items if item.state != "running"],
        # Lists repair commands that found no damage, too.
        "repairs": [
            fields(run, "id", "command", "finished_at", "host", "repaired", "outcome")
            for run in runs
            if run.repaired or run.command.startswith("setset repair")
        ],
        "reproduce": _reproduce(explorations, counts),
    }


def _progress(exploration: Exploration, counts: Sequence[Count]) -> Data:
    own_counts = [count for count in counts if count.target == exploration.target]
    return {
        **fields(exploration, "target", "pruned"),
        "stored_to": max((size.size for size in exploration.sizes if size.lists), default=None),
        "counted_to": max((count.size for count in own_counts if count.origin != "stored"), default=None),
        "complete": all(count.complete for count in own_counts),
    }


def _confirmed_by(count: Count) -> list[str]:
    """Names of the sources that confirm a count."""
    sources = {"a published or independent count": count.reference, "the sum over all classes": count.class_sum}
    return [source for source, value in sources.items() if value == count.lists and count.complete]


def _size(size: Size) -> Data:
    """Data of a stored size. `sha256_of_digests` is the SHA-256 of the digests of its files in order, one per line."""
    batches = size.batches
    digests = "".join(f"{batch.digest}\n" for batch in batches)
    return {
        **fields(size, "target", "size", "complete", "lists"),
        "files": len(batches),
        **fields(size, "bytes", "batch_lists"),
        "sha256_of_digests": hashlib.sha256(digests.encode()).hexdigest(),
    }


def _run(run: Run) -> Data:
    record = dataclasses.asdict(run)
    for name in ("command", "outcome", "repaired"):
        if len(record[name] or "") > LONGEST:
            record[name] = record[name][:LONGEST] + "..."
    return record


def _reproduce(explorations: Iterable[Exploration], counts: Sequence[Count]) -> list[str]:
    """Lists the commands that reproduce the workspace: the same files with the same digests, and the same counts."""
    lines = [f"pip install setset=={__version__}"]
    for exploration in explorations:
        target = f"--target {exploration.target}{' --prune' if exploration.pruned else ''}"
        stored = [size for size in exploration.sizes if size.lists]
        for batch_lists, sizes in groupby(stored, key=lambda size: size.batch_lists):
            lines.append(f"setset run {target} --size {list(sizes)[-1].size} --batch-lists {batch_lists}")
        if counted := _progress(exploration, counts)["counted_to"]:
            lines.append(f"setset run {target} --size {counted} --count-only")
    return [*lines, "setset check --deep", "setset count"]


def write_report(workspace: Workspace, output: Path, made_at: str, with_json: bool) -> None:
    """Writes the page of a report, and with `with_json` also its data as JSON. Prints a line per file."""
    data = collect(workspace, made_at)
    pages = {output: as_html(data, draw_figures(workspace))}
    if with_json:
        pages[output.with_suffix(".json")] = to_json(data, indent=2) + "\n"
    if len(pages) < 1 + with_json:
        raise BadInput(f"-o {output}: with --json, expected a name that does not end in .json")
    for path, text in pages.items():
        write_file(path, text.encode())
        print_line(f"{path}: report on {workspace.path}, {byte_count(len(text.encode()))}")


def draw_figures(workspace: Workspace) -> list[tuple[str, str]]:
    """Draws the charts of a report. Returns pairs of a plot command and the chart as SVG. Leaves out charts without
    data. Replaces a chart that is too large by a text. If an extra is missing, returns only a text with the reason."""
    charts_by_command: dict[str, Callable[[], Chart]] = {
        f"setset plot {chart.__name__}": partial(chart, workspace)
        for chart in (charts.counts, charts.throughput, charts.rates, charts.gantt)
    }
    for target in (exploration.target for exploration in workspace.explorations):
        charts_by_command[f"setset plot bytes --target {target}"] = partial(charts.bytes, workspace, target)
    figures, room = [], ROOM
    for index, (command, make) in enumerate(charts_by_command.items()):
        try:
            picture = _own_names(charts.as_bytes(make(), "svg").decode(), f"figure{index}-")
        except MissingExtra as error:
            return [("", f"<p>No figures: {escape(str(error))}</p>")]
        except BadInput:
            continue  # the workspace has no data for this chart yet
        if len(picture) > room:
            picture = f"<p>Too large for this page: {escape(command)}</p>"
        room -= len(picture)
        figures.append((command, picture))
    return figures


def _own_names(picture: str, prefix: str) -> str:
    """Adds a prefix to all ids in an SVG picture, because the ids of different pictures on a page must differ."""
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}", picture)

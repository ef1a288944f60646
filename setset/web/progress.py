"""Home, progress and counts: what a workspace holds and what happens in it."""

from __future__ import annotations

import dataclasses
from typing import Any

import setset
from setset.show.classes import totals_as_json
from setset.web.query import Query
from setset.web.site import Site

Answer = dict[str, Any]
RUNS = 20


def home(site: Site, _: Query) -> Answer:
    """Where the workspace is and how far."""
    found = {"version": setset.__version__, "workspace": str(site.settings.workspace)}
    try:
        with site.workspace() as opened:
            sizes = opened.status().sizes
            return {
                **found,
                "problem": None,
                "running": opened.in_use(),
                "sizes": list(map(dataclasses.asdict, sizes)),
            }
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
        return f"setset run --target {item['target']}{' --prune' if pruned else ''} --size {item['size']}"
    return "setset repair" if item["state"] == "defective" else None


def _bytes_left(size: Answer) -> int:
    """What the rest of a size will take, if it is as dense as what is there."""
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

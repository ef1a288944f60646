"""The page of a report: HTML without scripts that refers to nothing outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from setset.show.formatting import byte_count, duration, how_many, number
from setset.show.html import as_text, table

Data = dict[str, Any]
"""What a report says, as plain values."""

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #1f2328 }
h2 { margin-top: 2em; border-bottom: 1px solid #ccc }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto }
th, td { padding: .2em .7em; text-align: left; border-bottom: 1px solid #e5e5e5; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
code, pre { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
figure { margin: 1.5em 0; break-inside: avoid } figure svg { max-width: 100%; height: auto }
figcaption { color: #555; font-size: 12px }
.OK { color: #00664b } .WRONG, .defective, .failed { color: #a33f00; font-weight: bold }
@media print { body { margin: 0; font-size: 11px } table { font-size: 9px } h2 { break-after: avoid } }
""".strip()


def as_html(data: Data, figures: Sequence[tuple[str, str]]) -> str:
    """The page. Everything in it but the figures is escaped; it has no script and refers to nothing outside."""
    title = f"Report on the workspace {data['workspace']}"
    body = [
        f"<h1>{as_text(title)}</h1>",
        f"<p>Made {as_text(data['made_at'])}</p>",
        _section("What was asked", _asked_text(data)),
        _section("Counts", _counts_table(data)),
        _section("Figures", "\n".join(_figure(*figure) for figure in figures)),
        _section("Files", _files_text(data)),
        _section("Rates", _rates_table(data)),
        _section("Runs", _runs_table(data["runs"]) + _versions_text(data)),
        _section("Defects", _defects_text(data)),
        _section("Reproduce with", f"<pre>{_text_lines(data['reproduce'])}</pre>"),
    ]
    head = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">'
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>',
        head,
        f"<title>{as_text(title)}</title>",
        f"<style>\n{STYLE}\n</style>\n</head>\n<body>",
        *body,
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _text_lines(lines: Iterable[str]) -> str:
    return "\n".join(map(as_text, lines))


def _section(title: str, body: str) -> str:
    return f"<h2>{as_text(title)}</h2>\n{body}"


def _figure(command: str, picture: str) -> str:
    return (
        f"<figure>\n{picture}<figcaption><code>{as_text(command)}</code></figcaption></figure>"
        if command
        else picture
    )


def _asked_text(data: Data) -> str:
    lines = []
    for asked in data["asked"]:
        done = [f"stored up to size {asked['stored_to']}"] if asked["stored_to"] else []
        done += [f"counted up to size {asked['counted_to']}"] if asked["counted_to"] else []
        state = "complete" if asked["complete"] else "not complete yet"
        pruned = ", pruned" if asked["pruned"] else ""
        lines.append(
            f"<li>All hands without a set that can grow to {asked['target']} cards (target {asked['target']}{pruned}):"
            f" {as_text(', '.join(done) or 'nothing yet')}; {state}.</li>"
        )
    return f"<ul>\n{chr(10).join(lines)}\n</ul>" if lines else "<p>Nothing yet.</p>"


def _counts_table(data: Data) -> str:
    columns = ("target", "size", "what is counted", "lists", "origin", "verdict", "confirmed by")
    return table(
        columns,
        [
            [
                count["target"],
                count["size"],
                count["counts"],
                count["lists"],
                count["origin"],
                str(count["verdict"]),
                " and ".join(count["confirmed_by"]) or "nothing else",
            ]
            for count in data["counts"]
        ],
    )


def _files_text(data: Data) -> str:
    columns = (
        "target",
        "size",
        "state",
        "lists",
        "files",
        "bytes",
        "most lists in a file",
        "SHA-256 of the digests",
    )
    rows = [
        [
            size["target"],
            size["size"],
            "complete" if size["complete"] else "incomplete",
            size["lists"],
            size["files"],
            byte_count(size["bytes"]),
            size["batch_lists"],
            size["sha256_of_digests"],
        ]
        for size in data["sizes"]
    ]
    query = (
        'setset sql --csv "SELECT digest FROM files WHERE target = T AND size = N" | tail -n +2 | sha256sum'
    )
    how = (
        "<p>The digest of a size is that of the digests of its files, a line each, in order:<br>"
        f"<code>{as_text(query)}</code></p>"
    )
    return table(columns, rows) + "\n" + how


def _rates_table(data: Data) -> str:
    columns = (
        "host",
        "target",
        "size",
        "expansions",
        "lists",
        "worker time",
        "million lists a second, one worker",
    )
    return table(
        columns,
        [
            [
                rate["host"],
                rate["target"],
                str(rate["size"]) + (" counted" if rate["work"] == "count" else ""),
                rate["expansions"],
                rate["lists"],
                duration(rate["seconds"]),
                number(rate["lists_per_second"] / 1e6, 1) if rate["lists_per_second"] else "-",
            ]
            for rate in data["rates"]
        ],
    )


def _runs_table(runs: Sequence[Data]) -> str:
    columns = ("run", "command", "started", "finished", "outcome", "setset", "host", "workers", "lists added")
    return table(
        columns,
        [
            [
                run["id"],
                run["command"],
                run["started_at"],
                run["finished_at"] or "-",
                run["outcome"] or "running",
                run["version"],
                run["host"],
                run["workers"],
                run["lists_added"],
            ]
            for run in runs
        ],
    )


def _versions_text(data: Data) -> str:
    made = f"{how_many(len(data['hosts']), 'host')}: {', '.join(data['hosts']) or '-'}"
    versions = ", ".join(data["versions"]) or "-"
    return (
        f"\n<p>{as_text(made)}. Versions of setset: {as_text(versions)};"
        f" of the database schema: {as_text(data['schema'])}; this report is by setset {as_text(data['setset'])}.</p>"
    )


def _defects_text(data: Data) -> str:
    left = (
        table(
            ("target", "size", "state", "what", "detail"),
            [
                [each["target"], each["size"], str(each["state"]), each["what"], each["detail"]]
                for each in data["defects"]
            ],
        )
        if data["defects"]
        else "<p>No known defects, no failed expansions.</p>"
    )
    if not data["repairs"]:
        return left + "\n<p>Nothing was repaired so far.</p>"
    columns = ("run", "command", "finished", "host", "found and repaired")
    rows = [
        [
            each["id"],
            each["command"],
            each["finished_at"] or "-",
            each["host"],
            each["repaired"] or f"nothing ({each['outcome'] or 'running'})",
        ]
        for each in data["repairs"]
    ]
    return f"{left}\n<p>Repairs:</p>\n{table(columns, rows)}"

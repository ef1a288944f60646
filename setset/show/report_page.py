"""Makes the page of a report: self-contained HTML without scripts."""

from collections.abc import Sequence
from typing import Any

from setset.show.formatting import byte_count, duration, how_many, millions, number
from setset.show.html import Columns, as_text, record_table

Data = dict[str, Any]
"""Data of a report, JSON-compatible."""

STYLE = """
:root { color-scheme: light dark;
  --ink: #1f2328; --paper: #fff; --line: #ddd; --quiet: #555; --good: #00664b; --bad: #a33f00 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9e7e1; --paper: #17181b; --line: #3a3d42; --quiet: #a9aca8; --good: #74d69a; --bad: #ffab73 }
  figure svg { filter: invert(.91) hue-rotate(180deg) }
}
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em;
  color: var(--ink); background: var(--paper) }
h1 { font-size: clamp(1.4em, 5vw, 2em); overflow-wrap: anywhere }
h2 { margin-top: 2em; border-bottom: 1px solid var(--line) }
.lead { font-size: 17px; max-width: 66ch }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto }
th, td { padding: .2em .7em; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top }
td.long { min-width: 17em; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, monospace }
.n { text-align: right; font-variant-numeric: tabular-nums }
@media (max-width: 40em) { th, td:not(.long) { white-space: nowrap } }
code, pre { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
figure { margin: 1.5em 0; break-inside: avoid } figure svg { max-width: 100%; height: auto }
figcaption { color: var(--quiet); font-size: 12px }
.OK { color: var(--good) } .WRONG, .defective, .failed { color: var(--bad); font-weight: bold }
@media print { body { margin: 0; font-size: 11px } table { font-size: 9px } h2 { break-after: avoid } }
""".strip()

COUNTS: Columns = (
    "target",
    "size",
    ("what is counted", "counts"),
    "lists",
    "origin",
    "verdict",
    ("confirmed by", lambda count: " and ".join(count["confirmed_by"]) or "nothing else"),
)
FILES: Columns = (
    "target",
    "size",
    ("state", lambda size: "complete" if size["complete"] else "incomplete"),
    "lists",
    "files",
    ("bytes", lambda size: byte_count(size["bytes"])),
    ("maximum lists per file", "batch_lists"),
    ("SHA-256 of the digests", "sha256_of_digests"),
)
HOW_DIGESTS_ARE_MADE = (
    "<p>The digest of a size is the digest of the digests of its files, one per line, in order:<br><code>"
    "setset sql --csv &quot;SELECT digest FROM files WHERE target = T AND size = N&quot; | tail -n +2 | sha256sum"
    "</code></p>"
)
RATES: Columns = (
    "host",
    "target",
    ("size", lambda rate: str(rate["size"]) + (" counted" if rate["work"] == "count" else "")),
    "expansions",
    "lists",
    ("worker time", lambda rate: duration(rate["seconds"])),
    ("million lists per second, one worker", lambda rate: millions(rate["lists_per_second"])),
)
RUNS: Columns = (
    ("run", "id"),
    "command",
    ("started", "started_at"),
    ("finished", lambda run: run["finished_at"] or "-"),
    (
        "outcome",
        lambda run: (run["outcome"] or "running") + (f"; repaired {run['repaired']}" if run["repaired"] else ""),
    ),
    ("setset", "version"),
    "host",
    "workers",
    "lists_added",
)
DEFECTS: Columns = ("target", "size", "state", "what", "detail")
REPAIRS: Columns = (
    ("run", "id"),
    "command",
    ("finished", lambda run: run["finished_at"] or "-"),
    "host",
    ("found and repaired", lambda run: run["repaired"] or f"nothing ({run['outcome'] or 'running'})"),
)


def as_html(data: Data, figures: Sequence[tuple[str, str]]) -> str:
    """Makes the page from the data of a report and its figures. Escapes everything except the figures."""
    title = f"Report on the workspace {data['workspace']}"
    body = [
        f"<h1>{as_text(title)}</h1>",
        f'<p class="lead">{as_text(_summary(data))}</p>',
        f"<p>Made {as_text(data['made_at'])}</p>",
        _section("Explorations", _explorations_text(data)),
        _section("Counts", record_table(COUNTS, data["counts"])),
        _section("Figures", "\n".join(_figure(*figure) for figure in figures)),
        _section("Files", f"{record_table(FILES, data['sizes'])}\n{HOW_DIGESTS_ARE_MADE}"),
        _section("Rates", record_table(RATES, data["rates"])),
        _section("Runs", record_table(RUNS, data["runs"]) + _versions_text(data)),
        _section("Defects", _defects_text(data)),
        _section("Reproduce with", f"<pre>{chr(10).join(map(as_text, data['reproduce']))}</pre>"),
    ]
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>',
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">',
        f"<title>{as_text(title)}</title>",
        f"<style>\n{STYLE}\n</style>\n</head>\n<body>",
        *body,
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _summary(data: Data) -> str:
    """Summarizes the report in two sentences."""
    complete = [count for count in data["counts"] if count["complete"]]
    lists = sum(size["lists"] for size in data["sizes"])
    files = how_many(sum(size["files"] for size in data["sizes"]), "file")
    stored = f"This workspace stores {how_many(lists, 'hand')} of SET cards without a set, in {files}."
    counted = f"Complete: {len(complete)} of {how_many(len(data['counts']), 'size')}"
    wrong = [count for count in data["counts"] if count["verdict"] == "WRONG"]
    confirmed = sum(bool(count["confirmed_by"]) for count in complete)
    agreement = (
        f"{len(wrong)} disagree with a reference"
        if wrong
        else f"{number(confirmed)} are confirmed by an independent count"
    )
    defects = how_many(len(data["defects"]), "known defect")
    return f"{stored} {counted}, {agreement}; there are {defects}."


def _section(title: str, body: str) -> str:
    return f"<h2>{as_text(title)}</h2>\n{body}"


def _figure(command: str, picture: str) -> str:
    caption = f"<figcaption><code>{as_text(command)}</code></figcaption>"
    return f"<figure>\n{picture}{caption}</figure>" if command else picture


def _explorations_text(data: Data) -> str:
    lines = []
    for exploration in data["asked"]:
        done = [f"stored up to size {exploration['stored_to']}"] if exploration["stored_to"] else []
        done += [f"counted up to size {exploration['counted_to']}"] if exploration["counted_to"] else []
        state = "complete" if exploration["complete"] else "not complete yet"
        target, pruned = exploration["target"], ", pruned" if exploration["pruned"] else ""
        lines.append(
            f"<li>All hands without a set that can grow to {target} cards (target {target}{pruned}):"
            f" {as_text(', '.join(done) or 'nothing yet')}; {state}.</li>"
        )
    return f"<ul>\n{chr(10).join(lines)}\n</ul>" if lines else "<p>Nothing yet.</p>"


def _versions_text(data: Data) -> str:
    hosts = f"{how_many(len(data['hosts']), 'host')}: {', '.join(data['hosts']) or '-'}"
    versions = ", ".join(data["versions"]) or "-"
    return (
        f"\n<p>{as_text(hosts)}. Versions of setset: {as_text(versions)};"
        f" of the database schema: {as_text(data['schema'])}; this report is by setset {as_text(data['setset'])}.</p>"
    )


def _defects_text(data: Data) -> str:
    left, repairs = "<p>No known defects, no failed expansions.</p>", "<p>Nothing was repaired so far.</p>"
    if data["defects"]:
        left = record_table(DEFECTS, data["defects"])
    if data["repairs"]:
        repairs = f"<p>Repairs:</p>\n{record_table(REPAIRS, data['repairs'])}"
    return f"{left}\n{repairs}"

"""Charts as files: the ending of the name says which kind."""

import csv
import io
import json
import re
from html import escape
from pathlib import Path
from typing import Any, Final

from setset.errors import BadInput, require_extra
from setset.show.charts.style import Chart
from setset.show.files import write_file

KINDS: Final = ("svg", "png", "pdf", "html", "json", "csv")
PNG_SCALE: Final = 3
"""Some 1300 pixels across: 300 dots an inch at 110 mm."""
HIDDEN: Final = re.compile(r'<text[^>]* opacity="0"[^>]*>.*?</text>')
LINE: Final = re.compile(r'<line transform="translate\(([^,]+),([^)]+)\)" x2="([^"]+)" y2="([^"]+)" ([^>]*)/>')
PLACE: Final = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")
MANY_LINES: Final = re.compile(rf"(?:{LINE.pattern}){{100,}}")
HEAD: Final = """<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { margin: 1rem; background: #fff } #vega-chart { max-width: 60rem; margin: auto }
#vega-chart svg { width: 100%; height: auto }
@media (prefers-color-scheme: dark) {
  body { background: #17181b } #vega-chart svg { filter: invert(.91) hue-rotate(180deg) }
}
</style>"""
"""Head of an HTML page: as wide as the window, dark where the reader prefers that."""
ACTIONS: Final = {"export": True, "source": False, "compiled": False, "editor": False}
"""The menu of an HTML page: nothing that would ask another server."""


def save(chart: Chart, path: str | Path) -> None:
    """Writes a chart, whole or not at all, in place of what the file held before.

    Args:
        chart: One of the charts of this package.
        path: NAME.svg, .png or .pdf: the picture; .html: a page that works offline; .json: the Vega-Lite
            specification; .csv: the data.

    Raises:
        BadInput: The name ends otherwise.
        SetsetError: The file cannot be written.
    """
    write_file(Path(path), as_bytes(chart, kind_of(Path(path))))


def kind_of(path: Path) -> str:
    """The kind that the ending of a name stands for."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise BadInput(f"cannot draw {path.name!r}: the name must end in .{', .'.join(KINDS[:-1])} or .{KINDS[-1]}")
    return kind


def as_bytes(chart: Chart, kind: str) -> bytes:
    """A chart as the content of a file; the same bytes from the same data.

    Args:
        chart: One of the charts of this package.
        kind: svg, png, pdf, html, json or csv.
    """
    if kind == "csv":
        return _as_csv(read_rows(chart)).encode()
    specification = chart.to_dict()
    if kind == "json":
        return (json.dumps(specification, indent=2, ensure_ascii=False) + "\n").encode()
    with require_extra("plot", "a chart"):
        import vl_convert
    if kind == "svg":
        return _join_lines(vl_convert.vegalite_to_svg(specification)).encode() + b"\n"
    if kind == "png":
        picture: bytes = vl_convert.vegalite_to_png(specification, scale=PNG_SCALE)
        return picture
    if kind == "pdf":
        # Labels that have no room are there, but transparent, and a PDF of what is so is another one each time.
        picture_text = _join_lines(HIDDEN.sub("", vl_convert.vegalite_to_svg(specification)))
        document: bytes = vl_convert.svg_to_pdf(picture_text)
        return document
    page = {**specification, "usermeta": {"embedOptions": {"actions": ACTIONS}}}
    text = str(vl_convert.vegalite_to_html(page, bundle=True))
    title = escape(" ".join(chart.title.text))
    return text.replace("<title>Chart</title>", f"<title>{title}</title>\n{HEAD}", 1).encode()


def _join_lines(picture: str) -> str:
    """The picture with one path in place of many lines of the same kind, which are a tenth of the bytes."""

    def join(run: re.Match[str]) -> str:
        parts: dict[str, list[str]] = {}
        for x, y, across, down, style in LINE.findall(run[0]):
            start, end = (" ".join(f"{float(each):.5g}" for each in pair) for pair in ((x, y), (across, down)))
            parts.setdefault(style, []).append(f"M{start}l{end}")
        return "".join(f'<path d="{"".join(each)}" fill="none" {style}/>' for style, each in parts.items())

    joined = MANY_LINES.sub(join, picture)
    return PLACE.sub(lambda at: f"translate({float(at[1]):.2f},{float(at[2]):.2f})", joined)


def read_rows(chart: Chart) -> list[dict[str, Any]]:
    """The data of a chart, a dictionary for each row."""
    return [dict(row) for row in chart.data.values]


def _as_csv(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

"""Writes charts to files. The suffix of the file name chooses the format."""

import csv
import io
import json
import re
from html import escape
from pathlib import Path
from typing import Any, Final

from setset.errors import BadInput, require_extra
from setset.show.charts.style import Chart
from setset.show.saving import write_file

KINDS: Final = ("svg", "png", "pdf", "html", "json", "csv")
PNG_SCALE: Final = 3
"""Pixels of a PNG per pixel of a chart. A PNG is about 1300 pixels wide: 300 dots per inch if printed 110 mm wide."""
HIDDEN: Final = re.compile(r'<text[^>]* opacity="0"[^>]*>.*?</text>')
LINE: Final = re.compile(r'<line transform="translate\(([^,]+),([^)]+)\)" x2="([^"]+)" y2="([^"]+)" ([^>]*)/>')
TRANSLATION: Final = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")
MANY_LINES: Final = re.compile(rf"(?:{LINE.pattern}){{100,}}")
HEAD: Final = """<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { margin: 1rem; background: #fff } #vega-chart.vega-embed { display: block; max-width: 60rem; margin: auto }
#vega-chart .marks { width: 100% !important; height: auto !important }
@media (prefers-color-scheme: dark) {
  body { background: #17181b } #vega-chart .marks { filter: invert(.91) hue-rotate(180deg) }
}
</style>"""
"""Part of an HTML page that makes the chart as wide as the window, and dark if the reader prefers dark pages."""
ACTIONS: Final = {"export": True, "source": False, "compiled": False, "editor": False}
"""Menu of a chart on an HTML page, without entries that would contact another server."""


def save(chart: Chart, path: str | Path) -> None:
    """Writes a chart to a file atomically. Replaces an existing file.

    Args:
        chart: One of the charts of this package.
        path: File whose suffix chooses the content: .svg, .png or .pdf for the picture, .html for a page that works
            offline, .json for the Vega-Lite specification, .csv for the data.

    Raises:
        BadInput: The file name has another suffix.
        SetsetError: The file cannot be written.
    """
    write_file(Path(path), as_bytes(chart, kind_of(Path(path))))


def kind_of(path: Path) -> str:
    """Format of a file, by the suffix of its name."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise BadInput(f"cannot draw {path.name!r}: the name must end in .{', .'.join(KINDS[:-1])} or .{KINDS[-1]}")
    return kind


def as_bytes(chart: Chart, kind: str) -> bytes:
    """Returns a chart as the content of a file. The same data give the same bytes.

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
        # Removes transparent text (labels without room), because transparency makes the bytes of a PDF vary.
        picture_text = _join_lines(HIDDEN.sub("", vl_convert.vegalite_to_svg(specification)))
        document: bytes = vl_convert.svg_to_pdf(picture_text)
        return document
    page = {**specification, "usermeta": {"embedOptions": {"actions": ACTIONS}}}
    text = str(vl_convert.vegalite_to_html(page, bundle=True))
    title = escape(" ".join(chart.title.text))
    return text.replace("<title>Chart</title>", f"<title>{title}</title>\n{HEAD}", 1).encode()


def _join_lines(picture: str) -> str:
    """Makes an SVG picture smaller: joins many lines of the same style to one path, which takes a tenth of the bytes,
    and rounds numbers."""

    def join(run: re.Match[str]) -> str:
        parts: dict[str, list[str]] = {}
        for x, y, across, down, style in LINE.findall(run[0]):
            start, end = (" ".join(f"{float(value):.5g}" for value in pair) for pair in ((x, y), (across, down)))
            parts.setdefault(style, []).append(f"M{start}l{end}")
        return "".join(f'<path d="{"".join(steps)}" fill="none" {style}/>' for style, steps in parts.items())

    joined = MANY_LINES.sub(join, picture)
    return TRANSLATION.sub(lambda match: f"translate({float(match[1]):.2f},{float(match[2]):.2f})", joined)


def read_rows(chart: Chart) -> list[dict[str, Any]]:
    """Returns the data of a chart as a list with a dictionary per row."""
    return [dict(row) for row in chart.data.values]


def _as_csv(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

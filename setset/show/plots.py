"""The charts of `setset plot`, by name, with their arguments and options."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setset.cards import parse_cards
from setset.errors import BadInput
from setset.show import charts
from setset.show.charts.rendering import KINDS, as_bytes, kind_of
from setset.show.charts.style import Chart
from setset.show.formatting import print_line, print_table
from setset.show.saving import write_file

if TYPE_CHECKING:
    from setset.workspace.workspace import Workspace


def _parse_class(words: Sequence[str]) -> list[str]:
    if len(words) > 1:
        raise BadInput(f"{' '.join(words)!r} is not one class: give one, such as 12/700")
    return [*words]


def _parse_size(words: Sequence[str]) -> list[int]:
    if words and (len(words) > 1 or not words[0].isdecimal()):
        raise BadInput(f"not a number of cards: {' '.join(words)!r} (give one, such as 12)")
    return list(map(int, words))


def _parse_sizes(words: Sequence[str]) -> list[int]:
    if words and (len(words) != 2 or not all(word.isdecimal() for word in words)):
        raise BadInput(f"not two sizes: {' '.join(words)!r} (give the first and the last, such as 15 20)")
    return list(map(int, words))


def _read_json(words: Sequence[str]) -> list[dict[str, object]]:
    """Reads a JSON file (stdin for a dash). Returns the object in the file as the only argument of a chart."""
    (name, *more) = words
    if more:
        raise BadInput(f"{len(words)} files: give one file")
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        value = json.loads(text)
    except OSError as error:
        raise BadInput(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{name} is not JSON: {error}") from error
    return [value if isinstance(value, dict) else {}]


@dataclass(frozen=True)
class Plot:
    """A chart of `setset plot`: its function, arguments and options."""

    draw: Callable[..., Chart]
    words: str = ""
    """Arguments of the chart in help texts, such as [N]; empty if the chart takes no arguments."""
    parse: Callable[[Sequence[str]], Sequence[Any]] = lambda _: ()
    """Converts the words of the command line to arguments of `draw`."""
    options: tuple[str, ...] = ()
    """Command-line options that the chart takes."""
    reads_workspace: bool = False
    needs_workspace: bool = False

    @property
    def line(self) -> str:
        return (self.draw.__doc__ or "").splitlines()[0]

    def opens(self, workspace: Path, named: bool) -> bool:
        """Whether to open the workspace. A chart that needs a workspace opens it always. A chart for which a workspace
        is optional opens it only if the user named it or its database exists."""
        available = named or (workspace / "setset.db").is_file()
        return self.needs_workspace or (self.reads_workspace and available)

    def make(self, words: Sequence[str], options: Mapping[str, object], workspace: Workspace | None) -> Chart:
        """Draws the chart from the words and options of the command line."""
        arguments = [] if workspace is None else [workspace]
        return self.draw(*arguments, *self.parse(words), **{name: options[name] for name in self.options})


PLOTS = {
    "counts": Plot(charts.counts, reads_workspace=True),
    "odds": Plot(charts.odds),
    "hands": Plot(charts.hands, "[N]", _parse_size),
    "rounds": Plot(charts.rounds, options=("games", "seed")),
    "stabilizers": Plot(charts.stabilizers, reads_workspace=True),
    "neighbours": Plot(charts.neighbours, "CLASS", _parse_class),
    "lattice": Plot(charts.lattice, "[FIRST LAST]", _parse_sizes),
    "cap": Plot(charts.cap, "CARDS...", lambda words: [parse_cards(words)]),
    "throughput": Plot(charts.throughput, needs_workspace=True),
    "rates": Plot(charts.rates, needs_workspace=True),
    "gantt": Plot(charts.gantt, needs_workspace=True),
    "bytes": Plot(charts.bytes, options=("target", "size"), needs_workspace=True),
    "speed": Plot(charts.speed, "FILE", _read_json),
}


def find_plot(name: str, words: tuple[str, ...]) -> Plot:
    """Finds a chart by its name. Raises BadInput if the name is unknown or the arguments of the chart are wrong."""
    if name not in PLOTS:
        raise BadInput(f"there is no chart {name!r}: expected {', '.join(PLOTS)}")
    plot = PLOTS[name]
    if words and not plot.words:
        raise BadInput(f"the chart {name} takes no arguments: leave out {' '.join(words)!r}")
    if not words and plot.words and not plot.words.startswith("["):
        raise BadInput(f"the chart {name} needs {plot.words}: setset plot {name} {plot.words}")
    return plot


def file_name(name: str, words: Sequence[str], kind: str | None) -> Path:
    """Default file name of a chart, such as odds.svg. The name for the chart `neighbours` contains the class."""
    class_part = f"-{words[0].replace('/', '-')}" if name == "neighbours" else ""
    return Path(f"{name}{class_part}.{kind or 'svg'}")


def choose_kind(output: Path, kind: str | None) -> str:
    """Chooses the file format of a chart: by `--format`, otherwise by the file name. The default for stdout is SVG."""
    if kind is not None and kind not in KINDS:
        raise BadInput(f"--format {kind}: expected {', '.join(KINDS)}")
    return kind or ("svg" if str(output) == "-" else kind_of(output))


def print_plots() -> None:
    """Prints a table of all charts: name and description."""
    rows = [[f"{name} {plot.words}".rstrip(), plot.line] for name, plot in PLOTS.items()]
    print_table("", ("name", "what it shows"), rows, left=2)


def write_plot(chart: Chart, output: Path, kind: str, force: bool = False) -> None:
    """Writes the chart, and prints the file name and title. If the output is a dash, writes the chart to stdout."""
    content = as_bytes(chart, kind)
    if str(output) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    write_file(output, content, force)
    print_line(f"{output}: {' '.join(chart.title.text)}")

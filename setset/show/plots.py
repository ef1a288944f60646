"""The charts by name, as `setset plot` makes them."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from setset.cards import parse_cards
from setset.errors import BadInput
from setset.show import charts
from setset.show.charts.files import KINDS, as_bytes, kind_of
from setset.show.charts.style import Chart
from setset.show.files import write_file
from setset.show.formatting import print_line, print_table

if TYPE_CHECKING:
    from setset.workspace.workspace import Workspace


class Needs(enum.Enum):
    """What a chart does with a workspace."""

    NOTHING = enum.auto()
    IF_THERE = enum.auto()
    WORKSPACE = enum.auto()


@dataclass(frozen=True)
class Wish:
    """What a command line says beside the name of a chart."""

    words: tuple[str, ...]
    games: int
    seed: int
    target: int
    size: int | None


@dataclass(frozen=True)
class Plot:
    """A chart that has a name. `words` says which arguments it takes, none if it is empty."""

    words: str
    needs: Needs
    make: Callable[[Wish, Workspace | None], Chart]
    line: str

    def opens(self, workspace: Path, named: bool) -> bool:
        """Whether to open the workspace: where one is only welcome, if it was named or is there."""
        if self.needs is Needs.IF_THERE:
            return named or (workspace / "setset.db").is_file()
        return self.needs is Needs.WORKSPACE


def _plot(
    function: Callable[..., Chart],
    make: Callable[[Wish, Workspace | None], Chart],
    needs: Needs = Needs.NOTHING,
    words: str = "",
) -> Plot:
    return Plot(words, needs, make, (function.__doc__ or "").splitlines()[0])


PLOTS = {
    "counts": _plot(charts.counts, lambda _, workspace: charts.counts(workspace), Needs.IF_THERE),
    "odds": _plot(charts.odds, lambda *_: charts.odds()),
    "rounds": _plot(charts.rounds, lambda wish, _: charts.rounds(games=wish.games, seed=wish.seed)),
    "stabilizers": _plot(
        charts.stabilizers, lambda _, workspace: charts.stabilizers(workspace), Needs.IF_THERE
    ),
    "neighbours": _plot(
        charts.neighbours, lambda wish, _: charts.neighbours(*_parse_class(wish.words)), words="CLASS"
    ),
    "lattice": _plot(
        charts.lattice, lambda wish, _: charts.lattice(*_parse_sizes(wish.words)), words="[FIRST LAST]"
    ),
    "cap": _plot(charts.cap, lambda wish, _: charts.cap(parse_cards(wish.words)), words="CARDS..."),
    "throughput": _plot(
        charts.throughput, lambda _, workspace: charts.throughput(_given(workspace)), Needs.WORKSPACE
    ),
    "rates": _plot(charts.rates, lambda _, workspace: charts.rates(_given(workspace)), Needs.WORKSPACE),
    "gantt": _plot(charts.gantt, lambda _, workspace: charts.gantt(_given(workspace)), Needs.WORKSPACE),
    "bytes": _plot(
        charts.bytes,
        lambda wish, workspace: charts.bytes(_given(workspace), wish.target, wish.size),
        Needs.WORKSPACE,
    ),
    "speed": _plot(charts.speed, lambda wish, _: charts.speed(_read_json(wish.words)), words="FILE"),
}


def find_plot(name: str, words: tuple[str, ...]) -> Plot:
    """The chart of a name, if it takes these arguments."""
    if name not in PLOTS:
        raise BadInput(f"there is no chart {name!r}: expected {', '.join(PLOTS)}")
    plot = PLOTS[name]
    if words and not plot.words:
        raise BadInput(f"the chart {name} takes no arguments, not {' '.join(words)!r}")
    if not words and plot.words and not plot.words.startswith("["):
        raise BadInput(f"the chart {name} needs {plot.words}: setset plot {name} {plot.words}")
    return plot


def choose_kind(output: Path, kind: str | None) -> str:
    """The kind that was asked for, else that of the file's name; stdout gets SVG."""
    if kind is not None and kind not in KINDS:
        raise BadInput(f"--format {kind}: expected {', '.join(KINDS)}")
    return kind or ("svg" if str(output) == "-" else kind_of(output))


def print_plots() -> None:
    """A line for each name."""
    rows = [[f"{name} {plot.words}".rstrip(), plot.line] for name, plot in PLOTS.items()]
    print_table("", ("name", "what it shows"), rows, left=2)


def write_plot(chart: Chart, output: Path, kind: str) -> None:
    """Writes the chart, and says so; to stdout if the output is a dash."""
    content = as_bytes(chart, kind)
    if str(output) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    write_file(output, content)
    print_line(f"{output}: {' '.join(chart.title.text)}")


def _given(workspace: Workspace | None) -> Workspace:
    if workspace is None:
        raise BadInput("this chart needs a workspace: give -w FOLDER")
    return workspace


def _parse_class(words: tuple[str, ...]) -> tuple[int, int]:
    size, slash, number = words[0].partition("/")
    if len(words) > 1 or not slash or not (size + number).isdecimal():
        raise BadInput(f"not a class: {' '.join(words)!r} (give its size and number, such as 12/700)")
    return int(size), int(number)


def _parse_sizes(words: tuple[str, ...]) -> tuple[int, ...]:
    if words and (len(words) != 2 or not all(word.isdecimal() for word in words)):
        raise BadInput(f"not two sizes: {' '.join(words)!r} (give the first and the last, such as 15 20)")
    return tuple(map(int, words))


def _read_json(words: tuple[str, ...]) -> dict[str, object]:
    """What a file of JSON holds; that on stdin if the name is a dash."""
    (name, *more) = words
    if more:
        raise BadInput(f"give one file, not {len(words)}")
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        found = json.loads(text)
    except OSError as error:
        raise BadInput(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{name} is not JSON: {error}") from error
    return found if isinstance(found, dict) else {}

"""Charts of lists, classes, games and runs as Altair charts, for notebooks, web pages and files.

import setset

setset.charts.counts()                                 # a notebook shows the chart
    setset.charts.save(setset.charts.odds(), "odds.pdf")   # svg, png, pdf, html, json or csv

Charts need the extra `setset[plot]`. `setset plot` writes the same charts; docs/plot.md shows them.
"""

from setset.show.charts.hands import hands
from setset.show.charts.lattice import lattice, neighbours
from setset.show.charts.lists import cap, counts, odds, rounds, stabilizers
from setset.show.charts.rendering import as_bytes, read_rows, save
from setset.show.charts.statistics import statistics
from setset.show.charts.work import bytes, gantt, rates, speed, throughput  # noqa: A004 (bytes of files)

__all__ = [
    "as_bytes",
    "bytes",
    "cap",
    "counts",
    "gantt",
    "hands",
    "lattice",
    "neighbours",
    "odds",
    "rates",
    "read_rows",
    "rounds",
    "save",
    "speed",
    "stabilizers",
    "statistics",
    "throughput",
]

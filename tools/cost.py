"""What an exploration for target 12 costs on N cores: time, core-hours, disk and money.

    python tools/cost.py --size 12 --workspace setset-workspace --cores 2 40 400
    python tools/cost.py --size 12 --lists-per-second 150e6 --bytes-per-list 0.05 --price 0.04

The speed of a core is given, or read from the view `throughput` of a workspace. Every assumption is printed.
"""

from __future__ import annotations

import argparse
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from setset.workspace.counts import REFERENCE, REFERENCE_BY_TARGET

COUNTED = {10: 193_845_848_301, 11: 719_674_559_343}
"""By `setset run --size 12 --count-only`, which counts the sizes on its way too."""
KNOWN = {size: n for (target, size), n in REFERENCE_BY_TARGET.items() if target == 12} | COUNTED | REFERENCE
"""Lists kept for target 12, by size."""


@dataclass(frozen=True)
class Figures:
    """How fast a core is and how small a list."""

    lists_per_second: float
    bytes_per_list: float
    origin: str


def read(workspace: Path, work: str) -> Figures:
    """The figures of the largest size that a workspace has."""
    connection = sqlite3.connect(f"{(workspace / 'setset.db').absolute().as_uri()}?mode=ro", uri=True)
    try:
        speed = connection.execute(
            "SELECT size, SUM(lists) / SUM(seconds) FROM throughput WHERE target = 12 AND work = ? AND seconds > 0 "
            "GROUP BY size ORDER BY size DESC LIMIT 1",
            (work,),
        ).fetchone()
        small = connection.execute(
            "SELECT size, 1.0 * SUM(bytes) / SUM(lists) FROM files WHERE target = 12 GROUP BY size "
            "ORDER BY size DESC LIMIT 1"
        ).fetchone()
    finally:
        connection.close()
    if speed is None or small is None:
        raise SystemExit(f"{workspace} has no finished work of the kind '{work}' for target 12")
    origin = f"measured in {workspace}: speed at size {speed[0]}, bytes at size {small[0]}"
    return Figures(speed[1], small[1], origin)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=12, choices=range(4, 13), metavar="4..12")
    parser.add_argument("--work", choices=("store", "count"), default="store")
    parser.add_argument(
        "--stored", type=int, default=9, help="with --work count: the size that is stored already"
    )
    parser.add_argument("--cores", type=int, nargs="+", default=[2, 20, 200, 2000])
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--lists-per-second", type=float, help="of one core")
    parser.add_argument("--bytes-per-list", type=float, default=0.05)
    parser.add_argument("--efficiency", type=float, default=0.9, help="of a cluster, relative to cores alone")
    parser.add_argument("--price", type=float, help="of a core for an hour")
    given = parser.parse_args()
    if (given.workspace is None) == (given.lists_per_second is None):
        parser.error("give either --workspace or --lists-per-second")
    return given


def main() -> None:
    given = arguments()
    if given.workspace is not None:
        figures = read(given.workspace, given.work)
    else:
        figures = Figures(given.lists_per_second, given.bytes_per_list, "given on the command line")
    first = 4 if given.work == "store" else given.stored + 1
    total = sum(KNOWN[size] for size in range(first, given.size + 1))
    seconds = total / figures.lists_per_second / given.efficiency
    print(f"{given.work} sizes {first} to {given.size} for target 12: {total:,.0f} lists")
    print(f"core-hours: {seconds / 3600:,.1f}")
    if given.price is not None:
        print(f"price: {seconds / 3600 * given.price:,.2f} at {given.price} for a core for an hour")
    if given.work == "store":
        print(f"disk: {total * figures.bytes_per_list / 1e9:,.1f} GB")
    for cores in given.cores:
        hours = seconds / cores / 3600
        print(f"{cores:>6,} cores: " + (f"{hours:,.1f} h" if hours >= 1 else f"{hours * 60:,.1f} min"))
    print("\nAssumptions")
    print(
        f"- one core makes {figures.lists_per_second / 1e6:,.1f} M lists/s, whatever the size ({figures.origin})"
    )
    print(f"- a list takes {figures.bytes_per_list:.4f} bytes on disk, whatever the size")
    print(
        f"- N cores are N times as fast as one, times {given.efficiency} for the cluster (see docs/cluster.md)"
    )
    if given.work == "count":
        print("- counting makes a list of every size on the way, as storing does")


if __name__ == "__main__":
    main()

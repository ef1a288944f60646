#!/usr/bin/env python3
"""Compute the hands by their number of sets for setset/distribution/hands.json, which comes with the package.

`setset hands --recompute` computes the tables of up to 15 cards again. All sizes take five minutes and 3 GB.
"""

from __future__ import annotations

import json
from pathlib import Path

from setset.distribution.counts import LAST, STORED
from setset.distribution.levels import compute_hands


def main() -> None:
    lines = [json.dumps(each.counts) for each in compute_hands(LAST)]
    STORED.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{STORED.relative_to(Path.cwd())}: {STORED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

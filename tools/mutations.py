"""Alters batch files and databases by chance, and sees whether all of it is noticed.

tools/mutations --count 10000 --seed 1
tools/mutations --kind database --first 77 --count 1

Half of the files are databases unless --kind says otherwise. Ends with 1 if something crashed, hung, took more than
some 500 MB, or was silent: counts that are wrong without an error, while `check` finds nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.mutations import Subject, try_number

KINDS = ("batch", "database")


def main() -> int:
    options = _options()
    kinds = [kind for kind in KINDS if options.kind in (None, kind)]
    found: Counter[tuple[str, str, str]] = Counter()
    longest = 0.0
    with tempfile.TemporaryDirectory(prefix="setset-mutations-") as folder:
        subject = Subject(Path(folder) / "w")
        for number in range(options.first, options.first + options.count // len(kinds)):
            for kind in kinds:
                name, outcome, seconds = try_number(subject, kind, number, str(options.seed))
                longest = max(longest, seconds)
                found[kind, name, outcome.split(":")[0]] += 1
                if ":" in outcome:
                    again = f"--seed {options.seed} --kind {kind} --first {number} --count 1"
                    print(f"{kind}, {name}: {outcome}\n  again: tools/mutations {again}", file=sys.stderr)
    for (kind, name, outcome), times in sorted(found.items()):
        print(f"{kind:<10}{name:<16}{outcome:<24}{times:>8,}")
    print(f"{sum(found.values()):,} altered files, {longest:.1f} s for the slowest")
    return 1 if any(outcome in ("crash", "silent") for _, _, outcome in found) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--count", type=int, default=400, help="how many files [400]")
    parser.add_argument("--first", type=int, default=0, help="the number of the first file, to repeat one")
    parser.add_argument("--kind", choices=KINDS, help="only these files")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Alters batch files and databases at random, and tests whether setset notices every alteration.

tools/mutations --count 10000 --seed 1
tools/mutations --kind database --first 77 --count 1
tools/mutations --kind forged --count 2000 --seed 1

Without --kind, a third of the trials each alters batch files, databases, and rows (which vanish, double or change). The
kind `forged` has batch files with wrong content and right checksums, see tests/forged.py. A state file records finished
trials, so that a stopped tool resumes. The exit code is 1 if a trial crashed, hung, took more than some 500 MB, or was
silent: wrong counts without an error, although `check` finds nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sections import RELIABILITY, command_line, write_section
from state import Record, State

from tests.forged import Forger
from tests.mutations import Subject, try_number

KINDS = ("batch", "database", "rows")
FORGED = "forged"
PROGRESS_SECONDS = 30
"""Seconds between two lines about progress."""


def main() -> int:
    options = _options()
    kinds = [options.kind] if options.kind else list(KINDS)
    first = options.first or 0
    numbers = range(first, first + options.count // len(kinds))
    trials = [(kind, number) for number in numbers for kind in kinds]
    state = State.of("mutations", options.seed, options.state)
    # With --first trials are repeated, so finished trials are not skipped.
    finished = state.read() if options.first is None else []
    record_of = {(record["kind"], record["number"]): record for record in finished}
    records = [record_of[trial] for trial in trials if trial in record_of]
    try:
        _try_all([trial for trial in trials if trial not in record_of], options.seed, state, records)
    except KeyboardInterrupt:
        print(f"stopped: run the same command again to resume, by {state.path}", file=sys.stderr)
    outcomes = Counter((record["kind"], record["name"], _outcome(record)) for record in records)
    for (kind, name, outcome), times in sorted(outcomes.items()):
        print(f"{kind:<10}{name:<28}{outcome:<24}{times:>8,}")
    if options.write:
        name = "forged files" if options.kind == FORGED else "altered files"
        write_section(RELIABILITY, name, command_line(), totals(records))
    longest = max((record["seconds"] for record in records), default=0.0)
    print(f"{len(records):,} of {len(trials):,} altered files, {longest:.1f} s for the slowest")
    if any(outcome in ("crash", "silent") for _, _, outcome in outcomes):
        return 1
    return 0 if len(records) == len(trials) else 130


def totals(records: list[Record]) -> list[dict[str, str | int]]:
    """Counts the outcomes of each kind of trial, and of all trials."""
    outcomes = sorted({_outcome(record) for record in records} | {"crash", "silent"})
    kinds = sorted({record["kind"] for record in records})
    rows = [(kind, [record for record in records if record["kind"] == kind]) for kind in kinds]
    return [
        {
            "kind": kind,
            "trials": len(group),
            **{outcome: sum(_outcome(record) == outcome for record in group) for outcome in outcomes},
        }
        for kind, group in [*rows, ("all", records)]
    ]


def _outcome(record: Record) -> str:
    return str(record["outcome"]).partition(":")[0]


def _try_all(trials: list[tuple[str, int]], seed: int, state: State, records: list[Record]) -> None:
    start = printed_at = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="setset-mutations-") as folder:
        forged = any(kind == FORGED for kind, _ in trials)
        subject = Forger(Path(folder)) if forged else Subject(Path(folder) / "w")
        for index, (kind, number) in enumerate(trials):
            name, outcome, seconds = try_number(subject, kind, number, str(seed))
            record = {"kind": kind, "number": number, "name": name, "outcome": outcome}
            record["seconds"] = round(seconds, 2)
            records.append(record)
            state.add(record)
            if ":" in outcome:
                arguments = f"--seed {seed} --kind {kind} --first {number} --count 1"
                print(f"{kind}, {name}: {outcome}\n  again: tools/mutations {arguments}", file=sys.stderr)
            if (now := time.monotonic()) > printed_at + PROGRESS_SECONDS:
                printed_at = now
                minutes = (now - start) / (index + 1) * (len(trials) - index - 1) / 60
                print(f"{index + 1:,} of {len(trials):,}, {minutes:.0f} min left", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--count", type=int, default=400, help="number of files [400]")
    parser.add_argument("--first", type=int, help="number of the first file, to repeat a trial")
    parser.add_argument("--kind", choices=(*KINDS, FORGED), help="alter only files of this kind")
    parser.add_argument("--state", type=Path, help="file with finished trials [by seed, in the temp folder]")
    parser.add_argument("--write", action="store_true", help="write the totals into docs/reliability.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

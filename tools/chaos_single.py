"""Damages real runs of setset on purpose, at random moments, and compares what is left after recovery.

tools/chaos --single --rounds 200 --seed 1
tools/chaos --single --minutes 10 --json

Each round starts `setset run` in a new workspace, causes one fault, then runs the commands that the messages name
(`setset repair`, `setset run`; `setset db rebuild` for a lost database) and compares the result with an undisturbed
run. The exit code is 0 if setset lost nothing and noticed everything, otherwise 1.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sections import RELIABILITY, command_line, write_section

from tests.chaos.faults import ELSEWHERE, FAULTS
from tests.chaos.rounds import Reference, Sandbox, Verdict, make_reference, play

MOST_ROUNDS = 10_000
MOST_MINUTES = 24 * 60.0
HEADS = ("fault", "rounds", "harmless", "noticed", "recovered", "lost")


def main() -> int:
    options = _options()
    names = [name for name in FAULTS if options.fault in (None, name)]
    verdicts: list[Verdict] = []
    deadline = time.monotonic() + 60 * options.minutes
    stopped = False
    try:
        _play(options, names, verdicts, deadline)
    except KeyboardInterrupt:
        stopped = True
    if options.json:
        print(json.dumps({"seed": options.seed, "table": table(verdicts), "rounds": [*map(_plain, verdicts)]}))
    else:
        _print_table(table(verdicts))
    if options.write:
        write_section(RELIABILITY, "single faults", command_line("--single"), table(verdicts))
    if any(verdict.lost for verdict in verdicts):
        return 1
    return 130 if stopped else 0


def _play(options: argparse.Namespace, names: list[str], verdicts: list[Verdict], deadline: float) -> None:
    with tempfile.TemporaryDirectory(prefix="setset-chaos-", ignore_cleanup_errors=True) as folder:
        reference = make_reference(Path(folder) / "reference")
        for number in range(options.first, options.first + options.rounds):
            if time.monotonic() > deadline:
                break
            seed = f"{options.seed}/{number}"
            verdicts.append(_round(Path(folder) / str(number), names, number, seed, reference))
            _report(verdicts[-1], options)


def _round(folder: Path, names: list[str], number: int, seed: str, reference: Reference) -> Verdict:
    # Every fault occurs once per turn, in an order that depends on the seed.
    turn, index = divmod(number, len(names))
    name = Random(f"{seed.split('/')[0]}/order/{turn}").sample(names, len(names))[index]  # noqa: S311
    sandbox = Sandbox(folder, elsewhere=name in ELSEWHERE)
    sandbox.folder.mkdir()
    try:
        return play(name, FAULTS[name], sandbox, reference, seed)
    except AssertionError as error:
        outcomes = tuple(f"{command} -> {outcome.code}" for command, outcome in sandbox.commands)
        return Verdict(name, seed, False, False, False, (str(error),), outcomes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(verdicts: list[Verdict]) -> list[dict[str, str | int]]:
    """Counts the verdicts per fault, and for all faults."""
    by_fault: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_fault[verdict.fault].append(verdict)
    rows = [(name, by_fault[name]) for name in FAULTS if name in by_fault]
    return [
        {
            "fault": name,
            "rounds": len(group),
            "harmless": sum(verdict.harmless for verdict in group),
            "noticed": sum(verdict.noticed for verdict in group),
            "recovered": sum(verdict.recovered for verdict in group),
            "lost": sum(verdict.lost for verdict in group),
        }
        for name, group in [*rows, ("all", verdicts)]
    ]


def _print_table(rows: list[dict[str, str | int]]) -> None:
    print(f"{HEADS[0]:<22}" + "".join(f"{head:>11}" for head in HEADS[1:]))
    for row in rows:
        print(f"{row['fault']:<22}" + "".join(f"{row[head]:>11}" for head in HEADS[1:]))
    print("harmless: the run was complete, without any damage to notice")


def _report(verdict: Verdict, options: argparse.Namespace) -> None:
    if verdict.lost:
        _, number = verdict.seed.split("/")
        fault = f" --fault {options.fault!r}" if options.fault else ""
        print(f"LOST: {verdict.fault}: {'; '.join(verdict.problems)}", file=sys.stderr)
        print(f"  commands: {', '.join(verdict.commands)}", file=sys.stderr)
        print(
            f"  again: tools/chaos --single --seed {options.seed} --first {number} --rounds 1{fault}", file=sys.stderr
        )
    elif options.verbose:
        print(f"{verdict.seed} {verdict.fault}: {', '.join(verdict.commands)}", file=sys.stderr)


def _plain(verdict: Verdict) -> dict[str, object]:
    return dataclasses.asdict(verdict)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--rounds", type=int, help="number of rounds [28, or what --minutes allows]")
    parser.add_argument("--minutes", type=float, help="start no round after this many minutes")
    parser.add_argument("--first", type=int, default=0, help="number of the first round, to repeat a round")
    parser.add_argument("--fault", choices=FAULTS, help="only this fault")
    parser.add_argument("--write", action="store_true", help="write the table into docs/reliability.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--verbose", action="store_true", help="a line for each round on stderr")
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = MOST_ROUNDS if options.minutes else 2 * len(FAULTS)
    options.rounds = min(options.rounds, MOST_ROUNDS)
    options.minutes = min(options.minutes or MOST_MINUTES, MOST_MINUTES)
    return options


if __name__ == "__main__":
    sys.exit(main())

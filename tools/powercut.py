"""Simulates power cuts at the system calls of setset commands, in models of a disk, and tests the recovery.

tools/powercut --points 100 --seed 1
tools/powercut --all --command run --json

strace records the system calls of each command once. A point is a system call that changes the disk; 0 is the start.
For a power cut at a point, each model of a disk (see tests/chaos/disk_model.py) gives a state of the disk. `setset run`
must recover from this state, or `setset repair` if the command was a repair. Then the counts must equal the counts of
the undisturbed command, and `check --deep` must find nothing. The exit code is 0 if all states recover, otherwise 1.
With --all, a state file records finished commands, so that a stopped tool resumes.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sections import RELIABILITY, command_line, write_section
from state import State

from tests.chaos.disk_model import MODELS
from tests.chaos.powercut import SCENARIOS, Verdict, fast_folder, judge, make_recording, points_of
from tests.chaos.recording import MISSING, has_strace

HEADS = ("command", "model", "states", "run only", "repair", "lost")


def main() -> int:
    options = _options()
    if not has_strace():
        print(f"tools/powercut: {MISSING}", file=sys.stderr)
        return 1
    verdicts: list[Verdict] = []
    with fast_folder() as folder, contextlib.suppress(KeyboardInterrupt):
        _judge(options, folder, verdicts)
    rows = table(verdicts)
    if options.json:
        lost = [dataclasses.asdict(verdict) for verdict in verdicts if verdict.problems]
        print(json.dumps({"seed": options.seed, "table": rows, "lost": lost}))
    else:
        _print_table(rows)
    if options.write:
        write_section(RELIABILITY, "power cuts", command_line(), by_command(rows))
    return 1 if any(verdict.problems for verdict in verdicts) else 0


def _judge(options: argparse.Namespace, folder: Path, verdicts: list[Verdict]) -> None:
    names = [name for name in SCENARIOS if options.command in (None, name)]
    state = State.of("powercut", options.seed, options.state)
    judged = {record["command"]: record["verdicts"] for record in state.read()} if options.all else {}
    for name in names:
        if name in judged:
            verdicts += [_verdict(values) for values in judged[name]]
            continue
        recording = make_recording(name, folder)
        points = points_of(recording)
        print(f"{name}: {len(recording.calls)} calls, {len(points)} points", file=sys.stderr, flush=True)
        if options.point is not None:
            points = [options.point]
        elif not options.all:
            count = min(len(points), -(-options.points // len(names)))
            points = sorted(Random(f"{options.seed}/{name}").sample(points, count))  # noqa: S311
        verdicts_of_command = []
        for verdict in judge(recording, points, str(options.seed)):
            verdicts_of_command.append(verdict)
            verdicts.append(verdict)
            _report(verdict, options)
        if options.all:
            # Saves all verdicts of a command together, because another recording would have other calls.
            state.add({"command": name, "verdicts": [dataclasses.astuple(verdict) for verdict in verdicts_of_command]})


def _verdict(values: list[Any]) -> Verdict:
    command, model, point, after, needed, problems = values
    return Verdict(command, model, point, after, tuple(needed), tuple(problems))


def table(verdicts: list[Verdict]) -> list[dict[str, str | int]]:
    """Counts the results of each command in each model."""
    rows: list[dict[str, str | int]] = []
    for command in [*SCENARIOS, "all"]:
        for model in [*MODELS] if command != "all" else ["all"]:
            group = [
                verdict
                for verdict in verdicts
                if command in (verdict.command, "all") and model in (verdict.model, "all")
            ]
            if group:
                lost = sum(bool(verdict.problems) for verdict in group)
                repaired = sum(bool(verdict.needed) and not verdict.problems for verdict in group)
                values = (command, model, len(group), len(group) - lost - repaired, repaired, lost)
                rows.append(dict(zip(HEADS, values, strict=True)))
    return rows


def by_command(rows: list[dict[str, str | int]]) -> list[dict[str, str | int]]:
    """Counts the results of each command in all models together."""
    sums: dict[str, dict[str, str | int]] = {}
    for row in rows:
        added = sums.setdefault(str(row["command"]), {"command": row["command"], **dict.fromkeys(HEADS[2:], 0)})
        added.update({head: int(added[head]) + int(row[head]) for head in HEADS[2:]})
    return list(sums.values())


def _print_table(rows: list[dict[str, str | int]]) -> None:
    print(f"{HEADS[0]:<14}{HEADS[1]:<16}" + "".join(f"{head:>10}" for head in HEADS[2:]))
    for row in rows:
        print(f"{row['command']:<14}{row['model']:<16}" + "".join(f"{row[head]:>10}" for head in HEADS[2:]))
    print("lost: the result differs, or 'setset run' was not enough although it must be")


def _report(verdict: Verdict, options: argparse.Namespace) -> None:
    if verdict.problems:
        text = "; ".join((*verdict.problems, *verdict.needed))
        print(f"LOST: {verdict.command}, {verdict.model}, after {verdict.after}: {text}", file=sys.stderr)
        arguments = f"--seed {options.seed} --command '{verdict.command}' --point {verdict.point}"
        print(f"  again: tools/powercut {arguments}", file=sys.stderr)
    elif options.verbose:
        text = "; ".join(verdict.needed) or "run"
        print(f"{verdict.command}, {verdict.model}, {verdict.point}: {text}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--points", type=int, default=100, help="number of random points of all commands [100]")
    parser.add_argument("--all", action="store_true", help="every point")
    parser.add_argument("--command", choices=SCENARIOS, help="only this command")
    parser.add_argument("--point", type=int, help="only this point, to repeat one")
    parser.add_argument("--state", type=Path, help="file with finished commands [by seed, in the temp folder]")
    parser.add_argument("--write", action="store_true", help="write the totals into docs/reliability.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--verbose", action="store_true", help="a line for each state on stderr")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

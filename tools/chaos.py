"""Damages workspaces of setset by sequences of two to five faults, and compares what is left after recovery.

tools/chaos --rounds 200 --seed 1
tools/chaos --seed 1 --only 17
tools/chaos --single --rounds 200 --seed 1
tools/chaos --cluster --rounds 200 --seed 1

Each round explores a small target, causes faults one after the other, then runs the commands that the messages name
(`setset run`, `repair`, `db rebuild` ...) and compares the result with an undisturbed run. A state file records
finished rounds, so that a stopped tool resumes. The exit code is 0 if every round recovered, otherwise 1. With
--single, a round has one fault at a random moment of a real run; see `tools/chaos --single --help`. With --cluster, a
round has one to three faults during a run on a Dask cluster of this machine.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sections import RELIABILITY, command_line, write_section
from state import Record, State

MOST_ROUNDS = 100_000
ROUNDS = 30


def main() -> int:
    if "--single" in sys.argv:
        sys.argv.remove("--single")
        import chaos_single

        return chaos_single.main()
    from tests.chaos.sequences import End, table

    options = _options()
    records: list[Record] = [] if options.only is not None else _finished(options)
    stopped = False
    try:
        _play(options, records)
    except KeyboardInterrupt:
        stopped = True
    ends = ((tuple(record["steps"]), End(record["end"])) for record in records)
    rows = table(ends, sorted({step for record in records for step in record["steps"]}))
    if options.json:
        print(json.dumps({"seed": options.seed, "table": rows, "rounds": records}))
    else:
        _print_table(rows)
        counts = [record.get("answers", 0) for record in records]
        print(f"{sum(counts):,} answers to readers beside the rounds; {counts.count(0)} rounds without an answer")
    if options.write:
        totals = {name: value for name, value in rows[-1].items() if name != "step"}
        answers = sum(record.get("answers", 0) for record in records)
        row = totals if options.cluster else {**totals, "answers to readers": answers}
        write_section(RELIABILITY, "cluster" if options.cluster else "sequences", command_line(), [row])
    if any(record["end"] != End.RECOVERED for record in records):
        return 1
    return 130 if stopped else 0


def _play(options: argparse.Namespace, records: list[Record]) -> None:
    from tests.chaos.scene import Stage

    deadline = time.monotonic() + 60 * options.minutes
    played = {record["round"] for record in records}
    numbers = [options.only] if options.only is not None else range(options.rounds)
    with (
        tempfile.TemporaryDirectory(prefix="setset-chaos-", ignore_cleanup_errors=True) as folder,
        contextlib.ExitStack() as rounds,
    ):
        stage = Stage(Path(folder))
        draw, play = rounds.enter_context(_kind_of_rounds(options.cluster, Path(folder)))
        for number in numbers:
            if time.monotonic() > deadline:
                break
            if number in played:
                continue
            sequence = draw(f"{options.seed}/{number}")
            if options.steps:
                sequence = dataclasses.replace(sequence, steps=tuple(options.steps.split(", ")))
            verdict = play(sequence, stage)
            record = {
                "seed": options.seed,
                "round": number,
                "end": verdict.end.value,
                "steps": sequence.steps,
                "begun": sequence.begun,
                "plan": dataclasses.asdict(sequence.plan),
                "problems": verdict.problems,
                "commands": verdict.commands,
                "seconds": round(verdict.seconds, 2),
                "answers": verdict.answers,
            }
            records.append(record)
            _report(record, options)
            if options.only is None:
                State(options.state).add(record)


@contextlib.contextmanager
def _kind_of_rounds(cluster: bool, folder: Path) -> Iterator[tuple[Callable[..., Any], Callable[..., Any]]]:
    """Yields two functions for a kind of rounds: one draws a round from its seed, one plays it."""
    if cluster:
        from tests.chaos.cluster import draw, on_a_cluster

        with on_a_cluster(folder / "cluster") as play_there:
            yield draw, play_there
    else:
        from tests.chaos.sequences import Sequence, play

        yield Sequence.draw, play


def _finished(options: argparse.Namespace) -> list[Record]:
    """Reads the finished rounds of this seed from the state file."""
    of_seed = (record for record in State(options.state).read() if record["seed"] == options.seed)
    return list({record["round"]: record for record in of_seed if record["round"] < options.rounds}.values())


def _report(record: Record, options: argparse.Namespace) -> None:
    from tests.chaos.sequences import End

    bad = record["end"] != End.RECOVERED
    if bad or options.verbose or options.only is not None:
        print(f"{record['round']} {record['end'].upper()}: {', '.join(record['steps'])}", file=sys.stderr)
    if bad or options.only is not None:
        print(f"  begun: {record['begun']}, {record['plan']}", file=sys.stderr)
        for text in (*record["commands"], *record["problems"]):
            print(f"  {text}", file=sys.stderr)
        kind = "--cluster " if options.cluster else ""
        command = f"tools/chaos {kind}--seed {options.seed} --only {record['round']}"
        print(f"  again: {command}", file=sys.stderr, flush=True)


def _print_table(rows: list[dict[str, str | int]]) -> None:
    heads = list(rows[0])
    print(f"{heads[0]:<28}" + "".join(f"{head:>11}" for head in heads[1:]))
    for row in rows:
        print(f"{row['step']:<28}" + "".join(f"{row[head]:>11}" for head in heads[1:]))
    print("a round with several kinds of steps counts once for each kind")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--single", action="store_true", help="one fault per round, in a real run")
    parser.add_argument("--cluster", action="store_true", help="faults of a Dask cluster")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--rounds", type=int, help=f"number of rounds [{ROUNDS}, or what --minutes allows]")
    parser.add_argument("--minutes", type=float, help="start no round after this many minutes")
    parser.add_argument("--only", type=int, metavar="ROUND", help="play only this round, and print all of it")
    parser.add_argument("--steps", help="with --only: use these steps instead, such as 'a, b'")
    parser.add_argument("--state", type=Path, help="file with finished rounds [by seed, in the temp folder]")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/reliability.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--verbose", action="store_true", help="a line for each round on stderr")
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = MOST_ROUNDS if options.minutes else ROUNDS
    options.rounds = min(options.rounds, MOST_ROUNDS)
    options.minutes = options.minutes or 24 * 60.0
    options.state = State.of("chaos-cluster" if options.cluster else "chaos", options.seed, options.state).path
    return options


if __name__ == "__main__":
    sys.exit(main())

"""A round of several faults: a sequence drawn from a seed, the way back by what the messages name, the verdict."""

from __future__ import annotations

import enum
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from tests.chaos.commands import HANGS
from tests.chaos.processes import Outcome
from tests.chaos.reader import Answers, Known, reading
from tests.chaos.scene import NAMES_OF_WORKSPACE, Expected, Plan, Scene, Stage
from tests.chaos.steps import STEPS, draw

MOST_COMMANDS = 20
"""Maximum number of commands to recover, each named by a message. `run` and the `check` after it both count."""
NAMED = re.compile(r"'setset ((?:db )?[a-z]+(?: --deep)?|roots (?:move|forget) /[^']+|roots move --incomplete /[^']+)'")
OBEYED = ("repair", "repair --deep", "db rebuild", "db upgrade", "run")


class End(enum.StrEnum):
    """Outcomes of a round, worst first."""

    TRACEBACK = "traceback"
    LOST = "lost"
    """Lists or files are wrong, and nothing is reported; or something that is not ours was touched."""
    STUCK = "stuck"
    """Something is reported, and what the messages name does not mend it, or they name nothing."""
    ORPHANS = "orphans"
    """Processes were left over."""
    SILENT = "silent"
    """`check` found nothing wrong where `check --deep` did."""
    RECOVERED = "recovered"


@dataclass(frozen=True)
class Sequence:
    """A round before it is played."""

    seed: str
    plan: Plan
    begun: str
    """How far the exploration is when the first fault comes: fresh, partly, finished."""
    steps: tuple[str, ...]

    @staticmethod
    def draw(seed: str) -> Sequence:
        random = Random(seed)
        plan = Plan.draw(random)
        state = random.choice(["fresh", "partly", "finished", "finished", "finished"])
        steps = [draw(random) for _ in range(random.randint(2, 5))]
        if state == "fresh" and random.random() < 0.8:
            steps[0] = "kill run"  # there is nothing else to do harm to
        return Sequence(seed, plan, state, tuple(steps))


@dataclass(frozen=True)
class Verdict:
    """Outcome of a round."""

    sequence: Sequence
    end: End
    problems: tuple[str, ...]
    commands: tuple[str, ...]
    seconds: float
    answers: int = 0
    """Answers that the reader beside it got."""


def play(sequence: Sequence, stage: Stage) -> Verdict:
    """Plays a round: the faults, then whatever the messages say, then the comparison."""
    start = time.monotonic()
    expected = stage.expected(sequence.plan)
    scene = stage.set(sequence.plan, sequence.begun)
    known = Known(sequence.plan.target, expected.lists_by_size, expected.lists)
    with reading([scene.folder / name for name in NAMES_OF_WORKSPACE], known, stage.reader_log):
        for number, name in enumerate(sequence.steps):
            scene.commands.append((f"[{name}]", Outcome(0, "")))
            STEPS[name](scene, Random(f"{sequence.seed}/{number}/{name}"))
        scene.commands.append(("[recovery]", Outcome(0, "")))
        end, problems = judge(scene, expected)
    answers = Answers.read(stage.reader_log)
    for answer in answers.wrong:
        end, problems = End.LOST, [*problems, f"a reader beside it: {answer}"]
    return Verdict(sequence, end, tuple(problems), spoken(scene), time.monotonic() - start, answers.given)


def spoken(scene: Scene) -> tuple[str, ...]:
    """Steps of a scene, each with the last line of its output."""
    return tuple(
        command if command.startswith("[") else f"{command} -> {outcome.code}: {_last_line(outcome)}"
        for command, outcome in scene.commands
    )


def judge(scene: Scene, expected: Expected) -> tuple[End, list[str]]:
    """Recovers, and compares with what was expected. The worst that is true, and all of it in words."""
    results: list[tuple[End, str]] = [(End.LOST, problem) for problem in scene.problems]
    stuck, silent = recover(scene)
    results += [(End.STUCK, problem) for problem in stuck]
    results += [(End.SILENT, problem) for problem in silent]
    if not stuck:
        if scene.plan.compacted and scene.same_cuts:
            outcome = scene.do("compact")
            results += [(End.STUCK, outcome.output[-300:])] if outcome.code else []
        scene.same_cuts &= not (scene.plan.compacted and any(scene.plan.outputs))
        results += [(End.LOST, problem) for problem in expected.differences(scene)]
    for path in scene.strangers:
        if not path.exists() or path.read_bytes() != b"mine":
            results.append((End.LOST, f"{path} was touched"))
    results += [(End.ORPHANS, f"process {pid} was left over") for pid in scene.orphans]
    for command, outcome in scene.commands:
        if outcome.traceback or outcome.code in (HANGS, 99):
            results.append((End.TRACEBACK, f"{command}: {outcome.output[-1500:]}"))
    worst = min((end for end, _ in results), key=list(End).index, default=End.RECOVERED)
    return worst, [problem for _, problem in results]


def recover(scene: Scene) -> tuple[list[str], list[str]]:
    """Does what the messages say until nothing is found. What it is stuck at, and what only --deep found."""
    command = "run"
    tried: set[tuple[str, str]] = set()
    silent: list[str] = []
    for _ in range(MOST_COMMANDS):
        outcome = scene.do(command)
        well = outcome.code == 0 or (command.startswith("check") and _is_clean(scene, outcome))
        if well and command == "check --deep":
            missing = [path for path in scene.strangers if str(path) not in outcome.output]
            return [f"{path} is foreign and was not reported" for path in missing], silent
        if well:
            command = {"run": "check", "check": "check --deep"}.get(command, "run")
            continue
        if command == "check --deep":
            silent.append(f"only check --deep found: {outcome.output[-300:]}")
        named = [name for name in NAMED.findall(outcome.advice(scene.workspace)) if _can_be_obeyed(name)]
        message = _complaint(outcome)
        untried = [name for name in named if (message, name) not in tried]
        if not untried:
            return [f"{command} -> {outcome.code}, which names nothing more: {outcome.output[-400:]}"], silent
        tried.add((message, untried[0]))
        command = untried[0]
    return [f"still not sound after {MOST_COMMANDS} commands: {scene.commands[-1][1].output[-400:]}"], silent


def _can_be_obeyed(command: str) -> bool:
    """Whether it says all that it needs to: not to which folder a root was moved, if that is for a person to say."""
    return command in OBEYED or (command.startswith("roots ") and not command.endswith(" NEW"))


def _is_clean(scene: Scene, outcome: Outcome) -> bool:
    """Whether all that a check found are files that the faults themselves put there."""
    allowed = {str(path) for path in scene.strangers}
    for line in outcome.output.splitlines():
        kind, _, detail = line.removeprefix("warning: ").partition(": ")
        path = detail.rpartition(": ")[0]
        if line == "no problems found" or (line.startswith(("check ", "compare ")) and "lists" in line):
            continue
        if kind != "foreign" or not (path in allowed or path.rpartition("/")[2] in scene.damaged):
            return False
    return outcome.code == 1


def _complaint(outcome: Outcome) -> str:
    """Last line of a command if it is an error, otherwise its whole output."""
    last = outcome.output.strip().rpartition("\n")[2]
    return last if last.startswith("setset: ") else outcome.output


def _last_line(outcome: Outcome) -> str:
    lines = outcome.output.strip().splitlines()
    return lines[-1][:300] if lines else ""


def table(verdicts: Iterable[tuple[tuple[str, ...], End]], names: Iterable[str] = STEPS) -> list[dict[str, str | int]]:
    """For each step the rounds that it was part of, by how they ended; and all rounds."""
    rounds = list(verdicts)
    rows = [(name, [end for steps, end in rounds if name in steps]) for name in names]
    rows = [(name, ends) for name, ends in rows if ends] + [("all", [end for _, end in rounds])]
    return [
        {"step": name, "rounds": len(ends), **{end.value: ends.count(end) for end in reversed(End)}}
        for name, ends in rows
    ]

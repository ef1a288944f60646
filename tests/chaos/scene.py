"""Scene of a sequence of faults: plan, folders, and the result of an undisturbed run."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import setset
from setset.batches.records import SUFFIX
from setset.database.connection import DRIVER_ERRORS
from setset.errors import SetsetError
from tests.chaos.commands import Fate, perform, perform_in_fork
from tests.chaos.processes import Outcome, Process
from tests.chaos.rounds import COUNTS, rows

CUTS: tuple[tuple[int, tuple[int, ...]], ...] = (
    (18, (5_000, 300_000)),
    (18, (10_000, 100_000)),
    (18, (12_000, 90_000, 1_500_000)),
    (16, (13_000, 160_000, 1_500_000)),
    (16, (9_000, 90_000, 4_000_000)),
    (13, (5_000, 130_000)),
    (13, (60_000, 60_000)),
    (11, (9_000, 500_000)),
    (11, (20_000, 100_000)),
)
"""Targets, and for each size from 3 on the lists in a full file. Not target 12, whose counts have references."""
PRUNED_CUTS: tuple[tuple[int, tuple[int, ...]], ...] = ((20, (10_000, 20_000, 80_000)), (19, (9_000, 30_000)))
"""The same for explorations that are pruned."""
PRUNED_SHARE = 0.15
NAMES = f"[tp]??/s??/[0-9]*{SUFFIX}"
"""Paths of batch files below a storage root, pruned explorations included."""
NAMES_OF_WORKSPACE = ("w", "w2")
"""Names of the folder of the workspace: the second one after it was moved."""


@dataclass(frozen=True)
class Plan:
    """Plan of an exploration: target, and for each size from 3 on the lists per file and the folder."""

    target: int
    cuts: tuple[int, ...]
    outputs: tuple[str | None, ...]
    compacted: bool
    pruned: bool = False

    @property
    def size(self) -> int:
        return 2 + len(self.cuts)

    @staticmethod
    def draw(random: Random) -> Plan:
        pruned = random.random() < PRUNED_SHARE
        target, cuts = random.choice(PRUNED_CUTS if pruned else CUTS)
        inside: list[str | None] = [None] * len(cuts)
        outputs = random.choice(
            [inside, inside, inside, [*inside[1:], "out"], ["out"] * len(cuts), [*inside[2:], "out", "out2"]]
        )
        return Plan(target, cuts, tuple(outputs), random.random() < 0.5, pruned)


@dataclass
class Scene:
    """One round: its folders, what was done, and what the faults themselves put there."""

    folder: Path
    plan: Plan
    name: str = "w"
    strangers: list[Path] = field(default_factory=list)
    """Foreign files that must be reported and left alone."""
    damaged: set[str] = field(default_factory=set)
    """Names of files that a fault altered: if nothing needs them any more, they may be reported as foreign."""
    same_cuts: bool = True
    """Whether all commands were given the same --batch-lists, and nothing was compacted that is not to be."""
    commands: list[tuple[str, Outcome]] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    """Old and new names of moved storage roots."""
    problems: list[str] = field(default_factory=list)
    """Broken promises that a fault observed."""

    @property
    def workspace(self) -> Path:
        return self.folder / self.name

    @property
    def database(self) -> Path:
        return self.workspace / "setset.db"

    @property
    def older(self) -> Path:
        """A copy of the database that was made before the last size."""
        return self.folder / "older.db"

    @property
    def outputs(self) -> list[Path]:
        """The folders that runs were given."""
        names = sorted({name for name in self.plan.outputs if name})
        return [self.root_folder(name) for name in names if self.root_folder(name).is_dir()]

    def root_folder(self, output: str) -> Path:
        """Current folder of a storage root of the plan."""
        return self.folder / self.moved.get(output, output)

    @property
    def roots(self) -> list[Path]:
        return [self.workspace / "batches", *self.outputs]

    def files(self) -> list[Path]:
        paths = {path for root in self.roots for path in root.glob(NAMES)}
        return sorted(paths - set(self.strangers))

    def some_file(self, random: Random) -> Path | None:
        """One of the files that are there, of the largest size more often than not."""
        files = self.files()
        largest = [path for path in files if path.parent.name == f"s{self.plan.size:02d}"]
        return random.choice(largest if largest and random.random() < 0.6 else files) if files else None

    def arguments(self, command: str, size: int | None = None, cut: int | None = None) -> list[str]:
        """All that a command needs to be given."""
        plan, name = self.plan, command.split(" ")[0]
        arguments = [*command.split(" "), "--workspace", str(self.workspace)]
        size = size or plan.size
        output = plan.outputs[size - 3]
        if name == "run":
            arguments += ["--size", str(size), "--target", str(plan.target), "--workers", "2"]
            arguments += ["--batch-lists", str(cut or plan.cuts[size - 3])]
            arguments += ["--output", str(self.root_folder(output))] if output else []
            arguments += ["--prune"] * plan.pruned
        elif name == "check":
            arguments += ["--strict"]
        elif name == "compact":
            arguments += ["--size", str(size), "--target", str(plan.target)]
        elif name == "rm":
            arguments += ["--target", str(plan.target), "--yes"]
        elif command.startswith("roots forget"):
            arguments += ["--yes"]
        elif command == "db rebuild":
            arguments += [argument for folder in self.outputs for argument in ("--output", str(folder))]
        return arguments

    def do(self, command: str, fate: Fate | None = None, cut: int | None = None) -> Outcome:
        """Runs a command; `run` for each size, as long as it goes well. With a fate, in a fork."""
        outcome = Outcome(0, "")
        for size in range(3, self.plan.size + 1) if command == "run" else [None]:
            arguments = self.arguments(command, size, cut)
            if fate is None:
                outcome = perform(*arguments)
            else:
                outcome = perform_in_fork(self.folder / "fork.log", fate, *arguments)
            self.commands.append((command if size is None else f"{command} --size {size}", outcome))
            if outcome.code != 0:
                break
        return outcome

    def is_complete(self, size: int) -> bool:
        """Whether the database says so."""
        with contextlib.suppress(*DRIVER_ERRORS):
            return (size,) in rows(self.database, "SELECT size FROM complete_sizes")
        return False

    def start(self, command: str) -> Process:
        return Process(*self.arguments(command))

    def finish(self, command: str, process: Process) -> None:
        """The end of a real process, and whether anything of it is still alive then."""
        self.commands.append((command, process.end()))
        self.orphans += process.orphans()

    def forget_strangers(self, folder: Path) -> None:
        """Stops expecting foreign files that a fault itself removed or moved."""
        self.strangers = [path for path in self.strangers if not path.is_relative_to(folder)]


@dataclass(frozen=True)
class Expected:
    """Result of an undisturbed run, with copies from before the last size and from the end."""

    partly: Path
    finished: Path
    counts: list[tuple[object, ...]]
    lists: dict[int, str]
    files: dict[str, str]

    @property
    def lists_by_size(self) -> dict[int, int]:
        """How many lists each size has."""
        return {int(str(size)): int(str(lists)) for _, size, lists, *_ in self.counts}

    def differences(self, scene: Scene) -> list[str]:
        """How a workspace that reports no problems differs; empty if it does not."""
        try:
            if rows(scene.database, COUNTS) != self.counts:
                return [f"the counts differ: {rows(scene.database, COUNTS)}, expected {self.counts}"]
            digests = file_digests(scene)
            if digests == self.files:
                return []
            lists = list_digests(scene)
        except (*DRIVER_ERRORS, SetsetError, OSError) as error:
            return [f"cannot be read: {error}"]
        differences = [f"the lists of size {size} differ" for size in self.lists if lists[size] != self.lists[size]]
        if scene.same_cuts and not differences:
            names = sorted(name for name in digests | self.files if digests.get(name) != self.files.get(name))
            differences.append(f"{len(names)} files differ: {', '.join(names[:3])}")
        return differences


def file_digests(scene: Scene) -> dict[str, str]:
    """The digest of each recorded file, by its place below its storage root, whichever that is."""
    query = "SELECT r.path, b.path FROM batches b JOIN storage_roots r ON b.root_id = r.id"
    digests = {}
    for root, path in rows(scene.database, query):
        with contextlib.suppress(FileNotFoundError):
            data = (scene.workspace / str(root) / str(path)).read_bytes()
            digests[str(path)] = hashlib.sha256(data).hexdigest()
    return digests


def list_digests(scene: Scene) -> dict[int, str]:
    """A digest of all lists of each size, one after the other."""
    digests = {}
    with setset.open(scene.workspace) as workspace:
        exploration = workspace.exploration(scene.plan.target)
        for size in range(3, scene.plan.size + 1):
            digest = hashlib.blake2b()
            for array in exploration[size].arrays():
                digest.update(array.tobytes())
            digests[size] = digest.hexdigest()
    return digests


class Stage:
    """The one folder in which all rounds happen, one after the other, and what undisturbed runs left there.

    The tokens of storage roots name the folder of their workspace, so copies are used where they were made.
    """

    def __init__(self, folder: Path) -> None:
        self.round = folder / "round"
        self.reader_log = folder / "reader.log"
        self._kept = folder / "kept"
        self._known: dict[Plan, Expected] = {}

    def clear(self) -> None:
        shutil.rmtree(self.round, ignore_errors=True)

    def set(self, plan: Plan, state: str) -> Scene:
        """A scene that is `fresh`, or `partly` or `finished` explored."""
        expected = self.expected(plan)
        self.clear()
        self.round.mkdir(parents=True)
        if state != "fresh":
            source = expected.partly if state == "partly" else expected.finished
            shutil.copytree(source, self.round, dirs_exist_ok=True, symlinks=True)
            shutil.copy(expected.partly / "w/setset.db", self.round / "older.db")
        return Scene(self.round, plan)

    def expected(self, plan: Plan) -> Expected:
        if plan not in self._known:
            self._known[plan] = self._explore(plan)
        return self._known[plan]

    def _explore(self, plan: Plan) -> Expected:
        self.clear()
        scene = Scene(self.round, plan)
        self.round.mkdir(parents=True)
        folder = self._kept / str(len(self._known))
        for size in range(3, plan.size + 1):
            _require(perform(*scene.arguments("run", size)))
            if size == plan.size - 1:
                shutil.copytree(self.round, folder / "partly")
        if plan.compacted:
            _require(perform(*scene.arguments("compact")))
        _require(perform(*scene.arguments("check --deep")))
        shutil.copytree(self.round, folder / "finished")
        counts = rows(scene.database, COUNTS)
        return Expected(folder / "partly", folder / "finished", counts, list_digests(scene), file_digests(scene))


def _require(outcome: Outcome) -> None:
    if outcome.code != 0:
        raise SetsetError(f"an undisturbed command failed: {outcome.output}")

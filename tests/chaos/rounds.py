"""One round of chaos: a run in a fresh workspace, a fault, the way back, a comparison with a run never disturbed."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from setset import Workspace
from setset.batches.records import SUFFIX
from setset.errors import SetsetError
from setset.maintenance.findings import FindingKind
from tests.chaos.commands import perform
from tests.chaos.processes import Outcome, Process

TARGET, SIZE, BATCH_LISTS = 16, 5, 200_000
"""Some 10 million lists in about 50 files: a second of work."""
ARGUMENTS = ("--size", str(SIZE), "--target", str(TARGET), "--batch-lists", str(BATCH_LISTS), "--yes")
BATCHES = "SELECT target, size, number, lists, first_list, last_list, path, bytes, digest, defect FROM files"
REBUILD = "run 'setset db rebuild'"
COUNTS = "SELECT target, size, lists, complete, origin FROM counts"


@dataclass
class Sandbox:
    """Folders of a round: a workspace, and optionally a storage root elsewhere."""

    folder: Path
    elsewhere: bool = False
    workers: int = 2
    """Processes of a run; each takes a second of processor time to start."""
    strangers: list[Path] = field(default_factory=list)
    """Foreign files that must be reported and left alone."""
    commands: list[tuple[str, Outcome]] = field(default_factory=list)
    """All commands of the round."""
    orphans: list[int] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        return self.folder / "w"

    @property
    def root(self) -> Path:
        return self.folder / "out" if self.elsewhere else self.workspace / "batches"

    @property
    def database(self) -> Path:
        return self.workspace / "setset.db"

    def arguments(self) -> tuple[str, ...]:
        output = ("--output", str(self.root)) if self.elsewhere else ()
        return (*ARGUMENTS, "--workers", str(self.workers), "--workspace", str(self.workspace), *output)

    def start(self, **options: Any) -> Process:
        return Process("run", *self.arguments(), **options)

    def finish(self, process: Process) -> Outcome:
        """The end of a run, and whether anything of it is still alive then."""
        was_finished = process.outcome is not None
        outcome = process.end()
        if not was_finished:
            self.commands.append(("run", outcome))
            self.orphans += process.orphans()
        return outcome

    def run(self) -> Outcome:
        return self.finish(self.start())

    def go_on(self) -> Outcome:
        """A run that nothing happens to, with threads of this process as its workers."""
        return self._perform("run", *self.arguments())

    def command(self, *arguments: str) -> Outcome:
        """A command that nothing happens to, within this process."""
        return self._perform(*arguments, "--workspace", str(self.workspace))

    def _perform(self, *arguments: str) -> Outcome:
        outcome = perform(*arguments)
        self.commands.append((" ".join(arguments), outcome))
        return outcome

    def files(self) -> list[Path]:
        return sorted(self.root.glob(f"[tp]??/s??/[0-9]*{SUFFIX}"))


Fault = Callable[[Sandbox, Process, Random], None]
"""Disturbs a run that was just started. Returns when no more is to come; the run may still be under way."""


@dataclass(frozen=True)
class Reference:
    """Result of an undisturbed run."""

    digests: dict[str, str]
    batches: list[tuple[object, ...]]
    counts: list[tuple[object, ...]]

    def differences(self, sandbox: Sandbox) -> list[str]:
        """How a workspace differs from this, in files and records; empty if it does not."""
        differences = []
        try:
            if rows(sandbox.database, BATCHES) != self.batches:
                differences.append("the batches in the database differ")
            if rows(sandbox.database, COUNTS) != self.counts:
                differences.append("the counts differ")
        except sqlite3.DatabaseError as error:
            differences.append(f"the database cannot be read: {error}")
        strangers = {path.relative_to(sandbox.root).as_posix() for path in sandbox.strangers}
        files = {name: digest for name, digest in digests(sandbox.root).items() if name not in strangers}
        if files != self.digests:
            names = sorted(name for name in files | self.digests if files.get(name) != self.digests.get(name))
            differences.append(f"{len(names)} files differ: {', '.join(names[:3])}")
        return differences


def digests(root: Path) -> dict[str, str]:
    """Every file below a storage root but its token, hidden ones too."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "setset-root.json"
    }


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a query, read without any code of setset."""
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def make_reference(folder: Path) -> Reference:
    sandbox = Sandbox(folder)
    outcome = sandbox.go_on()
    checked = sandbox.command("check", "--deep")
    if outcome.code != 0 or checked.code != 0:
        raise SetsetError(f"a run that nobody disturbed failed: {outcome.output} {checked.output}")
    return Reference(digests(sandbox.root), rows(sandbox.database, BATCHES), rows(sandbox.database, COUNTS))


@dataclass(frozen=True)
class Verdict:
    """Outcome of a round."""

    fault: str
    seed: str
    harmless: bool
    """The fault left nothing to notice: the run ended well and there are no problems."""
    noticed: bool
    recovered: bool
    problems: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def lost(self) -> bool:
        return bool(self.problems)


def play(name: str, fault: Fault, sandbox: Sandbox, reference: Reference, seed: str) -> Verdict:
    """Plays one round; what it takes to recover is what the messages say."""
    process = sandbox.start()
    fault(sandbox, process, Random(seed))
    sandbox.finish(process)
    first = sandbox.commands[-1][1]
    harmless = not (sandbox.strangers or _complains(first) or _wrong(sandbox, reference))
    problems = [] if harmless else [*_recover(sandbox, first), *_wrong(sandbox, reference)]
    noticed = not harmless and any(_complains(outcome) for _, outcome in sandbox.commands)
    if not (harmless or noticed):
        problems.append("nothing was noticed")
    problems += [f"{path} was touched" for path in sandbox.strangers if path.read_bytes() != b"mine"]
    problems += [f"process {pid} was left over" for pid in sandbox.orphans]
    problems += [f"{command}: a traceback" for command, outcome in sandbox.commands if outcome.traceback]
    commands = tuple(f"{command} -> {outcome.code}" for command, outcome in sandbox.commands)
    return Verdict(name, seed, harmless, noticed, not problems, tuple(problems), commands)


def _complains(outcome: Outcome) -> bool:
    """Whether a command says that something is, or was, not as it should be: every notice starts so."""
    notices = ("setset: ", "warning: ")
    return outcome.code != 0 or any(line.startswith(notices) for line in outcome.output.splitlines())


def _recover(sandbox: Sandbox, first: Outcome) -> Iterator[str]:
    """Does what the messages say: run again, repair what check finds, rebuild a database that is lost."""
    last = sandbox.run() if first.code != 0 and not _names_rebuild(sandbox, first) else first
    if last.code == 0:
        last = sandbox.command("check")
        if last.code != 0 and not _names_rebuild(sandbox, last):
            last = sandbox.command("repair")
    if _names_rebuild(sandbox, last):
        yield from _rebuild(sandbox)
    elif last.code != 0:
        yield f"{sandbox.commands[-1][0]} failed ({last.code}): {last.output[-300:]}"


def _names_rebuild(sandbox: Sandbox, outcome: Outcome) -> bool:
    return REBUILD in outcome.advice(sandbox.workspace)


def _rebuild(sandbox: Sandbox) -> Iterator[str]:
    output = ("--output", str(sandbox.root)) if sandbox.elsewhere else ()
    rebuilt = sandbox.command("db", "rebuild", *output)
    if rebuilt.code != 0:
        yield f"db rebuild failed: {rebuilt.output[-300:]}"
    last = sandbox.run()
    if last.code != 0:
        yield f"the run after db rebuild failed ({last.code}): {last.output[-300:]}"


def _wrong(sandbox: Sandbox, reference: Reference) -> list[str]:
    """Differences from an undisturbed run."""
    try:
        return reference.differences(sandbox) or list(_findings(sandbox))
    except SetsetError as error:
        return [str(error)]


def _findings(sandbox: Sandbox) -> Iterator[str]:
    """Findings of `check`, except the foreign files that it must find.

    Files and records equal the reference, where `--deep` has been checked.
    """
    expected = {str(path) for path in sandbox.strangers}
    with Workspace(sandbox.workspace) as workspace:
        for finding in workspace.check():
            if finding.kind is FindingKind.FOREIGN and finding.where in expected:
                expected.discard(finding.where)
            else:
                yield f"check: {finding.kind}: {finding.where}: {finding.what}"
    for path in sorted(expected):
        yield f"{path} is foreign and was not reported"

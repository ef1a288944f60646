"""Power cuts at any point of a command: records it once, then judges the states that a cut may leave."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import setset
from setset.errors import SetsetError
from setset.folder import WorkspaceFolder
from tests import small
from tests.chaos.disk_model import MODELS, Disk, Tree, read_tree, write_tree
from tests.chaos.recording import Call, record

TARGET, SIZE, BATCH_LISTS = 18, 4, 100_000
OLD = Path(__file__).resolve().parents[1] / "database" / "assets" / "0001.db"
COUNTS = "SELECT target, size, lists, complete FROM counts ORDER BY target, size"
EXPECTED = re.compile(r"setset\.lock|setset\.db(\.(lost|before-\d+)(-\d+)?)?(-journal)?|batches|batches/.*")
"""Names allowed in a workspace after recovery."""


@contextlib.contextmanager
def fast_folder() -> Iterator[Path]:
    """A folder in memory, where there is one: what is synced is a matter of the model."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="setset-powercut-", dir=base, ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "current"


def nothing(_place: Path) -> None:
    """There is no workspace yet."""


def finished(folder: Path) -> None:
    """A finished run."""
    small.build(folder / "w", SIZE, target=TARGET, batch_lists=BATCH_LISTS)


def damaged(folder: Path) -> None:
    """One file is altered, another one gone."""
    finished(folder)
    first, second = sorted((folder / "w/batches/t18/s04").iterdir())[1:3]
    small.flip(first)
    second.unlink()


def with_small_files(folder: Path) -> None:
    """Files that can be merged."""
    small.build(folder / "w", 3, target=TARGET, batch_lists=10_000)
    small.build(folder / "w", SIZE, target=TARGET, batch_lists=400_000)


def with_moved_root(folder: Path) -> None:
    """The files were elsewhere, and are in another folder now."""
    small.build(folder / "w", SIZE, target=TARGET, batch_lists=BATCH_LISTS, output=folder / "old")
    (folder / "old").rename(folder / "new")


def move_root(folder: Path) -> None:
    setset.open(folder / "w", mode="a").move_root(folder / "old", folder / "new")


def remove_size(folder: Path) -> None:
    setset.open(folder / "w", mode="a").exploration(TARGET).remove(SIZE)


def of_old_schema(folder: Path) -> None:
    """The database of an earlier version, and its files."""
    (folder / "w").mkdir()
    shutil.copy(OLD, folder / "w/setset.db")
    small.repair_all(WorkspaceFolder(folder / "w"))
    database = folder / "w/setset.db"
    batches = _read(database, "SELECT bytes, digest, path FROM batches")
    for path in (folder / "w").glob("setset.db*"):
        path.unlink()
    shutil.copy(OLD, database)
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        # The files are of today's format.
        connection.executemany("UPDATE batches SET bytes = ?, digest = ? WHERE path = ?", batches)


@dataclass(frozen=True)
class Scenario:
    """A command, what it starts from, and whether `run` alone must recover from a cut."""

    prepare: Callable[[Path], None]
    arguments: tuple[str, ...]
    run_is_enough: bool = True
    output: str | None = None
    again: Callable[[Path], None] | None = None
    """Recovery from a cut; by default a run."""


_ASKED = {"target": TARGET, "size": SIZE, "batch-lists": BATCH_LISTS, "workers": 2}
_IN_THREADS = ("--executor", "concurrent.futures:ThreadPoolExecutor", "-q")
RUN = ("run", *(f"--{option}={value}" for option, value in _ASKED.items()), *_IN_THREADS)
SCENARIOS = {
    "run": Scenario(nothing, RUN),
    "run --output": Scenario(nothing, (*RUN, "--output", "{folder}/new/out"), output="new/out"),
    "repair": Scenario(damaged, ("repair", "-q"), run_is_enough=False),
    "compact": Scenario(with_small_files, ("compact", "--target", str(TARGET), "--size", str(SIZE), "-q")),
    "rm": Scenario(finished, ("rm", f"--target={TARGET}", f"--size={SIZE}", "--yes", "-q"), again=remove_size),
    "roots move": Scenario(with_moved_root, ("roots", "move", "{folder}/old", "{folder}/new", "-q"), again=move_root),
    "db rebuild": Scenario(finished, ("db", "rebuild", "-q")),
    "db upgrade": Scenario(of_old_schema, ("db", "upgrade")),
    "db backup": Scenario(finished, ("db", "backup", "{folder}/copy.db")),
}


@dataclass(frozen=True)
class Recording:
    """A command that was recorded: the tree before it, its calls, the counts after it."""

    name: str
    folder: Path
    before: Tree
    calls: Sequence[Call]
    counts: list[tuple[object, ...]]
    copy: list[tuple[object, ...]] | None

    @property
    def scenario(self) -> Scenario:
        return SCENARIOS[self.name]


@dataclass(frozen=True)
class Verdict:
    """Commands that a state needed to equal the undisturbed result, and the remaining differences."""

    command: str
    model: str
    point: int
    after: str
    needed: tuple[str, ...]
    problems: tuple[str, ...]


def make_recording(name: str, folder: Path) -> Recording:
    """Prepares a folder, runs the command there under strace, and compares the model with what it left."""
    scenario = SCENARIOS[name]
    _clear(folder)
    scenario.prepare(folder)
    before = read_tree(folder)
    arguments = [part.format(folder=folder) for part in scenario.arguments]
    calls = record(folder, *arguments, "--workspace", str(folder / "w"))
    disk = Disk(before)
    for call in calls:
        disk.apply(call)
    differences = [path for path, _ in set(disk.kept().items()) ^ set(read_tree(folder).items())]
    if differences:
        raise AssertionError(f"the model differs from what {name} left: {sorted(set(differences))[:5]}")
    copy = folder / "copy.db"
    copy_counts = _read(copy, COUNTS) if copy.exists() else None
    return Recording(name, folder, before, calls, _read(folder / "w/setset.db", COUNTS), copy_counts)


def points_of(recording: Recording) -> list[int]:
    """After how many calls a power cut differs from one before; 0 is before the first."""
    disk = Disk(recording.before)
    return [0, *(number for number, call in enumerate(recording.calls, 1) if disk.apply(call))]


def judge(recording: Recording, points: Sequence[int], seed: str, models: int = len(MODELS)) -> Iterator[Verdict]:
    """Recovers from the states that a cut at each point may leave, in `models` models. Judges equal states once."""
    disk, selected, results = Disk(recording.before), set(points), dict[str, tuple[list[str], list[str]]]()
    end = points_of(recording)[-1]
    for number in range(len(recording.calls) + 1):
        if number:
            disk.apply(recording.calls[number - 1])
        if number not in selected:
            continue
        for model in Random(f"{seed}/{recording.name}/{number}").sample(sorted(MODELS), models):
            tree = MODELS[model](disk, Random(f"{seed}/{recording.name}/{number}/{model}"))
            key = _digest(tree) + str(number == end)
            if key not in results:
                results[key] = _recover(recording, tree, number == end)
            needed, problems = results[key]
            after = str(recording.calls[number - 1]) if number else "the start"
            yield Verdict(recording.name, model, number, after, tuple(needed), tuple(problems))


def _recover(recording: Recording, tree: Tree, is_end: bool) -> tuple[list[str], list[str]]:
    folder, scenario = recording.folder, recording.scenario
    _clear(folder)
    write_tree(tree, folder)
    needed: list[str] = []
    problems = list(_not_kept(recording)) if is_end else []
    try:
        _run(recording)
        findings = [str(finding) for finding in _check(folder)]
        if findings:
            needed.append(f"repair: {findings[0]}")
            small.repair_all(_folder(folder))
            _run(recording)
    except SetsetError as error:
        needed.append(f"what its message names: {error}")
        problems += _do_what_it_says(recording, str(error))
    except Exception as error:
        return needed, [f"{type(error).__name__}: {error}"]
    if needed and scenario.run_is_enough:
        problems.append("run alone was not enough")
    problems += _differences(recording)
    return needed, problems


def _do_what_it_says(recording: Recording, message: str) -> Iterator[str]:
    folder = recording.folder
    outputs = [folder / recording.scenario.output] if recording.scenario.output else []
    try:
        if "setset db rebuild" in message:
            small.rebuild(_folder(folder), *outputs)
        elif "setset repair" in message:
            small.repair_all(_folder(folder))
        _run(recording)
    except Exception as error:
        yield f"cannot be recovered: {error}"


def _run(recording: Recording) -> None:
    output = recording.scenario.output
    if recording.scenario.again is not None:
        recording.scenario.again(recording.folder)
        return
    setset.open(recording.folder / "w", mode="a").exploration(TARGET).run(
        SIZE,
        batch_lists=BATCH_LISTS,
        workers=2,
        output=recording.folder / output if output else None,
        executor=ThreadPoolExecutor,
    )


def _check(folder: Path) -> list[object]:
    return [*small.findings(_folder(folder), deep=True)]


def _differences(recording: Recording) -> Iterator[str]:
    """Differences from the result of the undisturbed command."""
    folder = recording.folder
    try:
        if (counts := _read(folder / "w/setset.db", COUNTS)) != recording.counts:
            yield f"counts {counts} instead of {recording.counts}"
        yield from (f"check: {finding}" for finding in _check(folder))
    except (SetsetError, sqlite3.Error, OSError) as error:
        yield str(error)
    for path in read_tree(folder / "w"):
        if not EXPECTED.fullmatch(path) or path.endswith(".tmp"):
            yield f"left over: {path}"
    copy = folder / "copy.db"
    if copy.exists() and recording.copy is not None:
        try:
            if _read(copy, COUNTS) != recording.copy:
                yield "the copy of the database has other counts"
        except sqlite3.Error as error:
            yield f"the copy of the database: {error}"


def _not_kept(recording: Recording) -> Iterator[str]:
    """Results missing on the disk after a command ended with success."""
    try:
        if _read(recording.folder / "w/setset.db", COUNTS) != recording.counts:
            yield "the command had ended, but its counts are not on the disk"
    except sqlite3.Error as error:
        yield f"the command had ended, but: {error}"
    if recording.copy is not None and not (recording.folder / "copy.db").exists():
        yield "the command had ended, but the copy is not on the disk"


def _folder(folder: Path) -> WorkspaceFolder:
    return WorkspaceFolder(folder / "w")


def _read(database: Path, query: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=rw", uri=True)) as connection:
        return connection.execute(query).fetchall()


def _clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


def _digest(tree: Tree) -> str:
    digest = hashlib.blake2b()
    for path, data in sorted(tree.items()):
        digest.update(f"{path}\0{'folder' if data is None else len(data)}\0".encode())
        digest.update(data or b"")
    return digest.hexdigest()

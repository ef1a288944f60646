"""Steps of a sequence of faults: other builds, other copies, other databases and other processes at one workspace.

Each takes its decisions from the random numbers that it is given, so that a round can be played again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from setset.batches import format as batch_format
from setset.batches.ownership import TOKEN
from setset.database.connection import DRIVER_ERRORS
from setset.database.models import HEAD
from setset.folder import UNFINISHED
from tests.chaos import damage, shims
from tests.chaos.commands import Fate, die_at, end_of_fork, start_in_fork
from tests.chaos.processes import CHECKOUT, Outcome
from tests.chaos.rounds import rows
from tests.chaos.scene import Scene
from tests.mutations import seal, vanish

OLDER = "c195b16"
"""A commit whose schema is one revision older."""
LATER = "0999"
"""Revision of a schema that no setset has yet."""
PATIENCE = 120
HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


def is_sound(database: Path) -> bool:
    """Whether a database is of the present schema and SQLite finds nothing wrong in it."""
    if not database.exists():
        return False
    with contextlib.suppress(*DRIVER_ERRORS):
        revision = rows(database, "SELECT version_num FROM alembic_version")
        return revision == [(HEAD,)] and rows(database, "PRAGMA quick_check") == [("ok",)]
    return False


def contents(scene: Scene) -> dict[Path, bytes]:
    """Every file of a scene but its locks, logs, journals without content, and what a killed rebuild left."""
    paths = (path for path in scene.folder.rglob("*") if path.is_file() and path.suffix not in (".lock", ".log"))
    paths = (path for path in paths if path.name not in UNFINISHED)
    files = {path: path.read_bytes() for path in paths}
    return {path: data for path, data in files.items() if data or not path.name.endswith("-journal")}


@contextlib.contextmanager
def untouched(scene: Scene, actor: str) -> Iterator[None]:
    """Nothing of the scene may change in the block."""
    before = contents(scene)
    yield
    after = contents(scene)
    changed = sorted(str(path) for path in before | after if before.get(path) != after.get(path))
    if changed:
        scene.problems.append(f"{actor} changed {len(changed)} files: {changed[0]}")


def newer_files(scene: Scene, random: Random) -> None:
    """Some files have the format of a later setset: no command may replace or remove them. Then they are as before."""
    before: dict[Path, bytes] = {}
    for _ in range(random.randint(1, 3)):
        path = scene.some_file(random)
        if path is not None and path.stat().st_size > batch_format.HEAD_BYTES:
            before.setdefault(path, path.read_bytes())
            newer = bytearray(before[path])
            newer[8:10] = (batch_format.VERSION + 1).to_bytes(2, "little")
            seal(newer, random)
            path.write_bytes(newer)
    after = {path: path.read_bytes() for path in before}
    for command in random.sample(["run", "repair", "check --deep", "db rebuild"], 2):
        scene.do(command)
    for path, data in after.items():
        if before[path].startswith(batch_format.MAGIC) and (not path.exists() or path.read_bytes() != data):
            scene.problems.append(f"{path} is of a newer setset and was replaced or removed")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before[path])


def newer_schema(scene: Scene, random: Random) -> None:
    """The database has the schema of a later setset: every command refuses it and changes nothing."""
    if not is_sound(scene.database):
        return
    _set_revision(scene.database, LATER)
    for command in random.sample(["run", "repair", "compact", "check", "db rebuild", "rm --size 3"], 2):
        with untouched(scene, f"{command} of an older setset"):
            if scene.do(command).code == 0:
                scene.problems.append(f"{command} accepts a newer schema")
    _set_revision(scene.database, HEAD)


def _set_revision(database: Path, revision: str) -> None:
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


@cache
def older_build() -> Path | None:
    """A checkout of an older commit in the temporary folder; None without git or that commit."""
    folder = Path(tempfile.gettempdir()) / f"setset-chaos-{OLDER}-{os.getuid()}"
    if not (folder / "setset").is_dir():
        archive = folder.with_suffix(".tar")
        words = ["git", "-C", str(CHECKOUT), "archive", "-o", str(archive), OLDER, "setset", "migrations"]
        try:
            subprocess.run(words, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        shutil.unpack_archive(archive, folder, filter="data")
        archive.unlink()
    return folder


def _perform_older(build: Path, scene: Scene, command: str, size: int | None = None, seconds: float = PATIENCE) -> int:
    """Exit code of a command of the older build, which is killed after some time."""
    words = [sys.executable, "-m", "setset", *scene.arguments(command, size)]
    environment = {**os.environ, "PYTHONPATH": str(build)}
    with subprocess.Popen(
        words, cwd=build, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=seconds)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    scene.commands.append((f"(older build) {command}", Outcome(process.returncode, "")))
    return process.returncode


def older_build_after(scene: Scene, random: Random) -> None:
    """An older build on a workspace of this one refuses its schema and changes nothing."""
    build = older_build()
    if build is not None and is_sound(scene.database):
        command = random.choice(["run", "repair", "compact"])
        with untouched(scene, f"{command} of an older build"):
            if _perform_older(build, scene, command) == 0:
                scene.problems.append(f"{command} of an older build accepts the schema")


def older_build_before(scene: Scene, random: Random) -> None:
    """An older build begins the exploration anew and is killed, perhaps; this build goes on there."""
    build = older_build()
    if build is None:
        return
    for folder in (scene.workspace, scene.older, *scene.outputs):
        scene.forget_strangers(folder)
        shutil.rmtree(folder, ignore_errors=True)
    scene.older.unlink(missing_ok=True)
    scene.same_cuts = True
    for size in range(3, random.randint(3, scene.plan.size) + 1):
        seconds = random.uniform(1, 8) if random.random() < 0.3 else PATIENCE
        if _perform_older(build, scene, "run", size, seconds) != 0:
            break


def moved_original(scene: Scene, random: Random) -> None:
    """A copy is worked on, its original is moved, the copy is worked on again. Nothing of the original may change."""
    copy = damage.copy_of(scene)
    if copy is None:
        return
    copy.do("run")
    if damage.is_noted(copy):
        damage.copy_takes_over(scene, random)
        if random.random() < 0.5:
            scene.do("run")
        before = {path: path.read_bytes() for path in scene.files()}
        for command in random.sample(["run", "repair", "compact", "db rebuild", "rm --size 3", "rm --size 4"], 2):
            copy.do(command)
        damage.require_same_files(scene, before, "the copy of a moved original")
    scene.commands += [(f"(copy) {command}", outcome) for command, outcome in copy.commands]
    shutil.rmtree(copy.workspace)


def long_lock(scene: Scene, random: Random) -> None:
    """Another process holds the database under an EXCLUSIVE lock while a command runs."""
    if not is_sound(scene.database):
        return
    words = [sys.executable, "-S", "-c", HOLD, str(scene.database), str(random.uniform(1, 8))]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        scene.do(random.choice(["run", "repair", "check", "db rebuild"]))
        holder.kill()


def no_locks(scene: Scene, random: Random) -> None:
    """A file system without locks: a command that writes refuses it and changes nothing."""
    if not is_sound(scene.database):
        return
    command = random.choice(["run", "repair", "compact", "db rebuild", "rm --size 3"])
    with untouched(scene, f"{command} without locks"):
        outcome = scene.do(command, shims.failing_locks)
        if outcome.code == 0 and "nothing to remove" not in outcome.output:  # then `rm` needs no lock
            scene.problems.append(f"{command} works without locks")


def lying_locks(scene: Scene, random: Random) -> None:
    """Two runs at once on a file system whose locks always succeed; one of them is killed, perhaps."""
    fates: list[Fate] = [shims.lying_locks] * 2
    if random.random() < 0.4:
        fates[0] = _both(shims.lying_locks, die_at(random.randrange(50, 600)))
    # One run makes all sizes that are missing, with the --batch-lists of the largest.
    scene.same_cuts &= scene.is_complete(scene.plan.size - 1)
    logs = [scene.folder / f"fork{number}.log" for number in range(2)]
    pids = []
    for log, fate in zip(logs, fates, strict=True):
        pids.append(start_in_fork(log, fate, *scene.arguments("run")))
        time.sleep(random.random())
    for log, pid in zip(logs, pids, strict=True):
        scene.commands.append(("run beside a run", end_of_fork(pid, log)))


def _both(*fates: Fate) -> Fate:
    def fate() -> None:
        for call in fates:
            call()

    return fate


def slow_disk(scene: Scene, random: Random) -> None:
    """Every fsync is slow, and the command is killed, perhaps."""
    slow = shims.slow_fsync(random)
    command = random.choice(["run", "repair", "db rebuild"])
    scene.do(command, _both(slow, die_at(random.randrange(20, 900))) if random.random() < 0.6 else slow)


def clock_jumps(scene: Scene, random: Random) -> None:
    """The clock of one worker jumps in a run. Then every command that shows times must work."""
    for _ in range(random.randint(0, 2)):
        damage.delete(scene, random)
    scene.do("repair" if scene.is_complete(scene.plan.size) else "run", shims.jumping_clock(random))
    if is_sound(scene.database):
        for command in ("status", "history"):
            scene.do(command)


def ignored_case(scene: Scene, random: Random) -> None:
    """A run gets its --output in capitals on a disk that ignores case: that is one storage root, not two."""
    name = random.choice([*filter(None, scene.plan.outputs)] or [""])
    if not name or not is_sound(scene.database) or not (scene.root_folder(name) / TOKEN).exists():
        return
    before = rows(scene.database, "SELECT id, path FROM storage_roots")
    if (str(scene.root_folder(name)),) not in [row[1:] for row in before]:
        return
    arguments = scene.arguments("run", 3 + scene.plan.outputs.index(name))
    index = arguments.index(str(scene.root_folder(name)))
    arguments[index] = str(scene.root_folder(name).with_name(scene.root_folder(name).name.upper()))
    log = scene.folder / "fork.log"
    shim = shims.case_insensitive(scene.folder)
    scene.commands.append(("run --output OUT", end_of_fork(start_in_fork(log, shim, *arguments), log)))
    if rows(scene.database, "SELECT id, path FROM storage_roots") != before:
        scene.problems.append("the same folder in capitals became another storage root")


def rows_vanish(scene: Scene, random: Random) -> None:
    """Rows of some tables are deleted with plain sqlite3."""
    if not is_sound(scene.database):
        return
    with contextlib.closing(sqlite3.connect(scene.database)) as connection:
        connection.row_factory = sqlite3.Row
        for _ in range(random.choice([1, 1, 2])):
            with connection, contextlib.suppress(sqlite3.Error, ValueError):
                vanish(connection, random.choice(["batches", "expansions", "sizes"]), random)


def beside_readers(scene: Scene, random: Random) -> None:
    """`compact`, or `rm` and a run with another cut, gets to its end while the reader of the round reads."""
    if random.random() < 0.5:
        scene.same_cuts &= scene.plan.compacted
        scene.do("compact")
        return
    scene.do(f"rm --size {random.randint(4, scene.plan.size)}")
    scene.same_cuts = False
    scene.do("run", cut=random.choice([40_000, 150_000, 700_000]))

"""The steps of a sequence of faults: commands that are disturbed, and the list of all steps.

Each takes its decisions from the random numbers that it is given, so that a round can be played again.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import psutil

from tests.chaos import damage, neighbours
from tests.chaos.commands import die_at, small_files
from tests.chaos.processes import Process, wait_until
from tests.chaos.scene import NAMES, Scene

Step = Callable[[Scene, Random], None]
MOST_CALLS = 900
"""Number of calls at which a run of a small plan can be killed, approximately."""
LONGEST = 2.5
"""Seconds after its start in which a process is disturbed."""


def kill(command: str) -> Step:
    """kill -9 of a command at one of its calls that change something; early ones more often."""

    def step(scene: Scene, random: Random) -> None:
        if command == "repair" and random.random() < 0.6:
            random.choice([damage.flip, damage.truncate, damage.delete])(scene, random)
        if command == "db upgrade":
            damage.older_schema(scene, random)
        if command == "compact":
            scene.same_cuts &= scene.plan.compacted
        scene.do(command, die_at(round(math.exp(random.random() * math.log(MOST_CALLS)))))

    return step


def kill_rm(scene: Scene, random: Random) -> None:
    """kill -9 of a removal of some sizes, or of all; perhaps it gets to its end."""
    size = random.randint(3, scene.plan.size)
    scene.do(f"rm --size {size}", die_at(round(math.exp(random.random() * math.log(MOST_CALLS)))))


def move_root(scene: Scene, random: Random) -> None:
    """A storage root is moved, and the command that records it is killed, perhaps, or not given at all."""
    name = random.choice([*filter(None, scene.plan.outputs), None])
    if name is None or not scene.root_folder(name).is_dir():
        return
    old, new = _rename_root(scene, name)
    if random.random() < 0.8:
        scene.do(f"roots move {old} {new}", die_at(random.randrange(1, 200)))


def _rename_root(scene: Scene, name: str) -> tuple[Path, Path]:
    """Moves the folder of a storage root: its path before, and its path now."""
    old = scene.root_folder(name)
    scene.moved[name] = f"{name}-b" if old.name == name else name
    new = scene.root_folder(name)
    shutil.rmtree(new, ignore_errors=True)
    old.rename(new)
    scene.strangers = [new / path.relative_to(old) if path.is_relative_to(old) else path for path in scene.strangers]
    return old, new


def move_root_after_kill(scene: Scene, random: Random) -> None:
    """A run is killed, then a storage root is moved and the move recorded."""
    name = random.choice([*filter(None, scene.plan.outputs)] or [""])
    scene.do("run", die_at(random.randrange(50, 900)))
    if name and scene.root_folder(name).is_dir():
        old, new = _rename_root(scene, name)
        scene.do(f"roots move {old} {new}")


def move_root_beside_run(scene: Scene, random: Random) -> None:
    """A storage root is moved under a run. `roots move` waits for its end or refuses; after it, it records the move."""
    name = random.choice([*filter(None, scene.plan.outputs)] or [""])
    if not name or not scene.root_folder(name).is_dir():
        return
    moves = list[str]()
    scene.do(f"rm --size {scene.plan.size}")

    def disturb(process: Process) -> None:
        wait_until(lambda: any(scene.root_folder(name).glob(NAMES)) or not process.running, 10)
        if process.running and scene.root_folder(name).is_dir():
            old, new = _rename_root(scene, name)
            moves.append(f"roots move {old} {new}")
            scene.do(moves[0])

    _disturb(scene, random, disturb, "run")
    for command in moves:
        scene.do(command)


def other_database(scene: Scene, random: Random) -> None:
    """Replaces the database of an active run by another database, in place or by a rename."""
    if not scene.older.exists():
        if not scene.database.exists():
            return
        shutil.copy(scene.database, scene.older)

    def disturb(_process: Process) -> None:
        if not scene.workspace.exists():
            return
        if random.random() < 0.5:
            shutil.copyfile(scene.older, scene.database)
        else:
            shutil.copyfile(scene.older, scene.folder / "coming.db")
            (scene.folder / "coming.db").replace(scene.database)

    _disturb(scene, random, disturb)


def full_disk(scene: Scene, random: Random) -> None:
    """A command under a limit on the size of files, the database's among them."""
    command = random.choice(["run", "run", "repair", "compact", "db rebuild"])
    if command == "compact":
        scene.same_cuts &= scene.plan.compacted
    limit = random.choice([100, 1000, 3000, 9000, 40_000, 60_000, 90_000, 130_000])
    scene.do(command, small_files(limit))


def _disturb(scene: Scene, random: Random, disturb: Callable[[Process], None], command: str | None = None) -> None:
    """A command in processes of its own, disturbed at some moment."""
    command = command or random.choice(["run", "run", "repair", "compact"])
    if command == "compact":
        scene.same_cuts &= scene.plan.compacted
    if command == "run":
        # One run makes all sizes that are missing, with the --batch-lists of the largest.
        scene.same_cuts &= scene.is_complete(scene.plan.size - 1)
    process = scene.start(command)
    moment = time.monotonic() + random.random() * LONGEST
    wait_until(lambda: time.monotonic() > moment or not process.running)
    disturb(process)
    scene.finish(command, process)


def kill_worker(scene: Scene, random: Random) -> None:
    def disturb(process: Process) -> None:
        wait_until(lambda: bool(process.workers()) or not process.running, 5)
        with contextlib.suppress(psutil.Error, IndexError):
            random.choice(process.workers()).kill()

    _disturb(scene, random, disturb)


def kill_coordinator(scene: Scene, random: Random) -> None:
    _disturb(scene, random, lambda process: process.popen.kill())


def kill_group(scene: Scene, random: Random) -> None:
    _disturb(scene, random, lambda process: process.interrupt(signal.SIGKILL))


def interrupt(scene: Scene, random: Random) -> None:
    """Ctrl-C, or SIGTERM, to the whole group."""
    _disturb(scene, random, lambda process: process.interrupt(random.choice([signal.SIGINT, signal.SIGTERM])))


QUICK: dict[str, Step] = {
    "kill run": kill("run"),
    "kill repair": kill("repair"),
    "kill compact": kill("compact"),
    "kill db rebuild": kill("db rebuild"),
    "kill db upgrade": kill("db upgrade"),
    "kill rm": kill_rm,
    "a root is moved": move_root,
    "full disk": full_disk,
    "flip bits": damage.flip,
    "truncate": damage.truncate,
    "delete": damage.delete,
    "swap": damage.swap,
    "replace": damage.replace,
    "delete a size": damage.delete_size,
    "delete a token": damage.delete_token,
    "flip bits of a token": damage.flip_token,
    "delete the database": damage.delete_database,
    "flip bits of the database": damage.flip_database,
    "restore an older database": damage.restore_database,
    "another --batch-lists": damage.other_cut,
    "older schema": damage.older_schema,
    "foreign file": damage.foreign_file,
    "root away and back": damage.root_away,
    "a copy goes on": damage.copy_goes_on,
    "the workspace is moved": damage.copy_takes_over,
    "hot journal": damage.hot_journal,
    "a command in between": damage.check_only,
    "newer files": neighbours.newer_files,
    "newer schema": neighbours.newer_schema,
    "a moved original": neighbours.moved_original,
    "no locks": neighbours.no_locks,
    "locks that lie": neighbours.lying_locks,
    "slow fsync": neighbours.slow_disk,
    "a clock jumps": neighbours.clock_jumps,
    "a disk ignores case": neighbours.ignored_case,
    "rows vanish": neighbours.rows_vanish,
    "compact, rm beside readers": neighbours.beside_readers,
    "killed run, root moved": move_root_after_kill,
}
"""Steps that take a fraction of a second."""
SLOW: dict[str, Step] = {
    "kill a worker": kill_worker,
    "kill the coordinator": kill_coordinator,
    "kill the group": kill_group,
    "Ctrl-C, SIGTERM": interrupt,
    "another database in a run": other_database,
    "root moved under a run": move_root_beside_run,
    "a long lock": neighbours.long_lock,
    "older build after": neighbours.older_build_after,
    "older build before": neighbours.older_build_before,
}
"""Steps with processes of their own, which take seconds."""
STEPS = QUICK | SLOW
SLOW_SHARE = 0.1
"""How many of all steps are slow ones."""


def draw(random: Random) -> str:
    """The name of a step."""
    return random.choice(list(SLOW if random.random() < SLOW_SHARE else QUICK))

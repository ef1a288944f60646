"""The faults. Each disturbs a run that was just started, at a moment and in a way that its random numbers fix."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psutil

from tests.chaos.processes import Process, wait_until
from tests.chaos.rounds import Fault, Sandbox

LONGEST = 4.0
"""Seconds after its start in which a run is disturbed, if it lasts so long."""
STRANGERS = ["notes.txt", ".mine.tmp", "0000001-000 (copy).setset", "9999999-000.setset", "x y%?#"]
SMALL_DISK = 300_000
"""Bytes of a disk that is too small for a run, which takes some 450,000."""


def some_time(sandbox: Sandbox, process: Process, random: Random) -> None:
    """Waits for a random moment: a time after the start, or some number of files."""
    if random.random() < 0.4:
        moment = time.monotonic() + random.random() * LONGEST
        wait_until(lambda: time.monotonic() > moment or not process.running)
    else:
        files = random.randrange(55)
        wait_until(lambda: len(sandbox.files()) >= files or not process.running)


def some_file(sandbox: Sandbox, process: Process, random: Random) -> Path | None:
    """A batch file, when there are some. None if the run ended before."""
    some_time(sandbox, process, random)
    wait_until(lambda: len(sandbox.files()) > 1 or not process.running)
    files = sandbox.files()
    return random.choice(files) if files else None


def kill_worker(sandbox: Sandbox, process: Process, random: Random) -> None:
    """kill -9 of one worker, or of several, one after the other."""
    for _ in range(random.choice([1, 1, 1, 2])):
        some_time(sandbox, process, random)
        wait_until(lambda: bool(process.workers()) or not process.running)
        with contextlib.suppress(psutil.Error, IndexError):
            random.choice(process.workers()).kill()


def kill_coordinator(sandbox: Sandbox, process: Process, random: Random) -> None:
    """kill -9 of the coordinator; perhaps again, of the run after it."""
    some_time(sandbox, process, random)
    process.popen.kill()
    if random.random() < 0.3:
        sandbox.finish(process)
        restarted = sandbox.start()
        some_time(sandbox, restarted, random)
        restarted.popen.kill()
        sandbox.finish(restarted)


def stop_and_continue(sandbox: Sandbox, process: Process, random: Random) -> None:
    """SIGSTOP, a while, SIGCONT: to a worker, to the coordinator or to all."""
    some_time(sandbox, process, random)
    family = process.workers() if random.random() < 0.5 else process.family()
    targets = [random.choice(family)] if family and random.random() < 0.7 else family
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for target in targets:
            with contextlib.suppress(psutil.Error):
                target.send_signal(number)
        time.sleep(random.random())


def interrupt(sandbox: Sandbox, process: Process, random: Random) -> None:
    """Ctrl-C, once or twice, or SIGTERM to the coordinator."""
    some_time(sandbox, process, random)
    if random.random() < 0.3:
        process.popen.terminate()
        return
    process.interrupt()
    if random.random() < 0.4:
        time.sleep(random.random())
        process.interrupt()


def flip_bits(sandbox: Sandbox, process: Process, random: Random) -> None:
    """One to three bits of a batch file. By XOR: overwriting may change nothing."""
    path = some_file(sandbox, process, random)
    if path is not None:
        flip_some_bits(path, random)


def flip_some_bits(path: Path, random: Random) -> None:
    with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
        data = bytearray(file.read())
        for place_in_file in random.sample(range(8 * len(data)), min(8 * len(data), random.randint(1, 3))):
            data[place_in_file // 8] ^= 1 << place_in_file % 8
        file.seek(0)
        file.write(data)


def truncate(sandbox: Sandbox, process: Process, random: Random) -> None:
    """A batch file cut short, to nothing perhaps."""
    path = some_file(sandbox, process, random)
    if path is not None:
        cut_short(path, random)


def cut_short(path: Path, random: Random) -> None:
    size = path.stat().st_size
    if size:
        os.truncate(path, random.choice([0, 1, size // 2, size - 1, random.randrange(size)]))


def delete(sandbox: Sandbox, process: Process, random: Random) -> None:
    """One to three batch files, or all of one size."""
    path = some_file(sandbox, process, random)
    if path is None:
        return
    if random.random() < 0.15:
        shutil.rmtree(path.parent, ignore_errors=True)
        return
    for victim in {path, *random.choices(sandbox.files() or [path], k=random.randint(0, 2))}:
        victim.unlink(missing_ok=True)


def swap(sandbox: Sandbox, process: Process, random: Random) -> None:
    """Two batch files in each other's place."""
    first = some_file(sandbox, process, random)
    candidates = [path for path in sandbox.files() if path != first]
    if first is None or not candidates:
        return
    with contextlib.suppress(FileNotFoundError):
        exchange(first, random.choice(candidates), sandbox.folder / "aside")


def exchange(first: Path, second: Path, aside: Path) -> None:
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


def foreign_file(sandbox: Sandbox, process: Process, random: Random) -> None:
    """Somebody's own files among ours."""
    path = some_file(sandbox, process, random)
    if path is None:
        return
    for name in random.sample(STRANGERS, 2):
        stranger = random.choice([path.parent, sandbox.root]) / name
        stranger.write_bytes(b"mine")
        sandbox.strangers.append(stranger)


def corrupt_database(sandbox: Sandbox, process: Process, random: Random) -> None:
    """Bytes of the database flipped or overwritten: under a run, or after one was killed."""
    wait_until(lambda: sandbox.database.exists() or not process.running)
    some_time(sandbox, process, random)
    if random.random() < 0.5:
        process.popen.kill()
        process.popen.wait()
    with contextlib.suppress(FileNotFoundError), sandbox.database.open("r+b") as file:
        data = bytearray(file.read())
        for _ in range(random.randint(1, 4) if data else 0):
            start = random.randrange(len(data))
            length = random.choice([1, 100, 5000])
            for offset in range(start, min(start + length, len(data))):
                data[offset] ^= random.randrange(1, 256)
            file.seek(start)
            file.write(data[start : start + length])


def destroy_database(sandbox: Sandbox, process: Process, random: Random) -> None:
    """The database deleted, emptied or overwritten as a whole: under a run, or after one was killed."""
    wait_until(lambda: bool(sandbox.files()) or not process.running)
    some_time(sandbox, process, random)
    if random.random() < 0.5:
        process.popen.kill()
        process.popen.wait()
    match random.randrange(3):
        case 0:
            sandbox.database.unlink(missing_ok=True)
        case 1:
            sandbox.database.write_bytes(b"")
        case _:
            sandbox.database.write_bytes(random.randbytes(random.choice([10, 5000, 100_000])))


def hold_lock(sandbox: Sandbox, process: Process, random: Random) -> None:
    """Another program writes to the database, or reads it for long: longer than SQLite would wait, perhaps."""
    wait_until(lambda: sandbox.database.exists() or not process.running)
    some_time(sandbox, process, random)
    with contextlib.suppress(sqlite3.Error):
        connection = sqlite3.connect(sandbox.database, timeout=5, isolation_level=None)
        connection.execute(random.choice(["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", "BEGIN"]))
        connection.execute("SELECT COUNT(*) FROM batches").fetchone()
        time.sleep(random.choice([0.3, 1.0, 2.5, 7.0]))
        connection.execute("ROLLBACK")
        connection.close()


def output_gone(sandbox: Sandbox, process: Process, random: Random) -> None:
    """The folder of the files goes away, with a bare mount point in its place perhaps, and comes back."""
    some_file(sandbox, process, random)
    away = sandbox.folder / "away"
    if not sandbox.root.exists():
        return
    sandbox.root.rename(away)
    if random.random() < 0.5:
        sandbox.root.mkdir()
    if random.random() < 0.5:
        time.sleep(random.random() * 2)
    else:
        wait_until(lambda: not process.running)
    files = [path for path in sandbox.root.rglob("*") if path.is_file()] if sandbox.root.exists() else []
    if files:
        raise AssertionError(f"written where the storage root was: {files}")
    shutil.rmtree(sandbox.root, ignore_errors=True)
    away.rename(sandbox.root)


def full_disk(sandbox: Sandbox, process: Process, random: Random) -> None:
    """A run on a disk that is too small, or under a limit on the size of files; then there is room."""
    process.popen.kill()
    process.end()
    wait_until(lambda: not process.family())
    shutil.rmtree(sandbox.workspace, ignore_errors=True)
    if os.geteuid() == 0 and random.random() < 0.7:
        with small_disk(sandbox.workspace, random.randrange(150_000, SMALL_DISK)) as mounted:
            if mounted:
                sandbox.finish(sandbox.start())
                shutil.copytree(sandbox.workspace, sandbox.folder / "kept")
        if (sandbox.folder / "kept").exists():
            shutil.rmtree(sandbox.workspace, ignore_errors=True)
            (sandbox.folder / "kept").rename(sandbox.workspace)
            return
    sandbox.finish(sandbox.start(most_file_bytes=random.choice([3000, 9000, 60_000, 90_000])))


@contextlib.contextmanager
def small_disk(path: Path, size: int) -> Iterator[bool]:
    """Mounts a file system of `size` bytes at a path; yields False without permission."""
    path.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount") or "mount"
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    result = subprocess.run([mount, *options], check=False, capture_output=True)
    try:
        yield result.returncode == 0
    finally:
        if result.returncode == 0:
            subprocess.run([shutil.which("umount") or "umount", "-l", str(path)], check=True)


FAULTS: dict[str, Fault] = {
    "kill a worker": kill_worker,
    "kill the coordinator": kill_coordinator,
    "stop and continue": stop_and_continue,
    "Ctrl-C, SIGTERM": interrupt,
    "full disk": full_disk,
    "flip bits": flip_bits,
    "truncate": truncate,
    "delete": delete,
    "swap": swap,
    "foreign file": foreign_file,
    "corrupt the database": corrupt_database,
    "destroy the database": destroy_database,
    "hold a lock": hold_lock,
    "output gone": output_gone,
}
"""All faults by name. A round of chaos draws one of them."""
ELSEWHERE = {"output gone"}
"""Faults that need a storage root outside the workspace."""

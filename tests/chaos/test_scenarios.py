"""The fourteen scenarios: what can go wrong, done to real processes with real signals, and what comes of it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from alembic import command

from setset.jobs import database
from tests.chaos.faults import SMALL_DISK, small_disk
from tests.chaos.processes import CHECKOUT, Outcome, setset, wait_until
from tests.chaos.rounds import SIZE, TARGET, Place, Reference

Copied = Callable[[], Place]
S05 = f"t{TARGET}/s{SIZE:02d}"


def require_same(place: Place, reference: Reference) -> None:
    """All is as if nothing had happened; no command ended in a traceback or left a process."""
    assert reference.differences(place) == []
    assert place.orphans == []
    assert [outcome.said for _, outcome in place.said if outcome.traceback] == []


def require_whole(place: Place) -> None:
    """No row without its complete file, no temporary, no traceback, one line that says what is wrong."""
    found = place.command("check", "--json")
    assert {finding["kind"] for finding in json.loads(found.said)} <= {"orphan"}
    assert not list(place.folder.rglob("*.tmp"))


def started(place: Place, files: int) -> Callable[[], bool]:
    return lambda: len(place.files()) >= files


def test_01_a_killed_worker_is_replaced(place: Place, reference: Reference) -> None:
    process = place.start()
    assert wait_until(started(place, 3))
    for worker in process.workers():
        worker.kill()
    outcome = place.finish(process)
    assert outcome.code == 0, outcome.said
    assert "the worker process died" in outcome.said
    require_same(place, reference)


def test_01_what_kills_its_worker_three_times_is_given_up(place: Place, reference: Reference) -> None:
    process = place.start()
    while process.running:
        for worker in process.workers():
            with contextlib.suppress(Exception):
                worker.kill()
    outcome = place.finish(process)
    assert outcome.code == 1
    assert "the seeds failed 3 times: WorkerDied" in outcome.said.splitlines()[-1]
    assert place.run().code == 0
    require_same(place, reference)


@pytest.mark.parametrize("files", [0, 1, 4, 20, 50])
def test_02_a_killed_coordinator_takes_its_workers_along_and_loses_nothing(
    place: Place, reference: Reference, files: int
) -> None:
    process = place.start()
    assert wait_until(started(place, files))
    process.popen.kill()
    assert process.end().code == 128 + signal.SIGKILL
    assert process.orphans(1.5) == []
    finished = {path: path.stat().st_mtime_ns for path in place.files()}
    assert place.run().code == 0
    kept = [path for path, written in finished.items() if path.stat().st_mtime_ns == written]
    assert len(kept) >= len(finished) - 30, "files of finished expansions are taken over"
    require_same(place, reference)


@pytest.mark.parametrize("most", [9000, 90_000])
def test_03_a_limit_on_files_ends_with_12_and_goes_on_later(
    place: Place, reference: Reference, most: int
) -> None:
    """The first limit keeps the database from being made, the second from growing."""
    outcome = place.finish(place.start(most_file_bytes=most))
    assert outcome.code == 12, outcome.said
    assert "make room" in outcome.said
    if place.database.exists():
        require_whole(place)
    assert place.run().code == 0
    require_same(place, reference)


@pytest.mark.parametrize("elsewhere", [True, False])
def test_03_a_full_disk_ends_with_12_and_goes_on_later(
    place: Place, reference: Reference, elsewhere: bool
) -> None:
    place.elsewhere = elsewhere
    disk = place.root if elsewhere else place.workspace
    with small_disk(disk, SMALL_DISK) as mounted:
        if not mounted:
            pytest.skip("only root can mount a small disk")
        outcome = place.run()
        assert outcome.code == 12, outcome.said
        assert "make room" in outcome.said.splitlines()[-1]
        assert ("MB more are needed for size 5" in outcome.said) or not elsewhere
        require_whole(place)
        shutil.copytree(disk, place.folder / "kept")
    shutil.rmtree(disk)
    (place.folder / "kept").rename(disk)
    assert place.run().code == 0
    require_same(place, reference)


def test_04_a_flipped_bit_is_named_and_mended(copied: Copied, reference: Reference) -> None:
    place = copied()
    victim = place.root / S05 / "0000001-003.setset"
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 4
    victim.write_bytes(data)
    found = place.command("check")
    assert found.code == 1
    assert str(victim) in found.said.replace("\n", "")
    assert "altered" in found.said
    assert "setset repair" in found.said
    assert place.command("repair").code == 0
    assert place.command("check", "--deep").code == 0
    require_same(place, reference)


def test_04_nothing_is_derived_from_a_flipped_bit(place: Place, reference: Reference) -> None:
    assert setset(*_run(place, SIZE - 1)).code == 0
    victim = place.root / f"t{TARGET}" / "s04" / "0000000-001.setset"
    data = bytearray(victim.read_bytes())
    data[-20] ^= 1
    victim.write_bytes(data)
    outcome = place.run()
    assert outcome.code == 0
    assert "batch 1 of size 4: altered: its digest does not fit; making it again" in outcome.said
    require_same(place, reference)


def _run(place: Place, size: int) -> list[str]:
    arguments = ["run", *place.arguments()]
    arguments[arguments.index("--size") + 1] = str(size)
    return arguments


def _truncate(one: Path, _other: Path) -> None:
    os.truncate(one, 100)


def _empty(one: Path, _other: Path) -> None:
    os.truncate(one, 0)


def _delete(one: Path, _other: Path) -> None:
    one.unlink()


def _replace(one: Path, other: Path) -> None:
    shutil.copy(other, one)


@pytest.mark.parametrize("damage", [_truncate, _empty, _delete, _replace])
def test_05_damaged_files_are_found_and_made_again(
    copied: Copied, reference: Reference, damage: Callable[[Path, Path], None]
) -> None:
    place = copied()
    victim, other = place.root / S05 / "0000002-001.setset", place.root / S05 / "0000003-001.setset"
    damage(victim, other)
    found = place.command("check")
    assert found.code == 1
    assert victim.name in found.said
    assert place.command("repair").code == 0
    assert place.command("check").code == 0
    require_same(place, reference)


def test_06_a_foreign_file_is_reported_and_left_alone(copied: Copied, reference: Reference) -> None:
    place = copied()
    for name in ("notes.txt", f"{S05}/.mine.tmp", f"{S05}/9999999-000.setset"):
        (place.root / name).write_bytes(b"mine")
        place.strangers.append(place.root / name)
    for what in (["check"], ["repair"], ["check"]):
        said = place.command(*what).said.replace("\n", "")
        assert all(path.name in said for path in place.strangers)
    assert place.run().code == 0
    assert all(path.read_bytes() == b"mine" for path in place.strangers)
    require_same(place, reference)


def test_07_a_second_coordinator_leaves_at_once(place: Place, reference: Reference) -> None:
    process = place.start()
    assert wait_until(started(place, 1))
    process.popen.send_signal(signal.SIGSTOP)
    second = setset("run", *place.arguments())
    assert second.code == 11
    assert f"pid {process.popen.pid} on {socket.gethostname()}" in second.said
    for what in (["status"], ["sql", "SELECT COUNT(*) FROM batches"], ["count"]):
        assert place.command(*what).code == 0
    process.popen.send_signal(signal.SIGCONT)
    assert place.finish(process).code == 0
    require_same(place, reference)


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN"])
def test_08_a_database_that_is_held_is_waited_for(place: Place, reference: Reference, lock: str) -> None:
    """A writer elsewhere, and a reader who keeps commits waiting."""
    process = place.start()
    assert wait_until(place.database.exists)
    connection = sqlite3.connect(place.database, isolation_level=None, timeout=10)
    connection.execute(lock)
    connection.execute("SELECT COUNT(*) FROM runs").fetchone()
    time.sleep(database.BUSY_SECONDS + 1.5)
    connection.execute("ROLLBACK")
    connection.close()
    outcome = place.finish(process)
    assert outcome.code == 0, outcome.said
    assert "the database is held by another program; waiting for it" in outcome.said
    require_same(place, reference)


def test_08_ctrl_c_ends_the_waiting(copied: Copied, reference: Reference) -> None:
    place = copied()
    connection = sqlite3.connect(place.database, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    process = place.start()
    time.sleep(4)
    process.interrupt()
    assert place.finish(process).code == 130
    connection.execute("ROLLBACK")
    connection.close()
    require_same(place, reference)


def test_09_a_newer_schema_is_one_sentence_and_nothing_touched(copied: Copied) -> None:
    place = copied()
    connection = sqlite3.connect(place.database)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = place.database.read_bytes()
    for outcome in (place.run(), place.command("status"), place.command("repair")):
        assert outcome.code == 1
        assert len(outcome.said.splitlines()) == 1
        assert "newer than this setset" in outcome.said
    assert place.database.read_bytes() == before


def test_09_an_older_schema_is_backed_up_and_migrated(place: Place, reference: Reference) -> None:
    older = sorted(database.known_revisions() - {database.HEAD})
    if not older:
        pytest.skip("there is no older schema yet")
    place.workspace.mkdir()
    sqlite3.connect(place.database).close()
    place.database.touch()
    command.upgrade(database.alembic_config(place.database), older[0])
    assert "setset db upgrade" in place.command("status").said
    assert place.run().code == 0
    assert (place.workspace / f"setset.db.before-{database.HEAD}").is_file()
    require_same(place, reference)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder that cannot be written: mounted so for root, whom modes do not keep out."""
    if os.geteuid() != 0:
        paths = [folder, *folder.rglob("*")]
        for path in paths:
            path.chmod(path.stat().st_mode & ~0o222)
        yield
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)
        return
    mounted = subprocess.run(["mount", "--bind", folder, folder], check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("this root cannot mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_10_a_read_only_workspace_can_be_read(copied: Copied, reference: Reference) -> None:
    place = copied()
    with read_only(place.workspace):
        lists = ["lists", "--size", str(SIZE), "--target", str(TARGET), "--limit", "3"]
        for what in (["status"], ["count"], lists, ["sql", "SELECT 1"], ["check"]):
            outcome = place.command(*what)
            assert outcome.code == 0, outcome.said
        outcome = place.run()
        assert outcome.code == 1
        assert outcome.said == f"setset: cannot write to {place.workspace}: Read-only file system\n" or (
            "Permission denied" in outcome.said
        )
    require_same(place, reference)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("files", [0, 10])
def test_11_a_signal_ends_the_run_within_seconds(
    place: Place, reference: Reference, number: int, code: int, files: int
) -> None:
    process = place.start()
    assert wait_until(lambda: place.database.exists() and len(place.files()) >= files)
    process.interrupt(number)
    began = time.monotonic()
    outcome = place.finish(process)
    assert outcome.code == code, outcome.said
    assert time.monotonic() - began < 30, "seconds, on a machine that does other things too"
    assert "'setset run' goes on from there" in outcome.said
    require_whole(place)
    assert place.run().code == 0
    require_same(place, reference)


def test_11_the_second_ctrl_c_is_immediate(place: Place, reference: Reference) -> None:
    process = place.start()
    assert wait_until(started(place, 2))
    workers = process.workers()
    for worker in workers:
        worker.suspend()
    process.interrupt()
    time.sleep(0.5)
    assert process.running, "it waits for what is in flight"
    process.interrupt()
    assert wait_until(lambda: not process.running, 4.0)
    assert place.finish(process).code == 130
    require_whole(place)
    assert place.run().code == 0
    require_same(place, reference)


def _gone(path: Path) -> None:
    path.unlink()


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _garbage(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 300)


def _holed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:40_000] = bytes(len(data[4096:40_000]))
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [_gone, _emptied, _garbage, _holed])
def test_12_a_lost_database_is_rebuilt_from_the_files(
    copied: Copied, reference: Reference, damage: Callable[[Path], None]
) -> None:
    place = copied()
    damage(place.database)
    for outcome in (place.run(), place.command("check"), place.command("repair")):
        assert outcome.code in (1, 10)
        assert len(outcome.said.splitlines()) == 1
        assert "run 'setset db rebuild'" in outcome.said
    assert place.command("db", "rebuild").code == 0
    assert reference.differences(place) == []
    assert place.run().code == 0
    require_same(place, reference)


JUMPING = """
import random, time
_time, _moments = time.time, random.Random(1)
time.time = lambda: _time() + _moments.choice([-86400.0, 0.0, 86400.0])
"""


def test_13_a_clock_that_jumps_decides_nothing(place: Place, reference: Reference) -> None:
    """In every process the clock jumps by a day and back, and files are older or younger than they are."""
    jumping = place.folder / "jumping"
    jumping.mkdir()
    (jumping / "sitecustomize.py").write_text(JUMPING)
    process = place.start(PYTHONPATH=f"{jumping}{os.pathsep}{CHECKOUT}")
    assert wait_until(started(place, 10))
    process.popen.kill()
    place.finish(process)
    for number, path in enumerate(place.files()):
        os.utime(path, (0, 0) if number % 2 else (2e9, 2e9))
    outcome = place.finish(place.start(PYTHONPATH=f"{jumping}{os.pathsep}{CHECKOUT}"))
    assert outcome.code == 0
    sizes = json.loads(place.command("status", "--json").said)["sizes"]
    assert all(size["lists_per_second"] > 0 and size["seconds_left"] is None for size in sizes)
    require_same(place, reference)


@pytest.mark.parametrize("mount_point", [False, True])
def test_14_an_output_disk_that_disappears_loses_nothing(
    place: Place, reference: Reference, mount_point: bool
) -> None:
    place.elsewhere = True
    process = place.start()
    assert wait_until(started(place, 6))
    away = place.folder / "away"
    place.root.rename(away)
    if mount_point:
        place.root.mkdir()
    outcome = place.finish(process)
    assert outcome.code == 1
    assert "is gone: bring it back" in outcome.said.splitlines()[-1]
    again = place.run()
    assert (again.code, again.said.count("\n")) == (1, 1)
    assert "is gone: bring it back" in again.said
    assert not place.root.exists() or not list(place.root.iterdir())
    shutil.rmtree(place.root, ignore_errors=True)
    away.rename(place.root)
    assert place.run().code == 0
    require_same(place, reference)


def test_14_an_output_disk_that_comes_back_in_time_is_not_noticed(place: Place, reference: Reference) -> None:
    place.elsewhere = True
    process = place.start()
    assert wait_until(started(place, 6))
    away = place.folder / "away"
    place.root.rename(away)
    back = threading.Timer(0.7, lambda: away.rename(place.root))
    back.start()
    outcome: Outcome = place.finish(process)
    back.join()
    assert outcome.code in (0, 1), outcome.said
    assert place.run().code == 0
    require_same(place, reference)

"""Scenarios 3 to 6, 9, 10 and 12: full disks, damaged and foreign files, schemas, lost databases."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from alembic import command

from setset.database import schema
from tests.chaos.commands import perform
from tests.chaos.faults import SMALL_DISK, small_disk
from tests.chaos.promises import require_same, require_whole
from tests.chaos.rounds import REBUILD, SIZE, TARGET, Reference, Sandbox

pytestmark = pytest.mark.chaos

Copied = Callable[[], Sandbox]
S05 = f"t{TARGET}/s{SIZE:02d}"


@pytest.mark.parametrize("most", [9000, 90_000])
def test_03_a_limit_on_files_ends_with_12_and_goes_on_later(sandbox: Sandbox, reference: Reference, most: int) -> None:
    """The first limit keeps the database from being made, the second from growing."""
    outcome = sandbox.finish(sandbox.start(most_file_bytes=most))
    assert outcome.code == 12, outcome.output
    assert "make room" in outcome.output
    if sandbox.database.exists():
        require_whole(sandbox)
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


@pytest.mark.parametrize("elsewhere", [True, False])
def test_03_a_full_disk_ends_with_12_and_goes_on_later(sandbox: Sandbox, reference: Reference, elsewhere: bool) -> None:
    sandbox.elsewhere = elsewhere
    disk = sandbox.root if elsewhere else sandbox.workspace
    # The database alone takes half of a small disk.
    with small_disk(disk, SMALL_DISK // 2 if elsewhere else SMALL_DISK) as mounted:
        if not mounted:
            pytest.skip("only root can mount a small disk")
        outcome = sandbox.run()
        assert outcome.code == 12, outcome.output
        assert "make room" in outcome.output.splitlines()[-1]
        assert ("MB more are needed for size 5" in outcome.output) or not elsewhere
        require_whole(sandbox)
        shutil.copytree(disk, sandbox.folder / "kept")
    shutil.rmtree(disk)
    (sandbox.folder / "kept").rename(disk)
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


def test_04_a_flipped_bit_is_named_and_repaired(copied: Copied, reference: Reference) -> None:
    sandbox = copied()
    victim = sandbox.root / S05 / "0000001-003.setset"
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 4
    victim.write_bytes(data)
    outcome = sandbox.command("check")
    assert outcome.code == 1
    assert str(victim) in outcome.output.replace("\n", "")
    assert "checksum mismatch: the file was altered" in outcome.output
    assert "setset repair" in outcome.output
    assert sandbox.command("repair").code == 0
    assert sandbox.command("check", "--deep").code == 0
    require_same(sandbox, reference)


def test_04_nothing_is_derived_from_a_flipped_bit(sandbox: Sandbox, reference: Reference) -> None:
    assert perform(*_run(sandbox, SIZE - 1)).code == 0
    victim = sandbox.root / f"t{TARGET}" / "s04" / "0000000-001.setset"
    data = bytearray(victim.read_bytes())
    data[-20] ^= 1
    victim.write_bytes(data)
    outcome = sandbox.go_on()
    assert outcome.code == 0
    assert "batch 1 of size 4: checksum mismatch: the file was altered; rebuilding it" in outcome.output
    require_same(sandbox, reference)


def _run(sandbox: Sandbox, size: int) -> list[str]:
    arguments = ["run", *sandbox.arguments()]
    arguments[arguments.index("--size") + 1] = str(size)
    return arguments


def _truncate(path: Path, _other: Path) -> None:
    os.truncate(path, 100)


def _empty(path: Path, _other: Path) -> None:
    os.truncate(path, 0)


def _delete(path: Path, _other: Path) -> None:
    path.unlink()


def _replace(path: Path, other: Path) -> None:
    shutil.copy(other, path)


@pytest.mark.parametrize("damage", [_truncate, _empty, _delete, _replace])
def test_05_damaged_files_are_found_and_rebuilt(
    copied: Copied, reference: Reference, damage: Callable[[Path, Path], None]
) -> None:
    sandbox = copied()
    victim, other = sandbox.root / S05 / "0000002-001.setset", sandbox.root / S05 / "0000003-001.setset"
    damage(victim, other)
    outcome = sandbox.command("check")
    assert outcome.code == 1
    assert victim.name in outcome.output
    assert sandbox.command("repair").code == 0
    assert sandbox.command("check").code == 0
    require_same(sandbox, reference)


def test_06_a_foreign_file_is_reported_and_left_alone(copied: Copied, reference: Reference) -> None:
    sandbox = copied()
    for name in ("notes.txt", f"{S05}/.mine.tmp", f"{S05}/9999999-000.setset"):
        (sandbox.root / name).write_bytes(b"mine")
        sandbox.strangers.append(sandbox.root / name)
    for arguments in (["check"], ["repair"], ["check"]):
        output = sandbox.command(*arguments).output.replace("\n", "")
        assert all(path.name in output for path in sandbox.strangers)
    assert sandbox.go_on().code == 0
    assert all(path.read_bytes() == b"mine" for path in sandbox.strangers)
    require_same(sandbox, reference)


def test_09_a_newer_schema_is_one_sentence_and_nothing_touched(copied: Copied) -> None:
    sandbox = copied()
    connection = sqlite3.connect(sandbox.database)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = sandbox.database.read_bytes()
    for outcome in (sandbox.go_on(), sandbox.command("status"), sandbox.command("repair")):
        assert outcome.code == 1
        assert len(outcome.output.splitlines()) == 1
        assert "newer than this setset" in outcome.output
    assert sandbox.database.read_bytes() == before


def test_09_an_older_schema_is_backed_up_and_migrated(sandbox: Sandbox, reference: Reference) -> None:
    older = sorted(schema.known_revisions() - {schema.HEAD})
    if not older:
        pytest.skip("there is no older schema yet")
    sandbox.workspace.mkdir()
    sqlite3.connect(sandbox.database).close()
    sandbox.database.touch()
    command.upgrade(schema.alembic_config(sandbox.database), older[0])
    assert "setset db upgrade" in sandbox.command("status").output
    assert sandbox.go_on().code == 0
    assert (sandbox.workspace / f"setset.db.before-{schema.HEAD}").is_file()
    require_same(sandbox, reference)


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
    sandbox = copied()
    with read_only(sandbox.workspace):
        lists = ["lists", "--size", str(SIZE), "--target", str(TARGET), "--limit", "3"]
        for arguments in (["status"], ["count"], lists, ["sql", "SELECT 1"], ["check"]):
            outcome = sandbox.command(*arguments)
            assert outcome.code == 0, outcome.output
        outcome = sandbox.go_on()
        assert outcome.code == 1
        assert outcome.output == f"setset: cannot write to {sandbox.workspace}: Read-only file system\n" or (
            "Permission denied" in outcome.output
        )
    require_same(sandbox, reference)


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
    sandbox = copied()
    damage(sandbox.database)
    for outcome in (sandbox.go_on(), sandbox.command("check"), sandbox.command("repair")):
        assert outcome.code in (1, 10)
        assert len(outcome.output.splitlines()) == 1
        assert REBUILD in outcome.advice(sandbox.workspace)
    assert sandbox.command("db", "rebuild").code == 0
    assert reference.differences(sandbox) == []
    assert sandbox.go_on().code == 0
    require_same(sandbox, reference)


KILLED_IN_MID_COMMIT = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = TRUNCATE")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE batches SET defect = ?, lists = 1", ("x" * 3000,))
os.kill(os.getpid(), 9)
"""


def test_12_a_commit_that_was_cut_short_is_taken_back(copied: Copied, reference: Reference) -> None:
    """Half of it is in the database already, and its journal beside it: even `status` sees the state before."""
    sandbox = copied()
    before = sandbox.database.read_bytes()
    subprocess.run([sys.executable, "-c", KILLED_IN_MID_COMMIT, sandbox.database], check=False)
    assert sandbox.database.read_bytes() != before
    assert Path(f"{sandbox.database}-journal").stat().st_size > 0
    assert sandbox.command("status").code == 0
    assert sandbox.command("check").code == 0
    require_same(sandbox, reference)

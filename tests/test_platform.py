"""Differences between systems: locks, paths of other systems as text, cores, users."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from setset import platform


@pytest.mark.parametrize(
    "path", ["/mnt/nas", "T:\\caps", "t:/caps", "T:caps", "\\\\server\\share\\caps", "//server/share", "\\caps"]
)
def test_paths_that_are_absolute_on_some_system(path: str) -> None:
    assert platform.is_absolute_anywhere(path)
    assert platform.leads_outside(path)


@pytest.mark.parametrize("path", ["t12/s05/0000001-000.setset", "batches", "a b/c", "t12\\s05\\x.setset"])
def test_relative_paths(path: str) -> None:
    assert not platform.is_absolute_anywhere(path)
    assert not platform.leads_outside(path)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "a\\..\\x", "a/\0", ".."])
def test_paths_that_lead_outside(path: str) -> None:
    assert platform.leads_outside(path)


def test_a_missing_folder_is_on_a_disk(tmp_path: Path) -> None:
    assert platform.free_bytes(tmp_path / "a" / "b") > 0


HOLD = (
    "import os, sys; from setset import platform\n"
    "descriptor = os.open(sys.argv[1], platform.OPEN_OR_CREATE, 0o666)\n"
    "print(platform.lock_for_process(descriptor), flush=True); sys.stdin.read()"
)


def test_a_lock_is_seen_by_others_and_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with path.open("r+b") as file:
            assert platform.is_locked_by_another(file.fileno())
            assert not platform.lock_for_process(file.fileno())
        holder.kill()
        holder.wait()
    with path.open("r+b") as file:
        assert not platform.is_locked_by_another(file.fileno())
        assert platform.lock_for_process(file.fileno())


def test_asking_for_a_lock_takes_none(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    with path.open("rb") as file:
        assert not platform.is_locked_by_another(file.fileno())
        result = subprocess.run(
            [sys.executable, "-c", HOLD, str(path)], input="", capture_output=True, text=True, check=True
        )
    assert result.stdout == "True\n"


def test_a_lock_of_a_handle_holds_against_other_handles_of_this_process(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("a+b") as first, (tmp_path / "lock").open("a+b") as second:
        assert platform.lock_for_handle(first, wait=False)
        assert not platform.lock_for_handle(second, wait=False)
    with (tmp_path / "lock").open("a+b") as first:
        assert platform.lock_for_handle(first, wait=False)


@pytest.mark.parametrize(
    ("system", "shared", "place"),
    [
        ("linux", "", "home/.local/share/setset"),
        ("linux", "elsewhere", "home/.local/share/setset"),
        ("linux", "/data", "/data/setset"),
        ("darwin", "/data", "home/Library/Application Support/setset"),
        ("win32", "/data", "local/setset"),
    ],
)
def test_where_the_files_of_a_user_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str, shared: str, place: str
) -> None:
    """A relative XDG_DATA_HOME is not valid, says its specification."""
    monkeypatch.setattr(platform, "_SYSTEM", system)
    for name, value in {
        "HOME": str(tmp_path / "home"),
        "USERPROFILE": str(tmp_path / "home"),
        "XDG_DATA_HOME": shared,
        "LOCALAPPDATA": str(tmp_path / "local"),
    }.items():
        monkeypatch.setenv(name, value)
    if os.name == "nt" and system == "linux" and shared:
        pytest.skip("no absolute path there")
    assert platform.data_folder() == tmp_path / place


def test_what_every_system_can_say(tmp_path: Path) -> None:
    assert platform.user_id()
    assert platform.is_private_folder(tmp_path)
    assert not platform.is_private_folder(tmp_path / "missing")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not limit cores")
def test_the_cores_are_those_that_the_process_may_use() -> None:
    cores = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(cores)})
        assert platform.usable_cores() == 1
    finally:
        os.sched_setaffinity(0, cores)
    assert platform.usable_cores() == len(cores)


@pytest.mark.parametrize(
    ("own", "files", "cores"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "150000 100000\n"}, 2),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n"}, 3),
        ("0::/a\n", {"a/cpu.max": "20000 100000\n", "cpu.max": "max 100000\n"}, 1),
        ("0::/of/the/host\n", {"cpu.max": "400000 100000\n"}, 4),
        ("0::/../x\n", {"cpu.max": "400000 100000\n"}, 4),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 64),
        ("0::/\n", {"cpu.max": "9900000 100000\n"}, 64),
        ("0::/\n", {"cpu.max": "nonsense\n"}, 64),
        (
            "4:cpu,cpuacct:/a\n3:cpuset:/\n",
            {"cpu/a/cpu.cfs_quota_us": "50000\n", "cpu/a/cpu.cfs_period_us": "10000\n"},
            5,
        ),
        ("4:cpu:/\n0::/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 64),
        ("4:cpuset:/a\n", {"cpu/a/cpu.cfs_quota_us": "50000\n", "cpu/a/cpu.cfs_period_us": "10000\n"}, 64),
        (None, {}, 64),
    ],
)
def test_the_cores_are_those_that_a_container_grants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str | None, files: dict[str, str], cores: int
) -> None:
    """Control groups of version 2 and 1, on a machine with 64 cores."""
    for name, text in files.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text)
    if own is not None:
        (tmp_path / "own").write_text(own)
    monkeypatch.setattr(platform, "_CGROUPS", tmp_path / "groups")
    monkeypatch.setattr(platform, "_OWN_CGROUPS", tmp_path / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: set(range(64)), raising=False)
    assert platform.usable_cores() == cores


# As on Windows


class Windows:
    """The `msvcrt` of a system that refuses a lock `refusals` times."""

    LK_UNLCK, LK_LOCK, LK_NBLCK = 0, 1, 2

    def __init__(self, refusals: int) -> None:
        self.refusals, self.modes = refusals, list[int]()

    def locking(self, _descriptor: int, mode: int, _count: int) -> None:
        self.modes.append(mode)
        if len(self.modes) <= self.refusals:
            raise OSError(errno.EDEADLK if mode == self.LK_LOCK else errno.EACCES, "somebody else has it")


def windows(monkeypatch: pytest.MonkeyPatch, refusals: int) -> Windows:
    system = Windows(refusals)
    monkeypatch.setattr(platform, "_fcntl", None)
    monkeypatch.setattr(platform, "_msvcrt", system)
    return system


def test_a_lock_that_somebody_holds_for_a_moment_to_ask_about_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows(monkeypatch, refusals=3)
    with (tmp_path / "lock").open("w+b") as file:
        assert platform.lock_for_process(file.fileno())
        system = windows(monkeypatch, refusals=1_000_000)
        start = time.monotonic()
        assert not platform.lock_for_process(file.fileno())
        assert platform.is_locked_by_another(file.fileno())
        assert time.monotonic() - start < 30
        assert set(system.modes) == {Windows.LK_NBLCK}


def test_whoever_waits_for_a_lock_gets_it_after_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows gives up after ten tries, a second each, and says that there would be a deadlock."""
    system = windows(monkeypatch, refusals=5)
    with (tmp_path / "lock").open("w+b") as file:
        assert platform.lock_for_handle(file, wait=True)
        assert system.modes == [Windows.LK_LOCK] * 6
        windows(monkeypatch, refusals=1)
        assert not platform.lock_for_handle(file, wait=False)

"""Each system call of the writing path fails once: one line, nothing lost, and the same command again ends well.

One case of each call of each command; SETSET_ALL_CALLS=1 does all: four places of each call, every error.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from setset.cli import main
from setset.folder import WorkspaceFolder
from tests import small
from tests.chaos import powercut

pytestmark = [pytest.mark.chaos, pytest.mark.posix("preloads a C library")]

CALLS = ("open", "write", "fsync", "replace", "link", "mkdir", "unlink")
ERRORS = ("ENOSPC", "EIO", "EINTR", "EMFILE", "ENOMEM", "EROFS", "short")
COMMANDS = {name: powercut.SCENARIOS[name].arguments for name in ("run", "repair", "compact", "db rebuild", "rm")}
POSITIONS = (0.0, 0.3, 0.6, 0.99)
"""Position of the failing call, from the first (0) to the last (1)."""
Case = tuple[str, str, str, float]
ALL: list[Case] = [
    (command, call, error, position)
    for command in COMMANDS
    for call in CALLS
    for error in ERRORS
    for position in POSITIONS
    if error != "short" or call == "write"
]
KINDS = {(command, call): [case for case in ALL if case[:2] == (command, call)] for command, call, _, _ in ALL}
SAMPLE = [*(Random(str(kind)).choice(KINDS[kind]) for kind in KINDS), ("run", "write", "short", 0.3)]
CASES = ALL if os.environ.get("SETSET_ALL_CALLS") else SAMPLE


class Failing:
    """Takes the place of the functions of `os`, and lets the n-th call of one of them below a folder fail."""

    def __init__(self, folder: Path, call: str, error: str, number: int | None) -> None:
        self.folder, self.call, self.error, self.number, self.calls = folder, call, error, number, 0
        self.real: Callable[..., Any] = getattr(os, call)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        first = arguments[0]
        if isinstance(first, int) or options.get("dir_fd") is not None or options.get("src_dir_fd") is not None:
            counts = True
        else:
            counts = Path(os.fsdecode(first)).is_relative_to(self.folder)
        self.calls += counts
        if not counts or self.calls != self.number:
            return self.real(*arguments, **options)
        if self.error == "short":
            return self.real(first, bytes(arguments[1])[: max(1, len(arguments[1]) // 2)])
        code = getattr(errno, self.error)
        raise OSError(code, os.strerror(code), None if isinstance(first, int) else os.fsdecode(first))


@contextmanager
def failing(folder: Path, call: str, error: str, number: int | None) -> Iterator[Failing]:
    fake = Failing(folder, call, error, number)
    with pytest.MonkeyPatch.context() as patch:
        # `os.supports_dir_fd` holds the function itself.
        patch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, fake})
        patch.setattr(os, call, fake)
        yield fake


def setset(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Runs a command line in this process, with threads for workers; returns its exit code and stderr."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("setset.executors.local.LocalExecutor", ThreadPoolExecutor)
        patch.setattr(sys, "argv", ["setset", *COMMANDS[command], "--workspace", str(folder / "w")])
        with pytest.raises(SystemExit) as end:
            main()
    return int(end.value.code or 0), capsys.readouterr().err


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Prepared folder for each command."""
    folders = {}
    for command in COMMANDS:
        folders[command] = tmp_path_factory.mktemp("prepared")
        powercut.SCENARIOS[command].prepare(folders[command])
    return folders


@pytest.fixture(scope="module")
def undisturbed() -> dict[tuple[str, str], tuple[int, dict[str, str]]]:
    """How many calls each command makes, and the files that it leaves; filled as it is needed."""
    return {}


def require_recovery(command: str, base: Path, expected: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """No row without its file; then the command again, or a run, leaves what the undisturbed one does."""
    folder = WorkspaceFolder(base / "w")
    if command != "repair" and folder.database.exists():
        for (path,) in small.rows(folder.path, "SELECT path FROM batches"):
            assert (folder.own_root / path).is_file(), path
    code, output = setset("run" if command == "db rebuild" else command, base, capsys)
    assert code == 0, output
    assert small.digests(base / "w") == expected
    assert not list(base.rglob("*.tmp"))
    assert not list((base / "w").glob(".*"))
    assert small.findings(folder, deep=True) == []


@pytest.mark.parametrize(("command", "call", "error", "where"), CASES)
def test_a_call_that_fails_loses_nothing(
    command: str,
    call: str,
    error: str,
    where: float,
    prepared: dict[str, Path],
    undisturbed: dict[tuple[str, str], tuple[int, dict[str, str]]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if (command, call) not in undisturbed:
        sound = tmp_path / "whole"
        shutil.copytree(prepared[command], sound)
        with failing(sound, call, error, None) as counter:
            assert setset(command, sound, capsys)[0] == 0
        undisturbed[command, call] = counter.calls, small.digests(sound / "w")
    calls, expected = undisturbed[command, call]
    if not calls:
        pytest.skip(f"{command} never calls os.{call}")
    folder = tmp_path / "folder"
    shutil.copytree(prepared[command], folder)
    number = 1 + int(where * calls)
    with failing(folder, call, error, number) as fake:
        code, output = setset(command, folder, capsys)
    assert fake.calls >= number, "the call that was to fail was never made"
    assert "Traceback" not in output
    assert code in (0, 1, 12), output
    if code:
        assert output.splitlines()[-1].startswith("setset: "), output
    if error == "short":
        assert code == 0, output
    require_recovery(command, folder, expected, capsys)


@pytest.mark.parametrize(("command", "limit"), [*product(COMMANDS, [60_000]), ("run", 0), ("run", 5_000), ("rm", 0)])
def test_a_database_that_cannot_grow_loses_nothing(
    command: str, limit: int, prepared: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound, broken = tmp_path / "whole", tmp_path / "broken"
    for copy in (sound, broken):
        shutil.copytree(prepared[command], copy)
    assert setset(command, sound, capsys)[0] == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        code, output = setset(command, broken, capsys)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "Traceback" not in output
    assert code in (0, 1, 12), output
    if code:
        assert output.splitlines()[-1].startswith("setset: "), output
    require_recovery(command, broken, small.digests(sound / "w"), capsys)

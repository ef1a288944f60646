"""setset on a system without fork, fcntl, file descriptors of folders and signal masks: as near to Windows as a
test comes that runs elsewhere. Everything here runs in an interpreter that lacks them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LACKING = str(ROOT / "tests" / "without_posix")

pytestmark = pytest.mark.posix("needs locks of POSIX")


def run_python(*words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([LACKING, str(ROOT)])}
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout, cwd=ROOT)


def run_setset(*words: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "setset", *words)


def test_the_interpreter_lacks_what_windows_lacks() -> None:
    lacking = run_python(
        "-c",
        "import os, signal, multiprocessing\n"
        "from setset import platform\n"
        "print([hasattr(os, 'fork'), hasattr(os, 'getuid'), hasattr(signal, 'pthread_sigmask'), platform._fcntl])\n"
        "print(platform.START_METHOD)",
    )
    assert lacking.stdout.split("\n")[:2] == ["[False, False, False, None]", "spawn"], lacking.stderr


def test_a_run_a_check_and_a_repair_with_worker_processes(tmp_path: Path) -> None:
    workspace = str(tmp_path / "w")
    result = run_setset("run", "--size", "4", "--target", "18", "--workers", "2", "-q", "-w", workspace)
    assert (result.returncode, result.stderr) == (0, "")
    checked = run_setset("check", "--deep", "-q", "-w", workspace)
    assert (checked.returncode, checked.stdout.strip()) == (0, "no problems found"), checked.stderr
    victim = next(Path(workspace).rglob("s04/*.setset"))
    before = victim.read_bytes()
    victim.unlink()
    assert run_setset("check", "-q", "-w", workspace).returncode == 1
    repair = run_setset("repair", "-q", "-w", workspace)
    assert repair.returncode == 0, repair.stderr
    assert victim.read_bytes() == before
    counts = json.loads(run_setset("count", "--json", "-w", workspace).stdout)
    assert [count["lists"] for count in counts] == [45_189, 681_201]


def test_the_second_run_leaves_while_the_first_is_at_work(tmp_path: Path) -> None:
    result = run_python(
        "-c",
        "import subprocess, sys; from pathlib import Path; from setset.folder import WorkspaceFolder\n"
        "folder = WorkspaceFolder(Path(sys.argv[1])); folder.create()\n"
        "with folder.locked():\n"
        "    command = [sys.executable, '-m', 'setset', 'run', '--size', '3', '-w', sys.argv[1]]\n"
        "    print(subprocess.run(command, capture_output=True, text=True))\n"
        "with folder.locked(): pass\n",
        str(tmp_path / "w"),
    )
    assert "returncode=11" in result.stdout, result
    assert "is in use by pid" in result.stdout


def test_a_simulation_with_workers() -> None:
    played = run_setset("simulate", "--games", "50000", "--seed", "1", "--workers", "2", "--json")
    assert json.loads(played.stdout)["games"] == 50_000, played.stderr


def test_the_tests_of_what_is_nearest_to_the_system(tmp_path: Path) -> None:
    tests = ("test_durable.py", "batches/test_files.py", "batches/test_ownership.py")
    words = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not posix")
    # Without a folder for temporary files pytest asks for the user's id.
    arguments = ("--basetemp", str(tmp_path / "t"), *(f"tests/{name}" for name in tests))
    result = run_python("-m", "pytest", *words, *arguments, timeout=600)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-2000:]

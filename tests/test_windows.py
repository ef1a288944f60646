"""Real commands on Windows: drive letters, network paths, kills, locks, the page, Dask. tools/test-windows runs them
under Wine. Other tests do the same elsewhere, with signals of POSIX."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from setset.folder import WorkspaceFolder

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="other tests do this with signals of POSIX")
SMALL = ("--size", "4", "--target", "18", "-q")
FOLDERS = [folder for folder in os.environ.get("SETSET_WINDOWS_FOLDERS", "").split(";") if folder]
"""Folders of drive letters and network shares that the tests may write to."""


def start(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "setset", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")


def setset(*words: str, code: int = 0) -> str:
    process = start(*words)
    out, err = process.communicate(timeout=600)
    assert process.returncode == code, f"{words}: {process.returncode}\n{out}{err}"
    assert "Traceback" not in err
    return out if code == 0 else out + err


def files_of(workspace: Path) -> dict[str, bytes]:
    paths = (workspace / "batches").rglob("*.setset")
    return {path.relative_to(workspace).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("top", ["", *FOLDERS])
def test_a_workspace_in_any_folder(top: str, tmp_path: Path) -> None:
    workspace = Path(top or tmp_path, "Mengen ünd карты 卡")
    shutil.rmtree(workspace, ignore_errors=True)
    option = ("-w", str(workspace))
    setset("run", *SMALL, *option)
    path, *_ = (workspace / "batches").rglob("s04/*.setset")
    before = path.read_bytes()
    path.unlink()
    assert "missing" in setset("check", "-q", *option, code=1)
    setset("repair", "-q", *option)
    assert path.read_bytes() == before
    assert [row["lists"] for row in json.loads(setset("count", "--json", *option))] == [45_189, 681_201]
    assert json.loads(setset("sql", "SELECT size FROM sizes ORDER BY size", "--json", *option))[-1] == {"size": 4}
    setset("db", "rebuild", "-q", *option)
    with WorkspaceFolder(workspace).locked():
        assert "is in use by pid" in setset("run", *SMALL, *option, code=11)
    assert setset("check", "--deep", "-q", *option).strip() == "no problems found"
    shutil.rmtree(workspace)


def test_a_run_that_was_killed_ends_with_the_same_bytes(tmp_path: Path) -> None:
    goal = ("--size", "5", "--target", "14", "--batch-lists", "100000", "--workers", "2", "-q")
    setset("run", *goal, "-w", str(tmp_path / "whole"))
    process = start("run", *goal, "-w", str(tmp_path / "killed"))
    while len(files_of(tmp_path / "killed")) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.kill()
    process.communicate()
    setset("run", *goal, "-w", str(tmp_path / "killed"))
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")


CTRL_C = """
import os, signal, subprocess, sys, time
from pathlib import Path

signal.signal(signal.SIGINT, lambda *_: None)  # all processes of a console hear Ctrl-C
process = subprocess.Popen([sys.executable, "-m", "setset", *sys.argv[2:]], stdout=sys.stderr)
while process.poll() is None and len(list(Path(sys.argv[1]).rglob("*.setset"))) < 3:
    time.sleep(0.05)
os.kill(0, signal.CTRL_C_EVENT)
print(process.wait(60))
"""


def test_ctrl_c_ends_a_run_that_another_resumes(tmp_path: Path) -> None:
    """A program with a console of its own starts the run, then sends Ctrl-C to the console."""
    goal = ("--size", "5", "--target", "14", "--batch-lists", "100000", "--workers", "2", "-q", "-w", str(tmp_path))
    result = subprocess.run(
        [sys.executable, "-c", CTRL_C, str(tmp_path), "run", *goal],
        capture_output=True,
        text=True,
        timeout=600,
        creationflags=subprocess.CREATE_NO_WINDOW,
    )
    assert result.stdout.split() == ["130"], result.stderr
    assert "resumes" in result.stderr
    setset("run", *goal)
    assert setset("check", "--deep", "-q", "-w", str(tmp_path)).strip() == "no problems found"


def test_the_page_answers_until_it_is_ended(tmp_path: Path) -> None:
    setset("run", *SMALL, "-w", str(tmp_path / "w"))
    process = start("serve", "--port", "0", "-w", str(tmp_path / "w"))
    try:
        assert process.stderr is not None
        assert process.stdout is not None
        line = process.stdout.readline() or process.stderr.readline()
        address = re.search(r"http://\S+", line)
        assert address, line
        with urllib.request.urlopen(address[0], timeout=60) as answer:
            assert b"681,201" in answer.read() or answer.status == 200
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.mark.cluster
def test_dask_on_this_machine(tmp_path: Path) -> None:
    setset("run", *SMALL, "--executor", "dask", "--workers", "2", "-w", str(tmp_path / "dask"))
    setset("run", *SMALL, "-w", str(tmp_path / "local"))
    assert files_of(tmp_path / "dask") == files_of(tmp_path / "local")

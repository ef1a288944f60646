"""Scripts that start child processes, with and without `if __name__ == "__main__":`."""

from __future__ import annotations

import multiprocessing.spawn
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from setset.spawning import spawn_context

SIMULATE = """
from setset.table import simulate
print("games", simulate(50_000, seed=1, workers=2).games)
"""
SOLVE = """
from setset.sat import encode, solve
print("cards", len(solve(encode(20, "cases"), timeout=100).cards))
"""

START = """
from setset.spawning import spawn_context
child = spawn_context().Process(target=print, args=("child",))
child.start()
child.join()
print("ended", child.exitcode)
"""


def guarded(script: str) -> str:
    return 'if __name__ == "__main__":\n' + textwrap.indent(script, "    ")


def run(words: list[str], folder: Path, text: str | None = None) -> str:
    """The output of a script; it must end in time, with exit code 0 and without complaints."""
    result = subprocess.run(
        [sys.executable, *words], cwd=folder, input=text, capture_output=True, text=True, timeout=200, check=False
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))


def test_a_script_may_simulate_with_workers(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SIMULATE)
    assert run(["script.py"], tmp_path) == "games 50000\n"


def test_a_script_may_solve_with_a_timeout(tmp_path: Path) -> None:
    pytest.importorskip("pysat.solvers", reason="the extra setset[sat] is not installed")
    (tmp_path / "script.py").write_text(SOLVE)
    assert run(["script.py"], tmp_path) == "cards 20\n"


def test_modules_and_standard_input_are_scripts_too(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(START)
    (tmp_path / "guarded.py").write_text(guarded(START))
    for words in (["script.py"], ["guarded.py"], ["-m", "script"], ["-"], ["-c", START]):
        assert run(words, tmp_path, text=START) == "child\nended 0\n"


def test_the_main_module_is_as_before() -> None:
    before = dict(vars(sys.modules["__main__"]))
    with pytest.raises(TypeError, match="pickle"):
        spawn_context().Process(target=print, args=(threading.Lock(),)).start()
    assert dict(vars(sys.modules["__main__"])) == before
    assert multiprocessing.spawn.get_command_line.__module__ == "multiprocessing.spawn"


def test_several_threads_may_start_processes() -> None:
    main = sys.modules["__main__"]
    before = dict(vars(main))
    processes = [spawn_context().Process(target=sys.exit, args=(7,)) for _ in range(4)]
    threads = [threading.Thread(target=process.start) for process in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [7] * 4
    assert dict(vars(main)) == before


DIES = """
import os, signal
from multiprocessing import resource_tracker, util
from setset.spawning import spawn_context

resource_tracker.ensure_running()
start = util.spawnv_passfds


def start_and_die(*arguments):
    start(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)


util.spawnv_passfds = start_and_die
spawn_context().Process(target=print, args=("child",)).start()
"""


@pytest.mark.posix("sends signals")
def test_a_child_whose_parent_was_killed_before_it_said_what_to_do_is_silent(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(DIES)
    result = subprocess.run(  # until the child has closed its output, too
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (-9, "", "")


UNREADABLE = """
from setset.spawning import spawn_context
def here(): pass
child = spawn_context().Process(target=here)
child.start()
child.join()
print("ended", child.exitcode)
"""


def test_a_child_that_cannot_do_what_it_was_told_says_so(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNREADABLE)
    result = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert result.stdout == "ended 1\n"
    assert "AttributeError" in result.stderr

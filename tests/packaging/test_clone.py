"""`tools/setset` in a clone: the extra that a command needs. The environment writes down what is asked of it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = '#!/bin/sh\n[ "$1" = -c ] && exit 1\necho "python $*" >>"{log}"\n'
SETSET = '#!/bin/sh\necho "setset $*" >>"{log}"\n'

pytestmark = pytest.mark.posix("needs users and modes of files")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The tools, and an environment without any extra."""
    folder = tmp_path / "clone"
    (folder / "tools").mkdir(parents=True)
    (folder / ".venv" / "bin").mkdir(parents=True)
    for name in ("tools/setset", "tools/venv.sh", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for name, text in (("python", PYTHON), ("setset", SETSET)):
        program = folder / ".venv" / "bin" / name
        program.write_text(text.format(log=folder / "log"))
        program.chmod(0o755)
    return folder


def done(clone: Path) -> list[str]:
    """Commands in the log after the installation of setset itself."""
    first, *rest = (clone / "log").read_text().splitlines()
    assert first.startswith("python -m pip install")
    assert first.endswith(f"--editable {clone}")
    return rest


def test_where_nobody_can_be_asked_nothing_is_installed(clone: Path) -> None:
    words = [str(clone / "tools/setset"), "sat", "solve", "--cards", "20"]
    subprocess.run(words, stdin=subprocess.DEVNULL, check=True)
    assert done(clone) == ["setset sat solve --cards 20"]


def test_an_extra_by_its_name(clone: Path) -> None:
    subprocess.run([str(clone / "tools/setset"), "--with", "sat", "sat", "solve", "--cards", "20"], check=True)
    install, command = done(clone)
    assert install.endswith(f"--editable {clone}[sat]")
    assert command == "setset sat solve --cards 20"


def offer(clone: Path, answer: str) -> subprocess.CompletedProcess[str]:
    """Runs the offer to install a missing extra, as setset does on a terminal; `answer` is the input."""
    words = [str(clone / "tools/setset"), "--offer", "sat", "the SAT solver", "sat", "solve", "20"]
    return subprocess.run(words, input=answer, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("answer", ["y\n", "\n"])
def test_on_a_terminal_it_asks_first(clone: Path, answer: str) -> None:
    result = offer(clone, answer)
    assert result.returncode == 0
    assert "the SAT solver needs the extra setset[sat]: install it into .venv? [Y/n] " in result.stderr
    install, command = done(clone)
    assert install.endswith(f"--editable {clone}[sat]")
    assert command == "setset sat solve 20"


@pytest.mark.parametrize("answer", ["n\n", "what?\n", ""])
def test_any_other_answer_runs_nothing(clone: Path, answer: str) -> None:
    assert offer(clone, answer).returncode == 14
    assert done(clone) == []


def test_the_documentation_comes_with_its_extra(clone: Path) -> None:
    shutil.copy(ROOT / "tools" / "docs", clone / "tools" / "docs")
    subprocess.run([str(clone / "tools" / "docs"), "pages"], check=True)
    install, build = (clone / "log").read_text().splitlines()
    assert install.endswith(f"--editable {clone}[docs]")
    assert build == f"python {clone}/tools/docs.py pages"

"""`--help` and `--version`: there for every command, and quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

from setset.cli import COMMANDS
from tests.cli.conftest import run_process

SUBCOMMANDS = (
    "export lists",
    "export classes",
    "export links",
    "export counts",
    "classes build",
    "db current",
    "db upgrade",
    "db backup",
    "db rebuild",
    "sat encode",
    "sat solve",
    "sat read",
)


@pytest.mark.parametrize("command", [*COMMANDS, *SUBCOMMANDS])
def test_help_is_quick_and_has_an_example(command: str) -> None:
    """`--help` loads neither numba nor SQLAlchemy nor PySAT, and shows how the command is used."""
    program = (
        "import sys; sys.argv = ['setset', *sys.argv[1:], '--help']\n"
        "from setset.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    assert not {'numba', 'sqlalchemy', 'numpy', 'pysat'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command.split()], capture_output=True, text=True, check=True
    )
    assert "Example" in done.stdout
    assert f"setset {command}" in done.stdout.split("Example")[1]


def test_help_lists_all_commands() -> None:
    shown = run_process("--help")
    assert shown.returncode == 0
    assert all(command in shown.stdout for command in COMMANDS)


def test_version() -> None:
    assert run_process("--version").stdout.startswith("setset, version ")

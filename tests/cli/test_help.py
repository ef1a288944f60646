"""`--help` and `--version`: there for every command, and quick."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from setset.cli import cli
from setset.cli.groups import COMMANDS, GROUPS
from tests.commands import SUBCOMMANDS, run_here
from tests.conftest import Run


@pytest.fixture(scope="module")
def helped() -> dict[str, str]:
    """Output of `--help` by command. One process prints all of them and loads nothing heavy."""
    program = (
        "import sys; from setset.cli import main\n"
        "for words in sys.argv[1:]:\n"
        "    sys.argv = ['setset', *words.split(), '--help']\n"
        "    try: main()\n"
        "    except SystemExit: print('=== end')\n"
        "    assert not {'numba', 'sqlalchemy', 'numpy', 'pysat'} & set(sys.modules), words\n"
    )
    commands = [*COMMANDS, *SUBCOMMANDS]
    words = [sys.executable, "-c", program, *commands]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return dict(zip(commands, result.stdout.split("=== end\n")[:-1], strict=True))


@pytest.mark.parametrize("command", [*COMMANDS, *SUBCOMMANDS])
def test_help_has_an_example(helped: dict[str, str], command: str) -> None:
    assert f"setset {command}" in helped[command].split("Example")[1]


def option_helps(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            yield parameter.help or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from option_helps(subcommand)


def test_the_help_of_an_option_is_a_short_phrase() -> None:
    phrase = re.compile(r"(?!(The|An?|Only|Also|With|No|All|If|First) )[A-Z].{5,103}\.")
    assert [text for text in option_helps(cli) if not phrase.fullmatch(text)] == []


def test_help_lists_all_commands() -> None:
    result = run_here("--help")
    assert result.returncode == 0
    assert all(command in result.stdout for command in COMMANDS)


def test_help_is_in_groups_and_every_summary_on_its_line() -> None:
    output = run_here("help", "all", COLUMNS="80").stdout
    lines = output.splitlines()
    for title, commands in GROUPS.items():
        start = lines.index(f"{title}:")
        for index, (name, summary) in enumerate(commands.items(), start + 1):
            assert lines[index].split(maxsplit=1) == [name, summary]
    assert max(map(len, lines)) <= 80
    assert "..." not in output.replace("[ARGS]...", "")


@pytest.mark.parametrize("group", ["classes", "db"])
def test_what_a_group_of_commands_says_of_them_fits_too(group: str) -> None:
    assert "..." not in run_here(group, "--help", COLUMNS="80").stdout.replace("[ARGS]...", "")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["statsu"], "No such command 'statsu'. Did you mean 'status'?"),
        (["Stat"], "No such command 'Stat'. Did you mean 'status'?"),
        (["xyzzy"], "No such command 'xyzzy'."),
        (["classes", "biuld"], "No such command 'biuld'. Did you mean 'build'?"),
        (["db", "curent"], "No such command 'curent'. Did you mean 'current'?"),
        (["--hlep"], "'--help'?"),
        (["status", "--jsno"], "'--json'?"),
        (["classify", "1", "2", "--jsno"], "No such option '--jsno'. Did you mean '--json'?"),
        (["rank", "--jsno", "1"], "No such option '--jsno'. Did you mean '--json'?"),
        (["unrank", "--size", "5", "--namse"], "No such option '--namse'. Did you mean '--names'?"),
    ],
    ids=str,
)
def test_a_mistyped_word_gets_a_suggestion(run: Run, words: list[str], meant: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.replace("'", "").endswith(meant.replace("'", "") + "\n")  # click 8.1 has no quotes


def test_version() -> None:
    assert run_here("--version").stdout.startswith("setset, version ")

"""All commands with their summaries, and the `click` groups that show them, correct mistyped names, and import the
module of a command only when the user calls the command."""

import importlib
import re
from collections.abc import Iterable, Mapping

import click

from setset.cli.messages import OutputFailed
from setset.show.commands import program

GROUPS = {
    "Explore": {
        "run": "Build all lists up to a size, or resume a stopped run.",
        "estimate": "Estimate the lists, time and disk of a run.",
        "scheduler": "Start a Dask scheduler for runs on many machines.",
        "worker": "Start Dask workers on this machine.",
    },
    "Look": {
        "status": "Progress of each size, running and failed work.",
        "count": "Number of lists of each size, compared with other sources.",
        "lists": "Print lists of a size, from files or computed.",
        "statistics": "Histograms over all lists of a size.",
        "export": "Write lists, classes or counts for other programs.",
        "plot": "Draw charts of counts, odds, classes and work.",
        "report": "Write a page on the workspace, to mail or print.",
        "sql": "Query the database, read-only.",
        "history": "List past runs and how they ended.",
        "serve": "Serve a web page: watch runs, browse classes, play.",
        "site": "Write the web page as files for any web host.",
    },
    "Look after": {
        "check": "Compare the database with the files.",
        "repair": "Repair the problems that check finds.",
        "compact": "Merge small batch files into full files.",
        "roots": "List, move or give up folders with batch files.",
        "rm": "Remove an exploration, or its largest sizes.",
        "db": "Back up, upgrade or rebuild the database.",
    },
    "Symmetry": {
        "classes": "Show the catalogue of classes: totals, list, show, build.",
        "classify": "Find the class of a hand without a set.",
        "sample": "Draw random lists, each as likely as any other.",
        "members": "Print the lists of a class.",
        "rank": "Print the rank of a list among all lists of its size.",
        "unrank": "Print the list that has a given rank.",
    },
    "Caps": {
        "partitions": "Split the deck into four hands of 20 without a set.",
        "verify": "Check whether points are a cap, in up to 10 dimensions.",
        "sat": "Ask a SAT solver for cards without a set.",
    },
    "Table": {
        "odds": "Print the odds that some cards hold a set.",
        "identify": "Sets, class, rarity and neighbours of a hand.",
        "find": "Find every set among some cards.",
        "deal": "Deal cards and draw them.",
        "play": "Play a game of SET.",
        "hands": "Number of hands with exactly k sets.",
        "simulate": "Simulate games, and count tables without a set.",
        "draw": "Draw cards as a picture or on the terminal.",
    },
    "Program": {
        "doctor": "Show the workspace, disks, extras and versions.",
        "completion": "Print a completion script for bash, zsh or fish.",
        "help": "Describe all commands, or one command.",
    },
}
"""Commands and their summaries by group, so that `--help` need not import the commands. Each line fits 80 columns."""
COMMANDS = tuple(name for commands in GROUPS.values() for name in commands)
FIRST = {
    name: summary
    for commands in GROUPS.values()
    for name, summary in commands.items()
    if name in ("odds", "identify", "play", "run", "status", "lists", "count", "serve")
}
"""The commands in the first section of `setset --help`."""


def write_commands(formatter: click.HelpFormatter, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Writes a section per group of commands to a help text, with a line per command."""
    width = max(map(len, COMMANDS))
    for title, commands in groups.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), summary) for name, summary in commands.items()])


class SuggestingGroup(click.Group):
    """A group of commands that suggests a similar command if a command does not exist."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if not ctx.resilient_parsing and not word.startswith("-") and self.get_command(ctx, word) is None:
            # Older versions of click suggest nothing, newer versions suggest only loaded commands.
            names = self.list_commands(ctx)
            raise click.UsageError(f"No such command {word!r}.{suggest(word, names)}", ctx)
        return super().resolve_command(ctx, args)


def suggest(word: str, names: Iterable[str]) -> str:
    """Returns a suggestion for the end of a message, such as " Did you mean 'run'?". Chooses a name that begins with
    the word, otherwise the most similar name. Returns an empty text if no name is similar."""
    from difflib import get_close_matches

    known, typed = list(names), word.lower()
    alike = [name for name in known if name.startswith(typed)] or get_close_matches(typed, known, n=1)
    return f" Did you mean {alike[0]!r}?" if alike else ""


def _examples(text: str) -> str:
    """Replaces `setset` in the examples and quoted commands of a help text by the program as the user called it."""
    called = program()
    if called == "setset":
        return text
    return re.sub(r"(^ +|')setset (?=[a-zA-Z])", lambda match: f"{match[1]}{called} ", text, flags=re.MULTILINE)


def _name_program(command: click.Command) -> None:
    """Applies `_examples` to the help text of a command and of its subcommands."""
    command.help = _examples(command.help or "")
    for subcommand in getattr(command, "commands", {}).values():
        _name_program(subcommand)


class LazyGroup(SuggestingGroup):
    """The group of all commands. It imports `setset/cli/NAME.py` only when the command NAME is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"setset.cli.{cmd_name}").command
        _name_program(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        write_commands(formatter, {"Start with": FIRST})
        with formatter.section(_examples("All commands ('setset help all' describes them)")):
            formatter.write_dl([(title, ", ".join(commands)) for title, commands in GROUPS.items()])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)  # leaves out the options, so that the help fits 24 rows

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return ["[-h] [-V] COMMAND [--help] ..."]

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # raised by stderr; click itself would exit with code 1
            raise OutputFailed(error) from error

"""The command line. Each command is one file: it parses its arguments, makes one call of the public API, and prints.

Commands import other modules inside their bodies, so that `--help` loads neither numba nor SQLAlchemy.
"""

import contextlib
import errno
import importlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from setset import __version__
from setset.cli.messages import OTHER_PROGRAMS, in_words, print_usage_error, reword
from setset.errors import MissingExtra, NoSpace, SetsetError, is_no_space
from setset.show.commands import PROGRAM, program, set_workspace

GROUPS = {
    "Explore": {
        "run": "Build all lists up to a size, or resume a stopped run.",
        "estimate": "Estimate the lists, time and disk of a run.",
        "scheduler": "Start a Dask scheduler for runs on many machines.",
        "worker": "Start Dask workers on this machine.",
    },
    "Look": {
        "status": "Progress of each size, running and failed work.",
        "count": "Number of lists of each size, compared with references.",
        "lists": "Print lists from the files, in order.",
        "statistics": "Histograms over all lists of a size.",
        "export": "Write lists, classes or counts for other programs.",
        "plot": "Draw charts of counts, odds, classes and work.",
        "report": "Write a page on the workspace, to mail or print.",
        "sql": "Query the database, read-only.",
        "history": "Past runs and how they ended.",
        "serve": "Serve a web page: watch runs, browse classes, play.",
        "site": "Write the web page as files for any web host.",
    },
    "Look after": {
        "check": "Compare the database with the files.",
        "repair": "Repair what check finds. Made files are byte-identical.",
        "compact": "Merge small files into full ones.",
        "roots": "List, move or give up folders with batch files.",
        "rm": "Remove an exploration, or its largest sizes.",
        "db": "Back up, upgrade or rebuild the database.",
    },
    "Symmetry": {
        "classes": "The catalogue of classes: totals, list, show, build.",
        "classify": "The class of a hand without a set.",
        "sample": "Random lists, each as likely as any other.",
        "members": "The lists of a class.",
        "rank": "The rank of a list among all lists of its size.",
        "unrank": "The list that has a given rank.",
    },
    "Caps": {
        "partitions": "Split the deck into four hands of 20 without a set.",
        "verify": "Check whether points are a cap, in up to 10 dimensions.",
        "sat": "Ask a SAT solver for cards without a set.",
    },
    "Table": {
        "odds": "The odds that some cards hold a set.",
        "identify": "Sets, class, rarity and neighbours of a hand.",
        "find": "Find every set among some cards.",
        "deal": "Deal cards and draw them.",
        "play": "Play a game of SET.",
        "hands": "Number of hands with exactly k sets.",
        "simulate": "Play many games and count tables without a set.",
        "draw": "Draw cards as a picture or on the terminal.",
    },
    "Program": {
        "doctor": "Show the workspace, disks, extras and versions.",
        "completion": "Print a completion script for bash, zsh or fish.",
        "help": "Describe all commands, or one command.",
    },
}
"""Commands and their summaries, so that `--help` need not load the commands. Each line fits 80 columns."""
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


class OutputFailed(OSError):
    """Writing to standard output failed. `reason` is the operating system's error."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(f"cannot write to standard output: {reason.strerror}")
        self.reason = reason


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
    """Returns the end of a message, such as " Did you mean 'run'?". Suggests a name that begins with the word,
    otherwise the most similar name. Empty if no name is similar."""
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
    """Makes the examples of a command and of its subcommands ready to paste."""
    command.help = _examples(command.help or "")
    for below in getattr(command, "commands", {}).values():
        _name_program(below)


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


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="setset")
def cli() -> None:
    """Find every hand of SET cards that holds no set."""


def _print_error(error: BaseException | str) -> None:
    """Prints one line on stderr, with control characters (from file names or databases) escaped."""
    from setset.show.formatting import print_line

    with contextlib.suppress(OSError, ValueError):
        print_line(f"setset: {error}", err=True)


@contextlib.contextmanager
def _output_errors() -> Iterator[None]:
    """Converts errors of the operating system in the block to `OutputFailed`."""
    try:
        yield
    except OSError as error:
        raise OutputFailed(error) from error


class _Output(io.BufferedWriter):
    """Standard output whose errors are `OutputFailed`, so that they differ from errors of other files."""

    write = _output_errors()(io.BufferedWriter.write)
    flush = _output_errors()(io.BufferedWriter.flush)


@contextlib.contextmanager
def _guarded_output() -> Iterator[None]:
    """Replaces standard output during the block, so that its errors are `OutputFailed`, even at the last flush."""
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream.buffer, io.BytesIO):
        yield  # standard output is no real file, so writing cannot fail
        return
    with _output_errors():
        stream.flush()
    raw: Any = getattr(stream.buffer, "raw", stream.buffer)  # python -u has no buffer
    output = io.TextIOWrapper(_Output(raw), stream.encoding, stream.errors, None, stream.line_buffering)
    try:
        with contextlib.redirect_stdout(output):
            try:
                yield
            finally:
                output.flush()  # an error at exit, such as a full disk, would print a traceback
    except OutputFailed:
        # Discards the remaining output, because Python would fail again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), raw.fileno())
        raise
    finally:
        output.detach().detach()  # so that the file stays open


def offer_extra(error: MissingExtra) -> None:
    """Prints how to install a missing extra. If `tools/setset` on a terminal started this program, runs `tools/setset`
    again, which asks and installs the extra."""
    clone = os.environ.get(PROGRAM)
    if clone is None:
        _print_error(error)
    elif sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        os.execv(clone, [clone, "--offer", error.extra, error.feature, *sys.argv[1:]])  # noqa: S606 (the program itself)
    else:
        words = shlex.join(sys.argv[1:])
        _print_error(f"{error.feature} needs an extra: run {program()} --with {error.extra} {words}")


def _run_command() -> object:
    """Runs the command, flushes its output, and returns its exit code."""
    set_workspace(None)
    called = program()
    with _guarded_output():
        try:
            return cli.main(prog_name=called, standalone_mode=False)
        except SystemExit as end:
            return end.code


def main() -> None:
    """The entry point: runs the command. An error becomes one line on stderr and an exit code."""
    # setset multiplies no large matrices, so numpy need not start threads for them, here and in the workers.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a pipe on Windows does not accept every character of a path
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _run_command()
    except MissingExtra as error:
        offer_extra(error)
        code = error.exit_code
    except SetsetError as error:
        _print_error(error)
        code = error.exit_code
    except click.ClickException as error:
        print_usage_error(reword(error))
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("setset: interrupted", err=True)
        code = 130
    except OSError as error:
        # Any access to a file may fail, because the disk may be full, read-only or gone.
        reason = error.reason if isinstance(error, OutputFailed) else error
        if reason.errno == errno.EPIPE:  # the reader of the pipe (such as `head`) has ended
            sys.exit(0)
        _print_error(error if isinstance(error, OutputFailed) else in_words(error))
        code = NoSpace.exit_code if is_no_space(reason) else SetsetError.exit_code
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package not in OTHER_PROGRAMS:
            raise
        message = " ".join(str(error).split()) or type(error).__name__
        _print_error(f"{OTHER_PROGRAMS[package]} failed: {message}")
        code = SetsetError.exit_code
    sys.exit(code if isinstance(code, int) else 0)

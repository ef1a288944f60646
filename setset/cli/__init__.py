"""The command line: one file a command, each parse, one call, print.

Commands import what they need inside their bodies, so that `--help` loads neither numba nor SQLAlchemy.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys

import click

from setset import __version__
from setset.cli.ranges import reword
from setset.errors import NO_SPACE, NoSpace, SetsetError

COMMANDS = (
    "run",
    "status",
    "count",
    "check",
    "repair",
    "compact",
    "lists",
    "sql",
    "history",
    "db",
    "classes",
    "classify",
    "sample",
    "members",
    "rank",
    "unrank",
    "find",
    "deal",
    "play",
    "simulate",
    "draw",
    "sat",
)


class OutputClosed(Exception):
    """Whoever read standard output has seen enough, as `head` does."""


class LazyGroup(click.Group):
    """Loads `setset/cli/NAME.py` when the command NAME is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"setset.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # click would make exit code 1 of it
            raise OutputClosed from error


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="setset")
def cli() -> None:
    """Find every hand of SET cards that holds no set.

    \b
    Start with:
      setset run --size 6      all lists of up to 6 cards that can grow to 12
      setset status            how far that is
      setset lists --size 6 --limit 5
    """


def _print_error(error: BaseException | str) -> None:
    """One line on stderr, harmless to a terminal, whatever a file name or a database says."""
    from setset.show.formatting import print_line

    with contextlib.suppress(OSError, ValueError):
        print_line(f"setset: {error}", err=True)


def _run_command() -> object:
    """Runs the command to its end, its output written; its exit code."""
    try:
        code: object = cli.main(standalone_mode=False)
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()  # here and not when Python ends, where a full disk would be a traceback
    return code


def _was_printing(error: OSError) -> bool:
    """Whether it is standard output that could not be written to: click's echo failed, or the last flush."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = trace.tb_frame.f_globals["__name__"] if trace is not None else ""
    return where.startswith((__name__, "click.", "setset.show.formatting"))


def _drop_output() -> None:
    """Nothing more can be written to standard output, and Python will not try when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """The entry point: runs the command, turns errors into one line on stderr and an exit code."""
    try:
        code = _run_command()
    except SetsetError as error:
        _print_error(error)
        code = error.exit_code
    except click.ClickException as error:
        reword(error).show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("setset: interrupted", err=True)
        code = 130
    except (OutputClosed, BrokenPipeError):
        _drop_output()
        code = 0
    except OSError as error:
        # A disk that is full, read-only or gone shows wherever a file is touched.
        if _was_printing(error):
            _drop_output()
            _print_error(f"cannot write to standard output: {error.strerror}")
        else:
            _print_error(error)
        code = NoSpace.exit_code if error.errno in NO_SPACE else SetsetError.exit_code
    sys.exit(code if isinstance(code, int) else 0)

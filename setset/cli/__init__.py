"""The command line. Each command is one file: it parses its arguments, makes one call of the public API, and prints.

Commands import other modules inside their bodies, so that `--help` loads neither numba nor SQLAlchemy.
"""

import contextlib
import errno
import io
import os
import shlex
import sys
from collections.abc import Iterator
from typing import Any

import click

from setset import __version__
from setset.cli.groups import LazyGroup
from setset.cli.messages import OTHER_PROGRAMS, OutputFailed, in_words, print_usage_error, reword
from setset.errors import MissingExtra, NoSpace, SetsetError, is_no_space
from setset.show.commands import PROGRAM, program, set_workspace


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
    """Standard output that raises `OutputFailed`, so that `main` can tell its errors from errors of other files."""

    write = _output_errors()(io.BufferedWriter.write)
    flush = _output_errors()(io.BufferedWriter.flush)


@contextlib.contextmanager
def _guarded_output() -> Iterator[None]:
    """Converts errors of standard output in the block, and at its final flush, to `OutputFailed`."""
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
    """Prints how to install a missing extra. If the launcher `tools/setset` started this program on a terminal, runs
    the launcher again: it asks the user, and installs the extra."""
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
    with _guarded_output():
        set_workspace(None)
        try:
            return cli.main(prog_name=program(), standalone_mode=False)
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

"""Messages for errors of click, of the operating system and of other packages."""

import contextlib
import io
import re

import click


class OutputFailed(OSError):
    """Writing to standard output failed. `reason` is the operating system's error."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(f"cannot write to standard output: {reason.strerror}")
        self.reason = reason


def print_usage_error(error: click.ClickException) -> None:
    """Prints click's message on stderr, with control characters (from file names) escaped."""
    from setset.show.formatting import printable

    shown = io.StringIO()
    error.show(shown)
    lines = shown.getvalue().expandtabs(4).splitlines()
    with contextlib.suppress(OSError, ValueError):
        click.echo("\n".join(map(printable, lines)), err=True)


_NO_NUMBER = re.compile(r"(?P<value>'.*') is not a valid (integer|float)( range)?\.?", re.DOTALL)
_OUT_OF_RANGE = re.compile(r"(?P<value>\S+) is not in the range .*", re.DOTALL)


def reword(error: click.ClickException) -> click.ClickException:
    """Replaces click's message for a bad number by a message that names the number and the expected range."""
    if not isinstance(error, click.BadParameter) or error.param is None:
        return error
    match = _NO_NUMBER.fullmatch(error.message) or _OUT_OF_RANGE.fullmatch(error.message)
    if match is None:
        return error
    message = f"{match['value']}, expected {_expected(error.param.type)}."
    return click.BadParameter(message, error.ctx, error.param, error.param_hint)


def _expected(kind: object) -> str:
    """Describes the values that a number option expects, such as 'a whole number from 3 to 20'."""
    noun = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None:
        return noun if most is None else f"{noun} up to {most:,}"
    if getattr(kind, "min_open", False):
        return f"{noun} above {least:,}" if most is None else f"{noun} above {least:,} and up to {most:,}"
    return f"{noun} from {least:,} on" if most is None else f"{noun} from {least:,} to {most:,}"


OTHER_PROGRAMS = {"distributed": "Dask", "dask": "Dask", "tornado": "Dask", "uvicorn": "the server of the page"}
"""Other packages whose errors reach the user, and the name of each package in messages."""


def in_words(error: OSError) -> str:
    """Makes the message for an error of the operating system: file and reason, without the error number."""
    files = [str(name) for name in (error.filename, error.filename2) if name is not None]
    return ": ".join([*files, error.strerror or str(error)])

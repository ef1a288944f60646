"""Errors of click, of the operating system and of other packages, in words."""

import contextlib
import io
import re

import click


def print_usage_error(error: click.ClickException) -> None:
    """Click's message on stderr, which may name what a shell or another program gave as a file name."""
    from setset.show.formatting import printable

    shown = io.StringIO()
    error.show(shown)
    lines = shown.getvalue().expandtabs(4).splitlines()
    with contextlib.suppress(OSError, ValueError):
        click.echo("\n".join(map(printable, lines)), err=True)


_NO_NUMBER = re.compile(r"(?P<given>'.*') is not a valid (integer|float)( range)?\.?", re.DOTALL)
_OUT_OF_RANGE = re.compile(r"(?P<given>\S+) is not in the range .*", re.DOTALL)


def reword(error: click.ClickException) -> click.ClickException:
    """The same error. If an option's number was refused, it names what was given and what is expected."""
    if not isinstance(error, click.BadParameter) or error.param is None:
        return error
    found = _NO_NUMBER.fullmatch(error.message) or _OUT_OF_RANGE.fullmatch(error.message)
    if found is None:
        return error
    message = f"{found['given']}, expected {_expected(error.param.type)}."
    return click.BadParameter(message, error.ctx, error.param, error.param_hint)


def _expected(kind: object) -> str:
    """'a whole number from 3 to 20'"""
    what = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None:
        return what if most is None else f"{what} up to {most:,}"
    if getattr(kind, "min_open", False):
        return f"{what} above {least:,}" if most is None else f"{what} above {least:,} and up to {most:,}"
    return f"{what} from {least:,} on" if most is None else f"{what} from {least:,} to {most:,}"


OTHER_PROGRAMS = {"distributed": "Dask", "dask": "Dask", "tornado": "Dask", "uvicorn": "the server of the page"}
"""Packages that have errors of their own, and what a person calls them."""


def in_words(error: OSError) -> str:
    """An error of the operating system with its file and without its number."""
    files = [str(each) for each in (error.filename, error.filename2) if each is not None]
    return ": ".join([*files, error.strerror or str(error)])

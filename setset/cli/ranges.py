"""What click says of numbers, in plain words: the option, what was given, what is expected."""

from __future__ import annotations

import re

import click

_NO_NUMBER = re.compile(r"(?P<given>'.*') is not a valid (integer|float)( range)?\.?", re.DOTALL)
_OUT_OF_RANGE = re.compile(r"(?P<given>\S+) is not in the range .*", re.DOTALL)


def reword(error: click.ClickException) -> click.ClickException:
    """The same error, with another message if an option's number was refused."""
    if not isinstance(error, click.BadParameter) or error.param is None:
        return error
    found = _NO_NUMBER.fullmatch(error.message) or _OUT_OF_RANGE.fullmatch(error.message)
    if found is None:
        return error
    message = f"{found['given']}, expected {expected(error.param.type)}."
    return click.BadParameter(message, error.ctx, error.param, error.param_hint)


def expected(kind: object) -> str:
    """'a whole number from 3 to 20'"""
    what = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is None:
        return what if most is None else f"{what} up to {most:,}"
    if getattr(kind, "min_open", False):
        return f"{what} above {least:,}" if most is None else f"{what} above {least:,} and up to {most:,}"
    return f"{what} from {least:,} on" if most is None else f"{what} from {least:,} to {most:,}"

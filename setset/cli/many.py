"""Many hands from a file or from standard input, a hand per line."""

from __future__ import annotations

import sys
from bisect import insort
from collections.abc import Iterator
from typing import TextIO

from setset.cards import parse_cards
from setset.errors import BadInput


class Hands:
    """The hands of a file. Lines that hold none are reported on stderr and counted; the others go on.

    Args:
        lines: the file.
    """

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self._source = "standard input" if lines.name == "<stdin>" else lines.name
        self.exit_code = 0
        self.rejected: list[tuple[int, str]] = []
        """Lines that were reported, and why."""

    @classmethod
    def asked_for(
        cls, cards: tuple[str, ...], file: TextIO | None, count: int | None = None, seed: int | None = None
    ) -> Hands | None:
        """The hands of --file or of standard input, if a command line asks for them and not for dealt ones."""
        if file is not None and cards:
            raise BadInput("give CARDS or --file, not both")
        if file is None and cards == ("-",):
            file = sys.stdin
        if file is not None and (count is not None or seed is not None):
            raise BadInput("give hands by --file or -, or --deal with --seed, not both")
        return None if file is None else cls(file)

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines that are neither blank nor a comment, with their numbers from 1."""
        for number, line in enumerate(self._lines, 1):
            text = line.partition("#")[0].strip()
            if text:
                yield number, text

    def __iter__(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The hands, with the numbers of their lines."""
        for number, text in self.lines():
            try:
                yield number, parse_cards(text.split())
            except BadInput as error:
                self.report(number, error)

    def report(self, line: int, error: Exception) -> None:
        """Says what is wrong with a line."""
        from setset.show.formatting import print_line

        self.exit_code = 1
        insort(self.rejected, (line, str(error)))
        print_line(f"setset: {self._source}, line {line}: {error}", err=True)

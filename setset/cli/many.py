"""Reads many hands from a file or from standard input, a hand per line."""

from __future__ import annotations

import sys
from bisect import insort
from collections.abc import Iterator
from typing import TextIO

from setset.cards import check_deck, parse_cards
from setset.errors import BadInput


class Hands:
    """The hands in a file. Iteration reports a bad line on stderr, records it in `rejected`, and continues.

    Args:
        lines: the file.
        dimension: number of features of the deck.
    """

    def __init__(self, lines: TextIO, dimension: int = 4) -> None:
        self._lines = lines
        self._dimension = dimension
        self._source = "standard input" if lines.name == "<stdin>" else lines.name
        self.exit_code = 0
        self.rejected: list[tuple[int, str]] = []
        """Line number and error of each bad line, sorted by line number."""

    @classmethod
    def from_command_line(
        cls,
        cards: tuple[str, ...],
        file: TextIO | None,
        count: int | None = None,
        seed: int | None = None,
        dimension: int = 4,
    ) -> Hands | None:
        """Opens the hands of --file or of standard input (-). None if the command line has neither."""
        if file is not None and cards:
            raise BadInput("give CARDS or --file, not both")
        if file is None and cards == ("-",):
            file = sys.stdin
        if file is not None and (count is not None or seed is not None):
            raise BadInput("give hands by --file or -, or --deal with --seed, not both")
        return None if file is None else cls(file, dimension)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yields number (from 1) and text of each line that is neither blank nor a comment."""
        for number, line in enumerate(self._lines, 1):
            text = line.partition("#")[0].strip()
            if text:
                yield number, text

    def __iter__(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yields line number and cards of each hand."""
        for number, text in self.lines():
            try:
                yield number, check_deck(parse_cards(text.split()), self._dimension)
            except BadInput as error:
                self.report(number, error)

    def report(self, line: int, error: Exception) -> None:
        """Prints the error of a line, and records it in `rejected`."""
        from setset.show.formatting import print_line

        self.exit_code = 1
        insort(self.rejected, (line, str(error)))
        print_line(f"setset: {self._source}, line {line}: {error}", err=True)

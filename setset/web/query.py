"""What a visitor asks for, in the address or in a form: every value is checked before anything is done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from setset.cards import CARDS, Cards, parse_cards
from setset.errors import BadInput

MOST_TEXT: Final = 20_000


class NotFound(BadInput):
    """There is no such page."""


class Redirect(Exception):
    """The answer is at another address of this page."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


@dataclass(frozen=True)
class Query:
    """The values of one request; where a name is given twice, `all` has both."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def all(self, name: str) -> list[str]:
        found = list(self.values.get(name, ()))
        if sum(map(len, found)) > MOST_TEXT:
            raise BadInput(f"{name}: more than {MOST_TEXT:,} letters")
        return found

    def text(self, name: str, default: str = "") -> str:
        found = self.all(name)
        return found[-1] if found else default

    def number(self, name: str, least: int, most: int, default: int) -> int:
        """A whole number; what is not given, or empty, is the default."""
        found = self.optional(name, least, most)
        return default if found is None else found

    def optional(self, name: str, least: int, most: int) -> int | None:
        """The same, None if it is not given."""
        text = self.text(name).strip()
        if not text:
            return None
        plain = text.replace(",", "")
        if not (plain.isascii() and plain.isdecimal() and len(plain) <= 20 and least <= int(plain) <= most):
            raise BadInput(f"{name}: expected a number from {least:,} to {most:,}, not {text[:40]!r}")
        return int(plain)

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """One of some words; the first is the default."""
        found = self.text(name) or choices[0]
        if found not in choices:
            raise BadInput(f"{name}: expected {', '.join(choices)}, not {found[:40]!r}")
        return found

    def cards(self, name: str = "cards") -> Cards:
        """Cards by numbers, names or codes, as on a command line."""
        words = self.text(name).replace("\n", " ").split()
        if len(words) > 4 * CARDS:
            raise BadInput(f"{name}: there are only {CARDS} cards")
        return parse_cards(words)

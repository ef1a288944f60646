"""The values of a request, from the address or a form: every value is checked before anything is done with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs

from setset.cards import CARDS, Cards, parse_cards
from setset.errors import BadInput

Answer = dict[str, Any]
"""Answer of a page, and its JSON."""
MOST_TEXT: Final = 20_000
MOST_FIELDS: Final = 20
TOO_MANY: Final = "the form has too many fields"


class NotFound(BadInput):
    """There is no such page."""


class Redirect(Exception):
    """The answer is at another address of this page, the only argument."""


@dataclass(frozen=True)
class Query:
    """The values of one request; where a name is given twice, `all` has both."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    """Names of the values that are parts of the path."""

    def all(self, name: str) -> list[str]:
        found = list(self.values.get(name, ()))
        if sum(map(len, found)) > MOST_TEXT:
            raise BadInput(f"{name}: more than {MOST_TEXT:,} letters")
        return found

    def text(self, name: str) -> str:
        return (self.all(name) or [""])[-1]

    def path_values(self) -> dict[str, str]:
        """The values that are parts of the path."""
        return {name: self.text(name) for name in self.path}

    def only_path(self) -> "Query":
        """The same page without anything asked of it."""
        return Query({name: self.values[name] for name in self.path if name in self.values}, self.path)

    def number(self, name: str, least: int, most: int, default: int) -> int:
        """A whole number; the default if it is missing or empty."""
        found = self.optional(name, least, most)
        return default if found is None else found

    def optional(self, name: str, least: int, most: int) -> int | None:
        """A whole number; None if it is missing or empty."""
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

    def cards(self) -> Cards:
        """Cards by numbers, names or codes, as on a command line."""
        words = self.text("cards").replace("\n", " ").split()
        if len(words) > 4 * CARDS:
            raise BadInput(f"cards: there are only {CARDS} cards")
        return parse_cards(words)


def read_form(kind: str, body: bytes) -> dict[str, list[str]]:
    """The values of a form by their names, as text: typed text, or files, or both.

    Args:
        kind: The header Content-Type.
        body: All of it.
    """
    if kind.startswith("application/x-www-form-urlencoded"):
        try:
            return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError as error:
            raise BadInput(TOO_MANY) from error
    if kind.startswith("multipart/form-data"):
        return _read_parts(kind, body)
    return {"hands": [body.decode("utf-8", "replace")]} if kind.startswith("text/plain") else {}


def _read_parts(kind: str, body: bytes) -> dict[str, list[str]]:
    """The values of a form with files, as browsers send them: each part after a line with the boundary."""
    found: dict[str, list[str]] = {}
    boundary = re.search(r'boundary="?([^";]+)', kind)
    line = b"\r\n--" + (boundary[1] if boundary else "").encode("latin-1", "replace")
    parts = (b"\r\n" + body).split(line, MOST_FIELDS + 2)
    if len(parts) > MOST_FIELDS + 2:
        raise BadInput(TOO_MANY)
    for part in parts:
        head, _, content = part.partition(b"\r\n\r\n")
        if name := re.search(rb'\bname="?([^";\r]*)', head):
            found.setdefault(name[1].decode("utf-8", "replace"), []).append(content.decode("utf-8", "replace"))
    return found

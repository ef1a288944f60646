"""Values of a request, from the URL or a form, and their checks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from setset.cards import CARDS, Cards, parse_cards
from setset.errors import BadInput

Answer = dict[str, Any]
"""Data that a page shows, for its template and for its JSON version."""
MOST_TEXT: Final = 20_000
MOST_FIELDS: Final = 20
TOO_MANY: Final = "the form has too many fields"


class NotFound(BadInput):
    """The requested page does not exist."""


class Redirect(Exception):
    """Raised to redirect a request. The argument is the path on this server to redirect to."""


@dataclass(frozen=True)
class Query:
    """Values of one request by name. If a name occurs twice, `all` returns both values, and `text` returns the last
    value."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    """Names of the values that are in the path of the URL."""

    def all(self, name: str) -> list[str]:
        values = list(self.values.get(name, ()))
        if sum(map(len, values)) > MOST_TEXT:
            raise BadInput(f"{name}: more than {MOST_TEXT:,} letters")
        return values

    def text(self, name: str) -> str:
        return (self.all(name) or [""])[-1]

    def path_values(self) -> dict[str, str]:
        """Values that are in the path of the URL, by name."""
        return {name: self.text(name) for name in self.path}

    def link(self, **changes: object) -> str:
        """Encodes the values that are not in the path, with some changes, for a URL. Leaves out empty values."""
        values = {name: self.text(name) for name in self.values if name not in self.path} | changes
        return urlencode({name: value for name, value in values.items() if value})

    def only_path(self) -> "Query":
        """Makes a query with only the values that are in the path of the URL."""
        return Query({name: self.values[name] for name in self.path if name in self.values}, self.path)

    def number(self, name: str, least: int, most: int, default: int) -> int:
        """Parses a value as a whole number. Returns the default if the value is missing or empty."""
        value = self.optional(name, least, most)
        return default if value is None else value

    def optional(self, name: str, least: int, most: int) -> int | None:
        """Parses a value as a whole number. Returns None if the value is missing or empty."""
        text = self.text(name).strip()
        if not text:
            return None
        plain = text.replace(",", "")
        if not (plain.isascii() and plain.isdecimal() and len(plain) <= 20 and least <= int(plain) <= most):
            raise BadInput(f"{name}: expected a number from {least:,} to {most:,}, not {text[:40]!r}")
        return int(plain)

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Returns a value that must be one of some choices. The first choice is the default."""
        word = self.text(name) or choices[0]
        if word not in choices:
            raise BadInput(f"{name}: expected {', '.join(choices)}, not {word[:40]!r}")
        return word

    def cards(self) -> Cards:
        """Parses the value `cards`: numbers, names or codes, as on a command line."""
        words = self.text("cards").replace("\n", " ").split()
        if len(words) > 4 * CARDS:
            raise BadInput(f"cards: there are only {CARDS} cards")
        return parse_cards(words)


def read_form(kind: str, body: bytes) -> dict[str, list[str]]:
    """Parses the body of a form. Returns the values of each name as text: typed text, or the content of a file.

    Args:
        kind: Value of the header Content-Type.
        body: The whole body.
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
    """Parses a multipart form, which browsers send for files. Each part follows a line with the boundary."""
    values: dict[str, list[str]] = {}
    boundary = re.search(r'boundary="?([^";]+)', kind)
    line = b"\r\n--" + (boundary[1] if boundary else "").encode("latin-1", "replace")
    parts = (b"\r\n" + body).split(line, MOST_FIELDS + 2)
    if len(parts) > MOST_FIELDS + 2:
        raise BadInput(TOO_MANY)
    for part in parts:
        head, _, content = part.partition(b"\r\n\r\n")
        if name := re.search(rb'\bname="?([^";\r]*)', head):
            values.setdefault(name[1].decode("utf-8", "replace"), []).append(content.decode("utf-8", "replace"))
    return values

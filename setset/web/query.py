"""The values of a request, from the address or a form: every value is checked before anything is done with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email import policy
from email.parser import BytesParser
from typing import Any, Final
from urllib.parse import parse_qs

from setset.cards import CARDS, Cards, parse_cards
from setset.errors import BadInput

Answer = dict[str, Any]
"""Answer of a page, and its JSON."""
MOST_TEXT: Final = 20_000


class NotFound(BadInput):
    """There is no such page."""


class Redirect(Exception):
    """The answer is at another address of this page, the only argument."""


@dataclass(frozen=True)
class Query:
    """The values of one request; where a name is given twice, `all` has both."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def all(self, name: str) -> list[str]:
        found = list(self.values.get(name, ()))
        if sum(map(len, found)) > MOST_TEXT:
            raise BadInput(f"{name}: more than {MOST_TEXT:,} letters")
        return found

    def text(self, name: str) -> str:
        return (self.all(name) or [""])[-1]

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
            return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
        except ValueError as error:
            raise BadInput("the form has too many fields") from error
    if kind.startswith("multipart/form-data"):
        # The format of mails with attachments, which the standard library reads.
        head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
        found: dict[str, list[str]] = {}
        for part in BytesParser(policy=policy.HTTP).parsebytes(head + body).iter_parts():
            name = part.get_param("name", header="content-disposition")
            content = part.get_payload(decode=True)
            if isinstance(name, str) and isinstance(content, bytes):
                found.setdefault(name, []).append(content.decode("utf-8", "replace"))
        return found
    return {"hands": [body.decode("utf-8", "replace")]} if kind.startswith("text/plain") else {}

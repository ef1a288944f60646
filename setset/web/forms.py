"""What a form with a body carries: typed text, or files, or both."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser
from urllib.parse import parse_qs

from setset.errors import BadInput


def read_form(kind: str, body: bytes) -> dict[str, list[str]]:
    """The values of a form by their names, as text.

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

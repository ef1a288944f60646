"""Who may ask, for what, and what browsers are told to refuse. Every request passes here first.

A page on 127.0.0.1 can be reached by every web page that its visitor has open: by a name that points there (DNS
rebinding), by forms, by frames. So requests must call it by a known name, change nothing, and come from itself where
they carry anything; and browsers are told to load, run, frame and send nothing that is not its own.
"""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setset.web.site import Settings

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
MOST_BODY: Final = 1_000_000
FORMS: Final = ("/identify/many", "/api/identify/many")
"""The only addresses that take a form with a body."""
COOKIE: Final = "setset-token"


class TooLarge(Exception):
    """A body has more bytes than are taken."""


class Guard:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websockets
        sender = _with_headers(send)
        refusal = self._refuse(scope)
        if refusal is not None:
            await refusal(scope, receive, sender)
            return
        try:
            await self._app(scope, _limited(receive), sender)
        except TooLarge:
            await _refused(413, f"more than {MOST_BODY:,} bytes")(scope, receive, sender)

    def _refuse(self, scope: Scope) -> Response | None:
        """Why a request is not answered; None if it is."""
        headers = _headers(scope)
        if _host_name(headers.get("host", "")) not in self._settings.hosts:
            return _refused(421, "this page does not answer to that name: see 'setset serve --allow-host'")
        allowed = ("GET", "HEAD", "POST") if scope["path"] in FORMS else ("GET", "HEAD")
        if scope["method"] not in allowed:
            return _refused(405, "this page only shows", {"Allow": ", ".join(allowed)})
        origin = headers.get("origin")
        if scope["method"] == "POST" and origin is not None:
            # Browsers name the origin of each form; without a referrer they may say null, for our own too.
            ours = _host_name(urlsplit(origin).netloc) in self._settings.hosts
            if not ours and not (origin == "null" and headers.get("sec-fetch-site") == "same-origin"):
                return _refused(403, "forms are taken from this page only")
        if (
            not headers.get("content-length", "0").isdecimal()
            or int(headers.get("content-length", "0")) > MOST_BODY
        ):
            return _refused(413, f"more than {MOST_BODY:,} bytes")
        return self._ask_token(scope, headers) if self._settings.token else None

    def _ask_token(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """Lets in who knows the token: by the address of a first visit, by the cookie of that, or as a program."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if given:
            if not self._is_token(given[-1]):
                return _refused(403, "wrong token")
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            path = "/" + scope["path"].lstrip("/\\")
            let_in = RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303)
            let_in.set_cookie(COOKIE, self._settings.token or "", httponly=True, samesite="strict", path="/")
            return let_in
        program = headers.get("authorization", "")
        if self._is_token(_cookie(headers)) or self._is_token(program.removeprefix("Bearer ")):
            return None
        return _refused(401, "open the address that 'setset serve' printed, with its token")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), (self._settings.token or "").encode())


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _host_name(host: str) -> str:
    """The name in a Host header, without its port: any port, since tunnels change it."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _cookie(headers: dict[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _refused(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"setset: {why}\n", status, {"Connection": "close", **(headers or {})})


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            _add(message)
        await send(message)

    return sender


def _add(message: MutableMapping[str, Any]) -> None:
    there = {name.lower() for name, _ in message.get("headers", [])}
    more = {"Cache-Control": "no-store", **HEADERS}
    message["headers"] = [
        *message.get("headers", []),
        *(
            (name.encode(), value.encode())
            for name, value in more.items()
            if name.lower().encode() not in there
        ),
    ]


def _limited(receive: Receive) -> Receive:
    """Ends with TooLarge what says nothing of its length, or something wrong."""
    got = 0

    async def receiver() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > MOST_BODY:
            raise TooLarge
        return message

    return receiver

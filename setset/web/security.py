"""Checks every request, and adds security headers to every answer.

Any web page that a visitor has open can reach a server on 127.0.0.1: by a host name that resolves to this address (DNS
rebinding), by forms, or by frames. So a request must use a known host name, and no request changes anything. Forms and
queries must come from the server's own pages. Headers forbid a page to load, run or send anything beyond its own site,
and forbid every site to show the page in a frame.
"""

import hmac
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setset.web.site import Site

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
META_POLICY: Final = POLICY.replace(" frame-ancestors 'none';", "")
"""Content Security Policy of a static site, for a <meta> element of each page."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
MOST_REQUESTS: Final = 250
"""Maximum number of concurrent requests, including live pages."""
MOST_BODY: Final = 1_000_000
TOO_LARGE: Final = f"more than {MOST_BODY:,} bytes"
FORMS: Final = ("/identify/many", "/api/identify/many")
"""All paths that accept a form with a body."""
QUERIES: Final = ("/sql", "/api/sql")
"""Paths that run an SQL query of the visitor."""
COOKIE: Final = "setset-token"


class Guard:
    """Wraps the web application: refuses bad requests, and adds security headers to every answer."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                kept = headers.get("Cache-Control")
                headers.update(HEADERS)
                if kept:
                    headers["Cache-Control"] = kept
            await send(message)

        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":  # ignores websockets
            self._requests += 1
            try:
                answer = self._refuse(Request(scope)) or self._app
                await answer(scope, receive, send_guarded)
            finally:
                self._requests -= 1

    def _refuse(self, request: Request) -> Response | None:
        """Checks a request. Returns the answer that refuses it; None if the request is allowed."""
        headers, method, path = request.headers, request.method, request.scope["path"]
        if self._requests > MOST_REQUESTS:
            return _refused(503, "too many requests at once: try again")
        if _host_name(headers.get("host", "")) not in self._site.hosts:
            return _refused(421, "this page does not answer to that name: see 'setset serve --allow-host'")
        allowed = ("GET", "HEAD", "POST") if path in FORMS else ("GET", "HEAD")
        if method not in allowed:
            return _refused(405, "this page is read-only: use GET", {"Allow": ", ".join(allowed)})
        if "\0" in path:
            return _refused(404, "there is no such page")
        if (method == "POST" or (path in QUERIES and request.scope["query_string"])) and self._is_foreign(headers):
            return _refused(403, "forms and queries are taken from this page only")
        length = headers.get("content-length", "0")
        # For forms, the application itself limits the bytes.
        endless = method != "POST" and "transfer-encoding" in headers
        if endless or not length.isdecimal() or len(length) > 9 or int(length) > MOST_BODY:
            return _refused(413, TOO_LARGE)
        return self._ask_token(request, self._site.token) if self._site.token else None

    def _is_foreign(self, headers: Headers) -> bool:
        """Whether a browser sent the request from a page of another site. Checks two headers that only browsers
        send."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            return site not in ("same-origin", "none")
        return origin is not None and _host_name(origin.partition("://")[2]) not in self._site.hosts

    def _ask_token(self, request: Request, token: str) -> Response | None:
        """Accepts the token as `?token=`, cookie or Bearer header. Returns the answer that refuses the request; None if
        the request has the token."""

        def is_token(given: str) -> bool:
            return hmac.compare_digest(given.encode(errors="replace"), token.encode())

        given = request.query_params.getlist("token")
        if given:
            if not is_token(given[-1]):
                return _refused(403, "wrong token")
            rest = urlencode([pair for pair in request.query_params.multi_items() if pair[0] != "token"])
            page = "./" + request.scope["path"].replace("\\", "/").rpartition("/")[2]
            let_in = RedirectResponse(page + (f"?{rest}" if rest else ""), status_code=303)
            let_in.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")
            return let_in
        program = request.headers.get("authorization", "").removeprefix("Bearer ")
        if is_token(request.cookies.get(COOKIE, "")) or is_token(program):
            return None
        return _refused(401, "open the address that 'setset serve' printed, with its token")


def _host_name(host: str) -> str:
    """Returns the host name in a Host header without its port, because tunnels change the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _refused(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"setset: {why}\n", status, {"Connection": "close", **(headers or {})})

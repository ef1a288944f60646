"""The web application: answers requests with HTML, JSON or CSV, and shows errors as one line."""

import hashlib
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

import setset
from setset.show.csvtext import csv_lines
from setset.show.formatting import plain, to_json
from setset.web import assets
from setset.web.hands import picture
from setset.web.live import Live
from setset.web.pages import PAGES, Address, Page, render, render_progress
from setset.web.query import NotFound, Query, Redirect, read_form
from setset.web.security import MOST_BODY, TOO_LARGE, Guard
from setset.web.site import Site
from setset.web.workspace import draw_chart

Endpoint = Callable[[Request], Awaitable[Response]]
STATUS: Final = ((NotFound, 404), (setset.BadInput, 400), (setset.NotAWorkspace, 404), (setset.SetsetError, 503))
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
SMALL: Final = 600
"""Maximum number of bytes of an answer that is sent uncompressed."""


def make_app(site: Site) -> ASGIApp:
    """Builds the web application with all routes, behind the guard that refuses bad requests."""
    live = Live(site, lambda: render_progress(site))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        live.start()
        threading.Thread(target=site.warm_up, daemon=True, name="setset warming up").start()
        yield
        site.ending.set()

    def hand(request: Request) -> Response:
        kind = request.path_params["kind"]
        with site.drawing:
            content = picture(_read_query(request, b"").cards(), kind)
        return _respond(request, content, PNG if kind == "png" else SVG, keep=True)

    def chart(request: Request) -> Response:
        return _respond(request, draw_chart(site, request.path_params["name"]), SVG)

    routes: list[Route] = [
        Route("/progress/events", live),
        Route("/hand.{kind:str}", hand),
        Route("/charts/{name}.svg", chart),
        Route("/static/{name}", _static),
        Route("/static/{version}/{name}", _static),
    ]
    for page in PAGES:
        methods = ["GET", "POST"] if page.form else ["GET"]
        routes += [Route(path, _endpoint(site, page), methods=methods) for path in (page.api, page.path)]
    handlers = {Redirect: _redirect, setset.SetsetError: _explain, 404: _missing, Exception: _failed}
    made = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    made.state.site = site
    return Guard(made, site)


def _static(request: Request) -> Response:
    """Serves a static file. If the URL has the current version, browsers cache the file forever. For any other URL,
    browsers ask each time whether the file has changed."""
    asset = assets.read(request.path_params["name"])
    if asset is None:
        raise NotFound("there is no such file")
    headers = {"Cache-Control": "no-cache"}
    if request.path_params.get("version") == assets.version():
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return _respond(request, asset.content, asset.kind, headers=headers, packed=asset.packed, keep=True)


def _respond(
    request: Request,
    content: bytes | str,
    kind: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    packed: bytes | None = None,
    keep: bool = False,
) -> Response:
    """Builds an answer, compressed if the browser accepts gzip. If `keep` is set, the answer has an ETag, so that
    browsers may cache the answer."""
    body = content.encode(errors="replace") if isinstance(content, str) else content
    sent = {"Vary": "Accept-Encoding", **({"Cache-Control": "private, no-cache"} if keep else {}), **(headers or {})}
    if keep and status == 200:
        sent["ETag"] = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'
        if sent["ETag"] in request.headers.get("if-none-match", ""):
            return Response(b"", 304, sent)
    accepted = request.headers.get("accept-encoding", "")
    if "gzip" in accepted and len(body) > SMALL and kind != PNG:
        body, sent["Content-Encoding"] = packed or assets.pack(body), "gzip"
    return Response(body, status, sent, kind)


def _endpoint(site: Site, page: Page) -> Endpoint:
    async def handle(request: Request) -> Response:
        body = await _read_body(request) if request.method == "POST" else b""
        return await run_in_threadpool(_answer, site, page, request, body)

    return handle


async def _read_body(request: Request) -> bytes:
    """Reads the body of a form. Limits its size here, because a request may have no Content-Length."""
    body = b""
    with suppress(ClientDisconnect):
        async for block in request.stream():
            body += block
            if len(body) > MOST_BODY:
                raise HTTPException(413, f"setset: {TOO_LARGE}\n", {"Connection": "close"})
    return body


def _read_query(request: Request, body: bytes) -> Query:
    parameters = request.query_params
    values = {name: parameters.getlist(name) for name in parameters}
    if request.method == "POST":
        values.update(read_form(request.headers.get("content-type", ""), body))
    values.update({name: [str(value)] for name, value in request.path_params.items()})
    return Query(values, tuple(request.path_params))


def _answer(site: Site, page: Page, request: Request, body: bytes) -> Response:
    """Answers a request for a page with HTML, JSON or CSV."""
    query = _read_query(request, body)
    try:
        answer, problem = page.answer(site, query), None
    except NotFound:
        raise
    except setset.BadInput as error:
        if not page.field or _is_api(request) or query.text("format") in ("csv", "json"):
            raise
        answer, problem = page.answer(site, query.only_path()), error
    wanted = query.text("format")
    if wanted == "csv" and "columns" in answer:
        name = page.path.strip("/").replace("/", "-")
        headers = {"Content-Disposition": f'attachment; filename="setset-{name}.csv"'}
        return _respond(request, as_csv(answer["columns"], answer["rows"]), "text/csv; charset=utf-8", headers=headers)
    if _is_api(request) or wanted == "json":
        return _respond(request, as_json(answer), JSON, keep=page.keep)
    shown = {"answer": answer, "query": query, "page": page}
    if problem is not None:
        named = str(problem).partition(":")[0]
        field = named if named in page.parameters else page.field
        shown |= {"problem": str(problem), "problem_field": field}
    address = _address(request)
    path = address.to(page.api.format(**query.path_values())) + (f"?{address.query}" if address.query else "")
    text = render(page.template, address, json="" if request.method == "POST" else path, **shown)
    return _respond(request, text, HTML, 400 if problem else 200, keep=page.keep and not problem)


def _address(request: Request) -> Address:
    return Address(request.scope["path"], request.scope["query_string"].decode("latin-1"))


def as_json(value: Any) -> bytes:
    """Encodes a value as JSON. Escapes < > and &, so that a browser that takes the JSON for HTML runs no script."""
    text = to_json(plain(value), indent=1)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return (text + "\n").encode()


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Encodes a table as CSV, with a line of column names first."""
    cells = (
        [" ".join(map(str, value)) if isinstance(value, list | tuple) else plain(value) for value in row]
        for row in rows
    )
    return "".join(csv_lines(chain([columns], cells))).encode(errors="replace")


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


async def _redirect(request: Request, location: Exception) -> Response:
    path = ("api" if _is_api(request) else "") + str(location)
    return RedirectResponse(_address(request).to(path), status_code=303)


async def _explain(request: Request, error: Exception) -> Response:
    """Answers with an error: as JSON if the request is for the API or a file, otherwise as a page."""
    status = next(code for kind, code in STATUS if isinstance(error, kind))
    if _is_api(request) or "." in request.url.path.rpartition("/")[2]:
        return Response(as_json({"error": str(error).partition("\n")[0]}), status, media_type=JSON)
    template = "welcome" if isinstance(error, setset.NotAWorkspace) else "problem"
    return _respond(request, render(template, _address(request), problem=str(error), status=status), HTML, status)


async def _missing(request: Request, _: Exception) -> Response:
    return await _explain(request, NotFound(f"nothing is at {request.url.path[:200]}"))


async def _failed(_: Request, error: Exception) -> Response:
    logging.getLogger(__name__).error("a page could not be shown", exc_info=error)
    return Response("setset: this page could not be shown; what went wrong is on the terminal\n", 500)

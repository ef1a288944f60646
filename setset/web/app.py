"""The application: from a request to a page, JSON or CSV, and from an error to one line."""

import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import setset
from setset.show.csvtext import csv_lines
from setset.show.formatting import plain, to_json
from setset.web.hands import picture
from setset.web.live import Live
from setset.web.pages import HERE, PAGES, Page, render, render_progress
from setset.web.query import NotFound, Query, Redirect, read_form
from setset.web.security import MOST_BODY, TOO_LARGE, Guard
from setset.web.site import Site
from setset.web.workspace import draw_chart

Endpoint = Callable[[Request], Awaitable[Response]]
STATUS: Final = ((NotFound, 404), (setset.BadInput, 400), (setset.NotAWorkspace, 404), (setset.SetsetError, 503))
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
SVG: Final = "image/svg+xml"


def make_app(site: Site) -> ASGIApp:
    """The whole page, guarded."""
    live = Live(site, lambda: render_progress(site))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        live.start()
        threading.Thread(target=site.warm_up, daemon=True, name="setset warming up").start()
        yield
        site.ending.set()

    def hand(request: Request) -> Response:
        return Response(picture(_read_query(request, b"").cards()), media_type=SVG)

    def chart(request: Request) -> Response:
        return Response(draw_chart(site, request.path_params["name"]), media_type=SVG)

    routes = [
        Route("/progress/events", live),
        Route("/hand.svg", hand),
        Route("/charts/{name}.svg", chart),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    for page in PAGES:
        methods = ["GET", "POST"] if page.form else ["GET"]
        routes += [Route(path, _endpoint(site, page), methods=methods) for path in (page.api, page.path)]
    handlers = {Redirect: _redirect, setset.SetsetError: _explain, 404: _missing, Exception: _failed}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), site)


def _endpoint(site: Site, page: Page) -> Endpoint:
    async def handle(request: Request) -> Response:
        body = await _read_body(request) if request.method == "POST" else b""
        return await run_in_threadpool(_answer, site, page, request, body)

    return handle


async def _read_body(request: Request) -> bytes:
    """The body of a form, which need not say how long it is."""
    body = b""
    with suppress(ClientDisconnect):
        async for block in request.stream():
            body += block
            if len(body) > MOST_BODY:
                raise HTTPException(413, f"setset: {TOO_LARGE}\n", {"Connection": "close"})
    return body


def _read_query(request: Request, body: bytes) -> Query:
    asked = request.query_params
    values = {name: asked.getlist(name) for name in asked}
    if request.method == "POST":
        values.update(read_form(request.headers.get("content-type", ""), body))
    values.update({name: [str(value)] for name, value in request.path_params.items()})
    return Query(values)


def _answer(site: Site, page: Page, request: Request, body: bytes) -> Response:
    """The answer of a page as HTML, JSON or CSV."""
    query = _read_query(request, body)
    answer = page.answer(site, query)
    wanted = query.text("format")
    if wanted == "csv" and "columns" in answer:
        name = page.path.strip("/").replace("/", "-")
        headers = {"Content-Disposition": f'attachment; filename="setset-{name}.csv"'}
        return Response(as_csv(answer["columns"], answer["rows"]), 200, headers, "text/csv; charset=utf-8")
    if _is_api(request) or wanted == "json":
        return Response(as_json(answer), media_type=JSON)
    return Response(render(page.template, answer=answer, query=query, page=page), media_type=HTML)


def as_json(value: Any) -> bytes:
    """Never a bare < or &, so that it is harmless wherever a browser takes it for something else."""
    text = to_json(plain(value), indent=1)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return (text + "\n").encode()


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A line a row, the columns first."""
    cells = (
        [" ".join(map(str, each)) if isinstance(each, list | tuple) else plain(each) for each in row] for row in rows
    )
    return "".join(csv_lines(chain([columns], cells))).encode(errors="replace")


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


async def _redirect(request: Request, location: Exception) -> Response:
    return RedirectResponse(("/api" if _is_api(request) else "") + str(location), status_code=303)


async def _explain(request: Request, error: Exception) -> Response:
    """An error as one line: JSON where no page was asked for."""
    status = next(code for kind, code in STATUS if isinstance(error, kind))
    if _is_api(request) or request.url.path.endswith(".svg"):
        return Response(as_json({"error": str(error)}), status, media_type=JSON)
    return Response(render("problem", problem=str(error), status=status), status, media_type=HTML)


async def _missing(request: Request, _: Exception) -> Response:
    return await _explain(request, NotFound("there is no such page"))


async def _failed(_: Request, error: Exception) -> Response:
    logging.getLogger(__name__).error("a page could not be shown", exc_info=error)
    return Response("setset: this page could not be shown; what went wrong is on the terminal\n", 500)

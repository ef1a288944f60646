"""The application: from a request to a page, JSON or CSV, and from an error to one line."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import setset
from setset.web.charts import Charts
from setset.web.forms import read_form
from setset.web.hands import picture
from setset.web.live import Live
from setset.web.pages import HERE, PAGES, Page, render, render_progress
from setset.web.query import NotFound, Query, Redirect
from setset.web.records import as_csv, as_json
from setset.web.security import Guard, TooLarge
from setset.web.site import Site

Endpoint = Callable[[Request], Awaitable[Response]]
STATUS: Final = (
    (NotFound, 404),
    (setset.BadInput, 400),
    (setset.NotAWorkspace, 404),
    (setset.SetsetError, 503),
)
HTML: Final = "text/html; charset=utf-8"


def make_app(site: Site) -> ASGIApp:
    """The whole page, guarded."""
    live = Live(site, lambda: render_progress(site))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        live.start()
        threading.Thread(target=site.warm_up, daemon=True, name="setset warming up").start()
        yield
        site.ending.set()

    async def events(_: Request) -> Response:
        if live.is_full:
            return Response("setset: too many viewers\n", 503)
        return StreamingResponse(live.events(), media_type="text/event-stream")

    charts = Charts(site)

    async def hand(request: Request) -> Response:
        asked = Query({"cards": request.query_params.getlist("cards")})
        return await run_in_threadpool(_picture, lambda: picture(asked.cards()).encode())

    async def chart(request: Request) -> Response:
        return await run_in_threadpool(_picture, lambda: charts.svg(request.path_params["name"]))

    routes = [
        Route("/progress/events", events),
        Route("/hand.svg", hand),
        Route("/charts/{name}.svg", chart),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    for page in PAGES:
        methods = ["GET", "POST"] if page.form else ["GET"]
        routes.append(Route(page.api, _endpoint(site, page, api=True), methods=methods))
        routes.append(Route(page.path, _endpoint(site, page, api=False), methods=methods))
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: _missing, Exception: _failed})
    return Guard(app, site.settings)


def _endpoint(site: Site, page: Page, api: bool) -> Endpoint:
    async def handle(request: Request) -> Response:
        query = await _read_query(request)
        return await run_in_threadpool(_answer, site, page, query, api)

    return handle


async def _read_query(request: Request) -> Query:
    values: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        values.setdefault(name, []).append(value)
    if request.method == "POST":
        try:
            body = await request.body()
        except ClientDisconnect:
            body = b""
        form = await run_in_threadpool(read_form, request.headers.get("content-type", ""), body)
        values.update(form)
    values.update({name: [str(value)] for name, value in request.path_params.items()})
    return Query(values)


def _answer(site: Site, page: Page, query: Query, api: bool) -> Response:
    """The answer as what was asked for; an error as its one line."""
    try:
        answer = page.answer(site, query)
        wanted = query.text("format")
    except Redirect as found:
        return RedirectResponse(("/api" if api else "") + found.location, status_code=303)
    except setset.SetsetError as error:
        return _problem(error, api)
    if wanted == "csv" and "columns" in answer:
        name = page.path.strip("/").replace("/", "-")
        headers = {"Content-Disposition": f'attachment; filename="setset-{name}.csv"'}
        return Response(as_csv(answer["columns"], answer["rows"]), 200, headers, "text/csv; charset=utf-8")
    if api or wanted == "json":
        return _json(answer)
    return Response(render(page.template, answer=answer, query=query, page=page), media_type=HTML)


def _problem(error: setset.SetsetError, api: bool) -> Response:
    status = next(code for kind, code in STATUS if isinstance(error, kind))
    if api:
        return _json({"error": str(error)}, status)
    return Response(render("problem", problem=str(error), status=status), status, media_type=HTML)


def _json(value: Any, status: int = 200) -> Response:
    return Response(as_json(value), status, media_type="application/json")


def _picture(draw: Callable[[], bytes]) -> Response:
    try:
        return Response(draw(), media_type="image/svg+xml")
    except setset.SetsetError as error:
        return _problem(error, api=True)


async def _missing(request: Request, _: Exception) -> Response:
    return _problem(NotFound("there is no such page"), request.url.path.startswith("/api"))


async def _failed(_: Request, error: Exception) -> Response:
    if isinstance(error, TooLarge):
        raise error
    status = error.status_code if isinstance(error, HTTPException) else 500
    logging.getLogger(__name__).error("a page could not be shown", exc_info=error)
    return Response("setset: this page could not be shown; what went wrong is on the terminal\n", status)

"""The list of all pages, each with its path, function and template. Each page has a JSON version below /api."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import setset
from setset.cards import code, name
from setset.show.commands import command_line, commands_in, pasteable
from setset.show.formatting import byte_count, duration, how_many, number, share
from setset.web import assets, classes, drawings
from setset.web.game import play
from setset.web.hands import complete, identify, many
from setset.web.query import Answer, Query
from setset.web.results import draw_panels, hand_in
from setset.web.site import Site
from setset.web.workspace import can_draw, counts, home, progress, sql

HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """A page of the site. The page /api shows `what` and `parameters` as its documentation."""

    path: str
    template: str
    answer: Callable[[Site, Query], Answer]
    what: str
    parameters: dict[str, str] = field(default_factory=dict)
    form: bool = False
    field: str = ""
    """Form field beside which the page shows an error, unless the error names another field. If empty, an error gets a
    page of its own."""
    keep: bool = False
    """Whether the answer depends only on the catalogue and the URL, so that browsers may cache it."""

    @property
    def api(self) -> str:
        return {"/": "/api/home", "/api": "/api/addresses"}.get(self.path, f"/api{self.path}")


_TARGET = {"target": "only this target, 4 to 20"}
_CSV = {"format": "csv for a file to download"}
_CLASSES = {
    "size": "0 to 20",
    "complete": "yes, no or any",
    "stabilizer": "number of symmetries",
    "extensions": "number of addable cards",
    "dimension": "of the flat that the cards span, 0 to 4",
    "least": "minimum number of lists",
    "most": "maximum number of lists",
    "sort": ", ".join(setset.ClassOrder),
    "order": "ascending or descending",
    "page": "from 1",
    **_CSV,
}
_CARDS = {"cards": "numbers 0 to 80, names or codes, with commas between them"}
_DEAL = {**_CARDS, "deal": "number of random cards instead", "seed": "random seed of the deal"}
_MANY = {"hands": "a hand per line", "file": "a text file with a hand per line", **_CSV}
_GAME = {
    "seed": "of the deck",
    "daily": "yes for the deck of the day",
    "calls": "all calls so far: none, or three cards as 1.2.3",
}
_GAME |= {"hints": "0 to 3", "mode": "of practice, in a browser", "beat": "seconds to beat, in a browser"}
_SQL = {"query": "SELECT ...", "format": "table, json (more rows) or csv"}


def _api(_: Site, __: Query) -> Answer:
    """Shows the documentation of all URLs."""
    shown = [{"path": page.api, "page": page.path, "what": page.what, "parameters": page.parameters} for page in PAGES]
    return {"addresses": shown, "version": setset.__version__}


_FORM: Final[dict[str, Any]] = {"field": "size", "keep": True}
PAGES: Final = (
    Page("/", "home", home, "The workspace at a glance."),
    Page("/progress", "progress", progress, "All of status and history, and the room on disks.", _TARGET),
    Page("/counts", "counts", counts, "Counts with verdicts; each size by its classes; hands by sets.", _TARGET),
    Page("/classes", "classes", classes.classes, f"The classes of a size, {classes.PAGE} per page.", _CLASSES, **_FORM),
    Page("/classes/random", "", classes.surprise, "Leads to a random class.", {"size": "0 to 20"}),
    Page("/classes/{size}", "classes", classes.classes, "The classes of the size in the URL.", _CLASSES, **_FORM),
    Page("/classes/{size}/{number}", "class", classes.one_class, "All about a class.", keep=True),
    Page("/classes/{size}/{number}/random", "", classes.random_member, "Leads to a random list of the class."),
    Page(
        "/identify", "identify", identify, "The sets among some cards, or their class.", _DEAL, field="cards", keep=True
    ),
    Page("/identify/complete", "", complete, "Leads to a complete hand, by cards added at random.", _CARDS),
    Page("/identify/many", "many", many, "A row for each of many hands, by POST.", _MANY, form=True, field="hands"),
    Page("/play", "play", play, "A game after the given calls.", _GAME, keep=True),
    Page("/sql", "sql", sql, "The rows of a read-only query; without one, the tables.", _SQL, field="query"),
    Page("/api", "api", _api, "This description.", keep=True),
)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=number, bytes=byte_count, duration=duration, card_name=name, code=code, spell=spell)
    made.filters["pasteable"] = pasteable
    made.globals.update(
        can_draw=can_draw,
        command_line=command_line,
        commands_in=commands_in,
        spell_form=spell_form,
        dots=drawings.dots,
        log10=math.log10,
        cards_of=classes.cards_of,
        hand_in=hand_in,
        draw_panels=draw_panels,
    )
    made.globals.update(how_many=how_many, percent=percent, version=setset.__version__, group=setset.GROUP_ORDER)
    return made


@dataclass(frozen=True)
class Address:
    """URL of a page. Makes the links of the page relative to this URL. So the links also work if a proxy or a web host
    puts all pages below a path such as /caps/."""

    path: str
    query: str = ""
    host: str = ""
    """URL of a static site. Empty for a server."""
    docs: bool = False
    """Whether the documentation is part of the site."""
    absolute: bool = False
    """Whether links are absolute. The 404 page needs absolute links, because a web host shows the page at any path."""

    @property
    def root(self) -> str:
        """Relative URL from this page to the home page."""
        if self.absolute:
            return self.host
        return "../" * (self.path.strip("/").count("/") + bool(self.host and self.path.strip("/"))) or "./"

    def to(self, path: str) -> str:
        """Relative URL from this page to another page, such as `classes/12/786` or `play?seed=7`."""
        page, question, query = path.lstrip("/").partition("?")
        is_folder = self.host and page and "." not in page.rpartition("/")[2]
        return self.root + page + ("/" if is_folder else "") + question + query

    def static(self, name: str) -> str:
        """URL of a static file."""
        return f"{self.root}static/{assets.version()}/{name}"


def spell(value: Any) -> str:
    """Formats a value for a cell of a table."""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return str(value)


def spell_form(form: Sequence[int]) -> str:
    """Formats a linear form as a sum of features, such as colour + 2 shape."""
    names = zip(form, ("colour", "count", "shading", "shape"), strict=True)
    return " + ".join(f"{factor} {feature}".removeprefix("1 ") for factor, feature in names if factor)


def percent(part: float) -> str:
    """Formats a share as a percentage with one decimal, rounded down, so that 100 means complete."""
    return share(math.floor(part * 1000), 1000)


def render(template: str, at: Address, **values: Any) -> str:
    """Renders a page as HTML. Escapes everything except drawings of cards, which contain no input of visitors."""
    sheet = at.static("cards.svg")
    drawn = {"card": partial(drawings.card, sheet), "grid": partial(drawings.grid, sheet)}
    problem = {"problem": None, "problem_field": "", "json": ""}
    return (
        _environment()
        .get_template(template if "." in template else f"{template}.html")
        .render(**{**problem, "at": at, "url": at.to, "static": at.static, **drawn, **values})
    )


def render_progress(site: Site) -> str:
    """Renders the live part of the progress page."""
    at = Address("/progress")
    try:
        return render("live", at, answer=progress(site, Query()))
    except setset.SetsetError as error:
        return render("live", at, answer=None, problem=str(error))

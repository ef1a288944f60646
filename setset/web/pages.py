"""The pages: the address of each, what it answers, and how that is shown. Each has its JSON below /api."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import setset
from setset.cards import code, name
from setset.show.cards.svg import draw_sprites
from setset.show.commands import command_line
from setset.show.formatting import byte_count, duration, how_many, number, share
from setset.web import classes
from setset.web.game import play
from setset.web.hands import complete, identify, many
from setset.web.query import Answer, Query
from setset.web.site import Site
from setset.web.workspace import can_draw, counts, home, progress, sql

HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """One address. `parameters` says what may be asked for; the documentation of the API is made of these."""

    path: str
    template: str
    answer: Callable[[Site, Query], Answer]
    what: str
    parameters: dict[str, str] = field(default_factory=dict)
    form: bool = False

    @property
    def api(self) -> str:
        return {"/": "/api/home", "/api": "/api/addresses"}.get(self.path, f"/api{self.path}")


_TARGET = {"target": "only this target, 4 to 20"}
_CSV = {"format": "csv for a file to download"}
_CLASSES = {
    "size": "0 to 20",
    "complete": "yes, no or any",
    "stabilizer": "only so many symmetries",
    "extensions": "only so many addable cards",
    "least": "at least so many lists",
    "most": "at most so many lists",
    "sort": ", ".join(setset.ClassOrder),
    "order": "ascending or descending",
    "page": "from 1",
    **_CSV,
}
_CARDS = {"cards": "numbers 0 to 80, names or codes, with commas between them"}
_DEAL = {**_CARDS, "deal": "so many cards instead", "seed": "of the cards that are dealt"}
_MANY = {"hands": "a hand a line", "file": "the same as a file", **_CSV}
_GAME = {"seed": "of the deck", "calls": "so far: none, or three cards as 1.2.3", "hints": "0 to 3"}
_SQL = {"query": "SELECT ...", "format": "table, json (more rows) or csv"}


def _api(_: Site, __: Query) -> Answer:
    """The documentation of the addresses."""
    shown = [{"path": page.api, "page": page.path, "what": page.what, "parameters": page.parameters} for page in PAGES]
    return {"addresses": shown, "version": setset.__version__}


PAGES: Final = (
    Page("/", "home", home, "The workspace at a glance."),
    Page("/progress", "progress", progress, "All of status and history, and the room on disks.", _TARGET),
    Page("/counts", "counts", counts, "The counts with their verdicts; each size by its classes.", _TARGET),
    Page("/classes", "classes", classes.classes, f"The classes of a size, {classes.PAGE} a page.", _CLASSES),
    Page("/classes/{size}/{number}", "class", classes.one_class, "All about a class."),
    Page("/classes/{size}/{number}/random", "", classes.random_member, "Leads to a random list of the class."),
    Page("/identify", "identify", identify, "The sets among some cards or, if there is none, their class.", _DEAL),
    Page("/identify/complete", "", complete, "Leads to a complete hand, by cards added at random.", _CARDS),
    Page("/identify/many", "many", many, "A row for each of many hands, by POST.", _MANY, form=True),
    Page("/play", "play", play, "A moment of a game.", _GAME),
    Page("/sql", "sql", sql, "The rows of a read-only query; without one, the tables.", _SQL),
    Page("/api", "api", _api, "This description."),
)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.filters.update(number=number, bytes=byte_count, duration=duration, card_name=name, code=code, spell=spell)
    pictures = Markup(draw_sprites())  # noqa: S704 (ours)
    made.globals.update(can_draw=can_draw, spell_form=spell_form, command_line=command_line)
    made.globals.update(sprites=pictures, how_many=how_many, percent=share, version=setset.__version__)
    return made


def spell(value: Any) -> str:
    """A value of a query or of a list of cards, for a cell of a table."""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return str(value)


def spell_form(form: Sequence[int]) -> str:
    """A sum of features, such as colour + 2 shape."""
    names = zip(form, ("colour", "count", "shading", "shape"), strict=True)
    return " + ".join(f"{factor} {feature}".removeprefix("1 ") for factor, feature in names if factor)


def render(template: str, **values: Any) -> str:
    """A page as HTML. Everything is escaped but the pictures of cards, which are ours."""
    return _environment().get_template(f"{template}.html").render(**values)


def render_progress(site: Site) -> str:
    """The live part of the page on progress."""
    try:
        return render("live", answer=progress(site, Query()), problem=None)
    except setset.SetsetError as error:
        return render("live", answer=None, problem=str(error))

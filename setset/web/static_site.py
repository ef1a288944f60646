"""Writes the pages as files for any web host, with the same templates and scripts. The site needs no server and no
workspace."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import setset
from setset.cards import LARGEST
from setset.errors import BadInput
from setset.show.cards.layout import lay_out
from setset.show.cards.png import draw_png
from setset.show.formatting import plain
from setset.web import assets
from setset.web.pages import PAGES, Address, Page, render
from setset.web.query import Query
from setset.web.security import META_POLICY
from setset.web.site import Site
from setset.web.workspace import can_draw

NOTABLE: Final = 16
"""Number of classes per size that get a preview picture of their own: the most symmetric classes. Over all sizes, 205
classes get a picture."""
LEFT_OUT: Final = ("grid", "directions", "hyperplanes", "exclusions")
"""Properties that are left out of the 9,908 JSON files of classes to save space. They follow from the cards."""
CHARTS: Final = ("counts", "odds", "stabilizers")


@dataclass(frozen=True)
class Built:
    """Result of `build_site`: number of pages, files and bytes."""

    pages: int
    files: int
    bytes: int


def build_site(
    folder: Path, url: str, docs: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> Built:
    """Writes the site into a new or empty folder.

    Args:
        folder: Folder of the site.
        url: URL that the site will have.
        docs: Folder with the documentation built by `tools/docs`, to copy into the site.
        progress: Callback that gets the name of each part before it is written.

    Raises:
        BadInput: The folder is not empty, the address is invalid, or the documentation is missing.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise BadInput(f"--url {url}: expected an address such as https://caps.example.org/setset/")
    if docs is not None and not (docs / "index.html").is_file():
        raise BadInput(f"--docs {docs}: there is no index.html; 'tools/docs {docs}' builds it")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    writer = _Writer(folder, url.rstrip("/") + "/", docs is not None)
    progress("pages")
    writer.write_pages()
    progress("classes")
    writer.write_classes()
    progress("pictures")
    writer.write_pictures()
    writer.write_rest()
    if docs is not None:
        shutil.copytree(docs, folder / "docs")
    written = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Built(len(writer.addresses), len(written), sum(written))


class _Writer:
    """Writes the files of a static site into its folder."""

    def __init__(self, folder: Path, host: str, docs: bool) -> None:
        self._folder, self._host, self._docs = folder, host, docs
        self._site = Site(folder / "no workspace", frozenset())
        self._site.is_static = True
        self._charts = CHARTS if can_draw() else ()
        self._notable = {str(list_class) for list_class in notable_classes()}
        self.addresses: list[str] = []

    def _write(self, path: str, content: bytes | str) -> None:
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def _page(self, page: Page, path: str, parameters: dict[str, str], **values: Any) -> Any:
        """Writes a page as a file, and returns the data of the page."""
        query = Query({name: [value] for name, value in parameters.items()}, tuple(parameters))
        answer, at = page.answer(self._site, query), Address(f"/{path}", host=self._host, docs=self._docs)
        shown = {"answer": answer, "query": query, "page": page, "policy": META_POLICY, "charts": self._charts}
        text = render(page.template, at, **{**shown, **values})
        self._write(f"{path}/index.html".lstrip("/"), re.sub(r"\n\s*", "\n", text))
        self.addresses.append(f"{path}/".lstrip("/"))
        return answer

    def write_pages(self) -> None:
        by_path = {page.path: page for page in PAGES}
        for path, parameters in (
            ("/", {}),
            ("/counts", {}),
            ("/identify", {}),
            ("/play", {"seed": "0"}),
            ("/classes", {}),
        ):
            self._page(by_path[path], path.strip("/"), parameters)
        for size in range(LARGEST + 1):
            self._page(by_path["/classes/{size}"], f"classes/{size}", {"size": str(size)})
        at = Address("/", host=self._host, docs=self._docs, absolute=True)
        shown = {"problem": "nothing is at this address", "status": 404, "policy": META_POLICY}
        self._write("404.html", render("problem", at, **shown))

    def write_classes(self) -> None:
        page = next(page for page in PAGES if page.template == "class")
        for list_class in _all_classes():
            path, number = f"classes/{list_class.size}/{list_class.number}", str(list_class.number)
            preview = (
                f"previews/{list_class.size}-{number}.png" if str(list_class) in self._notable else "previews/20-0.png"
            )
            shown = {"json": f"../{number}.json", "preview": preview}
            answer = self._page(page, path, {"size": str(list_class.size), "number": number}, **shown)
            kept = {name: value for name, value in answer.items() if name not in LEFT_OUT}
            for way in ("smaller", "larger"):
                kept[way] = [{name: link[name] for name in ("class", "cards", "back")} for link in kept[way]]
            self._write(f"{path}.json", json.dumps(plain(kept), separators=(",", ":")) + "\n")

    def write_pictures(self) -> None:
        for list_class in notable_classes():
            if list_class.size:
                self._write(
                    f"previews/{list_class.size}-{list_class.number}.png", draw_png(lay_out(list_class.cards), 0.7)
                )
        for name in self._charts:
            self._write(f"charts/{name}.svg", setset.charts.as_bytes(getattr(setset.charts, name)(), "svg"))

    def write_rest(self) -> None:
        """Writes the static files, the service worker, and the list of pages for search engines."""
        for name in assets.names():
            asset = assets.read(name)
            assert asset is not None
            self._write(f"static/{assets.version()}/{name}", asset.content)
        kept = [f"static/{assets.version()}/{name}" for name in assets.names()]
        kept += ["./", "identify/", "play/", "classes/", "counts/"]
        self._write("worker.js", render("worker.js", Address("/"), kept=kept, cache=assets.version()))
        urls = "".join(f"<url><loc>{self._host}{address}</loc></url>\n" for address in self.addresses)
        start = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        self._write("sitemap.xml", f"{start}{urls}</urlset>\n")
        self._write("robots.txt", f"User-agent: *\nAllow: /\nSitemap: {self._host}sitemap.xml\n")
        self._write(".nojekyll", "")


def _all_classes() -> Iterator[setset.ListClass]:
    catalogue = setset.catalogue_in_memory()
    return (list_class for size in range(LARGEST + 1) for list_class in catalogue.classes(size))


def notable_classes() -> list[setset.ListClass]:
    """Returns the most symmetric classes of each size."""
    catalogue = setset.catalogue_in_memory()
    levels = (
        sorted(catalogue.classes(size), key=lambda list_class: -list_class.stabilizer) for size in range(LARGEST + 1)
    )
    return [list_class for level in levels for list_class in level[:NOTABLE]]

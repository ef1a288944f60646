"""The page in a real browser: with and without JavaScript, on a phone and on a desk, while a run goes on and dies."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
import warnings
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

import setset
from setset.cards import is_set
from setset.web import assets
from tests.small import change
from tests.web.conftest import SETSET, serving, some_classes

pytestmark = pytest.mark.browser
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SCREENS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 900}}
PAGES = (
    "/",
    "/progress",
    "/counts",
    "/classes?size=16&complete=yes",
    "/classes/20",
    "/classes/12?stabilizer=x",
    "/classes/12/786",
    "/identify?cards=0,1,2,3,9",
    "/identify?cards=0,1,3",
    "/identify?cards=82",
    "/identify/many",
    "/play?seed=7",
    "/sql",
    "/sql?query=SELEC",
    "/api",
    "/nothing",
)
SEED = 7
HAS_COLOUR = """colour => {
  const drawn = document.querySelector(".lattice");
  if (!drawn) return false;
  const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const copy = Object.assign(document.createElement("canvas"), { width: 1000, height: 1000 });
  const paint = copy.getContext("2d", { willReadFrequently: true });
  paint.drawImage(drawn, 0, 0);
  const { data } = paint.getImageData(0, 0, 1000, 1000);
  return data.some((_, at) => at % 4 === 0 && wanted.every((value, index) => data[at + index] === value));
}"""
"""Whether the lattice has a pixel of a colour."""
WATCH_SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) shifts.push(each.value);
}).observe({ type: "layout-shift", buffered: true });"""
LONGEST_LINE = """() => {
  let longest = "";
  for (const text of document.querySelectorAll("main p:not(.line, .said, .bar, .card-box > *)")) {
    const range = document.createRange(), walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    for (let top = -1, line = ""; walker.nextNode();) {
      for (let at = 0; at < walker.currentNode.length; at += 1) {
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + 1);
        const [box] = range.getClientRects();
        if (!box?.width) continue;
        line = box.top > top + 8 ? range.toString() : line + range.toString();
        top = box.top;
        if (line.length > longest.length) longest = line;
      }
    }
  }
  return longest;
}"""
TITLES = {"setset": "Every hand"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        warnings.warn("NO BROWSER HERE: the page is not tested in one (install chromium)", stacklevel=1)
        pytest.skip("no browser")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def address(reference: Path) -> Iterator[str]:
    with serving("-w", str(reference)) as (url, _):
        yield url


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Any]:
    """Opens pages in windows of their own; at the end, no console may have said anything."""
    messages: list[str] = []
    contexts = []

    def open_one(path: str, **options: Any) -> Page:
        context = browser.new_context(viewport=SCREENS["desk"], base_url=address, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        missing = re.compile("status of 40[04]")  # a browser says itself that a page is not there
        page.on("console", lambda message: missing.search(message.text) or messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        aborted = "net::ERR_ABORTED"  # the page was left before all of it was there
        page.on(
            "requestfailed", lambda request: request.failure == aborted or messages.append(f"failed: {request.url}")
        )
        page.on("request", lambda request: request.url.startswith(address) or messages.append(request.url))
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_every_page(open_page: Any, screen: str, scheme: str) -> None:
    """Nothing is wider than the screen, and a check for accessibility finds nothing serious."""
    page = open_page("/")
    page.set_viewport_size(SCREENS[screen])
    page.emulate_media(color_scheme=scheme)
    for path in PAGES:
        page.goto(path)
        check_page(page, path, SCREENS[screen]["width"])


def test_nothing_moves_and_lines_are_short(open_page: Any) -> None:
    """Scripts do not shift what is on the screen, and prose has at most 66 letters per line."""
    page = open_page("/")
    page.add_init_script(WATCH_SHIFTS)
    for screen in SCREENS.values():
        page.set_viewport_size(screen)
        for path in PAGES:
            page.goto(path, wait_until="load" if path == "/progress" else "networkidle")
            assert page.evaluate("shifts") == [], (path, screen)
            assert len(page.evaluate(LONGEST_LINE)) <= 70, path  # a font may have narrower letters


def test_pages_without_a_workspace(browser: Browser, tmp_path: Path) -> None:
    with serving("-w", str(tmp_path / "none")) as (address, _):
        for scheme in ("light", "dark"):
            page = browser.new_context(viewport=SCREENS["phone"], color_scheme=scheme, base_url=address).new_page()
            page.set_default_timeout(60_000)
            for path in ("/", "/progress", "/counts", "/sql"):
                page.goto(path)
                check_page(page, path, SCREENS["phone"]["width"])
            expect(page.locator("h1")).to_have_text("No workspace here yet")
            expect(page.locator("code").first).to_contain_text("run 6")


def check_page(page: Page, path: str, width: int) -> None:
    for narrow in (320, width) if width == SCREENS["phone"]["width"] else (width,):
        page.set_viewport_size({"width": narrow, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= narrow, (path, narrow)
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    bad = [violation for violation in violations if violation["impact"] in ("serious", "critical")]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in bad] == [], path


def test_cards_are_chosen_by_clicks_and_arrows(open_page: Any) -> None:
    page = open_page("/identify", permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator("h2")).to_have_text("Tap three cards")
    page.evaluate("window.sameDocument = true")
    for card in (0, 1, 40):
        page.locator(f"#c{card}").click()
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?cards=0,1,40")
    expect(page.locator("h2")).to_have_text(f"No set: class {setset.classify([0, 1, 40]).list_class}")
    expect(page.locator("#announce")).to_contain_text("3 cards, no sets")
    expect(page.locator("#details")).to_contain_text(f"{setset.rank([0, 1, 40]):,} of all of this size")
    assert page.locator("#json").get_attribute("href").endswith("api/identify?cards=0,1,40")
    page.locator("#c2").click()
    expect(page.locator(".board .in-set")).to_have_count(3)
    expect(page.locator("h2")).to_have_text("1 set among 4 cards")
    expect(page.locator(".sets li")).to_have_count(1)
    page.locator("#undo").click()
    expect(page.locator(".board .in-set")).to_have_count(0)
    page.locator("#complete").click()
    expect(page.locator(".board .addable")).to_have_count(0)
    expect(page.locator("#answer")).to_contain_text("Complete")
    page.get_by_role("button", name="Share: copy the address of this hand").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.go_back()
    expect(page.locator(".board .chosen")).to_have_count(3)
    page.locator("#c1").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#c2")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".board .chosen")).to_have_count(2)
    expect(page.locator("#c1")).to_be_focused()
    assert page.evaluate("window.sameDocument")


def test_without_javascript(open_page: Any) -> None:
    page = open_page("/identify", java_script_enabled=False)
    for card in (0, 1, 2):
        page.locator(f"#c{card}").click()
    expect(page.locator("h2")).to_have_text("1 set among 3 cards")
    page.goto("/identify?cards=82")
    expect(page.locator("#cards")).to_have_value("82")
    expect(page.get_by_role("alert")).to_contain_text("not a card")
    page.goto("/classes")
    page.get_by_role("link", name="16 748").click()
    page.get_by_label("Complete").select_option("yes")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#found")).to_contain_text(f"{len(setset.find_classes(16, complete=True))} classes")
    page.get_by_role("link", name="symmetries", exact=True).click()
    page.get_by_role("link", name="symmetries ascending").click()
    best = setset.find_classes(16, complete=True, sort="stabilizer", reverse=True)[0]
    expect(page.locator("#shown b").first).to_have_text(str(best))
    expect(page.get_by_label("Complete")).to_have_value("yes")
    page.get_by_role("link", name="20 1", exact=True).click()
    page.get_by_role("link", name="20/0").click()
    expect(page.locator("h1")).to_have_text("Class 20/0")
    page.goto("/identify/many")
    page.get_by_label("Hands").fill("0 1 3\n0 1 2")
    page.get_by_role("button", name="Table").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.goto(f"/play?seed={SEED}")
    for card in setset.find_sets(setset.deal(12, SEED))[0]:
        page.locator(f"input[value='{card}']").check(force=True)
    page.get_by_role("button", name="These are a set").click()
    expect(page.locator("#points")).to_have_text("1")
    page.get_by_role("link", name="Hint").click()
    expect(page.locator("#said")).to_contain_text("on the table")
    page.goto("/sql")
    page.get_by_label("A read-only query").fill("SELECT 6 * 7 AS answer")
    page.get_by_role("button", name="Table").click()
    expect(page.locator("tbody td")).to_have_text("42")
    page.goto("/progress")
    expect(page.locator("main")).to_contain_text("Nothing is running")


def table_of(page: Page) -> list[int]:
    values = page.locator("#cards input").evaluate_all("boxes => boxes.map(box => box.value)")
    return list(map(int, values))


def take_set(page: Page, choose: Any) -> None:
    """Calls a set of the table, or that there is none, and waits until the table has followed."""
    table, score = table_of(page), page.locator("#score").text_content()
    if sets := setset.find_sets(table):
        for card in sets[0]:
            choose(table, card)
        expect(page.locator("#score")).not_to_have_text(score or "")
        expect(page.locator("#cards .right")).to_have_count(0)
    else:
        page.keyboard.press("x")
        expect(page.locator("#cards input")).to_have_count(len(table) + 3)


def test_a_whole_game_by_keys(open_page: Any) -> None:
    """To its end, with a hint, a wrong call, and a challenge for a friend."""
    page = open_page(f"/play?seed={SEED}", permissions=["clipboard-read", "clipboard-write"])
    assert table_of(page) == list(setset.deal(12, SEED))
    page.keyboard.press("?")
    expect(page.locator(".hinted")).to_have_count(1)
    top = page.locator("#cards").bounding_box()
    table = table_of(page)
    triple = next([a, b, c] for a, b, c in combinations(table, 3) if not is_set(a, b, c))
    for card in triple:
        page.keyboard.press("abcdefghijkl"[table.index(card)])
    expect(page.locator("#said")).to_contain_text("No set.")
    expect(page.locator("#cards .wrong")).to_have_count(3)
    assert page.locator("#cards").bounding_box() == top, "messages move the cards"
    expect(page.locator("#cards .wrong")).to_have_count(0)
    for _ in range(60):
        if page.locator("#end").count():
            break
        take_set(page, lambda table, card: page.keyboard.press("abcdefghijklmnopqrstu"[table.index(card)]))
    expect(page.locator("#end")).to_contain_text("slowest set")
    fits = "end => end.clientWidth > 300 && end.scrollWidth <= end.clientWidth && end.scrollHeight <= end.clientHeight"
    for screen in SCREENS.values():
        page.set_viewport_size(screen)
        assert page.locator("#end").evaluate(fits), screen
    page.get_by_role("button", name="Copy the challenge").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    page.goto(text.partition("Beat it: ")[2])
    expect(page.locator("#beat")).to_contain_text("to beat")
    assert table_of(page) == list(setset.deal(12, SEED))
    page.goto(f"/play?seed={SEED}&mode=junior")
    expect(page.locator("#cards input")).to_have_count(9)
    rows = page.locator(".choice").evaluate_all(
        "cards => cards.map(card => Math.round(card.getBoundingClientRect().y))"
    )
    assert [rows.count(row) for row in sorted(set(rows))] == [3, 3, 3]


def test_a_game_by_taps_on_a_phone(open_page: Any) -> None:
    page = open_page(f"/play?seed={SEED}", has_touch=True)
    page.set_viewport_size({"width": 390, "height": 844})
    for _ in range(4):
        for box in page.locator(".choice").all():
            bounds = box.bounding_box()
            assert bounds["y"] >= 0, bounds
            assert bounds["y"] + bounds["height"] <= 844, bounds
            assert bounds["width"] > 60, bounds
        take_set(page, lambda _, card: page.locator(f".choice:has(input[value='{card}'])").tap())
    expect(page.locator("#taken li")).to_have_count(4)
    assert len(page.request.get(page.locator("#json").evaluate("link => link.href")).json()["taken"]) == 4
    page.get_by_label("Colours").select_option("safe")
    page.get_by_label("Game", exact=True).select_option("three")
    expect(page.locator("#said")).to_contain_text("3 sets to find")
    expect(page.locator("#json")).to_be_hidden()  # the server does not know this game
    page.reload()
    assert page.evaluate("document.documentElement.dataset.palette") == "safe"
    assert len(setset.find_sets(table_of(page))) == 3
    page.get_by_label("Game", exact=True).select_option("five")
    expect(page.locator("#said")).to_contain_text("5 sets to find")


def test_the_gallery_filters_in_the_browser(open_page: Any) -> None:
    page = open_page("/classes/16")
    page.get_by_label("Complete").select_option("yes")
    expected = setset.find_classes(16, complete=True)
    expect(page.locator("#found")).to_have_text(f"{len(expected)} classes")
    page.get_by_role("link", name="Most symmetric").click()
    best = setset.find_classes(16, complete=True, sort="stabilizer", reverse=True)[0]
    expect(page.locator("#shown b").first).to_have_text(str(best))
    expect(page.locator("[aria-current=true]")).to_have_text("symmetries")
    header = page.get_by_role("link", name="lists")
    for reverse in (False, True):
        header.click()
        first = setset.find_classes(16, complete=True, sort="lists", reverse=reverse)[0]
        expect(page.locator("#shown b").first).to_have_text(str(first))
    expect(header).to_have_attribute("data-order", "descending")
    page.reload()
    expect(page.locator("#shown b").first).to_have_text(str(first))
    page.get_by_label("Complete").select_option("")
    expect(page.locator("#found")).to_have_text("748 classes")
    orders = {list_class.stabilizer for list_class in setset.find_classes(16)}
    expect(page.get_by_label("Symmetries").locator("option:enabled")).to_have_count(len(orders) + 1)
    page.get_by_label("Complete").select_option("yes")
    page.get_by_role("link", name="Most symmetric").click()
    assert "complete=yes" in page.locator("#json").get_attribute("href")
    page.locator("#shown a").first.click()
    expect(page.locator("h1")).to_have_text(f"Class {best}")
    page.locator("svg.deck").hover(position={"x": 300, "y": 300})
    expect(page.locator("#because")).not_to_contain_text("Outlined")


def test_a_filter_chosen_early_is_kept(open_page: Any) -> None:
    page, held = open_page("/"), []
    page.route("**/catalogue.json", lambda route: held.append(route))
    with page.expect_request("**/catalogue.json"):
        page.goto("/classes/16")
    page.get_by_label("Complete").select_option("yes")
    expect(page.locator("#found")).to_have_text("748 classes; page 1 of 15")
    held[0].continue_()
    expect(page.locator("#found")).to_have_text(f"{len(setset.find_classes(16, complete=True))} classes")


def test_copying(open_page: Any) -> None:
    page = open_page("/classes/12/786", permissions=["clipboard-read", "clipboard-write"])
    for name, end in (("GAP", 'OnSets(cap, g) = cap), "\\n");\n'), ("command line", "setset classes show 12/786")):
        page.get_by_label("As", exact=True).select_option(name)
        page.get_by_role("button", name=f"Copy {name}").click()
        expect(page.get_by_text("Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()").endswith(end)


def test_a_class_in_four_dimensions(open_page: Any) -> None:
    """The lattice turns, but not for readers who want less motion; cards and hyperplanes answer."""
    expression = "document.querySelector('.lattice').toDataURL()"
    moving = open_page("/classes/12/786")
    moving.locator(".lattice").scroll_into_view_if_needed()
    first = moving.evaluate(expression)
    moving.wait_for_function(f"first => {expression} !== first", arg=first)
    page = open_page("/classes/12/786", reduced_motion="reduce", color_scheme="dark")
    canvas = page.locator(".lattice")
    page.wait_for_function(HAS_COLOUR, arg="#ff6b74")  # already before it is seen
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function(HAS_COLOUR, arg="#d8232f")
    page.emulate_media(media="screen", color_scheme="dark")
    canvas.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Turn")).to_be_visible()
    page.wait_for_timeout(1000)  # drawn once more as soon as it is seen
    still = page.evaluate(expression)
    page.wait_for_timeout(500)
    assert page.evaluate(expression) == still
    points = ((x, y) for x in range(60, 540, 12) for y in range(60, 540, 12))
    for x, y in points:
        canvas.hover(position={"x": x, "y": y})
        if "completes a set" in (page.locator("#lattice .quiet").text_content() or ""):
            break
    expect(page.locator("#lattice .quiet")).to_contain_text("completes a set with")
    page.wait_for_function(f"still => {expression} !== still", arg=still)
    page.get_by_role("slider", name="Hyperplane").press("ArrowRight")
    expect(page.locator("#lattice output")).to_have_text("shape = 0")


def test_a_hand_in_the_address_loads_no_catalogue(open_page: Any) -> None:
    page, names = open_page("/"), []
    page.on("request", lambda request: names.append(request.url.rpartition("/")[2]))
    page.goto("/identify?cards=0,1,40", wait_until="networkidle")
    assert "identify.js" in names
    assert "catalogue.json" not in names
    page.locator("#c80").click()
    expect(page.locator("h2")).to_have_text("1 set among 4 cards")


def test_a_result_is_drawn(open_page: Any) -> None:
    page = open_page("/sql?query=SELECT size, SUM(lists) AS lists FROM files GROUP BY size")
    bar = page.locator(".panel a").nth(1)
    assert "size: 4" in bar.locator("title").evaluate("each => each.textContent")
    bar.locator(".hit").click()
    expect(page.locator("h1")).to_have_text("Classes of 4 cards")


def test_charts_answer_to_the_pointer(open_page: Any) -> None:
    page = open_page("/progress")
    page.locator("summary", has_text="Charts").click()
    expect(page.locator("figure.chart svg").first).to_be_attached(timeout=120_000)
    title = page.locator("figure.chart title").first.evaluate("each => each.textContent")
    assert "worker: " in title, title
    page.goto("/counts")
    expect(page.locator(".bars a title").nth(20)).to_contain_text("20 cards: 682,344 lists")


def test_live_updates_keep_scroll_focus_and_selection(browser: Browser, copy: Any) -> None:
    folder = copy().path
    with serving("-w", str(folder)) as (address, _):
        page = browser.new_context(viewport={"width": 390, "height": 500}).new_page()
        page.goto(f"{address}/progress")
        expect(page.locator("#connection")).to_have_text("Live.")
        expect(page.locator("#live")).to_have_attribute("data-kept-updates", "1", timeout=60_000)
        summary = page.locator("summary", has_text="History")
        summary.click()
        summary.focus()
        page.evaluate("scrollTo(0, 300); getSelection().selectAllChildren(document.querySelector('#live table'))")
        before = None
        for number in range(11):
            updates = page.evaluate("Number(document.getElementById('live').dataset.keptUpdates ?? 0)")
            change(folder, f"UPDATE runs SET command = 'setset run --size 6 # {number}'")
            expect(page.locator("#live")).not_to_have_attribute("data-kept-updates", str(updates), timeout=60_000)
            if before is None:  # the command is another one now, which takes more room
                page.evaluate("scrollTo(0, 300)")
                before = page.evaluate("[scrollY, getSelection().toString()]")
        expect(page.locator("#live")).to_contain_text("--size 6 # 10")
        expect(summary).to_be_focused()
        assert page.evaluate("[scrollY, getSelection().toString()]") == before
        assert page.locator("details:has-text('History')").get_attribute("open") is not None


def test_a_run_dies_and_the_server_comes_back(browser: Browser, tmp_path: Path) -> None:
    """Every page is visited while it goes on; the page on progress follows, without being loaded again."""
    folder = str(tmp_path / "w")
    run = [*SETSET, "run", "--size", "9", "--workers", "1", "--batch-lists", "200000", "-q", "-w", folder]
    subprocess.run([*SETSET, "run", "--size", "3", "--workers", "1", "-q", "-w", folder], check=True)
    with serving("-w", folder) as (address, _):
        page, messages = browser.new_context(viewport=SCREENS["phone"]).new_page(), []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(f"{address}/progress")
        expect(page.locator("#connection")).to_have_text("Live.")
        with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            expect(page.locator("#live")).to_contain_text("Running", timeout=60_000)
            for screen in SCREENS.values():
                page.set_viewport_size(screen)
                for name in ("Counts", "Classes", "Identify", "Play", "SQL", "API", "setset", "Progress"):
                    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
                    expect(page).to_have_title(re.compile(TITLES.get(name, name)))
            expect(page.locator("#connection")).to_have_text("Live.")
            expect(page.locator("#live")).to_contain_text("Running")
            process.kill()
        expect(page.locator("#live")).to_contain_text("Nothing is running", timeout=60_000)
        assert messages == []
    expect(page.locator("#connection")).to_contain_text("lost", timeout=60_000)
    expect(page.locator("#live")).to_have_class("stale")
    with serving("-w", folder, "--port", address.rpartition(":")[2]):
        expect(page.locator("#connection")).to_have_text("Live.", timeout=60_000)


def test_a_hand_while_the_server_is_away(browser: Browser, tmp_path: Path) -> None:
    with serving("-w", str(tmp_path)) as (address, _):
        page = browser.new_page()
        page.goto(f"{address}/identify?cards=0,1", wait_until="networkidle")
    page.locator("#c3").click()
    expect(page.locator("#answer")).to_contain_text("The server does not answer")
    expect(page.locator("#details")).to_be_empty()
    with serving("-w", str(tmp_path), "--port", address.rpartition(":")[2]):
        page.locator("#c40").click()
        list_class = setset.classify([0, 1, 3, 40]).list_class
        expect(page.locator("h2")).to_have_text(f"No set: class {list_class}", timeout=60_000)


@pytest.fixture(scope="module")
def published(site: Path) -> Iterator[str]:
    """A site of files below a path of a plain web host."""

    class Host(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return super().translate_path(path.removeprefix("/setset"))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/setset/"
        server.shutdown()


def test_the_site_identifies_a_thousand_hands(browser: Browser, published: str) -> None:
    page, urls = browser.new_page(), []
    page.on("request", lambda request: urls.append(request.url))
    page.goto(f"{published}identify/?cards=0,1,3")
    expect(page.locator("h2")).to_have_text("No set: class 3/0")
    hands = [[*map(int, setset.sample(size, count=1, seed=number)[0])] for number in range(50) for size in range(1, 21)]
    ask = """async ([hands, address]) => {
      const { identify } = await import(address);
      const found = [];
      for (const hand of hands) found.push((await identify(hand)).class);
      return found;
    }"""
    version = assets.version()
    classes = page.evaluate(ask, [hands, f"{published}static/{version}/catalogue.js"])
    assert classes == [str(setset.classify(hand).list_class) for hand in hands]
    assert [url for url in urls if not url.startswith(published)] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_the_site(browser: Browser, published: str, scheme: str) -> None:
    messages: list[str] = []
    paths = ("", "classes/", "classes/16/", "identify/?cards=0,1,2", "play/?seed=7", "counts/")
    list_class = some_classes(50)[-1]
    for width in (390, 1280):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
        page = context.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: request.url.startswith(published) or messages.append(request.url))
        page.add_init_script(WATCH_SHIFTS)
        for path in (*paths, f"classes/{list_class}/"):
            page.goto(published + path, wait_until="networkidle")
            hand_is_new = "cards=" in path  # to the page, which is the same file for all hands
            assert sum(page.evaluate("shifts")) <= (0.01 if hand_is_new else 0), (path, width)
            check_page(page, path, width)
        pictures = page.locator(".gallery a", has=page.locator("svg.dots"))
        expect(pictures).to_have_count(page.locator(".gallery a").count())
        expect(page.locator("#hand svg.card")).to_have_count(list_class.size)
        page.goto(f"{published}play/?seed={SEED}")
        expect(page.locator("#cards input")).to_have_count(12)
        assert table_of(page) == list(setset.deal(12, SEED))
        context.close()
    assert messages == []

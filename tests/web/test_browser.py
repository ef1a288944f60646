"""The page in a real browser: with and without JavaScript, on a phone and on a desk, while a run goes on and dies."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

import setset
from tests.web.conftest import SETSET, serving

pytestmark = pytest.mark.browser
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SCREENS = {"phone": {"width": 390, "height": 800}, "desk": {"width": 1280, "height": 900}}
PAGES = (
    "/",
    "/progress",
    "/counts",
    "/classes?size=16&complete=yes",
    "/classes/12/786",
    "/identify?cards=0,1,2,3,9",
    "/identify?cards=0,1,3",
    "/identify/many",
    "/play?seed=7",
    "/sql",
    "/api",
    "/nothing",
)
SEED = 7
TITLES = {"setset": "Home"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        warnings.warn("NO BROWSER HERE: the page is not tested in one (install chromium)", stacklevel=1)
        pytest.skip("no browser")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(reference: Path) -> Iterator[str]:
    with serving("-w", str(reference)) as (found, _):
        yield found


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Any]:
    """Opens pages in windows of their own; at the end, no console may have said anything."""
    said: list[str] = []
    contexts = []

    def open_one(path: str, **options: Any) -> Page:
        context = browser.new_context(viewport=SCREENS["desk"], base_url=address, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        missing = "404"  # a browser says itself that a page is not there
        page.on("console", lambda message: missing in message.text or said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        left = "net::ERR_ABORTED"  # the page was left before all of it was there
        page.on("requestfailed", lambda request: request.failure == left or said.append(f"failed: {request.url}"))
        page.on("request", lambda request: request.url.startswith(address) or said.append(request.url))
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert said == []


@pytest.mark.parametrize(("screen", "scheme"), [("phone", "dark"), ("desk", "light")])
def test_every_page(open_page: Any, screen: str, scheme: str) -> None:
    """Nothing is wider than the screen, and a check for accessibility finds nothing serious."""
    page = open_page("/")
    page.set_viewport_size(SCREENS[screen])
    page.emulate_media(color_scheme=scheme)
    axe = Axe()
    for path in PAGES:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen]["width"], path
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        bad = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], each["nodes"][0]["html"]) for each in bad] == [], path


def test_cards_are_chosen_by_clicks(open_page: Any) -> None:
    page = open_page("/identify", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("window.sameDocument = true")
    for card in (0, 1, 40):  # faster than answers come
        page.locator(f"#c{card}").click()
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?cards=0,1,40")
    expect(page.locator("h2")).to_have_text(f"No set: class {setset.classify([0, 1, 40]).list_class}")
    expect(page.locator("#announce")).to_contain_text("3 cards, no sets")
    page.locator("#c2").click()
    expect(page.locator(".grid .in-set")).to_have_count(3)
    expect(page.locator("h2")).to_have_text("1 set among 4 cards")
    page.locator("#undo").click()
    expect(page.locator(".grid .in-set")).to_have_count(0)
    page.locator("#complete").click()
    expect(page.locator(".grid .addable")).to_have_count(0)
    page.get_by_role("button", name="Copy the address of this hand").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.go_back()
    expect(page.locator(".grid .chosen")).to_have_count(3)
    page.locator("#c1").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".grid .chosen")).to_have_count(2)
    expect(page.locator("#c1")).to_be_focused()
    assert page.evaluate("window.sameDocument")


def test_without_javascript(open_page: Any) -> None:
    page = open_page("/identify", java_script_enabled=False)
    for card in (0, 1, 2):
        page.locator(f"#c{card}").click()
    expect(page.locator("h2")).to_have_text("1 set among 3 cards")
    page.goto("/classes")
    page.get_by_label("Size").select_option("20")
    page.get_by_role("button", name="Show").click()
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
    expect(page.locator("main")).to_contain_text("score 1")
    page.goto("/sql")
    page.get_by_label("A read-only query").fill("SELECT 6 * 7 AS answer")
    page.get_by_role("button", name="Table").click()
    expect(page.locator("tbody td")).to_have_text("42")
    page.goto("/progress")
    expect(page.locator("main")).to_contain_text("Nothing is running")


def test_a_game_by_keys(open_page: Any) -> None:
    page = open_page(f"/play?seed={SEED}")
    expect(page.locator("#clock")).to_have_text("0:01")
    table = setset.deal(12, SEED)
    page.keyboard.press("?")
    expect(page.locator(".said")).to_contain_text("on the table")
    for card in setset.find_sets(table)[0]:
        page.keyboard.press("abcdefghijkl"[table.index(card)])
    expect(page.locator("main")).to_contain_text("score 1")
    page.keyboard.press("x")
    expect(page.locator("main")).to_contain_text("score")
    expect(page.locator(".said")).not_to_contain_text("A set, a point")


def test_the_chart_is_drawn(open_page: Any) -> None:
    page = open_page("/counts")
    page.locator("figure img").scroll_into_view_if_needed()
    expect(page.locator("figure img")).to_have_js_property("complete", True)
    assert page.locator("figure img").evaluate("image => image.naturalWidth") > 100


def test_copying(open_page: Any) -> None:
    page = open_page("/classes/12/786", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy GAP").click()
    expect(page.get_by_role("button", name="Copy GAP")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith("* Z(3)^0;")


def test_a_run_dies_and_the_server_comes_back(browser: Browser, tmp_path: Path) -> None:
    """Every page is visited while it goes on; the page on progress follows, without being loaded again."""
    folder = str(tmp_path / "w")
    run = [*SETSET, "run", "--size", "9", "--workers", "1", "--batch-lists", "200000", "-q", "-w", folder]
    subprocess.run([*SETSET, "run", "--size", "3", "--workers", "1", "-q", "-w", folder], check=True)
    with serving("-w", folder) as (address, _):
        page, said = browser.new_context(viewport=SCREENS["phone"]).new_page(), []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"{address}/progress")
        expect(page.locator("#connection")).to_have_text("Live.")
        with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            expect(page.locator("#live")).to_contain_text("Running on", timeout=60_000)
            for screen in SCREENS.values():
                page.set_viewport_size(screen)
                for name in ("Counts", "Classes", "Identify", "Play", "SQL", "API", "setset", "Progress"):
                    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
                    expect(page).to_have_title(re.compile(TITLES.get(name, name)))
            expect(page.locator("#connection")).to_have_text("Live.")
            expect(page.locator("#live")).to_contain_text("Running on")
            process.kill()
        expect(page.locator("#live")).to_contain_text("Nothing is running", timeout=60_000)
        assert said == []
    expect(page.locator("#connection")).to_contain_text("lost", timeout=60_000)
    with serving("-w", folder, "--port", address.rpartition(":")[2]):
        expect(page.locator("#connection")).to_have_text("Live.", timeout=60_000)

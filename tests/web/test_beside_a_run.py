"""The page beside a run: it takes next to nothing from it, and no commit ever waits for a page."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from urllib.parse import quote

import httpx
import pytest

from setset.database.connection import connect
from tests.small import Copy
from tests.web.conftest import serving

SLOW = "SELECT COUNT(*) FROM files a, files b, files c, files d"
"""Millions of millions of rows: it ends when its time is over."""
PAGES = ("/", "/progress", "/api/progress", "/counts", "/charts/gantt.svg", "/charts/counts.svg", "/sql")
COMMITS = 100


@pytest.mark.posix
def test_no_commit_waits_for_a_page(copy: Copy) -> None:
    """Every page that reads the workspace is asked all the time, one of them for a query that takes seconds, while
    somebody commits who does not wait: a lock would be an error at once."""
    place = copy()
    done, answers = threading.Event(), []

    def ask(address: str) -> None:
        with httpx.Client(timeout=60) as client:
            while not done.is_set():
                answers.append((address, client.get(address).status_code))

    with serving("-w", str(place.path)) as (address, _), httpx.stream("GET", f"{address}/progress/events"):
        paths = [*PAGES, f"/sql?query={quote(SLOW)}"]
        visitors = [threading.Thread(target=ask, args=(address + path,)) for path in paths]
        for each in visitors:
            each.start()
        try:
            with place.locked(), closing(connect(place.database, "rw", seconds=0)) as connection:
                connection.execute("PRAGMA journal_mode = TRUNCATE")
                for number in range(COMMITS):
                    with connection:
                        connection.execute("UPDATE runs SET workers = ?", (number + 1,))
                    time.sleep(0.02)
        finally:
            done.set()
            for each in visitors:
                each.join(60)
    assert {path for path, _ in answers} == {address + path for path in paths}
    assert {code for path, code in answers if "files" not in path} == {200}
    assert len(answers) > 3 * len(paths)

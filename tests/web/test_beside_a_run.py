"""The page beside a run: it takes next to nothing from it, and no commit waits for a visitor's query."""

from __future__ import annotations

import os
import statistics
import subprocess
import threading
import time
from contextlib import ExitStack, closing
from itertools import count
from urllib.parse import quote

import httpx
import psutil
import pytest

from setset.database.connection import connect
from tests.small import TARGET, Copy
from tests.web.conftest import SETSET, cpu_seconds, serving, wait_until_idle

SLOW = "SELECT COUNT(*) FROM files a, files b, files c, files d"
"""Millions of millions of rows: it ends when its time is over."""
PAGES = ("/", "/progress", "/api/progress", "/counts", "/charts/gantt.svg", "/charts/counts.svg", "/sql")
COMMITS = 50


@pytest.mark.posix("takes more than five minutes under Wine")
def test_no_commit_waits_for_a_query(copy: Copy) -> None:
    """Every page that reads the workspace is asked all the time, one of them for a query that takes seconds, while
    somebody commits. A commit waits for copies to be made, not for the query."""
    folder = copy()
    finished, answers, waited = threading.Event(), [], []

    def ask(address: str) -> None:
        with httpx.Client(timeout=600) as client:
            while not finished.is_set():
                answers.append((address, client.get(address).status_code))

    with serving("-w", str(folder.path)) as (address, _), httpx.stream("GET", f"{address}/progress/events"):
        paths = [*PAGES, f"/sql?query={quote(SLOW)}"]
        visitors = [threading.Thread(target=ask, args=(address + path,)) for path in paths]
        for visitor in visitors:
            visitor.start()
        try:
            with folder.locked(), closing(connect(folder.database, "rw", seconds=2)) as connection:
                connection.execute("PRAGMA journal_mode = TRUNCATE")
                for number in count(1):
                    start = time.monotonic()
                    with connection:
                        connection.execute("UPDATE runs SET workers = ?", (number,))
                    waited.append(time.monotonic() - start)
                    time.sleep(0.02)
                    if number > COMMITS and len({path for path, _ in answers}) == len(paths):
                        break
        finally:
            finished.set()
            for visitor in visitors:
                visitor.join(600)
    print(f"a commit took {statistics.median(waited) * 1e3:.1f} ms, at most {max(waited) * 1e3:.0f} ms")
    assert statistics.median(waited) < 0.5, "milliseconds; the query takes seconds"
    assert {path for path, _ in answers} == {address + path for path in paths}
    assert {code for path, code in answers if "files" not in path} == {200}


@pytest.mark.posix("reads the CPU time of processes")
def test_twenty_open_pages_take_under_3_percent_of_a_run(copy: Copy) -> None:
    """Measured by CPU time: what the server uses of what the run has, or of half the cores if others leave it less."""
    folder = str(copy().path)
    run = [*SETSET, "run", "--target", str(TARGET), "--size", "11", "--workers", "2", "-q", "-w", folder]
    with serving("-w", folder) as (address, process), ExitStack() as stack:
        server = psutil.Process(process.pid)
        wait_until_idle(server)
        running = stack.enter_context(subprocess.Popen(run, stderr=subprocess.DEVNULL))
        stack.callback(running.kill)
        for _ in range(20):
            assert httpx.get(f"{address}/progress", timeout=60).status_code == 200
            live = stack.enter_context(httpx.stream("GET", f"{address}/progress/events", timeout=60))
        for line in live.iter_lines():
            if "<strong>Running</strong>" in line:
                break
        work = psutil.Process(running.pid)
        start, before = time.monotonic(), (cpu_seconds(server), cpu_seconds(work))
        time.sleep(4)
        server_seconds, run_seconds = cpu_seconds(server) - before[0], cpu_seconds(work) - before[1]
        cores = min(2, len(os.sched_getaffinity(0)))
        undisturbed = cores * (time.monotonic() - start)
        assert httpx.get(f"{address}/api/progress", timeout=60).json()["running"]
    print(f"server {server_seconds:.2f} s, run {run_seconds:.2f} s of {undisturbed:.2f} s")
    assert server_seconds < 0.03 * max(run_seconds, undisturbed / 2)

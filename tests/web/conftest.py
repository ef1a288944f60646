"""The page, asked in this process or as a real server in a process of its own."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from starlette.testclient import TestClient

import setset
from setset.cards import LARGEST
from setset.symmetry import Catalogue
from setset.web import static_site
from setset.web.app import make_app
from setset.web.security import HEADERS
from setset.web.site import Site
from setset.web.static_site import build_site

SETSET = [sys.executable, "-m", "setset"]
HOSTS = frozenset({"127.0.0.1", "localhost"})
KEPT = ("no-store", "private, no-cache", "no-cache", "public, max-age=31536000, immutable")
URL = "https://caps.example.org/setset/"
Visit = Callable[..., TestClient]


def visitor(workspace: Path, token: str | None = None) -> TestClient:
    """Somebody who asks the page, without a server in between."""
    app = make_app(Site(workspace, HOSTS, token))
    return TestClient(app, base_url="http://127.0.0.1:8081", follow_redirects=False, raise_server_exceptions=False)


@pytest.fixture
def page(reference: Path, catalogue: Catalogue) -> TestClient:
    """The page of a workspace with some lists."""
    assert catalogue
    return visitor(reference)


@pytest.fixture
def bare(tmp_path: Path, catalogue: Catalogue) -> TestClient:
    """The page without a workspace."""
    assert catalogue
    return visitor(tmp_path / "none")


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A real server; its address, and its process."""
    command = [*SETSET, "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("setset serves at http"), line
            yield line.split()[-1].rstrip("/"), process
        finally:
            process.kill()


def is_guarded(headers: object) -> bool:
    """Whether browsers are told everything that they should refuse."""
    is_cached_well = headers.get("Cache-Control") in KEPT  # type: ignore[attr-defined]
    expected = {name: value for name, value in HEADERS.items() if name != "Cache-Control"}
    return is_cached_well and all(headers.get(name) == value for name, value in expected.items())  # type: ignore[attr-defined]


def cpu_seconds(process: psutil.Process) -> float:
    """CPU seconds of a process and its descendants."""
    times = [member.cpu_times() for member in (process, *process.children(recursive=True))]
    return sum(member.user + member.system for member in times)


def wait_until_idle(process: psutil.Process) -> None:
    """Until a server has loaded all that it loads in the background."""
    before = -1.0
    while cpu_seconds(process) - before > 0.05:
        before = cpu_seconds(process)
        time.sleep(0.5)


def some_classes(count: int) -> list[setset.ListClass]:
    """Random classes, and some with many neighbours."""
    classes = [list_class for size in range(LARGEST + 1) for list_class in setset.catalogue_in_memory().classes(size)]
    selected = {
        str(list_class): list_class for list_class in (*random.Random(7).sample(classes, count), *classes[50:60])
    }
    return [*selected.values()]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with some of the classes: all of them take a minute."""
    folder = tmp_path_factory.mktemp("site") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(static_site, "_all_classes", lambda: iter(some_classes(50)))
        patch.setattr(static_site, "NOTABLE", 1)
        patch.setattr(static_site, "CHARTS", ("counts",))
        build_site(folder, URL)
    return folder

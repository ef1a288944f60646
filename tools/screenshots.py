#!/usr/bin/env python3
"""Makes docs/web/*.png, pictures of five web pages. Starts a server for the given workspace.

.venv/bin/python tools/screenshots.py WORKSPACE
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
PAGES = {
    "home": "/",
    "progress": "/progress",
    "play": "/play?seed=7",
    "class": "/classes/12/786",
    "identify": "/identify?cards=0,1,3,9,27,40,80",
}
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MOST_BYTES = 200_000


def main() -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or len(sys.argv) != 2:
        sys.exit(f"usage: tools/screenshots.py WORKSPACE (and one of {', '.join(BROWSERS)})")
    folder = ROOT / "docs" / "web"
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "setset", "serve", "--port", "0", "-w", sys.argv[1]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        page = playwright.chromium.launch(executable_path=browser).new_page(
            viewport={"width": 1000, "height": 760}, base_url=address
        )
        page.set_default_timeout(120_000)
        try:
            for name, path in PAGES.items():
                page.goto(path, wait_until="load")
                page.wait_for_timeout(500)  # until scripts have finished drawing
                picture = page.screenshot(path=folder / f"{name}.png")
                assert len(picture) < MOST_BYTES, f"{name}.png: {len(picture):,} bytes"
                print(f"docs/web/{name}.png: {len(picture):,} bytes")
        finally:
            server.terminate()


if __name__ == "__main__":
    main()

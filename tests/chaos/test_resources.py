"""Many small batches: the coordinator's memory stays flat and its work per batch does not grow with their number."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path

import psutil
import pytest

from setset.database import explorations, open_to_write
from setset.database.batches import number_batches
from setset.folder import WorkspaceFolder
from tests.chaos.processes import Process, setset
from tests.chaos.rounds import TARGET, Sandbox, rows

pytestmark = pytest.mark.chaos

SMALL = 10_000
"""Lists in a file: some 1,000 files."""


def test_memory_stays_flat_with_a_thousand_batches(sandbox: Sandbox) -> None:
    arguments = ("--size", "5", "--target", str(TARGET), "--batch-lists", str(SMALL), "--workers", "2")
    process = Process("run", *arguments, "--workspace", str(sandbox.workspace))
    coordinator = psutil.Process(process.popen.pid)
    folder = sandbox.workspace / f"batches/t{TARGET}/s05"
    samples: list[tuple[int, int]] = []
    while process.running:
        with contextlib.suppress(psutil.Error, OSError):
            samples.append((sum(1 for _ in folder.iterdir()), coordinator.memory_info().rss))
        time.sleep(0.2)
    assert sandbox.finish(process).code == 0
    batches = rows(sandbox.database, "SELECT COUNT(*) FROM batches")[0][0]
    assert isinstance(batches, int)
    assert batches > 900
    early = max(rss for files, rss in samples if files < batches // 3)
    late = max(rss for files, rss in samples if files >= batches // 3)
    assert late - early < 15_000_000, "a megabyte or two was measured"
    status = setset("status", "--workspace", str(sandbox.workspace))
    assert f"{batches:,}"[:1] in status.output
    assert status.code == 0
    assert _steps_of_numbering(sandbox.workspace) < 2000, "some hundred, with a thousand batches or with ten"


def _steps_of_numbering(workspace: Path) -> int:
    """How many steps SQLite makes to number what one more expansion made."""
    database = open_to_write(WorkspaceFolder(workspace))
    exploration = explorations.find(database, TARGET)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with database.transaction():
        connection = database.connection
        last = connection.exec_driver_sql("SELECT MAX(first_source) FROM batches WHERE size = 5").scalar_one()
        connection.exec_driver_sql(f"UPDATE batches SET number = NULL WHERE size = 5 AND first_source = {last}")
        connection.exec_driver_sql(f"UPDATE sizes SET numbered = {last} WHERE size = 5")
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        number_batches(exploration.at(4))
        driver.set_progress_handler(count, 1)
        number_batches(exploration.at(5))
        driver.set_progress_handler(None, 1)
    database.close()
    return steps

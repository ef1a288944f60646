"""Events of an unattended run, by `run --json` and `run --log`, as docs/unattended.md describes them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SETSET
from tests.commands import run_here

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "unattended.md"
SMALL = ("run", "--size", "5", "--target", "18", "--batch-lists", "100000")


def documented() -> dict[str, set[str]]:
    """The keys of each event, as the document has them."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return {event: {"event", "time", *re.findall(r"`(\w+)`", keys)} for event, keys in rows}


def events(output: str) -> list[dict[str, Any]]:
    """The events that were printed: each one as the document says, no time before the one before it."""
    records = [json.loads(line) for line in output.splitlines()]
    for event in records:
        assert set(event) == documented()[event["event"]], event
        assert datetime.fromisoformat(event["time"]).utcoffset() == timedelta(0)
    assert [event["time"] for event in records] == sorted(event["time"] for event in records)
    return records


def test_a_run_in_json_lines_and_in_a_log(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("what was there before\n")
    result = run_here(*SMALL, "--json", "--log", str(log), workspace=tmp_path / "w")
    assert (result.returncode, result.stderr) == (0, "")
    records = events(result.stdout)
    assert [records[0]["event"], records[-1]["event"]] == ["started", "finished"]
    complete = {event["size"]: event["lists"] for event in records if event["event"] == "size_complete"}
    assert complete == {3: 45_189, 4: 681_201, 5: 7_964_460}
    expansions = [event for event in records if event["event"] == "expansion_done" and event["size"] == 5]
    assert sum(event["lists_out"] for event in expansions) == complete[5]
    files = list((tmp_path / "w").rglob("*.setset"))
    assert records[-1]["files_added"] == len(files)
    assert records[-1]["bytes_added"] == sum(path.stat().st_size for path in files)
    assert Path(records[-1]["folder"]) == tmp_path / "w" / "batches"
    first_line, *lines = log.read_text().splitlines()
    assert first_line == "what was there before"
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \w", line) for line in lines)
    assert lines[0].split(" ", 1)[1].startswith("started: setset run --size 5")
    assert "size 5: complete, 7,964,460 lists" in lines[-2]
    assert "finished: 8,690,850 lists in" in lines[-1]


@pytest.mark.posix("sends signals")
def test_a_run_that_is_stopped_says_so(tmp_path: Path) -> None:
    command = [*SETSET, "run", "--size", "8", "--json", "--log", str(tmp_path / "log"), "-w", str(tmp_path / "w")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        output = ""
        while '"expansion_done"' not in output:
            output += process.stdout.readline()
        os.killpg(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 143
    last = events(output + out)[-1]
    assert (last["event"], last["exit_code"]) == ("stopped", 143)
    assert err == f"setset: {last['reason']}\n"
    assert (tmp_path / "log").read_text().splitlines()[-1].endswith("(exit code 143)")


def test_who_stops_reading_does_not_stop_the_run(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*SETSET, *SMALL, "--json", "-w", str(tmp_path / "w")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
    assert run_here("check", "--quiet", workspace=tmp_path / "w").returncode == 0


def test_a_log_that_cannot_be_written_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    log = tmp_path / "nowhere" / "log"
    result = run_here(*SMALL, "--log", str(log), workspace=tmp_path / "w")
    assert (result.returncode, result.stderr) == (2, f"setset: --log {log}: No such file or directory\n")
    assert not (tmp_path / "w").exists()

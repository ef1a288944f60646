"""`setset sql` as a user meets it. What queries can do, tests/chaos/test_input.py tries."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from starlette.testclient import TestClient

import setset
from tests.cli.conftest import SETSET, Refuse
from tests.commands import run_here
from tests.conftest import Run
from tests.database.test_sql import ONE_INSTRUCTION
from tests.web.conftest import visitor


@pytest.fixture
def page(workspace: Path) -> TestClient:
    return visitor(workspace)


QUERY = "SELECT size, lists FROM counts ORDER BY size"


def test_csv(workspace: Path) -> None:
    result = run_here("sql", QUERY, "--csv", workspace=workspace)
    assert result.stdout == "size,lists\n3,58896\n4,1004589\n5,13394538\n"


def test_json(workspace: Path) -> None:
    rows = json.loads(run_here("sql", QUERY, "--json", workspace=workspace).stdout)
    assert rows[0] == {"size": 3, "lists": 58_896}


def test_without_a_query_the_tables_are_described(run: Run, workspace: Path) -> None:
    assert "throughput" in run_here("sql", workspace=workspace).stdout
    rows = json.loads(run("sql", "--json", "-w", str(workspace))[1])
    tables = {row["name"]: row for row in rows}
    assert tables["catalogue"]["kind"] == "view"
    assert tables["catalogue"]["what it holds"].startswith("each size: classes, lists in them")
    for table in ("levels", "classes", "links"):
        assert tables[table]["kind"] == "table"
        assert tables[table]["what it holds"]


def test_properties_of_classes(run: Run, workspace: Path) -> None:
    query = (
        "SELECT number FROM class_properties WHERE size = 12 AND structure = 'S4' AND orbits = '4^3' AND dimension = 4"
    )
    records = json.loads(run("sql", query, "--json", "-w", str(workspace))[1])
    expected = setset.find_classes(12, structure="S4", orbits=3, spans=4)
    all_classes = setset.catalogue_in_memory()
    assert (
        [row["number"] for row in records]
        == [list_class.number for list_class in expected if all_classes.traits(list_class).orbits == "4^3"]
        != []
    )
    query = "SELECT COUNT(*) AS classes, SUM(lists) AS lists FROM Class_Properties p WHERE size = 20"
    assert json.loads(run("sql", query, "--json", "-w", str(workspace))[1]) == [{"classes": 1, "lists": 682_344}]
    assert "class_properties" in run("sql", "-w", str(workspace))[1]
    assert run("sql", "DELETE FROM class_properties", "-w", str(workspace))[0] == 2


@pytest.mark.parametrize(
    ("query", "complaint"), [("DELETE FROM batches", "only SELECT is allowed"), ("SELEKT", 'near "SELEKT"')]
)
def test_bad_input_is_one_line(refuse_in_workspace: Refuse, query: str, complaint: str) -> None:
    refuse_in_workspace(["sql", query], complaint)


def test_two_columns_of_one_name(run: Run, workspace: Path) -> None:
    query = "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a"
    records = json.loads(run("sql", query, "--json", "-w", str(workspace))[1])
    assert records == [{"a": 1, "a_3": 2, "a_2": 3, "a_4": 4}]
    assert run("sql", query, "--csv", "-w", str(workspace))[1] == "a,a_3,a_2,a_4\n1,2,3,4\n"
    with setset.open(workspace) as opened:
        assert opened.sql("SELECT c.size, d.size FROM counts c JOIN counts d ON d.size = c.size + 1") == [
            {"size": 3, "size_2": 4},
            {"size": 4, "size_2": 5},
        ]


HOSTILE = "=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "=a\r=1"


def test_csv_holds_no_formulas(workspace: Path, page: TestClient) -> None:
    """In names of columns neither. Numbers stay numbers."""
    texts = ", ".join("'{}'".format(text.replace("'", "''")) for text in HOSTILE)
    query = f"SELECT {texts}, -5, '-5', -2.5, -9223372036854775808, 'a=b', 'a' || char(13) || '=1', x'3d' AS \"=a\""
    output = run_here("sql", query, "--csv", workspace=workspace).stdout
    download = page.get("/sql", params={"query": query, "format": "csv"}).text
    for text in (output, download):
        columns, row = csv.reader(io.StringIO(text, newline=""))
        assert row[: len(HOSTILE)] == [f"'{hostile}" for hostile in HOSTILE]
        assert row[len(HOSTILE) :][:6] == ["-5", "-5", "-2.5", "-9223372036854775808", "a=b", "a\r=1"]
        assert columns[-1] == "'=a"


def test_one_format_at_a_time(refuse_in_workspace: Refuse) -> None:
    refuse_in_workspace(["sql", QUERY, "--csv", "--json"], "--csv cannot be combined with --json")


@pytest.mark.posix("sends signals")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGKILL", -9)])
def test_a_query_ends_with_its_command(workspace: Path, name: str, code: int) -> None:
    """Ctrl-C or kill -9, within an instruction of SQLite that takes hours."""
    words = [*SETSET, "sql", ONE_INSTRUCTION, "-w", str(workspace)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as command:
        while not (children := psutil.Process(command.pid).children()):
            time.sleep(0.05)
        time.sleep(0.5)
        command.send_signal(getattr(signal, name))
        _, errors = command.communicate(timeout=120)
    assert (command.returncode, errors.strip()) == (code, "setset: interrupted" if code == 130 else "")
    assert psutil.wait_procs(children, timeout=120)[1] == []


def test_a_time_limit_holds_within_one_instruction(workspace: Path) -> None:
    words = [*SETSET, "sql", ONE_INSTRUCTION, "--timeout", "1", "-w", str(workspace)]
    result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 2
    assert result.stderr == "setset: SQL: the query took too long: give it more time with --timeout SECONDS\n"

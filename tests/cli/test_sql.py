"""`setset sql` as a user meets it. What queries can do, tests/chaos/test_input.py tries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuse, run_process
from tests.conftest import Run

QUERY = "SELECT size, lists FROM counts ORDER BY size"


def test_csv(workspace: Path) -> None:
    shown = run_process("sql", QUERY, "--csv", workspace=workspace)
    assert shown.stdout == "size,lists\n3,58896\n4,1004589\n5,13394538\n"


def test_json(workspace: Path) -> None:
    rows = json.loads(run_process("sql", QUERY, "--json", workspace=workspace).stdout)
    assert rows[0] == {"size": 3, "lists": 58_896}


def test_without_a_query_the_tables_are_described(run: Run, workspace: Path) -> None:
    assert "throughput" in run_process("sql", workspace=workspace).stdout
    rows = json.loads(run("sql", "--json", "-w", str(workspace))[1])
    described = {row["name"]: row for row in rows}
    assert described["catalogue"]["kind"] == "view"
    assert described["catalogue"]["what it holds"].startswith("each size: classes, lists in them")
    for table in ("levels", "classes", "links"):
        assert described[table]["kind"] == "table"
        assert described[table]["what it holds"]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [("DELETE FROM batches", "only SELECT is allowed"), ("SELEKT", 'near "SELEKT"')],
)
def test_bad_input_is_one_line(refuse_in_workspace: Refuse, query: str, complaint: str) -> None:
    refuse_in_workspace(["sql", query], complaint)

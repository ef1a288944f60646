"""Input of people and strangers: queries, paths, databases. An error is one clear line, never a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setset import Workspace
from setset.database.connection import connect
from setset.database.sql import run_query
from setset.errors import BadInput, SetsetError
from setset.maintenance.findings import FindingKind
from tests.chaos.commands import perform
from tests.chaos.processes import Process, setset, wait_until
from tests.chaos.rounds import SIZE, TARGET, Reference, Sandbox, rows

pytestmark = pytest.mark.chaos

Copied = Callable[[], Sandbox]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM batches",
        "UPDATE batches SET lists = 1",
        "INSERT INTO runs DEFAULT VALUES",
        "DROP VIEW counts",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "ATTACH '/tmp/other.db' AS other",
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO '/tmp/copy.db'",
        "PRAGMA journal_mode = WAL",
        "PRAGMA writable_schema = ON",
        "PRAGMA table_info(batches)",
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('/tmp/x.so')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/x', 'x')",
        "SELECT fts3_tokenizer('simple')",
        "WITH x AS (SELECT 1) DELETE FROM batches",
        "SELECT 1; DELETE FROM batches",
        "EXPLAIN DELETE FROM batches",
        "BEGIN",
        "REINDEX",
        "ANALYZE",
        "SELECT zeroblob(900000000)",
        "SELECT hex(randomblob(400000000))",
        "",
        "-- nothing",
        "SELECT",
        "\0",
        "SELECT '\udc80'",
    ],
)
def test_sql_can_do_nothing_but_read(undisturbed: tuple[Path, Reference], query: str) -> None:
    workspace = undisturbed[0] / "w"
    before = (workspace / "setset.db").read_bytes()
    with pytest.raises(BadInput):
        list(run_query(workspace / "setset.db", query)[1])
    assert (workspace / "setset.db").read_bytes() == before
    assert sorted(path.name for path in workspace.iterdir()) == [
        "batches",
        "setset.db",
        "setset.db-journal",
        "setset.lock",
    ]


def test_an_endless_query_ends_with_ctrl_c(copied: Copied) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"
    process = Process("sql", endless, "--workspace", str(copied().workspace))
    assert wait_until(lambda: len(process.family()) == 2), "the process that answers the query"
    process.interrupt()
    outcome = process.end()
    assert (outcome.code, outcome.output.strip()) == (130, "setset: interrupted")


TOKENS = ["SELECT", "*", "FROM", "batches", "WHERE", "x", "(", ")", "'", '"', ";", ",", "1", "--"]


@settings(max_examples=60)  # each starts a process
@given(query=st.text(max_size=80) | st.lists(st.sampled_from(TOKENS)).map(" ".join))
def test_any_query_gives_rows_or_an_error_of_ours(undisturbed: tuple[Path, Reference], query: str) -> None:
    with contextlib.suppress(SetsetError):
        list(run_query(undisturbed[0] / "w" / "setset.db", query)[1])


NAMES = ["a b%41%00?#&=;", "ünïcödé ☘ 'quoted\" back\\slash", "-rf", "x" * 250]


@pytest.mark.parametrize("name", [*NAMES, pytest.param("\udc80\udcff", id="not text")])
def test_a_workspace_may_have_any_name(tmp_path: Path, name: str) -> None:
    workspace = tmp_path / name
    start = setset if name in NAMES[:2] else perform
    run = start("run", "--size", "3", "--workers", "1", "--workspace", str(workspace))
    assert run.code == 0, run.output
    assert rows(workspace / "setset.db", "SELECT lists, complete FROM counts") == [(58_896, 1)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [name], "nothing beside it"
    outcome = perform("check", "--workspace", str(workspace))
    assert outcome.code == 0, outcome.output


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000])
@pytest.mark.parametrize("command", [["run", "--size", "3"], ["status"], ["check"], ["db", "rebuild"]])
def test_an_impossible_name_is_one_line(tmp_path: Path, name: str, command: list[str]) -> None:
    outcome = perform(*command, "--workspace", str(tmp_path / name))
    assert outcome.code in (1, 2, 10)
    assert not outcome.traceback
    assert "too long" in outcome.output


def test_an_output_folder_whose_name_is_not_text_is_refused(tmp_path: Path) -> None:
    outcome = perform("run", "--size", "3", "-w", str(tmp_path / "w"), "--output", str(tmp_path / "\udc80"))
    assert outcome.code == 2
    assert not outcome.traceback


@pytest.mark.parametrize("path", ["../../../../etc/passwd", "/etc/passwd", "t16/../../../secret", "t16/\0", ""])
def test_a_path_in_the_database_cannot_lead_out(copied: Copied, path: str) -> None:
    """Whatever row a forger writes: nothing outside is read or deleted, and repairing puts the file in its place."""
    sandbox = copied()
    secret = sandbox.folder / "secret"
    secret.write_bytes(b"mine")
    connection = connect(sandbox.database, "rw")
    with connection:
        connection.execute(
            "UPDATE batches SET path = ? WHERE size = ? AND first_source = 0 AND first_part = 0", (path, SIZE)
        )
    connection.close()
    with Workspace(sandbox.workspace) as workspace:
        (finding,) = [problem for problem in workspace.check(size=SIZE) if problem.kind is FindingKind.FILE]
    assert finding.batch is not None
    assert finding.batch.name == path
    if path:
        with pytest.raises(SetsetError, match="outside its storage root"):
            print(finding.batch.path)
    assert sandbox.command("repair").code == 0
    assert sandbox.command("check").code == 0
    assert secret.read_bytes() == b"mine"


def test_a_forged_root_makes_nothing_outside(copied: Copied) -> None:
    """A storage root that is not this workspace's own is neither written to nor cleaned."""
    sandbox = copied()
    victim = sandbox.folder / "victim"
    (victim / f"t{TARGET}/s05").mkdir(parents=True)
    (victim / f"t{TARGET}/s05/0000000-000.setset").write_bytes(b"mine")
    connection = connect(sandbox.database, "rw")
    with connection:
        connection.execute("UPDATE storage_roots SET path = ?", (str(victim),))
    connection.close()
    assert sandbox.command("repair").code == 1
    assert (victim / f"t{TARGET}/s05/0000000-000.setset").read_bytes() == b"mine"


def test_flipped_bytes_of_a_database_are_noticed_or_change_nothing(copied: Copied) -> None:
    """Small damages: each is found, ends in one line, or leaves every record of the exploration as it was.

    `tools/mutations` does thousands.
    """
    sandbox = copied()
    good = sandbox.database.read_bytes()
    healthy = _findings(sandbox)
    records = _records(sandbox.database)
    for number in range(15):
        random = Random(number)
        data = bytearray(good)
        start = random.randrange(len(data))
        for offset in range(start, min(len(data), start + random.choice([1, 1, 60]))):
            data[offset] ^= 1 << random.randrange(8)
        sandbox.database.write_bytes(data)
        try:
            noticed = _findings(sandbox) != healthy
        except SetsetError:
            continue
        assert noticed or _records(sandbox.database) == records, f"damage {number} went unnoticed"


def _findings(sandbox: Sandbox) -> list[tuple[str, str, str]]:
    with Workspace(sandbox.workspace) as workspace:
        return [(finding.kind, finding.where, finding.what) for finding in workspace.check()]


def _records(path: Path) -> list[tuple[object, ...]]:
    """Records about lists, without the history of runs."""
    tables = ("explorations", "sizes", "batches", "storage_roots", "tallies")
    records = [row for table in tables for row in rows(path, f"SELECT * FROM {table} ORDER BY 1, 2")]
    return records + rows(
        path, "SELECT size, source, state, lists_in, lists_out, batches_out FROM expansions ORDER BY 1, 2"
    )


ONE_AFTER_THE_OTHER = """
import json, sys
from setset.cli import main
commands, folder = json.loads(sys.argv[1]), sys.argv[2]
for words in commands:
    sys.argv = ["setset", *words, "-w", folder]
    try:
        main()
    except SystemExit:
        print("=== ended", flush=True)
"""


def test_text_that_cannot_be_printed_is_printed_somehow(tmp_path: Path) -> None:
    """Python would raise where standard output is strict."""
    assert sys.getfilesystemencoding() == "utf-8"
    folder = tmp_path / "\udc80"
    assert setset("run", "--size", "3", "--workers", "1", "-w", str(folder)).code == 0
    (folder / "batches" / "t12" / "s03" / "0000000-000.setset").unlink()
    commands = (["check"], ["check", "--json"], ["repair"], ["status"], ["history"], ["sql", "SELECT * FROM runs"])
    result = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_THE_OTHER, json.dumps(commands), folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    assert result.stdout.count(b"=== ended") == len(commands), result.stdout
    assert b"Traceback" not in result.stdout, result.stdout
    assert os.fsencode(folder)

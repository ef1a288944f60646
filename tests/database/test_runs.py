"""The history: every run is recorded with how it ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from setset.database import Database, runs
from setset.errors import SetsetError
from tests.small import writing


def outcomes(database: Database) -> list[str | None]:
    return [run.outcome for run in runs.latest(database, 10)]


def test_how_a_run_ended_is_recorded(tmp_path: Path) -> None:
    with writing(tmp_path) as database:
        with runs.record_run(database, "one", 2):
            assert outcomes(database) == [None]
        for error in (SetsetError("the disk is gone"), KeyboardInterrupt(), ZeroDivisionError()):
            with pytest.raises(type(error)), runs.record_run(database, "another", 2):
                raise error
        assert outcomes(database) == ["failed", "interrupted", "the disk is gone", "done"]
        assert all(run.finished_at for run in runs.latest(database, 10))


def test_a_run_that_said_nothing_at_its_end_was_killed(tmp_path: Path) -> None:
    with writing(tmp_path) as database:
        runs._begin(database, "killed", 1)
        assert outcomes(database) == [None]
        with runs.record_run(database, "next", 1):
            assert outcomes(database) == [None, "killed"]


def test_the_last_workers_are_those_of_a_run_that_had_some(tmp_path: Path) -> None:
    with writing(tmp_path) as database:
        assert runs.last_workers(database) == 1
        with runs.record_run(database, "run", 2) as run_id:
            runs.set_workers(database, run_id, 7)
        with runs.record_run(database, "classes build", 0):
            assert runs.last_workers(database) == 7


def test_a_command_line_that_is_no_text_is_recorded(tmp_path: Path) -> None:
    with writing(tmp_path) as database, runs.record_run(database, "setset run --output \udcff", 1):
        assert runs.latest(database, 1)[0].command == "setset run --output \\udcff"

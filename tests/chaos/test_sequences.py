"""Sequences of faults, as `tools/chaos` plays them: a few that are fixed, and that it notices what is wrong."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from setset.database.connection import connect
from tests.chaos import neighbours
from tests.chaos.processes import CHECKOUT
from tests.chaos.reader import Answers, Known, Reader, reading
from tests.chaos.scene import CUTS, PRUNED_CUTS, Plan, Stage
from tests.chaos.sequences import MOST_COMMANDS, End, Sequence, judge, play, recover, table
from tests.chaos.steps import STEPS

pytestmark = pytest.mark.chaos

SMALL = Plan(18, CUTS[0][1], (None, None), True)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("stage"))


@pytest.mark.parametrize("number", [2, 4, 5])
def test_a_round_recovers(stage: Stage, number: int) -> None:
    verdict = play(Sequence.draw(f"fixed/{number}"), stage)
    assert verdict.end is End.RECOVERED, verdict


def test_files_of_pruned_explorations_are_damaged_and_come_back(stage: Stage) -> None:
    plan = Plan(*PRUNED_CUTS[1], (None, "out"), compacted=True, pruned=True)
    steps = ("flip bits", "older schema", "delete", "delete the database")
    verdict = play(Sequence("pruned", plan, "finished", steps), stage)
    assert verdict.end is End.RECOVERED, verdict
    scene = stage.set(plan, "finished")
    assert {path.parts[-3] for path in scene.files()} == {"p19"}


def test_a_round_is_fixed_by_its_seed() -> None:
    assert Sequence.draw("7/3") == Sequence.draw("7/3")
    sequences = [Sequence.draw(f"1/{number}") for number in range(400)]
    assert {step for sequence in sequences for step in sequence.steps} == set(STEPS)
    assert {len(sequence.steps) for sequence in sequences} == {2, 3, 4, 5}
    assert {sequence.plan.target for sequence in sequences} == {11, 13, 16, 18, 19, 20}
    assert 150 < sum(sequence.plan.compacted for sequence in sequences) < 250
    assert {sequence.plan.target for sequence in sequences if sequence.plan.pruned} == {19, 20}


def test_a_count_that_was_edited_is_lost(stage: Stage) -> None:
    """A recovery that cheats: rows and their digests agree with each other and with nothing else."""
    scene = stage.set(SMALL, "finished")
    STEPS["delete"](scene, Random(1))
    assert recover(scene) == ([], [])
    scene.do("compact")
    expected = stage.expected(SMALL)
    assert expected.differences(scene) == []
    connection = connect(scene.database, "rw")
    with connection:
        connection.execute("UPDATE batches SET lists = lists + 1 WHERE size = 4 AND number = 0")
    connection.close()
    assert "the counts differ" in expected.differences(scene)[0]


def test_files_of_other_lists_are_lost(stage: Stage) -> None:
    """All agrees with itself, but is of another exploration."""
    plan = Plan(16, SMALL.cuts, SMALL.outputs, True)
    scene = stage.set(plan, "finished")
    scene.commands.clear()
    end, problems = judge(scene, stage.expected(SMALL))
    assert end is End.LOST, problems


def test_what_no_message_mends_is_stuck(stage: Stage) -> None:
    scene = stage.set(SMALL, "finished")
    (scene.workspace / "batches/t18/s04/foreign").write_bytes(b"not put there by a fault")
    end, problems = judge(scene, stage.expected(SMALL))
    assert end is End.STUCK
    assert "names nothing more" in problems[0]
    assert len(scene.commands) <= 3 * MOST_COMMANDS


def test_what_is_not_ours_and_was_touched_is_lost(stage: Stage) -> None:
    scene = stage.set(SMALL, "finished")
    STEPS["foreign file"](scene, Random(1))
    scene.strangers[0].unlink()
    assert judge(scene, stage.expected(SMALL))[0] is End.LOST


def test_a_damaged_database_is_no_traceback_here(stage: Stage) -> None:
    scene = stage.set(SMALL, "finished")
    scene.database.write_bytes(b"x" * 5000)
    assert any("cannot be read" in difference for difference in stage.expected(SMALL).differences(scene))
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(scene.database).execute("SELECT 1 FROM batches")


def known(stage: Stage) -> Known:
    expected = stage.expected(SMALL)
    return Known(SMALL.target, expected.lists_by_size, expected.lists)


def test_a_reader_gets_answers_beside_a_round(stage: Stage) -> None:
    verdict = play(Sequence("reader", SMALL, "finished", ("a command in between",)), stage)
    assert (verdict.end, verdict.problems) == (End.RECOVERED, ())
    assert verdict.answers >= 3


def answers_of_a_reader(folder: Path, known: Known, log: Path) -> Answers:
    """Answers that a reader gets, three at least: on a machine that does other things too they may take long."""
    for seconds in (0.5, 5, 20):
        with reading([folder], known, log):
            time.sleep(seconds)
        answers = Answers.read(log)
        if answers.given + len(answers.wrong) >= 3:
            break
    return answers


def test_a_reader_finds_wrong_answers(stage: Stage, tmp_path: Path) -> None:
    """Every number that is known here is wrong by one, so that every right answer looks wrong."""
    scene, right = stage.set(SMALL, "finished"), known(stage)
    wrong = Known(right.target, {size: lists + 1 for size, lists in right.lists.items()}, right.digests)
    answers = answers_of_a_reader(scene.workspace, wrong, tmp_path / "reader.log")
    assert answers.given >= 3
    assert len(answers.wrong) > answers.given / 2


def test_a_reader_finds_lists_of_another_exploration(stage: Stage) -> None:
    """The number of lists is right, their content is not."""
    scene, right = stage.set(SMALL, "finished"), known(stage)
    altered = Known(right.target, right.lists, dict.fromkeys(right.lists, ""))
    answers = {Reader([scene.workspace], altered, Random(seed)).ask() for seed in range(40)}
    assert answers == {None, *(f"lists of {size}: other lists than there should be" for size in (3, 4))}


def test_a_reader_that_dies_is_a_finding(stage: Stage, tmp_path: Path) -> None:
    scene, log = stage.set(SMALL, "finished"), tmp_path / "reader.log"
    answers = answers_of_a_reader(scene.workspace, None, log)  # type: ignore[arg-type]
    assert "AttributeError" in answers.wrong[0]
    log.unlink()
    assert Answers.read(log).wrong == ["the reader ended without a log"]


def test_an_older_build_that_works_on_this_schema_is_noticed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that takes the workspace for its own: this one, under another name."""
    scene = stage.set(SMALL, "finished")
    monkeypatch.setattr(neighbours, "older_build", lambda: CHECKOUT)
    neighbours.older_build_after(scene, Random(1))
    assert any("accepts the schema" in problem for problem in scene.problems)


def test_the_table_has_a_row_for_each_step() -> None:
    rows = table([(("delete", "swap"), End.RECOVERED), (("swap",), End.LOST)])
    assert [(row["step"], row["rounds"], row["lost"]) for row in rows] == [
        ("delete", 1, 0),
        ("swap", 2, 1),
        ("all", 2, 1),
    ]


def test_a_stopped_search_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    tool = [sys.executable, str(CHECKOUT / "tools/chaos.py"), "--seed=72", f"--state={state}", "--json"]
    first = json.loads(subprocess.run([*tool, "--rounds", "1"], check=True, capture_output=True).stdout)
    with state.open("a") as file:
        file.write('{"seed": 72, "rou')  # killed while it wrote
    resumed = json.loads(subprocess.run([*tool, "--rounds", "2"], check=True, capture_output=True).stdout)
    assert resumed["rounds"][0] == first["rounds"][0]
    assert [record["round"] for record in resumed["rounds"]] == [0, 1]
    assert len(state.read_text().splitlines()) == 2

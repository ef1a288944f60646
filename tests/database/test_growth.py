"""Cost of reads and writes, counted in steps and calls.

In a database twice as large, going through all batches costs twice as much, and looking up one batch costs the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import setset
from setset.database import batches, expansions, explorations, runs
from setset.database.expansions import Job
from setset.database.explorations import ExplorationKey, Step
from setset.database.models import Work
from setset.maintenance.check import _groups as groups
from setset.maintenance.compact import _groups
from setset.maintenance.proof import read_evidence, renumber
from tests.many import LISTS, SIZE, TARGET, Cost, cost_of, make
from tests.small import reading, writing

FEW = 600
MANY = 15_000
"""Batches and expansions: enough for list number 10^11, which no integer of 32 bits holds."""

Action = Callable[[ExplorationKey], object]


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("growth")
    return make(folder / "few", FEW).path, make(folder / "twice", 2 * FEW).path


def cost_in(path: Path, action: Action, write: bool = False) -> Cost:
    def act() -> None:
        with (writing if write else reading)(path) as database:
            action(explorations.find(database, TARGET))

    return cost_of(act)


def prove(exploration: ExplorationKey) -> None:
    assert read_evidence(exploration.size(SIZE)).flaws() == []


def plan(exploration: ExplorationKey, size: int) -> None:
    """Plans the expansions to a size."""
    expansions.plan(Job(1, exploration, (Step(Work.STORE, size, size - 1),), 1, lambda _: LISTS))


def merge(exploration: ExplorationKey) -> None:
    """As compaction does, all batches to one."""
    parts = batches.read(exploration.at(SIZE))
    (group,) = _groups(parts, LISTS * len(parts), None)
    expansions.replace_merged(exploration.at(SIZE), [(group, group[0].file)])


THROUGH_ALL: dict[str, Action] = {
    "in order": lambda key: batches.read(key.at(SIZE)),
    "proof": prove,
    "groups": lambda key: list(groups(read_evidence(key.size(SIZE)))),
    "by number": lambda key: batches.numbered(key.at(SIZE)),
}
WRITING: dict[str, Action] = {
    "open": lambda _: None,
    "plan": lambda key: plan(key, SIZE + 1),
    "plan again": lambda key: plan(key, SIZE),
    "forget": lambda key: expansions.forget(key.size(SIZE), {1, 7}),
    "number": lambda key: renumber(key.size(SIZE)),
    "merge": merge,
}


def claim(exploration: ExplorationKey) -> None:
    """Finds nothing to do for one size, and claims expansions of the next."""
    steps = tuple(Step(Work.STORE, size, size - 1) for size in (SIZE, SIZE + 1))
    job = Job(1, exploration, steps, 1, lambda _: LISTS)
    assert [expansion.task.size for expansion in expansions.record_and_claim(job, [], [], 6)] == [SIZE + 1] * 6


def test_claiming_costs_the_same(sizes: tuple[Path, Path], tmp_path: Path) -> None:
    """However many expansions are done, and however many are planned."""
    costs = []
    for path in sizes:
        copy = shutil.copytree(path, tmp_path / path.name)
        (copy / "batches").mkdir()
        with writing(copy) as database, runs.record_run(database, "test", 1):
            plan(explorations.find(database, TARGET), SIZE + 1)
        costs.append(cost_in(copy, claim, write=True))
    small, large = costs
    opening = [cost_in(tmp_path / path.name, lambda _: None, write=True) for path in sizes]
    assert large.steps - opening[1].steps <= small.steps - opening[0].steps + 10
    assert large.calls - opening[1].calls < 1.2 * (small.calls - opening[0].calls)


LOOK_UP: dict[str, Action] = {
    "a batch": lambda key: batches.get(key.at(SIZE), FEW // 2 - 9),
    "a source": lambda key: batches.of_source(key.at(SIZE), FEW // 2 - 9),
}


@pytest.mark.parametrize("name", THROUGH_ALL)
def test_reading_all_costs_as_much_a_batch(name: str, sizes: tuple[Path, Path]) -> None:
    small, large = (cost_in(path, THROUGH_ALL[name]) for path in sizes)
    assert large.steps < 2.3 * small.steps
    assert large.calls < 2.3 * small.calls


@pytest.mark.parametrize("name", WRITING)
def test_writing_costs_as_much_a_batch(name: str, sizes: tuple[Path, Path], tmp_path: Path) -> None:
    copies = [shutil.copytree(path, tmp_path / path.name) for path in sizes]
    small, large = (cost_in(path, WRITING[name], write=True) for path in copies)
    assert large.steps < 2.3 * small.steps
    assert large.calls < 2.3 * small.calls


@pytest.mark.parametrize("name", LOOK_UP)
def test_a_look_up_costs_the_same(name: str, sizes: tuple[Path, Path]) -> None:
    small, large = (cost_in(path, LOOK_UP[name]) for path in sizes)
    assert large.steps <= small.steps + 10
    assert large.calls < 1.2 * small.calls


@pytest.mark.parametrize("name", ["status", "counts"])
def test_what_is_shown_costs_as_much_a_batch(name: str, sizes: tuple[Path, Path]) -> None:
    def ask(path: Path) -> Cost:
        with setset.open(path) as workspace:
            return cost_of(getattr(workspace, name))

    ask(sizes[0])  # imports
    small, large = map(ask, sizes)
    assert large.steps < 2.3 * small.steps
    assert large.calls < 2.3 * small.calls


def test_what_there_is_of_a_large_exploration(tmp_path: Path) -> None:
    folder = make(tmp_path / "w", MANY)
    with setset.open(folder.path) as workspace:
        assert [size.batches for size in workspace.status().sizes] == [MANY // 2, MANY // 2]
        assert [count.lists for count in workspace.counts()] == [MANY // 2 * LISTS] * 2
        size = workspace.exploration(TARGET)[SIZE]
    assert size.lists == MANY // 2 * LISTS

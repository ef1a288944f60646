"""Rounds of faults on a Dask cluster, as `tools/chaos --cluster` plays them: a few that are fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.chaos.scene import Stage
from tests.chaos.sequences import End, Sequence, Verdict

pytest.importorskip("distributed")

from tests.chaos.cluster import FAULTS, PLANS, draw, on_a_cluster

pytestmark = [pytest.mark.chaos, pytest.mark.cluster, pytest.mark.posix("sends signals")]

Play = Callable[[Sequence, Stage], Verdict]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("stage"))


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    with on_a_cluster(tmp_path_factory.mktemp("servers")) as cluster:
        yield cluster


@pytest.mark.parametrize(
    ("begun", "steps"),
    [
        ("shared", ("kill a worker", "double answers", "restart the scheduler", "hang a task")),
        ("shipped", ("kill the coordinator", "full disk of a worker", "disk of a worker stays full")),
        ("shared", ("missing root", "another build", "lost mount of a worker")),
    ],
)
def test_a_round_recovers(begun: str, steps: tuple[str, ...], play: Play, stage: Stage) -> None:
    verdict = play(Sequence("fixed", PLANS[0], begun, steps), stage)
    assert verdict.end is End.RECOVERED, verdict
    assert any("run on the cluster -> 0" in command for command in verdict.commands), verdict


def test_a_round_is_fixed_by_its_seed() -> None:
    assert draw("7/3") == draw("7/3")
    sequences = [draw(f"1/{number}") for number in range(200)]
    assert {step for sequence in sequences for step in sequence.steps} == set(FAULTS)
    assert {sequence.begun for sequence in sequences} == {"shared", "shipped"}

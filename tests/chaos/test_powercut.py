"""A power cut at any system call of a command loses nothing that was done; `setset run` resumes."""

from __future__ import annotations

from random import Random

import pytest

from tests.chaos.disk_model import Disk, Tree
from tests.chaos.powercut import SCENARIOS, fast_folder, judge, make_recording, points_of
from tests.chaos.recording import MISSING, Call, has_strace

pytestmark = pytest.mark.chaos

SEED, POINTS = "1", 5


@pytest.mark.skipif(not has_strace(), reason=MISSING)
@pytest.mark.parametrize("command", SCENARIOS)
def test_a_power_cut_loses_nothing(command: str) -> None:
    with fast_folder() as folder:
        recording = make_recording(command, folder)
        all_points = points_of(recording)
        points = sorted({*Random(SEED).sample(all_points, min(POINTS, len(all_points))), all_points[-1]})
        failures = [verdict for verdict in judge(recording, points, SEED, models=1) if verdict.problems]
    assert not failures, f"{failures[0]}\nand {len(failures) - 1} more"


BEFORE: Tree = {"f": None, "f/a": b"old"}
REPLACED = [
    Call("open", 3, "f/.a.tmp", flags="O_WRONLY|O_CREAT|O_EXCL"),
    Call("write", 3, data=b"newer"),
    Call("rename", path="f/.a.tmp", other="f/a"),
]


def left_by(model: str, *calls: Call) -> Tree:
    disk = Disk(BEFORE)
    for call in calls:
        disk.apply(call)
    tree: Tree = getattr(disk, model)(Random(1))
    return tree


@pytest.mark.parametrize(
    ("model", "content"),
    [("strict", b"old"), ("zeros", bytes(5)), ("empty", b""), ("renamed", b""), ("no_names", b"old")],
)
def test_the_model_loses_what_is_not_synced(model: str, content: bytes) -> None:
    assert left_by(model, *REPLACED) == {"f": None, "f/a": content}


@pytest.mark.parametrize("model", ["strict", "zeros", "empty", "renamed", "no_names", "torn", "mixed"])
def test_the_model_keeps_what_is_synced(model: str) -> None:
    synced = [*REPLACED[:2], Call("sync", 3), REPLACED[2], Call("open", 4, "f"), Call("sync", 4)]
    assert left_by(model, *synced) == {"f": None, "f/a": b"newer"}


def test_the_model_tears_the_last_write() -> None:
    data = left_by("torn", *REPLACED[:2])["f/.a.tmp"]
    assert data is not None
    assert b"newer".startswith(data)
    assert data != b"newer"

"""A pruned exploration from end to end: the same promises as for any other, and files of one rule for the other never.

Target 20 to size 6, some two million lists in about forty files: a second or two of work.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import setset
from setset.batches import files
from setset.database import explorations
from setset.errors import BadInput
from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind
from tests.engine import naive
from tests.small import BATCHES, COUNTS, build, change, digests, findings, flip, rebuild, repair_all, rows

TARGET, SIZE, CUT = 20, 6, 50_000
LISTS = {3: 41_148, 4: 76_176, 5: 447_633, 6: 1_518_264}
"""As docs/pruning.md has them."""


def prune(path: Path, size: int = SIZE, **options: object) -> WorkspaceFolder:
    return build(path, size, **{"target": TARGET, "batch_lists": CUT, "pruned": True, **options})[0]


@pytest.fixture(scope="module")
def pruned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pruned exploration that nothing disturbed. Not to be changed."""
    return prune(tmp_path_factory.mktemp("pruned") / "w").path


@pytest.fixture
def damaged(pruned: Path, tmp_path: Path) -> WorkspaceFolder:
    """A copy to do damage to."""
    return WorkspaceFolder(Path(shutil.copytree(pruned, tmp_path / "damaged")))


def test_what_is_counted_says_that_it_is_pruned(pruned: Path) -> None:
    with setset.open(pruned) as workspace:
        counts = workspace.counts()
        assert {count.size: count.lists for count in counts} == LISTS
        assert all(count.pruned and count.complete for count in counts)
        assert counts[1].counts == "pruned: lists of 4 that may reach 20"
        assert counts[1].reference is None
        assert workspace.exploration(TARGET).pruned
        assert all(size.pruned for size in workspace.status().sizes)
    assert rows(pruned, "SELECT DISTINCT pruned FROM progress") == [(1,)]


def test_files_say_it_too_and_lie_in_a_folder_of_their_own(pruned: Path) -> None:
    paths = sorted((pruned / "batches").rglob("*.setset"))
    assert {path.relative_to(pruned / "batches").parts[0] for path in paths} == {"p20"}
    assert all(files.verify(path)[0].pruned for path in paths)


def test_the_lists_are_those_of_the_definition(pruned: Path) -> None:
    with setset.open(pruned) as workspace:
        stored = {tuple(row) for rows in workspace.exploration(TARGET)[5].arrays() for row in rows.tolist()}
    seeds = random.Random(1).sample([cards for cards in naive.seeds(TARGET) if cards[0] < 3], 8)
    candidates = [
        child for seed in seeds for prefix in naive.expand([seed], TARGET) for child in _some_children(prefix)
    ]
    assert candidates
    for cards in candidates:
        prefixes = (cards[:size] for size in (4, 5))
        assert (cards in stored) == all(naive.may_reach(prefix, TARGET) for prefix in prefixes)


def _some_children(cards: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(naive.expand([cards], TARGET))[::5]


def test_one_target_has_one_rule(damaged: WorkspaceFolder, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"target 20 was begun with --prune .*: add --prune, .*'setset rm --target 20'"):
        build(damaged.path, 4, target=TARGET)
    unpruned, _ = build(tmp_path / "plain", 3, target=TARGET)
    with pytest.raises(BadInput, match=r"was begun without --prune .*: leave out --prune"):
        prune(unpruned.path, 5)
    with setset.open(damaged.path, mode="a") as workspace:
        workspace.exploration(TARGET).remove()
    assert not digests(damaged.path)
    build(damaged.path, 4, target=TARGET)
    assert rows(damaged.path, "SELECT DISTINCT pruned FROM counts") == [(0,)]
    assert not findings(damaged)


def test_pruning_is_for_targets_where_it_is_faster(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--prune is for targets 19 and 20: for target 18 it takes longer"):
        prune(tmp_path / "w", 5, target=18)
    assert not (tmp_path / "w").exists()
    with pytest.raises(
        BadInput, match=r"target 16 was begun with --prune .*: only read, check or repair it, name another"
    ):
        raise explorations.OtherRule(16, pruned=True)


def test_what_an_earlier_version_pruned_is_read_checked_and_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("setset.jobs.options.PRUNED_TARGETS", range(21))
        folder = prune(tmp_path / "w", 5, target=16)
    expected = digests(folder.path)
    victim = max((folder.own_root / "p16/s05").iterdir())
    flip(victim)
    assert len(findings(folder)) == 1
    repair_all(folder)
    assert digests(folder.path) == expected
    assert findings(folder, deep=True) == []
    assert setset.open(folder.path).exploration(16)[5].pruned


def test_an_exploration_without_a_size_takes_any_rule(tmp_path: Path) -> None:
    folder = prune(tmp_path / "w", 3)
    with setset.open(folder.path, mode="a") as workspace:
        workspace.exploration(TARGET).remove()
    change(folder.path, "INSERT INTO explorations (target, pruned, created_at, checksum) VALUES (20, 1, 'then', 0)")
    build(folder.path, 3, target=TARGET)
    assert rows(folder.path, "SELECT pruned FROM explorations") == [(0,)]


def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(pruned: Path, tmp_path: Path) -> None:
    folder = WorkspaceFolder(tmp_path / "w")
    words = ["run", "--target", "20", "--size", str(SIZE), "--prune", "--batch-lists", str(CUT), "-q"]
    command = [sys.executable, "-m", "setset", *words, "-w", str(folder.path)]
    with subprocess.Popen(command) as process:
        while process.poll() is None and len(list(folder.path.rglob("*.setset"))) < 15:
            time.sleep(0.01)
        process.kill()
    assert not (folder.own_root / "p20/s06").exists() or digests(folder.path) != digests(pruned)
    prune(folder.path)
    assert digests(folder.path) == digests(pruned)
    assert rows(folder.path, BATCHES) == rows(pruned, BATCHES)
    assert not findings(folder, deep=True)


def test_a_lost_database_is_made_again(damaged: WorkspaceFolder, pruned: Path) -> None:
    damaged.database.unlink()
    rebuild(damaged)
    assert rows(damaged.path, "SELECT target, pruned FROM explorations") == [(TARGET, 1)]
    for query in (BATCHES, COUNTS):
        assert rows(damaged.path, query) == rows(pruned, query)
    prune(damaged.path)
    assert digests(damaged.path) == digests(pruned)


def test_damage_is_found_and_repaired_to_the_byte(damaged: WorkspaceFolder, pruned: Path) -> None:
    paths = sorted((damaged.own_root / "p20/s06").glob("*.setset"))
    flip(paths[1])
    paths[3].unlink()
    assert {finding.kind for finding in findings(damaged)} == {FindingKind.FILE}
    repair_all(damaged)
    assert not findings(damaged, deep=True)
    assert digests(damaged.path) == digests(pruned)


def test_a_row_that_names_the_other_rule_is_found(damaged: WorkspaceFolder) -> None:
    change(damaged.path, "UPDATE explorations SET pruned = 0")
    problems = findings(damaged)
    assert "the file's header and the database differ" in problems[0].what


def test_compacted_files_are_pruned_ones(damaged: WorkspaceFolder) -> None:
    with setset.open(damaged.path, mode="a") as workspace:
        exploration = workspace.exploration(TARGET)
        exploration.remove(SIZE)
    prune(damaged.path, batch_lists=8 * CUT)
    with setset.open(damaged.path, mode="a") as workspace:
        exploration = workspace.exploration(TARGET)
        before = exploration[SIZE][:].tolist()
        result = exploration.compact(SIZE)
        assert result.files_after < result.files_before
        assert exploration[SIZE][:].tolist() == before
    merged = sorted((damaged.own_root / "p20/s06").glob("*_*.setset"))
    assert merged
    assert all(files.verify(path)[0].pruned for path in merged)
    assert not findings(damaged, deep=True)


def test_exports_name_the_rule(pruned: Path, tmp_path: Path) -> None:
    with setset.open(pruned) as workspace:
        result = workspace.exploration(TARGET)[4].export(tmp_path / "four.parquet")
        assert result.lists == LISTS[4]
    from pyarrow import parquet

    marks = parquet.read_schema(tmp_path / "four.parquet").metadata
    assert marks[b"setset.rule"] == b"pruned: lists of 4 that may reach 20"


def test_counting_without_files_comes_to_the_same(pruned: Path, tmp_path: Path) -> None:
    folder = prune(tmp_path / "w", count_only=True)
    query = f"SELECT lists, origin FROM counts WHERE size = {SIZE}"
    assert rows(folder.path, query) == [(LISTS[SIZE], "counted from size 5")]
    assert rows(pruned, query) == [(LISTS[SIZE], "stored")]


def test_files_of_the_other_rule_are_never_taken_over(damaged: WorkspaceFolder, tmp_path: Path) -> None:
    """As a stopped `rm` leaves them: they are reported, they stay, and `rm` of the target removes them."""
    unpruned, _ = build(tmp_path / "plain", 4, target=TARGET)
    shutil.copytree(unpruned.own_root / "t20", damaged.own_root / "t20")
    before = digests(damaged.path)
    assert {finding.kind for finding in findings(damaged)} == {FindingKind.ORPHAN}
    prune(damaged.path)
    assert digests(damaged.path) == before
    damaged.database.unlink()
    rebuild(damaged)
    assert rows(damaged.path, "SELECT target, pruned FROM explorations") == [(TARGET, 1)]
    assert rows(damaged.path, f"SELECT lists FROM counts WHERE size = {SIZE}") == [(LISTS[SIZE],)]
    with setset.open(damaged.path, mode="a") as workspace:
        workspace.exploration(TARGET).remove()
    assert not digests(damaged.path)


def test_a_file_in_the_folder_of_the_other_rule_is_foreign(damaged: WorkspaceFolder) -> None:
    shutil.copytree(damaged.own_root / "p20/s04", damaged.own_root / "t20/s04")
    assert {finding.kind for finding in findings(damaged)} == {FindingKind.FOREIGN}
    prune(damaged.path)
    assert list((damaged.own_root / "t20/s04").iterdir())

"""Several faults in a row. Each of these once ended in a wrong count that nothing noticed, in lost files of somebody
else, or in a state from which no command led back. Recovery is by what the messages name: rebuild, repair, run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import setset
from setset import durable
from setset.batches import files, ownership
from setset.batches import format as batch_format
from setset.batches.ownership import TOKEN, ForeignRoot, RootState, Token, claim_root, root_state
from setset.database.connection import BadDatabase, connect
from setset.engine import search
from setset.errors import BadInput, Locked, NotAWorkspace, SetsetError
from setset.folder import LOCK, WorkspaceFolder
from setset.maintenance.findings import FindingKind
from tests.commands import run_here
from tests.small import (
    COUNTS,
    SIZE,
    TARGET,
    Copy,
    batch_file,
    build,
    change,
    change_by_hand,
    digests,
    findings,
    flip,
    merge_files,
    rebuild,
    repair_all,
    rows,
    writing,
)

RIGHT = [(16, 3, 49_491, 1), (16, 4, 771_741, 1), (16, 5, 9_396_567, 1)]
"""Counts of an undisturbed exploration: target, size, lists, complete."""


def require_right(folder: WorkspaceFolder) -> None:
    assert rows(folder.path, COUNTS) == RIGHT
    assert findings(folder, deep=True) == []


def size_folder(folder: WorkspaceFolder, size: int) -> Path:
    return folder.own_root / f"t{TARGET}/s{size:02d}"


# Wrong or lost


@pytest.mark.parametrize("damage", [Path.unlink, flip])
def test_01_a_part_of_a_compacted_size_and_the_database_are_lost(
    scattered_copy: Copy, damage: Callable[[Path], None]
) -> None:
    folder = scattered_copy()
    merge_files(folder)
    merged = sorted(size_folder(folder, SIZE).glob("*_*.setset"))
    damage(merged[1])
    folder.database.unlink()
    rebuild(folder)
    build(folder.path, batch_lists=2_000_000)
    build(folder.path, batch_lists=2_000_000)
    require_right(folder)


def test_01_a_file_beside_a_merged_one_and_the_database_are_lost(tmp_path: Path) -> None:
    """The merged file begins in the middle of the source whose first part is lost."""
    folder, _ = build(tmp_path / "w", SIZE - 1, batch_lists=50_000)
    build(folder.path, batch_lists=700_000)
    merge_files(folder)
    merged = next(path for path in sorted(size_folder(folder, SIZE).glob("*-001_*.setset")))
    before = merged.with_name(merged.name.split("-")[0] + "-000.setset")
    before.unlink()
    folder.database.unlink()
    rebuild(folder)
    build(folder.path, batch_lists=700_000)
    build(folder.path, batch_lists=700_000)
    require_right(folder)


def test_02_two_values_of_batch_lists_in_one_folder(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", SIZE - 1, batch_lists=50_000)
    before = tmp_path / "before.db"
    shutil.copy(folder.database, before)
    build(folder.path, batch_lists=500_000)
    shutil.copy(before, folder.database)  # an older copy is restored, and another value is given
    with contextlib.suppress(SetsetError):
        build(folder.path, batch_lists=300_000, executor=_stop_after(6))
    folder.database.unlink()
    rebuild(folder)
    repair_all(folder)
    build(folder.path)
    require_right(folder)


def _stop_after(tasks: int) -> Callable[[int], object]:
    from tests.jobs.executors import StoppingExecutor

    return lambda workers: StoppingExecutor(workers, tasks)


@pytest.mark.parametrize("lost", [3, 4])
def test_03_the_database_and_the_folder_of_a_size_are_lost(tmp_path: Path, lost: int) -> None:
    folder, _ = build(tmp_path / "w", batch_lists=100_000)
    shutil.rmtree(size_folder(folder, lost))
    folder.database.unlink()
    rebuild(folder)
    build(folder.path, batch_lists=None)
    require_right(folder)
    build(folder.path, batch_lists=None)
    assert [finding.kind for finding in findings(folder)] == []


def test_03_what_was_made_from_another_source_is_found_and_repaired(tmp_path: Path) -> None:
    """Rows and files of a size were made from another division of the size before."""
    folder, _ = build(tmp_path / "w", batch_lists=100_000)
    second, _ = build(tmp_path / "other", batch_lists=300_000)
    shutil.rmtree(size_folder(folder, 5))
    shutil.copytree(size_folder(second, 5), size_folder(folder, 5))
    assert FindingKind.FILE in {finding.kind for finding in findings(folder)}
    repair_all(folder)
    build(folder.path, batch_lists=100_000)
    require_right(folder)


def test_03_planning_compares_the_sources(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", batch_lists=100_000)
    change(folder.path, "UPDATE batches SET source_digest = 'feed' WHERE size = 5 AND number = 3")
    _, notices = build(folder.path, batch_lists=100_000)
    assert any("made from another source" in text for text in notices.texts)
    require_right(folder)


def test_04_the_database_and_the_token_are_lost(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w")
    before = digests(folder.path)
    folder.database.unlink()
    (folder.own_root / TOKEN).unlink()
    with pytest.raises(NotAWorkspace, match="setset db rebuild"):
        build(folder.path)
    assert digests(folder.path) == before
    rebuild(folder)
    build(folder.path)
    require_right(folder)
    assert digests(folder.path) == before


def test_04_an_output_folder_with_files_but_without_a_token_is_not_taken(tmp_path: Path) -> None:
    build(tmp_path / "w", output=tmp_path / "out")
    (tmp_path / "out" / TOKEN).unlink()
    with pytest.raises(BadInput, match=r"no setset-root\.json that names their owner"):
        build(tmp_path / "other", output=tmp_path / "out")


def test_05_a_root_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    second, _ = build(tmp_path / "theirs", 4)
    temporary = size_folder(second, 4) / durable.temporary_name("0000000-000.setset")
    temporary.write_bytes(b"half")
    folder, _ = build(tmp_path / "mine", 4)
    change(
        folder.path, f"INSERT INTO storage_roots (path, created_at, checksum) VALUES ('{second.own_root}', 'now', 0)"
    )
    before = digests(second.path)
    build(folder.path)
    repair_all(folder)
    assert temporary.read_bytes() == b"half"
    assert digests(second.path) == before


def test_05_a_copied_workspace_does_not_touch_the_files_of_the_first(tmp_path: Path) -> None:
    first, _ = build(tmp_path / "first", 4, output=tmp_path / "out")
    copy = WorkspaceFolder(Path(shutil.copytree(first.path, tmp_path / "copy")))
    build(first.path, output=tmp_path / "out")
    before = digests(tmp_path / "out")
    temporary = tmp_path / "out" / f"t{TARGET}" / "s05" / durable.temporary_name("0000009-000.setset")
    temporary.write_bytes(b"half")
    with pytest.raises(ForeignRoot, match="is a storage root of the workspace in"):
        build(copy.path, output=tmp_path / "out")
    build(copy.path)
    assert digests(tmp_path / "out") == before
    assert temporary.exists()
    assert rows(copy.path, COUNTS) == RIGHT
    temporary.unlink()
    require_right(first)


def test_05_a_moved_workspace_keeps_its_roots(tmp_path: Path) -> None:
    first, _ = build(tmp_path / "first", 4, output=tmp_path / "out")
    moved = WorkspaceFolder(first.path.rename(tmp_path / "moved"))
    with setset.open(moved.path, mode="a") as workspace:
        workspace.move_root(tmp_path / "out", tmp_path / "out")
    build(moved.path, output=tmp_path / "out")
    require_right(moved)


@pytest.mark.posix("makes links")
def test_06_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (folder.path / LOCK).unlink()
    (folder.path / LOCK).symlink_to(victim)
    with pytest.raises(BadInput, match="is in the way: move it away"):
        build(folder.path, 3)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("text", ["pid {pid} on {host}\n", "pid 1 on elsewhere\n", "nonsense"])
def test_07_a_dead_run_is_not_believed_alive(tmp_path: Path, text: str) -> None:
    import socket

    folder, _ = build(tmp_path / "w", 4)
    (folder.path / LOCK).write_text(text.format(pid=os.getpid(), host=socket.gethostname()))
    assert not folder.is_in_use()
    change(folder.path, "DELETE FROM expansions WHERE size = 4")
    assert FindingKind.PROOF in {finding.kind for finding in setset.open(folder.path).check()}


def test_07_a_live_run_is(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    code = (
        "import sys; from pathlib import Path; from setset.folder import WorkspaceFolder\n"
        "with WorkspaceFolder(Path(sys.argv[1])).locked(): print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert folder.is_in_use()
        with pytest.raises(Locked), folder.locked():
            pass
        holder.kill()
    assert not folder.is_in_use()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE batches SET lists = lists + 1",
        "UPDATE expansions SET lists_out = lists_out + 1",
        "UPDATE expansions SET source_digest = source_digest || '7' WHERE size = 4",
        "UPDATE sizes SET numbered = 0 WHERE size = 4",
    ],
)
def test_08_an_altered_row_is_noticed_and_mended(tmp_path: Path, statement: str) -> None:
    folder, _ = build(tmp_path / "w")
    change_by_hand(folder.path, statement)
    with pytest.raises(BadDatabase, match="run 'setset repair'"):
        setset.open(folder.path).counts()
    assert findings(folder)
    repair_all(folder)
    assert findings(folder) == []
    require_right(folder)


def test_08_a_run_does_an_altered_expansion_again(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    before = digests(folder.path)
    change_by_hand(folder.path, "UPDATE expansions SET lists_out = 1 WHERE size = 4")
    build(folder.path)
    assert {**digests(folder.path), **before} == digests(folder.path)
    require_right(folder)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE sizes SET batch_lists = 7", "UPDATE explorations SET target = 17", "UPDATE storage_roots SET path = 'x'"],
)
def test_08_a_run_refuses_a_row_that_everything_depends_on(tmp_path: Path, statement: str) -> None:
    folder, _ = build(tmp_path / "w", 4)
    change_by_hand(folder.path, statement)
    with pytest.raises(BadDatabase, match="was changed by hand: run 'setset repair', which accepts the row"):
        build(folder.path)
    rebuild(folder)
    build(folder.path)
    require_right(folder)


SMALL: dict[str, Any] = {"batch_lists": 100_000}
ALTERED = {
    "lists of a merged batch": "UPDATE batches SET lists = lists + 1000 WHERE id = (SELECT max(id) FROM batches)",
    "a tally": "UPDATE tallies SET lists = lists + 1 WHERE rowid = 2",
    "a tally of another expansion": "UPDATE tallies SET expansion_id = 2 WHERE rowid = 2",
    "a count": "UPDATE expansions SET lists_out = 7 WHERE work = 'count' AND source = 1",
    "a tally that is gone": "DELETE FROM tallies WHERE rowid = 1",
}
"""Single rows that `count` rests on, in a workspace with merged files and a count."""


@pytest.fixture(scope="module")
def merged_and_counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Size 4 in merged files, and size 5 counted from them."""
    path = tmp_path_factory.mktemp("merged") / "w"
    build(path, 3, batch_lists=1_000)
    build(path, 4, **SMALL)
    with setset.open(path, mode="a") as workspace:
        workspace.exploration(TARGET).compact(4)
    build(path, 5, count_only=True, **SMALL)
    return path


@pytest.mark.parametrize("repairs", [True, False])
@pytest.mark.parametrize("altered", ALTERED)
def test_08_no_altered_row_leads_to_a_wrong_count(
    merged_and_counted: Path, tmp_path: Path, altered: str, repairs: bool
) -> None:
    """It is named by `count` and by `check`, and mended by `repair` as well as by a run."""
    folder = WorkspaceFolder(Path(shutil.copytree(merged_and_counted, tmp_path / "w")))
    expected = setset.open(folder.path).counts()
    change_by_hand(folder.path, ALTERED[altered])
    with pytest.raises(BadDatabase, match="run 'setset repair'"):
        setset.open(folder.path).counts()
    assert findings(folder)
    if repairs:
        repair_all(folder)
    else:
        build(folder.path, 5, count_only=True, **SMALL)
    assert setset.open(folder.path).counts() == expected
    assert findings(folder, deep=True) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE explorations SET pruned = 1",
        "UPDATE explorations SET target = 17",
        "UPDATE sizes SET batch_lists = 99999 WHERE size = 4",
    ],
)
def test_08_repair_accepts_no_row_that_the_files_contradict(
    merged_and_counted: Path, tmp_path: Path, statement: str
) -> None:
    folder = WorkspaceFolder(Path(shutil.copytree(merged_and_counted, tmp_path / "w")))
    before = digests(folder.path)
    change_by_hand(folder.path, statement)
    with pytest.raises(BadDatabase, match=r"contradicts its files .* run 'setset db rebuild'"):
        repair_all(folder)
    with pytest.raises(BadDatabase, match="was changed by hand: run 'setset repair'"):
        setset.open(folder.path, mode="a").exploration(TARGET if "target" not in statement else 17).remove(4)
    assert digests(folder.path) == before
    rebuild(folder)
    assert rows(folder.path, COUNTS) == RIGHT


def test_08_a_list_is_not_looked_up_by_altered_rows(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w")
    change_by_hand(
        folder.path,
        "UPDATE batches SET lists = lists - 50 WHERE size = 5 AND number = 0",
        "UPDATE batches SET lists = lists + 50 WHERE size = 5 AND number = 1",
    )
    with pytest.raises(BadDatabase, match="batch 0 of size 5 was changed by hand: run 'setset repair'"):
        setset.open(folder.path).exploration(TARGET)[5][199_980]


def test_08_a_check_that_records_what_it_found_makes_no_altered_row_right(tmp_path: Path) -> None:
    """Rows that `check` writes to keep a checksum that does not fit, and the text of a defect does not grow."""
    folder, _ = build(tmp_path / "w", 4)
    change_by_hand(folder.path, "UPDATE sizes SET batch_lists = 123456 WHERE size = 4")
    change_by_hand(folder.path, "UPDATE batches SET bytes = bytes + 1 WHERE size = 3")
    with setset.open(folder.path, mode="a") as workspace:
        checks = [[(finding.kind, finding.where) for finding in workspace.check()] for _ in range(3)]
        assert checks[0] == checks[1] == checks[2]
        assert [location for kind, location in checks[0] if kind is FindingKind.ROW] == [
            "row exploration_id 1, size 4 of the table sizes",
            "row id 1 of the table batches",
        ]
        assert max(len(item.detail) for item in workspace.status().items) < 150
    with pytest.raises(BadDatabase, match="'setset db rebuild'"):
        repair_all(folder)
    rebuild(folder)
    assert findings(folder) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE explorations SET target = 17",
        "UPDATE expansions SET lists_out = 1, size = 6 WHERE work = 'count'",
        "UPDATE tallies SET lists = 7",
        "DELETE FROM storage_roots",
        "DELETE FROM explorations",
        "DELETE FROM expansions",
    ],
)
def test_08_no_status_is_complete_beside_an_altered_row(tmp_path: Path, statement: str) -> None:
    folder, _ = build(tmp_path / "w", 3)
    build(folder.path, 4, count_only=True)
    with setset.open(folder.path) as workspace:
        assert {size.state.value for size in workspace.status().sizes} == {"complete"}
        change_by_hand(folder.path, statement)
        status = workspace.status()
    assert "complete" not in {size.state.value for size in status.sizes}
    assert status.altered
    assert "was changed by hand: run 'setset repair'" in run_here("status", workspace=folder.path).stdout
    if "roots" in statement:
        with pytest.raises(BadDatabase, match=r"batches of size 3 have no storage root.*: run 'setset db rebuild'"):
            setset.open(folder.path).exploration(TARGET)[3][0]
    if "target" in statement:
        with pytest.raises(BadDatabase, match="table explorations was changed by hand: run 'setset repair'"):
            setset.open(folder.path).exploration(17)[3]


def test_08_an_altered_total_of_classes_is_noticed(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    setset.open(folder.path, mode="a").build_classes(3)
    change_by_hand(folder.path, "UPDATE levels SET lists = lists + 1 WHERE size = 3")
    with pytest.raises(BadDatabase, match="run 'setset classes build --force'"):
        setset.class_totals(folder.path)


def test_08_an_altered_view_is_noticed(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    with contextlib.closing(connect(folder.database, "rw")) as connection, connection:
        connection.execute("DROP VIEW counts")
        connection.execute(
            "CREATE VIEW counts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
            "SELECT i AS target, i AS size, i AS lists, i AS complete, i AS origin FROM n"
        )
    with pytest.raises(BadDatabase, match="views or triggers were altered"):
        setset.open(folder.path).counts()


def test_09_an_altered_token_is_found_and_made_again(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    token = folder.own_root / TOKEN
    before = token.read_bytes()
    token.write_bytes(before.replace(b"workspace", b"worksqace"))
    assert [finding.kind for finding in findings(folder)] == [FindingKind.ROOT]
    with pytest.raises(SetsetError, match="setset repair"):
        build(folder.path)
    assert [finding.kind for finding in repair_all(folder)] == [FindingKind.ROOT]
    assert token.read_bytes() == before
    build(folder.path)
    require_right(folder)


def test_09_a_flipped_bit_anywhere_in_a_token_is_noticed(tmp_path: Path) -> None:
    owner = Token("0123456789abcdef0123456789abcdef", "/mnt/caps")
    claim_root(tmp_path, owner)
    data = (tmp_path / TOKEN).read_bytes()
    for bit in range(len(data) * 8):
        altered = bytearray(data)
        altered[bit // 8] ^= 1 << bit % 8
        (tmp_path / TOKEN).write_bytes(bytes(altered))
        assert root_state(tmp_path, owner) in (RootState.DAMAGED, RootState.FOREIGN), bytes(altered)


def forge(folder: WorkspaceFolder, path: Path) -> int:
    """Puts a sound file of the same name and source in the place of one, with its last list left out, and makes the
    row agree. Returns the source."""
    header, streams = files.load(path)
    lists = [chunk.copy() for chunk in search.unpack(streams)]
    lists[-1] = lists[-1][:-1]
    (shorter,) = search.pack(lists, header.size, header.batch_lists)
    bounds = search.first_and_last(shorter)
    cut, digest = header.batch_lists, header.source_digest
    path.write_bytes(batch_format.encode(shorter, header.target, cut, header.span, bounds, digest))
    changed, forged_digest = files.verify(path)
    last = " ".join(map(str, changed.last))
    relative = path.relative_to(folder.own_root).as_posix()
    change(
        folder.path,
        f"UPDATE batches SET digest = '{forged_digest}', lists = {changed.lists}, bytes = {changed.file_bytes}, "
        f"last_list = '{last}' WHERE path = '{relative}'",
    )
    return header.span.first_source


def test_10_a_forged_file_is_not_adopted_for_a_wrong_sum(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", batch_lists=200_000)
    before = digests(folder.path)
    forge(folder, batch_file(folder, 2))
    assert FindingKind.SUM in {finding.kind for finding in findings(folder)}
    repair_all(folder)
    require_right(folder)
    assert digests(folder.path) == before


def test_10_what_only_a_deep_check_finds_is_repaired(tmp_path: Path) -> None:
    """File, row and sums agree; only the source knows better."""
    folder, _ = build(tmp_path / "w", batch_lists=200_000)
    before = digests(folder.path)
    source = forge(folder, batch_file(folder, 2))
    change(
        folder.path,
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = 5 AND work = 'store' AND source = {source}",
    )
    assert findings(folder) == []
    problems = findings(folder, deep=True)
    assert [finding.kind for finding in problems] == [FindingKind.LISTS]
    assert problems[0].kind.remedy.value == "run 'setset repair --deep' to rebuild what is damaged"
    repair_all(folder, deep=True)
    require_right(folder)
    assert digests(folder.path) == before


def test_10_what_was_counted_from_a_forged_file_is_counted_again(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4, batch_lists=200_000)
    source = forge(folder, batch_file(folder, 2, 4))
    change(
        folder.path,
        f"UPDATE expansions SET lists_out = lists_out - 1 WHERE size = 4 AND work = 'store' AND source = {source}",
    )
    build(folder.path, count_only=True)
    assert rows(folder.path, COUNTS) != RIGHT
    repair_all(folder, deep=True)
    build(folder.path, count_only=True)
    assert rows(folder.path, COUNTS) == RIGHT


def test_10_a_last_part_that_is_not_the_last(tmp_path: Path) -> None:
    """The last file of a source is gone, and the one before it says that it is the last."""
    folder, _ = build(tmp_path / "w", batch_lists=200_000)
    before = digests(folder.path)
    last = max(size_folder(folder, 5).glob("0000000-*.setset"))
    header_of_last, _ = files.verify(last)
    previous = last.with_name(
        files.file_name(header_of_last.span).replace(
            f"-{header_of_last.span.last_part:03d}", f"-{header_of_last.span.last_part - 1:03d}"
        )
    )
    header, streams = files.load(previous)
    span = header_of_last.span.__class__(*header.span.start, header.span.last_source, header.span.last_part, True)
    bounds = (header.first, header.last)
    previous.write_bytes(
        batch_format.encode(streams, header.target, header.batch_lists, span, bounds, header.source_digest)
    )
    last.unlink()
    folder.database.unlink()
    rebuild(folder)
    build(folder.path, batch_lists=200_000)
    problems = findings(folder, deep=True)
    assert FindingKind.LISTS in {finding.kind for finding in problems}
    repair_all(folder, deep=True)
    build(folder.path, batch_lists=200_000)
    require_right(folder)
    assert digests(folder.path) == before


def test_11_rebuilding_rolls_an_unfinished_write_back_first(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    before = rows(folder.path, "SELECT * FROM batches")
    connection = connect(folder.database, "rw")
    connection.isolation_level = None
    connection.execute("PRAGMA cache_size = 1")  # so that pages, and before them the journal, reach the disk
    connection.execute("BEGIN")
    connection.execute("UPDATE batches SET path = 'x' WHERE size = 4 AND number = 0")
    connection.execute(
        "CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
        "SELECT i, hex(randomblob(50)) FROM n"
    )
    torn_folder = WorkspaceFolder(Path(shutil.copytree(folder.path, tmp_path / "torn")))
    connection.execute("ROLLBACK")
    connection.close()
    assert (torn_folder.path / "setset.db-journal").stat().st_size > 0
    backup = rebuild(torn_folder)
    assert backup is not None
    with contextlib.closing(sqlite3.connect(backup)) as old:
        assert old.execute("SELECT * FROM batches").fetchall() == before


def test_12_of_two_workspaces_that_claim_one_folder_at_once_one_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting = threading.Barrier(2)
    write_all = durable._write_all

    def slowly(*arguments: object) -> None:
        write_all(*arguments)  # type: ignore[arg-type]
        meeting.wait(timeout=120)  # both have looked, and both are about to give the token its name

    monkeypatch.setattr(durable, "_write_all", slowly)
    outcomes: list[object] = []

    def claim(name: str) -> None:
        try:
            claim_root(tmp_path / "out", Token(name))
            outcomes.append(name)
        except SetsetError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=claim, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert ownership.root_owner(tmp_path / "out") == winner
    assert any(isinstance(outcome, ForeignRoot) for outcome in outcomes)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [TOKEN]


# A stranger's database and files


def test_14_absurd_numbers_in_the_database_exhaust_nothing(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    change(folder.path, "UPDATE batches SET last_source = 9007199254740992 WHERE size = 4")
    with pytest.raises(BadDatabase, match="source 9007199254740992"):
        findings(folder)
    change(folder.path, f"UPDATE batches SET last_source = {2**31 - 1} WHERE size = 4")
    assert {finding.kind for finding in findings(folder)} >= {FindingKind.FILE, FindingKind.PROOF}
    repair_all(folder)
    build(folder.path)
    require_right(folder)


def test_14_a_root_that_is_the_whole_disk_is_not_walked(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    (tmp_path / "disk" / "deep").mkdir(parents=True)
    change(
        folder.path, f"INSERT INTO storage_roots (path, created_at, checksum) VALUES ('{tmp_path / 'disk'}', 'now', 0)"
    )
    walked: list[Path] = []
    original = Path.iterdir
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "iterdir", lambda self: walked.append(self) or original(self))
        build(folder.path, 4)
    assert not any(path.is_relative_to(tmp_path / "disk") for path in walked)


@pytest.mark.posix("makes a FIFO")
@pytest.mark.parametrize("make", ["fifo", "folder", "link", "sparse"])
def test_16_something_else_in_the_place_of_a_file(tmp_path: Path, make: str) -> None:
    folder, _ = build(tmp_path / "w", batch_lists=200_000)
    before = digests(folder.path)
    for path in (batch_file(folder, 1), folder.own_root / TOKEN):
        moved = path.rename(tmp_path / path.name)
        if make == "fifo":
            os.mkfifo(path)
        elif make == "folder":
            path.mkdir()
        elif make == "link":
            path.symlink_to(moved)
        else:
            with path.open("wb") as file:
                file.truncate(1 << 40)
    kinds = {finding.kind for finding in findings(folder)}
    assert {FindingKind.FILE, FindingKind.ROOT} <= kinds
    with pytest.raises(SetsetError):
        build(folder.path)
    for path in (batch_file(folder, 1), folder.own_root / TOKEN):
        if make == "folder":
            path.rmdir()
    repair_all(folder)
    assert digests(folder.path) == before
    require_right(folder)


@pytest.mark.posix("makes links")
def test_21_a_size_folder_may_be_a_link_to_another_disk(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4)
    (tmp_path / "elsewhere").mkdir()
    size_folder(folder, 5).symlink_to(tmp_path / "elsewhere")
    build(folder.path)
    require_right(folder)
    assert any((tmp_path / "elsewhere").iterdir())


def test_a_token_is_json_that_says_whose_a_root_is(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3, output=tmp_path / "out")
    token = json.loads((tmp_path / "out" / TOKEN).read_text())
    assert token["folder"] == str(folder.path.resolve())
    with writing(folder.path):
        assert rows(folder.path, "SELECT id FROM workspace") == [(token["workspace"],)]


# Found by tools/chaos: sequences of faults drawn at random


def _stop_rebuilding(folder: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch, *outputs: Path) -> None:
    """A rebuild that is killed when the roots are claimed, before the new database is in its place."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr("setset.maintenance.rebuild.schema.replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            rebuild(folder, *outputs)


def test_22_the_token_is_lost_and_a_rebuild_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database and the token that the rebuild made name the same workspace. Seed 202, round 12."""
    folder, _ = build(tmp_path / "w", batch_lists=500_000)
    (folder.own_root / TOKEN).unlink()
    _stop_rebuilding(folder, monkeypatch)
    build(folder.path, batch_lists=500_000)
    require_right(folder)


def test_22_a_root_inside_that_names_another_workspace_leads_to_a_rebuild(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", batch_lists=500_000)
    (folder.own_root / TOKEN).write_bytes(Token("f" * 32).encode())
    with pytest.raises(ForeignRoot, match="run 'setset db rebuild'"):
        build(folder.path, batch_lists=500_000)
    rebuild(folder)
    build(folder.path, batch_lists=500_000)
    require_right(folder)


def test_23_database_and_token_are_lost_with_all_files_elsewhere(tmp_path: Path) -> None:
    """Other files show that there was a database. Seed 101, round 85."""
    output = tmp_path / "out"
    folder, _ = build(tmp_path / "w", batch_lists=500_000, output=output)
    folder.database.rename(folder.path / "setset.db.before-0003")
    (folder.own_root / TOKEN).unlink()
    with pytest.raises(NotAWorkspace, match=r"run 'setset db rebuild' .* with --output"):
        build(folder.path, batch_lists=500_000, output=output)
    rebuild(folder, output)
    build(folder.path, batch_lists=500_000, output=output)
    require_right(folder)


def test_23_no_trace_is_left_but_files_elsewhere(tmp_path: Path) -> None:
    """A run makes a new workspace, and then the message about the folder elsewhere leads back."""
    output = tmp_path / "out"
    folder, _ = build(tmp_path / "w", batch_lists=500_000, output=output)
    folder.database.unlink()
    (folder.own_root / TOKEN).unlink()
    with pytest.raises(ForeignRoot, match="run 'setset db rebuild' with --output"):
        build(folder.path, batch_lists=500_000, output=output)
    rebuild(folder, output)
    build(folder.path, batch_lists=500_000, output=output)
    require_right(folder)


def test_23_an_older_database_and_nothing_else(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    shutil.rmtree(folder.own_root)
    folder.database.rename(folder.path / "setset.db.lost")
    with pytest.raises(NotAWorkspace, match="run 'setset db rebuild'"):
        build(folder.path)
    rebuild(folder)
    build(folder.path)
    require_right(folder)

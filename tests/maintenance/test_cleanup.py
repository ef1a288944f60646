"""Files that are not recorded: told apart, and only what setset left itself is removed."""

from __future__ import annotations

import shutil
from pathlib import Path

from setset.maintenance.findings import FindingKind
from tests.small import BATCHES, Copy, batch_file, build, digests, findings, rows


def test_strays_are_told_apart_and_only_our_own_are_removed(copy: Copy) -> None:
    folder = copy()
    here = batch_file(folder).parent
    strangers = {
        here / "notes.txt": b"mine",
        here / "0000001-000 (copy).setset": batch_file(folder).read_bytes(),
        here / "9999999-000.setset": b"not a batch",
        folder.own_root / "photo.jpg": b"x",
    }
    for path, data in strangers.items():
        path.write_bytes(data)
    (here / ".0000001-000.setset.host.1.abcdef01.tmp").write_bytes(b"half")
    kinds = {Path(found.where).name: found.kind for found in findings(folder)}
    assert kinds == {
        **{path.name: FindingKind.FOREIGN for path in strangers},
        ".0000001-000.setset.host.1.abcdef01.tmp": FindingKind.TEMPORARY,
    }
    build(folder.path)
    kinds = {Path(found.where).name: found.kind for found in findings(folder)}
    assert kinds == {path.name: FindingKind.FOREIGN for path in strangers}
    assert all(path.read_bytes() == data for path, data in strangers.items())


def test_a_file_that_was_finished_but_not_recorded_is_taken_over(tmp_path: Path) -> None:
    """A run that was killed between the file and its row: the next one finds it and writes it no second time."""
    folder, _ = build(tmp_path / "w", 3)
    (database, before) = folder.database.read_bytes(), rows(build(folder.path, 4)[0].path, BATCHES)
    folder.database.write_bytes(database)
    orphans = [found.where for found in findings(folder) if found.kind is FindingKind.ORPHAN]
    assert sorted(orphans) == sorted(map(str, (folder.own_root / "t16/s04").iterdir()))
    times = {path: Path(path).stat().st_mtime_ns for path in orphans}
    build(folder.path, 4)
    assert {path: Path(path).stat().st_mtime_ns for path in orphans} == times
    assert rows(folder.path, BATCHES) == before


def test_a_copy_is_kept_while_the_recorded_file_is_away(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4, output=tmp_path / "nas")
    for part in (tmp_path / "nas").glob("t??"):
        shutil.copytree(part, folder.own_root / part.name)
    (tmp_path / "nas").rename(tmp_path / "away")
    before = digests(folder.own_root)
    build(folder.path, 4)
    assert before
    assert digests(folder.own_root) == before
    (tmp_path / "away").rename(tmp_path / "nas")
    build(folder.path, 4)
    assert digests(folder.own_root) == {}

"""Files that are not recorded: told apart, and only what setset left itself is removed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import ClassVar

import pytest

import setset
from setset.database.views import SizeState
from setset.errors import BadInput
from setset.maintenance import leftovers
from setset.maintenance.findings import FindingKind
from setset.progress import NoProgress
from tests.small import BATCHES, Copy, batch_file, build, digests, findings, rows, writing
from tests.windows import keep_open_files


def test_strays_are_told_apart_and_only_our_own_are_removed(copy: Copy) -> None:
    folder = copy()
    batch_folder = batch_file(folder).parent
    foreign = {
        batch_folder / "notes.txt": b"mine",
        batch_folder / "0000001-000 (copy).setset": batch_file(folder).read_bytes(),
        batch_folder / "9999999-000.setset": b"not a batch",
        folder.own_root / "photo.jpg": b"x",
    }
    for path, data in foreign.items():
        path.write_bytes(data)
    (batch_folder / ".0000001-000.setset.host.1.abcdef01.tmp").write_bytes(b"half")
    kinds = {Path(finding.where).name: finding.kind for finding in findings(folder)}
    assert kinds == {
        **{path.name: FindingKind.FOREIGN for path in foreign},
        ".0000001-000.setset.host.1.abcdef01.tmp": FindingKind.TEMPORARY,
    }
    build(folder.path)
    kinds = {Path(finding.where).name: finding.kind for finding in findings(folder)}
    assert kinds == {path.name: FindingKind.FOREIGN for path in foreign}
    assert all(path.read_bytes() == data for path, data in foreign.items())


def test_a_file_that_was_finished_but_not_recorded_is_taken_over(tmp_path: Path) -> None:
    """A run that was killed between the file and its row: the next one finds it and writes it no second time."""
    folder, _ = build(tmp_path / "w", 3)
    (database, before) = folder.database.read_bytes(), rows(build(folder.path, 4)[0].path, BATCHES)
    folder.database.write_bytes(database)
    orphans = [finding.where for finding in findings(folder) if finding.kind is FindingKind.ORPHAN]
    assert sorted(orphans) == sorted(map(str, (folder.own_root / "t16/s04").iterdir()))
    times = {path: Path(path).stat().st_mtime_ns for path in orphans}
    build(folder.path, 4)
    assert {path: Path(path).stat().st_mtime_ns for path in orphans} == times
    assert rows(folder.path, BATCHES) == before


def test_a_run_makes_recorded_files_again_that_are_missing(tmp_path: Path) -> None:
    """Also the files of a size that nothing reads any more, in two storage roots."""
    folder, _ = build(tmp_path / "w", 4)
    build(folder.path, 5, output=tmp_path / "nas")
    before = digests(folder.own_root) | digests(tmp_path / "nas")
    for size in (folder.own_root / "t16/s03", folder.own_root / "t16/s04", tmp_path / "nas/t16/s05"):
        max(size.iterdir()).unlink()
    (folder.own_root / "t16/s03").rmdir()
    with setset.open(folder.path) as workspace:
        assert {size.state for size in workspace.status().sizes} == {SizeState.COMPLETE}
    _, notices = build(folder.path, 4)
    assert [text.partition(" of ")[0] for text in notices.texts if "missing" in text] == [
        f"missing in {folder.own_root}: 2",
        f"missing in {tmp_path / 'nas'}: 1",
    ]
    with setset.open(folder.path) as workspace:
        states = {size.size: size.state for size in workspace.status().sizes}
        assert states == {3: SizeState.COMPLETE, 4: SizeState.COMPLETE, 5: SizeState.DEFECTIVE}
    build(folder.path, 5)
    assert digests(folder.own_root) | digests(tmp_path / "nas") == before
    assert findings(folder) == []


def test_files_that_a_folder_has_but_does_not_list_are_not_made_again(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network drive may list too few names, and a disk may list names in another case."""
    folder, list_folder = copy(), os.listdir
    for listed in (lambda names: names[:1], lambda names: [name.upper() for name in names]):
        monkeypatch.setattr(leftovers.os, "listdir", lambda path, listed=listed: listed(list_folder(path)))
        _, notices = build(folder.path)
        assert notices.texts == []


def test_a_copy_is_kept_while_the_recorded_file_is_away(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 4, output=tmp_path / "nas")
    for part in (tmp_path / "nas").glob("t??"):
        shutil.copytree(part, folder.own_root / part.name)
    (tmp_path / "nas").rename(tmp_path / "away")
    before = digests(folder.own_root)
    with pytest.raises(BadInput, match="setset roots move"):
        build(folder.path, 4)
    assert before
    assert digests(folder.own_root) == before
    (tmp_path / "away").rename(tmp_path / "nas")
    build(folder.path, 4)  # makes the folder in the workspace a storage root
    build(folder.path, 4)
    assert digests(folder.own_root) == {}


HALF = ".0000001-000.setset.host.1.abcdef01.tmp"


def test_nothing_is_looked_at_or_removed_in_a_root_that_is_anothers_now(tmp_path: Path) -> None:
    """Another disk may be mounted at its place, with the files of another workspace."""
    folder, _ = build(tmp_path / "w", 3)
    build(folder.path, 4, output=tmp_path / "nas")
    (tmp_path / "nas").rename(tmp_path / "away")
    build(tmp_path / "other", 4, output=tmp_path / "nas")
    temporary = tmp_path / "nas" / "t16" / "s04" / HALF
    temporary.write_bytes(b"another's worker is at it")
    before = digests(tmp_path / "nas")
    with writing(folder.path) as database:
        leftovers.remove_leftovers(database, NoProgress())
        leftovers.remove_temporaries(database)
        assert list(leftovers.find_strays(database)) == []
    assert digests(tmp_path / "nas") == before
    assert temporary.exists()


@pytest.mark.posix("makes links")
def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3)
    second, _ = build(tmp_path / "other", 4)
    target = second.own_root / "t16" / "s04"
    (target / HALF).write_bytes(b"another's worker is at it")
    before = sorted(second.own_root.rglob("*"))
    (folder.own_root / "t16" / "s04").symlink_to(target)
    (folder.own_root / "t15").symlink_to(second.own_root / "t16")
    with writing(folder.path) as database:
        strays = [(stray.path.name, stray.kind) for stray in leftovers.find_strays(database)]
        leftovers.remove_leftovers(database, NoProgress())
        leftovers.remove_temporaries(database)
    assert strays == [("t15", leftovers.StrayKind.FOREIGN), ("s04", leftovers.StrayKind.FOREIGN)]
    assert sorted(second.own_root.rglob("*")) == before


def test_only_the_folders_that_setset_makes_are_looked_into(copy: Copy) -> None:
    folder = copy()
    photos = folder.own_root / "photos" / "s04"
    deep = folder.own_root / "t16" / "s04" / "deep"
    for subfolder in (photos, deep):
        subfolder.mkdir(parents=True)
        (subfolder / HALF).write_bytes(b"mine")
        (subfolder / batch_file(folder).name).write_bytes(batch_file(folder).read_bytes())
    kinds = {Path(finding.where).name: finding.kind for finding in findings(folder)}
    assert kinds == {"photos": FindingKind.FOREIGN, "deep": FindingKind.FOREIGN}
    build(folder.path)
    assert all(len(list(subfolder.iterdir())) == 2 for subfolder in (photos, deep))


def test_what_a_database_that_was_being_made_left_is_removed_by_the_next_run(copy: Copy) -> None:
    folder = copy()
    leftover_names = [".setset.db.new-journal", ".setset.db.rebuilt", "..setset.db.rebuilt.new"]
    for name in leftover_names:
        (folder.path / name).write_bytes(b"half")
    (folder.path / "setset.db.lost").hardlink_to(folder.database)
    (folder.path / "setset.db.lost-2").write_bytes(b"an old one")
    (folder.own_root / ".setset-root.json.host.1.abcdef01.tmp").write_bytes(b"half")
    build(folder.path)
    assert sorted(path.name for path in folder.path.iterdir() if "setset.db" in path.name) == [
        "setset.db",
        "setset.db-journal",
        "setset.db.lost-2",
    ]
    assert not list(folder.own_root.glob(".*"))
    assert findings(folder) == []


def test_the_own_root_is_cleaned_up_even_if_all_files_are_elsewhere(tmp_path: Path) -> None:
    folder, _ = build(tmp_path / "w", 3, output=tmp_path / "nas")
    for root in (folder.own_root, tmp_path / "nas"):
        (root / ".setset-root.json.host.1.abcdef01.tmp").write_bytes(b"half")
    build(tmp_path / "w", 3, output=tmp_path / "nas")
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.posix("looks for open files in /proc")
def test_a_leftover_that_another_program_has_open_stops_nothing(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows does not remove it. The other leftovers go, the run goes on, and the next one removes it."""
    folder = copy()
    paths = [batch_file(folder).parent / f".{name}.setset.abcdef012345.tmp" for name in "abc"]
    for path in paths:
        path.write_bytes(b"half")

    class Notices(NoProgress):
        texts: ClassVar[list[str]] = []

        def notice(self, text: str) -> None:
            self.texts.append(text)

    with monkeypatch.context() as context, paths[1].open("rb"):
        keep_open_files(context)
        with writing(folder.path) as database:
            leftovers.remove_leftovers(database, Notices())
            leftovers.remove_temporaries(database)
        assert [path for path in paths if path.exists()] == [paths[1]]
        assert f"cannot remove {paths[1]} (another program has it open): the next run tries again" in Notices.texts
    build(folder.path)
    assert not paths[1].exists()

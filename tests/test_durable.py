"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import setset
from setset import durable, platform
from setset.errors import InTheWay, NoSpace
from tests.windows import keep_open_files

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(setset.__file__).parent.parent)}


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def failing(code: int) -> Callable[..., Any]:
    """Replacement for a system call that fails."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def test_a_saved_file_is_whole_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x.json"
    durable.save(path, b"one")
    durable.save(path, b"another")
    assert path.read_bytes() == b"another"
    assert names(path.parent) == ["x.json"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_save_that_fails_leaves_the_old_file_and_no_trace(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    durable.save(path, b"old")
    with monkeypatch.context() as context:
        context.setattr(os, call, failing(errno.EIO))
        with pytest.raises(OSError, match=os.strerror(errno.EIO)) as error:
            durable.save(path, b"new")
    assert error.value.errno == errno.EIO
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x.json"]


def test_an_interrupted_save_leaves_the_old_file_and_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    path = tmp_path / "x.json"
    durable.save(path, b"old")
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            durable.save(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x.json"]


def test_bytes_that_the_system_takes_in_pieces_are_all_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data[:3])))
    durable.save(tmp_path / "x.json", b"0123456789")
    assert (tmp_path / "x.json").read_bytes() == b"0123456789"


def test_bytes_that_the_system_loses_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda _descriptor, data: len(data))
    with pytest.raises(OSError, match="the disk lost some of the written bytes"):
        durable.save(tmp_path / "x.json", b"0123456789")
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", sorted(setset.errors.NO_SPACE), ids=lambda code: errno.errorcode[code])
def test_no_space_says_how_much_is_needed_and_where(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as context:
        context.setattr(os, "write", failing(code))
        with pytest.raises(NoSpace) as error:
            durable.save(tmp_path / "x.json", bytes(5000))
    assert str(error.value) == f"no room for 5,000 bytes in {tmp_path}: {os.strerror(code)}"
    assert names(tmp_path) == []


@pytest.mark.posix("sets limits of a process")
def test_a_limit_on_files_is_no_space_and_leaves_no_trace(tmp_path: Path) -> None:
    """A limit on the size of files, in a process of its own."""
    code = (
        "import resource, sys; from pathlib import Path; from setset import durable\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "durable.save(Path(sys.argv[1]) / 'x.setset', bytes(5000))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert "NoSpace: no room for 5,000 bytes" in run.stderr
    assert names(tmp_path) == []


def test_without_its_witness_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x.json"
    with pytest.raises(FileNotFoundError):
        durable.save(path, b"x", below=tmp_path, witness="token")
    assert names(tmp_path) == [], "not even a folder is made"
    (tmp_path / "token").touch()
    durable.save(path, b"x", below=tmp_path, witness="token")
    assert path.read_bytes() == b"x"


@pytest.mark.posix("opens folders")
def test_a_folder_that_is_moved_takes_its_file_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The witness and the file are in one folder, even if another one takes its name in between."""
    folder, target = tmp_path / "here", tmp_path / "moved"
    folder.mkdir()
    (folder / "token").touch()
    stat = os.stat

    def stat_and_move(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        result = stat(path, *arguments, **options)
        if path == "token":
            folder.rename(target)
            folder.mkdir()
        return result

    monkeypatch.setattr(os, "stat", stat_and_move)
    durable.save(folder / "x.json", b"x", below=folder, witness="token")
    monkeypatch.undo()
    assert names(folder) == []
    assert names(target) == ["token", "x.json"]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were synced, in order."""
    paths: list[Path] = []
    sync = platform.sync_folder

    def note(path: Path) -> None:
        paths.append(path)
        sync(path)

    monkeypatch.setattr(platform, "sync_folder", note)
    return paths


def test_each_new_folder_is_on_the_disk_by_its_name(tmp_path: Path, synced: list[Path]) -> None:
    durable.make_folder(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    durable.make_folder(tmp_path / "a" / "b" / "c")
    assert len(synced) == 3, "what was there needs nothing"


def test_a_folder_that_somebody_else_makes_meanwhile_is_taken(
    tmp_path: Path, synced: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """setset syncs it too, because the other program may not have done so yet."""
    mkdir = Path.mkdir

    def make_twice(path: Path) -> None:
        mkdir(path)
        mkdir(path)

    monkeypatch.setattr(Path, "mkdir", make_twice)
    durable.make_folder(tmp_path / "a")
    assert (tmp_path / "a").is_dir()
    assert synced == [tmp_path]


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    for write in (lambda: durable.make_folder(tmp_path / "a"), lambda: durable.save(tmp_path / "a" / "x.json", b"x")):
        with pytest.raises(InTheWay, match=rf"^{re.escape(str(tmp_path / 'a'))} is in the way: move it away$"):
            write()


@pytest.mark.posix("opens folders")
def test_the_file_is_on_the_disk_before_its_name_and_then_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    fsync, replace = os.fsync, os.replace

    def note_sync(descriptor: int) -> None:
        events.append(f"sync {Path(f'/dev/fd/{descriptor}').resolve().suffix or 'folder'}")
        fsync(descriptor)

    def note_replace(*arguments: Any, **options: Any) -> None:
        events.append("replace")
        replace(*arguments, **options)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    durable.save(tmp_path / "x.json", b"x")
    assert events == ["sync .tmp", "replace", "sync folder"]


def test_a_finished_file_replaces_another(tmp_path: Path, synced: list[Path]) -> None:
    source, target = tmp_path / "made", tmp_path / "place"
    source.write_bytes(b"new")
    target.write_bytes(b"old")
    durable.replace_durably(source, target)
    assert names(tmp_path) == ["place"]
    assert target.read_bytes() == b"new"
    assert synced == [tmp_path]


def test_unfinished_files_are_told_from_others() -> None:
    assert durable.is_temporary(".0000012-000.setset.host.123.abcdef01.tmp")
    assert durable.is_temporary(durable.temporary_name("setset-root.json"))
    assert durable.temporary_name("x.db") != durable.temporary_name("x.db")
    for name in ("0000012-000.setset", "notes.tmp", ".notes.txt.host.123.abcdef01.tmp"):
        assert not durable.is_temporary(name)


def test_the_name_of_an_unfinished_file_is_short() -> None:
    assert len(durable.temporary_name("")) <= 20


@pytest.mark.posix("syncs folders")
def test_a_disk_without_hard_links_that_is_full_keeps_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second fsync belongs to the copy, which replaces a link."""
    fsync, calls = os.fsync, list[int]()

    def fill(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(NoSpace):
        durable.create(tmp_path / "x.json", b"mine")
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", [39, 112, 1295])
def test_a_full_disk_of_windows_is_no_space(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        error = OSError(errno.EINVAL, "the disk is full")
        error.winerror = code  # type: ignore[attr-defined,unused-ignore]
        raise error

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(NoSpace, match=r"no room for 1 bytes in .*: the disk is full"):
        durable.save(tmp_path / "x.json", b"x")


@pytest.mark.parametrize("code", sorted(setset.errors.NO_SPACE), ids=lambda code: errno.errorcode[code])
def test_no_space_for_a_folder(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "mkdir", failing(code))
    with pytest.raises(NoSpace, match=rf"^no room for {re.escape(str(tmp_path / 'a'))}: {os.strerror(code)}$"):
        durable.make_folder(tmp_path / "a")


@pytest.mark.parametrize("kind", ["file", "folder", pytest.param("link", marks=pytest.mark.posix("makes links"))])
def test_whatever_is_in_the_way_is_named(kind: str, tmp_path: Path) -> None:
    parent, folder = tmp_path / "a", tmp_path / "b"
    if kind == "folder":
        folder.mkdir()
        (folder / "notes.txt").touch()
    elif kind == "file":
        parent.touch()
    else:
        parent.symlink_to(tmp_path / "nowhere")
    path, obstacle = (folder, folder) if kind == "folder" else (parent / "c" / "x.json", parent)
    with pytest.raises(InTheWay, match=rf"^{re.escape(str(obstacle))} is in the way: move it away$"):
        durable.save(path, b"x")
    obstacle.rename(tmp_path / "away")
    durable.save(path, b"x")


def test_a_path_that_is_too_long_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InTheWay, match=r"is too long \(\d+ characters\): name a folder with a shorter path"):
        durable.save(tmp_path / ("x" * 300), b"x")
    monkeypatch.setattr(platform, "_SYSTEM", "win32")
    monkeypatch.setattr(os, "open", failing(errno.ENOENT))
    with pytest.raises(FileNotFoundError):
        durable.save(tmp_path / "x", b"x")
    monkeypatch.setattr(platform, "LONGEST_PATH", 10)
    with pytest.raises(InTheWay, match="is too long"):
        durable.save(tmp_path / "x", b"x")


def test_a_created_file_is_whole_and_alone_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a" / "x.json"
    assert durable.create(path, b"mine")
    assert not durable.create(path, b"another")
    assert path.read_bytes() == b"mine"
    assert names(path.parent) == ["x.json"]


def test_of_many_that_create_a_file_one_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "a" / "x.json"
    with ThreadPoolExecutor(8) as executor:
        created = list(executor.map(lambda number: durable.create(path, b"%d" % number), range(40)))
    assert created.count(True) == 1
    assert path.read_bytes() == b"%d" % created.index(True)
    assert names(path.parent) == ["x.json"]


@pytest.mark.parametrize("code", [errno.EPERM, errno.EINVAL], ids=["EPERM", "EINVAL"])
def test_a_disk_without_hard_links_is_no_obstacle(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", failing(code))
    assert durable.create(tmp_path / "x.json", b"mine")
    assert not durable.create(tmp_path / "x.json", b"another")
    assert (tmp_path / "x.json").read_bytes() == b"mine"
    assert names(tmp_path) == ["x.json"]


@pytest.mark.parametrize(("code", "kind"), [(errno.EIO, OSError), (errno.ENOSPC, NoSpace)])
def test_a_creation_that_fails_leaves_no_trace(
    code: int, kind: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", failing(code))
        with pytest.raises(kind, match=os.strerror(code)):
            durable.create(tmp_path / "x.json", b"mine")
    assert names(tmp_path) == []


def test_a_file_written_in_pieces_is_whole_or_not_there(tmp_path: Path) -> None:
    target = tmp_path / "new" / "a.csv"
    with durable.written(target) as file:
        file.write(b"one,")
        assert [durable.is_temporary(path.name, r"a\.csv") for path in target.parent.iterdir()] == [True]
        file.write(b"two")

    def fail() -> None:
        with durable.written(target) as file:
            file.write(b"other")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert target.read_bytes() == b"one,two"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.posix("looks for open files in /proc")
@pytest.mark.parametrize("opened", ["old", "new"])
def test_a_file_that_another_program_has_open_for_a_moment_is_replaced(
    opened: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scanner keeps the old or the new file open until the third attempt."""
    path, temporary, pauses = tmp_path / "x.json", tmp_path / ".x.json.scanned.tmp", list[float]()
    path.write_bytes(b"old")
    monkeypatch.setattr(durable, "temporary_name", lambda _: temporary.name)
    keep_open_files(monkeypatch)
    scanned: list[BinaryIO] = [path.open("rb")] if opened == "old" else []
    write = durable._write_all
    monkeypatch.setattr(
        durable,
        "_write_all",
        lambda *arguments: (write(*arguments), opened == "new" and scanned.append(temporary.open("rb"))),
    )

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            scanned.pop().close()

    monkeypatch.setattr(durable.time, "sleep", pause)
    durable.save(path, b"new")
    assert path.read_bytes() == b"new"
    assert len(pauses) == 2
    assert names(tmp_path) == ["x.json"]


@pytest.mark.posix("looks for open files in /proc")
def test_a_file_that_another_program_keeps_open_is_named_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    keep_open_files(monkeypatch)
    with path.open("rb"):
        with pytest.raises(PermissionError, match=r"x\.json"):
            durable.save(path, b"new")
        with pytest.raises(PermissionError, match=r"x\.json"):
            durable.remove(path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x.json"]
    durable.remove(path)
    durable.remove(path)
    assert names(tmp_path) == []


def test_a_lack_of_permission_is_no_reason_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable.time, "sleep", lambda _: pytest.fail("waited"))
    with pytest.raises(PermissionError):
        durable.retry_while_open(failing(errno.EACCES))

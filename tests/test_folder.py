"""The folder of a workspace: what may become one, and its lock."""

from __future__ import annotations

import errno
import importlib
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from setset import platform
from setset.database import schema
from setset.database.connection import connect, explain
from setset.errors import BadInput, Locked, NoSpace, NotAWorkspace, SetsetError
from setset.folder import LOCK, WorkspaceFolder
from tests.small import build


def test_a_folder_with_other_files_is_not_made_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(BadInput, match="not a workspace and not empty"):
        build(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_may_become_a_workspace(tmp_path: Path) -> None:
    WorkspaceFolder(tmp_path / "new" / "w").create()
    assert (tmp_path / "new" / "w").is_dir()
    WorkspaceFolder(tmp_path / "new" / "w").create()
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="is a file: name a folder with --workspace"):
        WorkspaceFolder(tmp_path / "file").create()


def test_without_a_database_it_is_said_what_to_do(tmp_path: Path) -> None:
    folder = WorkspaceFolder(tmp_path)
    with pytest.raises(NotAWorkspace, match="'setset run' makes it"):
        folder.require_database()
    folder.own_root.mkdir()
    with pytest.raises(NotAWorkspace, match="'setset db rebuild'"):
        folder.require_database()


def test_the_lock_is_held_once(tmp_path: Path) -> None:
    folder = WorkspaceFolder(tmp_path)
    assert not folder.is_in_use()
    with folder.locked():
        assert folder.is_in_use()
        with pytest.raises(Locked, match="another thread of this program"), folder.locked():
            pass
        assert folder.is_in_use()
    assert not folder.is_in_use()
    with folder.locked():
        pass


def test_there_is_nothing_to_lock_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotAWorkspace, match="the folder is missing"), WorkspaceFolder(tmp_path / "w").locked():
        pass
    assert not (tmp_path / "w").exists()


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    folder = WorkspaceFolder(tmp_path)
    program = (
        "import sys; from pathlib import Path; from setset.folder import WorkspaceFolder\n"
        f"with WorkspaceFolder(Path({str(tmp_path)!r})).locked(): print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        assert folder.is_in_use()
        with pytest.raises(Locked, match=f"in use by pid {process.pid} on "), folder.locked():
            pass
        process.kill()
    assert not folder.is_in_use()
    with folder.locked():
        pass


def test_a_lock_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(BadInput, match=r"setset.lock is in the way: move it away"), WorkspaceFolder(tmp_path).locked():
        pass


@pytest.mark.posix("makes a FIFO")
@pytest.mark.parametrize("kind", ["folder", "fifo", "dangling link", "loop"])
def test_what_has_the_name_of_the_database_is_in_the_way(kind: str, tmp_path: Path) -> None:
    """SQLite would wait for somebody to write to a FIFO."""
    folder = WorkspaceFolder(tmp_path)
    put(kind, folder.database)
    for refuse in (folder.require_database, folder.create, lambda: connect(folder.database, "ro")):
        with pytest.raises(NotAWorkspace, match=rf"^{re.escape(str(folder.database))} is in the way: move it away$"):
            refuse()
    folder.database.rename(tmp_path / "away")
    with pytest.raises(NotAWorkspace, match="'setset run' makes it"):
        folder.require_database()


def put(kind: str, path: Path) -> None:
    """Puts something in the place of a file."""
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if kind == "loop" else "nowhere")


class NoLocks:
    """The module `fcntl` on a file system without locks."""

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module("fcntl"), name)

    def lockf(self, *_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    fcntl = lockf


@pytest.mark.posix("needs locks of POSIX")
def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = build(tmp_path / "w", 3)
    monkeypatch.setattr(platform, "_fcntl", NoLocks())
    named = rf"^{re.escape(str(folder.path))} is on a file system without locks \(No locks available\): move "
    with pytest.raises(SetsetError, match=named):
        build(folder.path, 3)
    with pytest.raises(SetsetError, match=named):
        schema.backup(folder.database, tmp_path / "copy.db")
    # SQLite reports it as a database that is always busy, or as an error of the disk.
    busy = sqlite3.OperationalError("database is locked")
    for busy.sqlite_errorname in ("SQLITE_IOERR_RDLOCK", "SQLITE_BUSY"):
        assert re.match(named, str(explain(folder.database, busy)))
    monkeypatch.undo()
    assert isinstance(explain(folder.database, busy), Locked)


@pytest.mark.posix("needs locks of POSIX")
def test_a_lock_that_fails_for_another_reason_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errno, "ENOLCK", errno.EIO)
    monkeypatch.setattr(platform, "_fcntl", NoLocks())
    with pytest.raises(SetsetError, match=rf"^cannot lock {re.escape(str(tmp_path))}: Input/output error$"):
        WorkspaceFolder(tmp_path).locked().__enter__()


def test_no_room_for_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "open", fill)
    with pytest.raises(NoSpace, match="cannot write to"), WorkspaceFolder(tmp_path).locked():
        pass

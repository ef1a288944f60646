"""A file system like that of Windows: a file that this process has open can be neither removed nor replaced."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def keep_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes Python's functions refuse to remove, rename or replace a file that is open here. Needs /proc."""
    for name in ("unlink", "rename", "replace"):
        monkeypatch.setattr(os, name, _refusing(getattr(os, name)))


def _refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    def refuse(*paths: Any, **options: Any) -> Any:
        for path in paths:
            if options.get("dir_fd") is None and options.get("src_dir_fd") is None and _is_open(Path(path)):
                raise PermissionError(errno.EACCES, "another program has it open", str(path))
        return function(*paths, **options)

    return refuse


def _is_open(path: Path) -> bool:
    for entry in Path("/proc/self/fd").iterdir():
        try:
            if path.is_file() and os.path.samestat(entry.stat(), path.stat()):
                return True
        except OSError:  # closed meanwhile
            continue
    return False

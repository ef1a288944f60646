"""A file system as on Windows: a file that this process has open can be neither removed nor replaced."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from setset import durable, platform


def keep_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes Python's functions refuse to remove, rename or replace a file that is open here. Needs /proc."""
    monkeypatch.setattr(durable, "PAUSES", (0.01,) * 5)
    monkeypatch.setattr(platform, "_FOLDER", 0)  # Windows opens no folders
    for name, code in {"unlink": 32, "rename": 32, "replace": 5}.items():
        monkeypatch.setattr(os, name, _refusing(getattr(os, name), code))


def _refusing(function: Callable[..., Any], code: int) -> Callable[..., Any]:
    def refuse(*paths: Any, **options: Any) -> Any:
        for path in paths:
            if _is_open(Path(path)):
                error = PermissionError(errno.EACCES, "another program has it open", str(path))
                error.winerror = code  # type: ignore[attr-defined,unused-ignore]
                raise error
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

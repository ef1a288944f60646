"""Compiling the kernels once a node, however many workers start there. Runs in workers."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

import xxhash

from setset import platform


def prepare_kernels() -> None:
    """Loads the kernels. The first worker of a node compiles them, the others wait for it.

    Where they have been compiled before nobody waits: numba finds them when they are first called.
    """
    import numba

    from setset.engine import kernels, search

    # What numba tells its caches apart by.
    source = Path(kernels.__file__)
    facts = (numba.__version__, os.environ.get("NUMBA_CACHE_DIR"), source, source.stat().st_mtime_ns)
    folder = node_folder()
    made = folder / xxhash.xxh3_64_hexdigest(repr(facts).encode())
    if made.exists():
        return
    with (folder / "lock").open("a+b") as lock:
        platform.lock_for_handle(lock, wait=True)
        if not made.exists():
            search.compile_kernels()
            made.touch()


@cache
def node_folder() -> Path:
    """A folder of this user on the node's own disk: numba's cache breaks on a shared one.

    numba runs what it finds there, so what somebody else put there beforehand is not used; then this process
    has one of its own.
    """
    folder = Path(tempfile.gettempdir()) / f"setset-numba-{platform.user_id()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if platform.is_own_folder(folder):
            return folder
    own = tempfile.mkdtemp(prefix="setset-numba-")
    Finalize(None, shutil.rmtree, (own,), exitpriority=0)
    return Path(own)

"""A version of `numba.njit` that works even if numba has no folder for its cache.

numba keeps compiled code beside the source or in the user's home. If numba can write to neither folder, it refuses to
compile. An example is a service without a home folder, if root installed setset.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from setset import platform


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compiles a function like `numba.njit`. If numba has no cache folder, the option `cache=True` uses
    `node_folder()`."""
    import numba

    compiled: Any = numba.njit(**options)

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return compiled(function)
        except RuntimeError:  # numba has no cache folder: "no locator available"
            config: Any = numba.config
            config.CACHE_DIR = str(node_folder())
            return compiled(function)

    return decorate


@cache
def node_folder() -> Path:
    """Returns the cache folder of this user on a disk of this machine, because numba's cache breaks on a shared disk.

    numba executes the code in its cache, so the folder must be safe from other users. If another user owns the folder
    or may change it, this process makes a temporary folder and removes it at exit.
    """
    folder = Path(tempfile.gettempdir()) / f"setset-numba-{platform.user_id()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if platform.is_private_folder(folder):
            return folder
    own = tempfile.mkdtemp(prefix="setset-numba-")
    Finalize(None, shutil.rmtree, (own,), exitpriority=0)
    return Path(own)

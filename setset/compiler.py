"""numba, with a place for what it compiled on any machine and for any user.

numba keeps it beside the source or in the user's home. Where neither can be written, as for a service without a
home or in an installation that only root may change, it would refuse to compile at all.
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
    """Like `numba.njit`; what is compiled with `cache=True` is kept in `node_folder()` where numba has no place."""
    import numba

    compiled: Any = numba.njit(**options)

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return compiled(function)
        except RuntimeError:  # "no locator available"
            config: Any = numba.config
            config.CACHE_DIR = str(node_folder())
            return compiled(function)

    return decorate


@cache
def node_folder() -> Path:
    """A folder of this user on the node's own disk: numba's cache breaks on a shared one.

    numba runs what it finds there, so what somebody else put there beforehand, or could change, is not used; then
    this process has one of its own.
    """
    folder = Path(tempfile.gettempdir()) / f"setset-numba-{platform.user_id()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if platform.is_private_folder(folder):
            return folder
    own = tempfile.mkdtemp(prefix="setset-numba-")
    Finalize(None, shutil.rmtree, (own,), exitpriority=0)
    return Path(own)

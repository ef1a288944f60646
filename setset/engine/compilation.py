"""Compiling the kernels once a node, however many workers start there. Runs in workers."""

from collections.abc import Callable
from pathlib import Path

import xxhash

from setset import platform
from setset.compiler import node_folder


def prepare_kernels(on_compiling: Callable[[], None] = lambda: None) -> None:
    """Loads the kernels. The first worker of a node compiles them, the others wait for it.

    Where they have been compiled before nobody waits: numba finds each when it is first called. The first call of any
    takes longest, since numba sets itself up then: that is done here, at the same time in all workers.

    Args:
        on_compiling: Is called before they are compiled, which takes some seconds.
    """
    import numba

    from setset.engine import deep_kernels, kernels, search

    # numba tells its caches apart by these.
    sources = [Path(str(module.__file__)) for module in (kernels, deep_kernels)]
    times = [source.stat().st_mtime_ns for source in sources]
    facts = (numba.__version__, str(vars(numba.config)["CACHE_DIR"]), sources, times)
    folder = node_folder()
    made = folder / xxhash.xxh3_64_hexdigest(repr(facts).encode())
    if made.exists():
        next(search.pack([search.seeds(4)[:100]], 3, 100))
        return
    with (folder / "lock").open("a+b") as lock:
        platform.lock_for_handle(lock, wait=True)
        if not made.exists():
            on_compiling()
            search.compile_kernels()
            made.touch()

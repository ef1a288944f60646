"""Compilation of the kernels in the workers. One worker per machine compiles; the others load the result."""

from collections.abc import Callable
from pathlib import Path

import xxhash

from setset import platform
from setset.compiler import node_folder


def prepare_kernels(on_compiling: Callable[[], None] = lambda: None) -> None:
    """Loads the kernels. If they are not compiled yet, the first worker of a machine compiles them while others wait.

    If the kernels are compiled already, no worker waits. Each worker makes one call here, since the first call in a
    process initializes numba and takes longest. So all workers of a machine initialize numba at the same time.

    Args:
        on_compiling: Called before a compilation, which takes some seconds.
    """
    import numba

    from setset.engine import deep_kernels, kernels, search

    # numba compiles again if one of these facts changes, so the name of the marker file `made` depends on them.
    sources = [Path(str(module.__file__)) for module in (kernels, deep_kernels)]
    times = [source.stat().st_mtime_ns for source in sources]
    facts = (numba.__version__, str(vars(numba.config)["CACHE_DIR"]), sources, times)
    folder = node_folder()
    marker = folder / xxhash.xxh3_64_hexdigest(repr(facts).encode())
    if marker.exists():
        next(search.pack([search.seeds(4)[:100]], 3, 100))
        return
    with (folder / "lock").open("a+b") as lock:
        platform.lock_for_handle(lock, wait=True)
        if not marker.exists():
            on_compiling()
            search.compile_kernels()
            marker.touch()

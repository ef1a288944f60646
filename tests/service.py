"""Real commands as a service runs them: a user of its own, without a home, who may only read the installation."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
USER = 61234
"""User id that nobody else has, if root runs the tests."""


class Service:
    """Commands of such a user, with a folder to write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary, self.workspace = folder / "tmp", folder / "w"
        self.temporary.mkdir(mode=0o700)
        self._prefix: list[str] = []
        self._package = folder / "installation"
        ignored = shutil.ignore_patterns("__pycache__")
        for name in ("setset", "migrations"):
            shutil.copytree(CHECKOUT / name, self._package / name, ignore=ignored)
        for entry in (self._package, *self._package.rglob("*")):
            entry.chmod(0o555)
        if os.geteuid() == 0:
            setpriv = shutil.which("setpriv")
            if setpriv is None:
                pytest.skip("root needs setpriv to become somebody else")
            # The interpreter may lie where only root may look: the right to read everything is kept, no other one.
            rights = "-all,+dac_read_search"
            self._prefix = [setpriv, f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
            self._prefix += [f"--inh-caps={rights}", f"--ambient-caps={rights}", "--"]
            for path in (folder, self.temporary):
                os.chown(path, USER, USER)

    def give_kernels(self) -> None:
        """Puts the kernels of this checkout, compiled before, where this user's compiler would put them.

        numba takes them for its own, since the copied sources have the times of the originals.
        """
        from numba.core.caching import _CacheLocator as Locator

        node = self.temporary / f"setset-numba-{USER if os.geteuid() == 0 else os.getuid()}"
        for source in (CHECKOUT / "setset").rglob("*.py"):
            target = self._package / source.relative_to(CHECKOUT)
            for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*.nb[ci]"):
                folder = node / Locator.get_suitable_cache_subpath(str(target))
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy2(compiled, folder)
        for path in (node, *node.rglob("*")):
            path.chmod(0o700)
            if os.geteuid() == 0:
                os.chown(path, USER, USER)

    def start(self, *words: str, processes: int | None = None) -> subprocess.Popen[str]:
        """Starts Python with these words; `processes` limits the processes and threads of this user."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(self._package),
            "SETSET_WORKSPACE": str(self.workspace),
        }
        limit = [] if processes is None else ["prlimit", f"--nproc={processes}", "--"]
        return subprocess.Popen(
            [*self._prefix, *limit, sys.executable, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=environment,
            start_new_session=True,
        )

    def run(self, *words: str, processes: int | None = None, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Result of a command; fails after `seconds`."""
        process = self.start(*words, processes=processes)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            print("\n".join(process.communicate()))
            raise
        return subprocess.CompletedProcess(words, process.returncode, out, err)


@contextmanager
def service() -> Iterator[Service]:
    """A service with a folder of its own, not below pytest's: others may not even look there."""
    common = "/tmp" if os.access("/tmp", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="setset-service-", dir=common) as folder:
        Path(folder).chmod(0o755)
        yield Service(Path(folder))
        for subfolder in Path(folder).glob("installation/**/"):
            subfolder.chmod(0o755)

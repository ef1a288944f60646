"""A real scheduler and real worker processes on loopback, started through Dask's own command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

import setset
from tests.small import SIZE, TARGET, build

BATCH_LISTS = 50_000
"""The exploration of `tests.small` in about 200 files: a second of work, in enough pieces for faults between them."""

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(setset.__file__).parent.parent),
    "NUMBA_CACHE_DIR": "",  # where the kernels are compiled already: workers would choose a folder of their node
    "OPENBLAS_NUM_THREADS": "1",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
LONGEST = 1_000
"""Seconds after which a test fails instead of hanging. On a busy machine a worker needs minutes to start."""


def until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


class Cluster:
    """Processes that end with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start_scheduler()

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        where = ("--scheduler-file", str(self.file), "--host", "127.0.0.1", "--port", "0")
        pages = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
        process = self._start("scheduler", *where, *pages)
        until(self.file.is_file, "the scheduler")
        return process

    def restart_scheduler(self) -> None:
        """Kills the scheduler and starts another one, which writes the same file."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.file.unlink()
        self.scheduler = self._start_scheduler()

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    @contextmanager
    def client(self, workers: int) -> Iterator[Any]:
        """Another client of the cluster, which has a number of workers by then."""
        import distributed

        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=LONGEST)
            yield client

    def worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """A worker process without a nanny, so that its pid is the one to kill."""
        where = ("--scheduler-file", str(self.file), "--local-directory", str(self.folder))
        alone = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--no-dashboard", "--death-timeout", "60")
        return self._start("worker", *where, *alone, *options, **environment)

    def _start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{len(self._processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments],
                env={**ENVIRONMENT, **environment},
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
                process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler without workers."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same exploration without a cluster. Not to be changed."""
    return build(tmp_path_factory.mktemp("alone") / "w", batch_lists=BATCH_LISTS)[0].path


def start_run(*arguments: str, size: int = SIZE) -> subprocess.Popen[str]:
    """`setset run` of the exploration of these tests, with more options."""
    wanted = ("--size", str(size), "--target", str(TARGET), "--batch-lists", str(BATCH_LISTS))
    return subprocess.Popen(
        [sys.executable, "-m", "setset", "run", *wanted, *arguments], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code of a run and all that it said."""
    try:
        _, said = process.communicate(timeout=LONGEST)
    finally:
        process.kill()
    return process.returncode, said

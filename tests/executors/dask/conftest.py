"""A real scheduler and real worker processes on loopback, started through Dask's own command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import setset
from setset.folder import WorkspaceFolder
from setset.jobs import run as jobs
from setset.jobs.options import RunOptions

SIZE, TARGET, BATCH_LISTS = 6, 16, 500_000
"""Some 88 million lists in about 200 files: seconds of work, in enough pieces for something to happen between."""

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(setset.__file__).parent.parent),
    "NUMBA_CACHE_DIR": "",  # where the kernels are compiled already: workers would choose a folder of their node
    "OPENBLAS_NUM_THREADS": "1",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
LONGEST = 400
"""Seconds after which a test fails instead of hanging. Nothing here should take as long."""


def until(holds: Callable[[], bool], name: str) -> None:
    deadline = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain for {name}"
        time.sleep(0.05)


class Cluster:
    """Processes that end with the test."""

    def __init__(self, folder: Path, protocol: str = "tcp", **environment: str) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._protocol, self._environment = protocol, environment
        self.scheduler = self._start_scheduler()

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        address = ("--scheduler-file", str(self.file), "--host", "127.0.0.1", "--port", "0")
        pages = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
        process = self._start("scheduler", *address, "--protocol", self._protocol, *pages, **self._environment)
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

    def worker(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """A worker process without a nanny, so that its pid is the one to kill."""
        address = ("--scheduler-file", str(self.file), "--local-directory", str(self.folder))
        limits = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--no-dashboard", "--death-timeout", "60")
        return self._start("worker", *address, *limits, *options, **environment)

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
def cluster(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A scheduler without workers; its parameter is how often Dask gives a task to another worker."""
    failures = getattr(request, "param", 3)
    servers = Cluster(tmp_path_factory.mktemp("cluster"), DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=str(failures))
    yield servers
    servers.close()


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same exploration by the local executor. Not to be changed."""
    folder = WorkspaceFolder(tmp_path_factory.mktemp("alone") / "w")
    jobs.run(folder, RunOptions(SIZE, TARGET, 2, BATCH_LISTS))
    return folder.path


def start_run(*arguments: str, size: int = SIZE) -> subprocess.Popen[str]:
    """`setset run` of the exploration of these tests, with more options."""
    options = ("--size", str(size), "--target", str(TARGET), "--batch-lists", str(BATCH_LISTS))
    return subprocess.Popen(
        [sys.executable, "-m", "setset", "run", *options, *arguments],
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code of a run and all that it said."""
    try:
        _, errors = process.communicate(timeout=LONGEST)
    finally:
        process.kill()
    return process.returncode, errors

"""What a worker on another machine shows before it gets its first task. Runs there; imports little, so that
numba can be told where its cache is before anything imports it."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from setset import __version__, durable
from setset.batches.roots import root_owner
from setset.compiler import node_folder
from setset.engine.compilation import prepare_kernels
from setset.executors.base import Requirements
from setset.executors.dask.transfer import remove_abandoned_folders


@dataclass(frozen=True)
class CheckResult:
    """Where a worker is, and why it cannot work; None if it can."""

    host: str
    pid: int
    problem: str | None


def check_worker(requirements: Requirements) -> CheckResult:
    """Whether this process can work: the same version, the roots in reach, the kernels ready."""
    problem = _wrong_version(requirements) or _unreachable_root(requirements)
    if problem is None:
        remove_abandoned_folders()
        if "numba" not in sys.modules:
            os.environ.setdefault("NUMBA_CACHE_DIR", str(node_folder()))
        prepare_kernels()
    return CheckResult(socket.gethostname(), os.getpid(), problem)


def _wrong_version(requirements: Requirements) -> str | None:
    if __version__ == requirements.version:
        return None
    return f"has setset {__version__}, the coordinator {requirements.version}: install the same version"


def _unreachable_root(requirements: Requirements) -> str | None:
    for root in requirements.roots:
        found = root_owner(Path(root))
        if found is None:
            return f"cannot see the storage root {root}: mount it there, or see --map and --ship"
        if found != requirements.workspace_id:
            return f"sees another workspace's files at {root}: mount the right folder there, or see --map"
    for root in requirements.roots[:1]:
        trial = Path(root) / requirements.trial_folder / durable.temporary_name("trial.setset")
        try:
            trial.parent.mkdir(parents=True, exist_ok=True)
            trial.write_bytes(b"setset")
            trial.unlink()
        except OSError as error:
            return f"cannot write to the storage root {root}: {error.strerror}"
    return None

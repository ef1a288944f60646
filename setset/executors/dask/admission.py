"""What a worker on another machine shows before it gets its first order. Runs there; imports little, so that
numba can be told where its cache is before anything imports it."""

from __future__ import annotations

import os
import socket
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

from setset import __version__
from setset.engine.compilation import node_folder, warm
from setset.executors.dask.transfer import sweep_holds
from setset.folder import owner


@dataclass(frozen=True)
class Premises:
    """What must hold on a worker: this version, and these storage roots, as the worker names them."""

    workspace_id: str
    version: str
    roots: tuple[str, ...]
    trial: str
    """The folder, below the first root, in which the worker shows that it can write. One that the run makes
    anyway, and in which the sweep finds what a killed worker left."""


@dataclass(frozen=True)
class Answer:
    host: str
    pid: int
    problem: str | None


def prove(premises: Premises) -> Answer:
    """Whether this process can work: the same version, the roots in reach, the kernels warm."""
    problem = _wrong_version(premises) or _out_of_reach(premises)
    if problem is None:
        sweep_holds()
        if "numba" not in sys.modules:
            os.environ.setdefault("NUMBA_CACHE_DIR", str(node_folder()))
        warm()
    return Answer(socket.gethostname(), os.getpid(), problem)


def _wrong_version(premises: Premises) -> str | None:
    if __version__ == premises.version:
        return None
    return f"has setset {__version__}, the coordinator {premises.version}: install the same version"


def _out_of_reach(premises: Premises) -> str | None:
    for root in premises.roots:
        found = owner(Path(root))
        if found is None:
            return f"cannot see the storage root {root}: mount it there, or see --map and --ship"
        if found != premises.workspace_id:
            return f"sees another workspace's files at {root}: mount the right folder there, or see --map"
    for root in premises.roots[:1]:
        name = f".trial.setset.{socket.gethostname()}.{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp"
        trial = Path(root) / premises.trial / name
        try:
            trial.parent.mkdir(parents=True, exist_ok=True)
            trial.write_bytes(b"setset")
            trial.unlink()
        except OSError as error:
            return f"cannot write to the storage root {root}: {error.strerror}"
    return None

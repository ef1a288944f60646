"""How workers on other machines get at the batch files: by a path of their own, or by bytes sent to and fro.

Each worker shows that it can work before its first task. Workers import this module before numba, which must hear first
where its cache is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from setset import __version__, durable
from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.records import SUFFIX
from setset.batches.roots import claim_root, root_owner
from setset.compiler import node_folder
from setset.engine.compilation import prepare_kernels
from setset.errors import BadInput, NoSpace, SetsetError
from setset.executors.base import Requirements, WorkerFailed
from setset.executors.build import build_digest
from setset.platform import is_absolute_anywhere, lock_for_handle
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, CountTask, Task, TaskResult

TEMPORARY_FOLDER = "setset-ship-"
TRIAL_BYTES = 1 << 18
"""Bytes that a worker writes in its check: a full disk may have room for a few."""
OTHER_BUILD = f"has another build of setset {__version__}: install the coordinator's, then start the worker again"


@dataclass(frozen=True)
class FileAccess:
    """View of a worker on the storage: the coordinator's paths with some beginnings replaced, or nothing."""

    maps: tuple[tuple[str, str], ...] = ()
    ship: bool = False

    @classmethod
    def parse(cls, maps: Iterable[str], ship: bool) -> FileAccess:
        """From the command line: each map is COORDINATOR_PATH=WORKER_PATH."""
        pairs = []
        for text in maps:
            here, equals, there = text.partition("=")
            if not equals or not here or not is_absolute_anywhere(there):
                raise BadInput(f"--map {text}: expected HERE=THERE with an absolute path THERE, as in /mnt/nas=/data")
            pairs.append((os.path.abspath(here), there.rstrip("/") or "/"))  # noqa: PTH100 (keeps symlinks)
        if pairs and ship:
            raise BadInput("--map cannot be combined with --ship: shipped files need no path")
        return cls(tuple(pairs), ship)

    def __call__(self, path: str) -> str:
        """The worker's name for a path of the coordinator: absolute, since their working folders differ."""
        whole = Path(os.path.abspath(path))  # noqa: PTH100
        fitting = [pair for pair in self.maps if whole.is_relative_to(pair[0])]
        if not fitting:
            return str(whole)
        here, there = max(fitting, key=lambda pair: len(pair[0]))
        return str(Path(there) / whole.relative_to(here))


def inspect_worker(requirements: Requirements) -> str:
    """The reason why this process cannot work: another version or build, roots out of reach, a full disk. Empty if it
    can work."""
    problem = _wrong_version(requirements) or _unreachable_root(requirements) or _unwritable_folder(requirements)
    if not problem:
        remove_abandoned_folders()
        if "numba" not in sys.modules:
            os.environ.setdefault("NUMBA_CACHE_DIR", str(node_folder()))
        prepare_kernels()
    return problem


def _wrong_version(requirements: Requirements) -> str:
    if __version__ != requirements.version:
        return f"has setset {__version__}, the coordinator {requirements.version}: install the same version"
    return "" if build_digest() == requirements.build else OTHER_BUILD


def _unreachable_root(requirements: Requirements) -> str:
    for root in requirements.roots:
        found = root_owner(Path(root))
        if found is None:
            return f"cannot see the storage root {root}: mount it there, or see --map and --ship"
        if found != requirements.workspace_id:
            return f"sees another workspace's files at {root}: mount the right folder there, or see --map"
    return ""


def _unwritable_folder(requirements: Requirements) -> str:
    """Writes as many bytes as a batch file has where new files go, which is a temporary folder with --ship."""
    root = requirements.roots[0] if requirements.roots else tempfile.gettempdir()
    folder = Path(root) / requirements.trial_folder if requirements.roots else Path(root)
    trial = folder / durable.temporary_name("trial.setset")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with trial.open("wb") as file:
                file.write(bytes(TRIAL_BYTES))
                file.flush()
                os.fsync(file.fileno())
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        kind = "the storage root" if requirements.roots else "its temporary folder"
        return f"cannot write to {kind} {root}: {error.strerror}"
    return ""


class UnreadableSource(SetsetError):
    """A worker cannot read a source batch. Only the coordinator's own look at the file decides about the file."""


def execute_here(function: Callable[[Task], TaskResult], task: Task) -> TaskResult:
    """On a worker: executes a task, and tells a source that it cannot read from one with altered lists."""
    try:
        return function(task)
    except BadSource as error:
        if isinstance(error.__cause__, BadBatch):
            raise UnreadableSource(error.reason) from error
        raise


def find_bad_source(task: Task) -> BadSource | None:
    """On the coordinator: the source of a task that is missing or damaged; None if all are as recorded."""
    for source in task.sources:
        try:
            files.verify(Path(source.path), source.digest)
        except BadBatch as error:
            return BadSource(source.size, source.number, str(error))
    return None


def pack(task: Task) -> list[bytes]:
    """Reads a task's sources on the coordinator. The worker verifies them against their digests."""
    contents = []
    for source in task.sources:
        try:
            contents.append(files.read(Path(source.path)))
        except BadBatch as error:
            raise BadSource(source.size, source.number, str(error)) from error
    return contents


def execute_shipment(task: Task, contents: Sequence[bytes]) -> tuple[TaskResult, list[bytes]]:
    """On a worker: executes a task in a temporary folder of the node, away from any storage root.

    Takes the bytes of the task's sources, and returns the bytes of the batches beside the result.
    """
    with _temporary_folder() as folder:
        root = folder / "root"
        places = {}
        try:
            if not isinstance(task, CountTask):
                claim_root(root, task.destination.owner)
                places[task.destination.root] = str(root)
            for number, (source, content) in enumerate(zip(task.sources, contents, strict=True)):
                place = folder / f"{number}{SUFFIX}"
                durable.save(place, content)
                places[source.path] = str(place)
            result = execute_here(execute, task.relocated(places.__getitem__))
        except NoSpace as error:
            # Not the coordinator's disk, which is what NoSpace would stop the run for.
            raise WorkerFailed(f"on {socket.gethostname()}: {error}") from error
        return result, [files.read(root / batch.name) for batch in result.batches]


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A temporary folder of the node, locked for as long as somebody works in it."""
    with (
        tempfile.TemporaryDirectory(prefix=TEMPORARY_FOLDER, ignore_cleanup_errors=True) as folder,
        (Path(folder) / "lock").open("a+b") as lock,
    ):
        lock_for_handle(lock, wait=True)
        yield Path(folder)


def remove_abandoned_folders() -> None:
    """Removes the temporary folders of workers that were killed on this node."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_FOLDER}*"):
        with contextlib.suppress(OSError), (folder / "lock").open("r+b") as lock:
            if lock_for_handle(lock, wait=False):
                shutil.rmtree(folder, ignore_errors=True)


def unpack(task: Task, result: TaskResult, contents: Sequence[bytes]) -> TaskResult:
    """On the coordinator: verifies the batches that came back and puts them in their place; returns the result."""
    if not isinstance(task, CountTask):
        for batch, content in zip(result.batches, contents, strict=True):
            if files.describe(content) != batch:
                raise SetsetError(f"{batch.name} from {result.host} is not what its result says")
            files.save_batch(content, Path(task.destination.root), task.destination.owner)
    return result

"""Gives remote workers access to batch files: by paths of the worker (--map), or as bytes over the network (--ship).

Also checks a worker before its first task. This module does not import numba, because the check sets the path of
numba's cache folder, and numba reads this path only when it is imported.
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
from setset.batches.ownership import claim_root, root_owner
from setset.batches.records import SUFFIX
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
"""Number of bytes that a worker writes to the disk in its check. Fewer bytes may fit even on a full disk."""
OTHER_BUILD = (
    f"has another build of setset: install the coordinator's build of {__version__}, then start the worker again"
)


@dataclass(frozen=True)
class FileAccess:
    """How workers access batch files: by the coordinator's paths, in which the prefixes in `maps` are replaced. With
    `ship`, workers need no paths, because the bytes of the files travel over the network."""

    maps: tuple[tuple[str, str, str], ...] = ()
    """Replacements of prefixes: host (empty for all hosts), prefix of paths on the coordinator, prefix on the
    worker."""
    ship: bool = False

    @classmethod
    def parse(cls, maps: Iterable[str], ship: bool) -> FileAccess:
        """Parses values of --map: COORDINATOR_PATH=WORKER_PATH, or HOST:COORDINATOR_PATH=WORKER_PATH."""
        parsed = []
        for text in maps:
            own_path, equals, worker_path = text.partition("=")
            if not equals or not own_path or not is_absolute_anywhere(worker_path):
                raise BadInput(f"--map {text}: expected HERE=THERE with an absolute path THERE, as in /mnt/nas=/data")
            host, colon, rest = own_path.partition(":")
            if not colon or len(host) < 2 or "/" in host:  # a Windows drive has one letter
                host, rest = "", own_path
            parsed.append((host, os.path.abspath(rest), worker_path.rstrip("/") or "/"))  # noqa: PTH100 (keeps symlinks)
        if parsed and ship:
            raise BadInput("--map cannot be combined with --ship: with --ship workers need no paths")
        return cls(tuple(parsed), ship)

    def __call__(self, path: str, host: str) -> str:
        """Translates a path of the coordinator to a path on a host. The result is absolute, because the working folders
        of the two machines differ."""
        whole = Path(os.path.abspath(path))  # noqa: PTH100
        fitting = [entry for entry in self.maps if entry[0] in ("", host) and whole.is_relative_to(entry[1])]
        if not fitting:
            return str(whole)
        _, own_path, worker_path = max(fitting, key=lambda entry: (bool(entry[0]), len(entry[1])))
        return str(Path(worker_path) / whole.relative_to(own_path))


def inspect_worker(requirements: Requirements) -> str:
    """Runs on a worker: checks version, build, storage roots and disk, and loads the kernels. Returns the reason why
    the worker cannot work; empty if it can."""
    problem = _wrong_version(requirements) or _unreachable_root(requirements) or _unwritable_folder(requirements)
    if not problem:
        remove_abandoned_folders()
        if "numba" not in sys.modules:
            os.environ.setdefault("NUMBA_CACHE_DIR", str(node_folder()))
        prepare_kernels()
    return problem


def _wrong_version(requirements: Requirements) -> str:
    if __version__ != requirements.version:
        return f"has setset {__version__}, but the coordinator has {requirements.version}: install the same version"
    return "" if build_digest() == requirements.build else OTHER_BUILD


def _unreachable_root(requirements: Requirements) -> str:
    for root in requirements.roots:
        owner = root_owner(Path(root))
        if owner is None:
            return f"cannot see the storage root {root}: mount it there, or see --map and --ship"
        if owner != requirements.workspace_id:
            return f"sees another workspace's files at {root}: mount the right folder there, or see --map"
    return ""


def _unwritable_folder(requirements: Requirements) -> str:
    """Tests that the worker can write to the folder of new files (with --ship a temporary folder). Returns the problem;
    empty if there is none."""
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
    """A worker cannot read a source batch. The coordinator then reads the file to find out whether it is damaged."""


def execute_here(function: Callable[[Task], TaskResult], task: Task) -> TaskResult:
    """Runs on a worker: executes a task. Raises UnreadableSource if the file of a source is missing, unreadable or
    damaged. Raises BadSource if the lists in the file contradict its header."""
    try:
        return function(task)
    except BadSource as error:
        if isinstance(error.__cause__, BadBatch):
            raise UnreadableSource(error.reason) from error
        raise


def find_bad_source(task: Task) -> BadSource | None:
    """Runs on the coordinator: reads the sources of a task. Returns the error for the first missing or damaged source;
    None if all sources are sound."""
    for source in task.sources:
        try:
            files.verify(Path(source.path), source.digest)
        except BadBatch as error:
            return BadSource(source.size, source.number, str(error))
    return None


def pack(task: Task) -> list[bytes]:
    """Runs on the coordinator: reads the source files of a task, to send their bytes to a worker. The worker verifies
    the digests."""
    contents = []
    for source in task.sources:
        try:
            contents.append(files.read(Path(source.path)))
        except BadBatch as error:
            raise BadSource(source.size, source.number, str(error)) from error
    return contents


def execute_shipment(task: Task, contents: Sequence[bytes]) -> tuple[TaskResult, list[bytes]]:
    """Runs on a worker: executes a task in a temporary folder of its machine, without access to a storage root.

    `contents` are the bytes of the task's sources. Returns the result, and the bytes of the new batches.
    """
    with _temporary_folder() as folder:
        root = folder / "root"
        path_of = {}
        try:
            if not isinstance(task, CountTask):
                claim_root(root, task.destination.owner)
                path_of[task.destination.root] = str(root)
            for number, (source, content) in enumerate(zip(task.sources, contents, strict=True)):
                path = folder / f"{number}{SUFFIX}"
                durable.save(path, content)
                path_of[source.path] = str(path)
            result = execute_here(execute, task.relocated(path_of.__getitem__))
        except NoSpace as error:
            # Only the disk of this worker is full. NoSpace would end the whole run.
            raise WorkerFailed(f"on {socket.gethostname()}: {error}") from error
        return result, [files.read(root / batch.name) for batch in result.batches]


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Makes a temporary folder on this machine. During the block the folder is locked, so that no other worker removes
    it."""
    with (
        tempfile.TemporaryDirectory(prefix=TEMPORARY_FOLDER, ignore_cleanup_errors=True) as folder,
        (Path(folder) / "lock").open("a+b") as lock,
    ):
        lock_for_handle(lock, wait=True)
        yield Path(folder)


def remove_abandoned_folders() -> None:
    """Removes temporary folders of killed workers on this machine: folders that no process has locked."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_FOLDER}*"):
        with contextlib.suppress(OSError):
            with (folder / "lock").open("r+b") as lock:
                is_abandoned = lock_for_handle(lock, wait=False)
            if is_abandoned:  # the lock file is closed by now, since Windows removes no open files
                shutil.rmtree(folder, ignore_errors=True)


def unpack(task: Task, result: TaskResult, contents: Sequence[bytes]) -> TaskResult:
    """Runs on the coordinator: verifies the batches that a worker sent, and saves their files. Returns the result."""
    if not isinstance(task, CountTask):
        for batch, content in zip(result.batches, contents, strict=True):
            if files.describe(content) != batch:
                raise SetsetError(f"{batch.name} from {result.host} arrived with other bytes than the worker recorded")
            files.save_batch(content, Path(task.destination.root), task.destination.owner)
    return result

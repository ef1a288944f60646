"""How workers on other machines get at the batch files: by a path of their own, or by bytes sent to and fro."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from setset import durable
from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.records import SUFFIX
from setset.batches.roots import claim_root
from setset.errors import BadInput, NoSpace, SetsetError
from setset.platform import is_absolute_anywhere, lock_for_handle
from setset.tasks.execute import execute
from setset.tasks.kinds import BadSource, CountTask, Task, TaskResult

TEMPORARY_FOLDER = "setset-ship-"


@dataclass(frozen=True)
class FileAccess:
    """What a worker sees of the storage: the coordinator's paths with some beginnings replaced, or nothing."""

    maps: tuple[tuple[str, str], ...] = ()
    ship: bool = False

    @classmethod
    def parse(cls, maps: Iterable[str], ship: bool) -> FileAccess:
        """From the command line: each map is COORDINATOR_PATH=WORKER_PATH."""
        pairs = []
        for text in maps:
            here, equals, there = text.partition("=")
            if not equals or not here or not is_absolute_anywhere(there):
                raise BadInput(
                    f"--map {text}: expected HERE=THERE with an absolute path THERE, as in /mnt/nas=/data"
                )
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


@dataclass(frozen=True)
class Shipment:
    """A task with its sources' bytes, by path."""

    task: Task
    contents: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class Delivery:
    """A result with the bytes of its batches."""

    result: TaskResult
    contents: tuple[bytes, ...]


def pack(task: Task) -> Shipment:
    """Reads a task's sources on the coordinator. The worker verifies them against their digests."""
    contents = []
    for source in task.sources:
        try:
            contents.append((source.path, files.read(Path(source.path))))
        except BadBatch as error:
            raise BadSource(source.size, source.number, str(error)) from error
    return Shipment(task, tuple(contents))


def execute_shipment(shipment: Shipment) -> Delivery:
    """On a worker: executes a task in a temporary folder of the node, away from any storage root."""
    with _temporary_folder() as folder:
        root = folder / "root"
        places = {}
        try:
            if not isinstance(shipment.task, CountTask):
                destination = shipment.task.destination
                claim_root(root, destination.owner)
                places[destination.root] = str(root)
            for number, (path, content) in enumerate(shipment.contents):
                place = folder / f"{number}{SUFFIX}"
                durable.save(place, content)
                places[path] = str(place)
            result = execute(shipment.task.relocated(places.__getitem__))
        except NoSpace as error:
            # Not the coordinator's disk, which is what NoSpace would stop the run for.
            raise SetsetError(f"on {socket.gethostname()}: {error}") from error
        return Delivery(result, tuple(files.read(root / batch.path) for batch in result.batches))


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


def unpack(task: Task, delivery: Delivery) -> TaskResult:
    """On the coordinator: verifies what came back and puts it in its place; returns the result."""
    if isinstance(task, CountTask):
        return delivery.result
    destination = task.destination
    for batch, content in zip(delivery.result.batches, delivery.contents, strict=True):
        if files.describe(content) != batch:
            raise SetsetError(f"{batch.path} from {delivery.result.host} is not what its result says")
        files.save_batch(content, Path(destination.root), destination.owner)
    return delivery.result

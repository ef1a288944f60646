"""How workers on other machines get at the batch files: by a path of their own, or by bytes sent to and fro."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from setset.batches import files
from setset.batches.filing import describe, save_batch
from setset.batches.format import BadBatch
from setset.errors import BadInput, NoSpace, SetsetError
from setset.folder import claim_root
from setset.tasks.execute import carry_out
from setset.tasks.kinds import (
    BadSource,
    CountOrder,
    ExpandOrder,
    MergeOrder,
    Order,
    RemakeOrder,
    Report,
    Source,
)

HOLD = "setset-ship-"


@dataclass(frozen=True)
class Reach:
    """What a worker sees of the storage: the coordinator's paths with some beginnings replaced, or nothing."""

    maps: tuple[tuple[str, str], ...] = ()
    ship: bool = False

    @classmethod
    def parse(cls, maps: Iterable[str], ship: bool) -> Reach:
        """From the command line: each map is COORDINATOR_PATH=WORKER_PATH."""
        pairs = []
        for text in maps:
            here, equals, there = text.partition("=")
            if not equals or not here or not there.startswith("/"):
                raise BadInput(
                    f"--map {text}: give the coordinator's path = the worker's absolute path, as in /mnt/nas=/data"
                )
            pairs.append((os.path.abspath(here), there.rstrip("/") or "/"))  # noqa: PTH100 (keeps symlinks)
        if pairs and ship:
            raise BadInput("--map and --ship do not go together: shipped files need no path")
        return cls(tuple(pairs), ship)

    def __call__(self, path: str) -> str:
        """The worker's name for a path of the coordinator: absolute, since their working folders differ."""
        whole = Path(os.path.abspath(path))  # noqa: PTH100
        fitting = [pair for pair in self.maps if whole.is_relative_to(pair[0])]
        if not fitting:
            return str(whole)
        here, there = max(fitting, key=lambda pair: len(pair[0]))
        return str(Path(there) / whole.relative_to(here))


def relocated(order: Order, place: Callable[[str], str]) -> Order:
    """The same order with every path replaced."""

    def moved(source: Source) -> Source:
        return replace(source, path=place(source.path))

    match order:
        case ExpandOrder():
            source = None if order.source is None else moved(order.source)
            return replace(order, source=source, root=place(order.root))
        case CountOrder():
            return replace(order, source=moved(order.source))
        case MergeOrder():
            return replace(order, parts=tuple(map(moved, order.parts)), root=place(order.root))
        case RemakeOrder():
            expansions = (relocated(expansion, place) for expansion in order.expansions)
            return replace(order, expansions=tuple(e for e in expansions if isinstance(e, ExpandOrder)))


def _sources(order: Order) -> Iterator[Source]:
    match order:
        case ExpandOrder():
            if order.source is not None:
                yield order.source
        case CountOrder():
            yield order.source
        case MergeOrder():
            yield from order.parts
        case RemakeOrder():
            for expansion in order.expansions:
                yield from _sources(expansion)


def _root(order: Order) -> str:
    match order:
        case RemakeOrder():
            return order.expansions[0].root
        case CountOrder():
            return ""
        case _:
            return order.root


@dataclass(frozen=True)
class Shipment:
    """An order with its sources' bytes, by path."""

    order: Order
    contents: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class Delivery:
    """A report with the bytes of its batches."""

    report: Report
    contents: tuple[bytes, ...]


def pack(order: Order) -> Shipment:
    """Reads an order's sources on the coordinator. The worker verifies them against their digests."""
    contents = []
    for source in _sources(order):
        try:
            contents.append((source.path, files.read(Path(source.path))))
        except BadBatch as error:
            raise BadSource(source.size, source.number, str(error)) from error
    return Shipment(order, tuple(contents))


def carry_out_shipped(shipment: Shipment) -> Delivery:
    """On a worker: carries out an order in a temporary folder of the node, away from any storage root."""
    with _hold() as hold:
        root = hold / "root"
        claim_root(root, "shipped")
        places = {_root(shipment.order): str(root)}
        try:
            for number, (path, content) in enumerate(shipment.contents):
                place = hold / f"{number}{files.SUFFIX}"
                files.save(place, content)
                places[path] = str(place)
            report = carry_out(relocated(shipment.order, places.__getitem__))
        except NoSpace as error:
            # Not the coordinator's disk, which is what NoSpace would stop the run for.
            raise SetsetError(f"on {socket.gethostname()}: {error}") from error
        return Delivery(report, tuple(files.read(root / batch.path) for batch in report.batches))


@contextlib.contextmanager
def _hold() -> Iterator[Path]:
    """A temporary folder of the node, locked for as long as somebody works in it."""
    with tempfile.TemporaryDirectory(prefix=HOLD) as folder, (Path(folder) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield Path(folder)


def sweep_holds() -> None:
    """Removes the temporary folders of workers that were killed on this node."""
    for folder in Path(tempfile.gettempdir()).glob(f"{HOLD}*"):
        with contextlib.suppress(OSError), (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


def unpack(order: Order, delivery: Delivery) -> Report:
    """On the coordinator: verifies what came back and puts it in its place; returns the report."""
    for batch, content in zip(delivery.report.batches, delivery.contents, strict=True):
        if describe(content) != batch:
            raise SetsetError(f"{batch.path} from {delivery.report.host} is not what its report says")
        save_batch(content, _root(order))
    return delivery.report

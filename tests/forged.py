"""Forged batch files: decoded, changed and encoded again with a right checksum, by somebody who knows the format.

The row of the file is left as it is, or adjusted too: digest, bytes, lists, ends and the checksum of the row. Or the
rows of the expansions that made the file and that start from it are adjusted as well. If the row was left, every answer
is right or an error. If rows were adjusted, an answer may also be wrong as long as `check` or `check --deep` finds it.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.format import BadBatch, Header
from setset.batches.records import BatchFile, Span
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError
from setset.folder import WorkspaceFolder
from tests import small
from tests.mutations import EXTREMES, FIELDS, limited

TARGET = 20
CUTS = {3: 6_000, 4: 60_000}
"""Lists in a full file of each size: some seven and ten files."""
Numbers = dict[int, object]
"""By size: an answer of setset."""


@dataclass(frozen=True)
class Content:
    """A batch file before it is encoded."""

    streams: Streams
    target: int
    batch_lists: int
    span: Span
    ends: tuple[tuple[int, ...], tuple[int, ...]]
    source_digest: bytes
    pruned: bool

    @staticmethod
    def read(path: Path) -> Content:
        header, streams = files.load(path)
        return Content.of(header, streams)

    @staticmethod
    def of(header: Header, streams: Streams) -> Content:
        ends = header.first, header.last
        return Content(
            streams, header.target, header.batch_lists, header.span, ends, header.source_digest, header.pruned
        )

    @property
    def lists(self) -> np.ndarray[Any, Any]:
        return np.concatenate([rows.copy() for rows in search.unpack(self.streams)])

    def holding(self, lists: np.ndarray[Any, Any]) -> Content:
        """The same with other lists, whose first and last it names."""
        streams = next(search.pack([lists], self.streams.size, len(lists), self.streams.tail))
        return replace(self, streams=streams, ends=search.first_and_last(streams))

    def encode(self) -> bytes:
        return batch_format.encode(
            self.streams, self.target, self.batch_lists, self.span, self.ends, self.source_digest, self.pruned
        )


Forgery = Callable[[Content, Content, Random], Content | bytes]
"""Makes of a file, with the help of another one of its size, a file that is not the right one."""


def remove_lists(content: Content, _other: Content, random: Random) -> Content:
    """Some lists are missing, at the beginning, in the middle or at the end."""
    lists = content.lists
    count = random.choice((1, 1, 2, 100))
    start = random.choice((0, len(lists) - count, random.randrange(len(lists) - count)))
    return content.holding(np.delete(lists, slice(start, start + count), axis=0))


def add_list(content: Content, other: Content, random: Random) -> Content:
    """A list of another file is there too, in its place in the order."""
    extra = other.lists[random.choice((0, -1, random.randrange(other.streams.lists)))]
    return content.holding(np.unique(np.vstack([content.lists, extra]), axis=0))


def change_list(content: Content, _other: Content, random: Random) -> Content:
    """One list has another last card, perhaps one with which it is not kept, or holds a set."""
    lists = content.lists
    index = random.randrange(len(lists))
    lists[index, -1] = random.randrange(int(lists[index, -2]) + 1, 81)
    return content.holding(np.unique(lists, axis=0))


def other_streams(content: Content, other: Content, random: Random) -> Content:
    """Takes the bits of another file, with the ends of either file."""
    ends = random.choice((content.ends, other.ends))
    return replace(content, streams=other.streams, ends=ends)


def other_ends(content: Content, other: Content, random: Random) -> Content:
    """The header names another first or last list."""
    lists = content.lists
    cards = tuple(map(int, random.choice((other.lists[0], lists[random.randrange(len(lists))]))))
    return replace(content, ends=random.choice(((cards, content.ends[1]), (content.ends[0], cards), (cards, cards))))


def other_span(content: Content, other: Content, random: Random) -> Content:
    """The header names another source or part."""
    span = content.span
    return replace(
        content,
        span=random.choice(
            (
                other.span,
                replace(span, ends_source=not span.ends_source),
                replace(span, last_part=span.last_part + 1),
                replace(span, last_source=span.last_source + 1),
                replace(span, first_source=span.first_source + 1, last_source=span.last_source + 1),
                replace(span, first_part=span.first_part + 1, last_part=span.last_part + 1),
            )
        ),
    )


def other_rule(content: Content, _other: Content, random: Random) -> Content:
    """The header names another target, another cut, another source digest or the other rule."""
    changes: dict[str, Any] = {
        "target": random.choice([target for target in range(4, 21) if target != content.target]),
        "pruned": not content.pruned,
        "batch_lists": content.batch_lists + random.choice((1, 1000)),
        "source_digest": random.randbytes(16),
    }
    name = random.choice(list(changes))
    return replace(content, **{name: changes[name]})


def other_number(content: Content, _other: Content, random: Random) -> bytes:
    """A number of the header is off by a little or by far, above all the number of lists."""
    data = bytearray(content.encode())
    form, _, offset = random.choice(("<Q:16", *FIELDS)).partition(":")
    largest = (1 << (8 * struct.calcsize(form))) - 1
    (before,) = struct.unpack_from(form, data, int(offset))
    number = random.choice((before + 1, before - 1, before + 64, *EXTREMES))
    struct.pack_into(form, data, int(offset), min(max(number, 0), largest))
    data[-batch_format.DIGEST_BYTES :] = batch_format.digest_of(bytes(data[: -batch_format.DIGEST_BYTES]))
    return bytes(data)


FORGERIES: tuple[Forgery, ...] = (
    *(remove_lists, add_list, change_list, other_streams, other_ends, other_span, other_rule, other_number),
)
ROWS = ("left", "adjusted", "consistent")
"""The row is as it was, fits the file, or fits it together with the rows of the expansions."""


class Forger:
    """Two sound workspaces, in which one file is forged at a time: one with size 3, one with sizes 3 and 4."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known = self._explore(path / "whole", 5)
        self._kept = {}
        for largest in (3, 4):
            self._explore(path / "kept" / str(largest), largest)
            self._kept[largest] = path / "kept" / str(largest)

    def _explore(self, path: Path, largest: int) -> dict[int, tuple[int, str | None]]:
        """Explores up to a size, files up to size 4. Returns lists by size, and the digest of stored sizes."""
        for size in range(3, largest + 1):
            _run(path, size)
        with setset.open(path) as workspace:
            digests = {size.size: _digest(size) for size in workspace.exploration(TARGET)}
            return {count.size: (count.lists, digests.get(count.size)) for count in workspace.counts()}

    def try_one(
        self, random: Random, forgeries: tuple[Forgery, ...] = FORGERIES, rows: str | None = None
    ) -> tuple[str, str]:
        """Forges a file and asks everything; the name of the forgery, and what came of it."""
        largest, rows = random.choice((3, 3, 4)), rows or random.choice(ROWS)
        workspace = self._path / "w"
        shutil.rmtree(workspace, ignore_errors=True)
        shutil.copytree(self._kept[largest], workspace)
        size = random.randint(3, largest)
        path, other = random.sample(sorted(workspace.glob(f"batches/t{TARGET}/s{size:02d}/*.setset")), 2)
        before = path.read_bytes()
        while True:
            forgery = random.choice(forgeries)
            try:
                content = forgery(Content.read(path), Content.read(other), random)
                data = content if isinstance(content, bytes) else content.encode()
            except SetsetError:
                continue  # such lists cannot be encoded
            if data != before:
                break
        path.write_bytes(data)
        if rows != "left" and not _adjust(workspace, path, before, data, rows == "consistent"):
            rows = "left"
        try:
            with limited():
                outcome = self._ask(workspace, largest, rows)
        except Exception as error:
            outcome = f"crash: {type(error).__name__}: {error}"
        return f"{forgery.__name__} {rows}", outcome

    def _ask(self, workspace: Path, largest: int, rows: str) -> str:
        """Asks for everything, runs to the next size and asks again."""
        errors, wrong, findings = list[str](), list[str](), list[str]()

        def attempt(name: str, ask: Callable[[], Iterator[str]]) -> None:
            try:
                wrong.extend(f"{name}: {answer}" for answer in ask())
            except SetsetError as error:
                errors.append(f"{name}: {error}")

        for moment in ("before", "after"):
            attempt(f"counts {moment}", lambda: self._wrong_counts(workspace))
            attempt(f"status {moment}", lambda: self._wrong_status(workspace))
            attempt(f"lists {moment}", lambda: self._wrong_lists(workspace))
            try:
                findings += [str(finding) for finding in small.findings(WorkspaceFolder(workspace))]
                if moment == "before":
                    _run(workspace, largest + 1)
            except SetsetError as error:
                errors.append(f"check or run: {error}")
        if wrong and rows == "left":
            return f"silent: {wrong[0]}"
        if errors or findings:
            return "noticed"
        try:
            noticed = bool(small.findings(WorkspaceFolder(workspace), deep=True))
        except SetsetError:
            noticed = True
        return "found by check --deep" if noticed else f"silent: {wrong[0]}" if wrong else "harmless"

    def _wrong_counts(self, path: Path) -> Iterator[str]:
        with setset.open(path) as workspace:
            for count in workspace.counts():
                if count.complete and (count.target, count.lists) != (TARGET, self.known[count.size][0]):
                    yield f"size {count.size} of target {count.target} has {count.lists}"

    def _wrong_status(self, path: Path) -> Iterator[str]:
        with setset.open(path) as workspace:
            for size in workspace.status().sizes:
                if size.state in ("complete", "defective") and size.lists != self.known[size.size][0]:
                    yield f"size {size.size} is complete with {size.lists}"

    def _wrong_lists(self, path: Path) -> Iterator[str]:
        with setset.open(path) as workspace:
            for size in workspace.exploration(TARGET):
                if size.complete and _digest(size) != self.known[size.size][1]:
                    yield f"size {size.size} has other lists"


def _run(path: Path, size: int) -> None:
    """Runs to a size; size 5 is only counted."""
    small.build(
        path, size, target=TARGET, batch_lists=CUTS.get(size), count_only=size not in CUTS, executor=ThreadPoolExecutor
    )


def _digest(size: setset.Size) -> str:
    digest = hashlib.blake2b()
    for rows in size.arrays():
        digest.update(rows.tobytes())
    return digest.hexdigest()


def _adjust(workspace: Path, path: Path, before: bytes, data: bytes, consistent: bool) -> bool:
    """Makes rows fit a forged file, with right checksums; False if no row can fit it."""
    try:
        old, new = files.describe(before), files.describe(data)
    except BadBatch:
        return False
    size = int(path.parent.name[1:])
    statements = [_batch_row(path, new)]
    if consistent:
        added, condition = new.lists - old.lists, f"size > {size} AND source_size = {size}"
        number = f"(SELECT number FROM batches WHERE digest = '{new.digest}')"
        statements += [
            f"UPDATE expansions SET lists_out = lists_out + {added}, bytes_out = bytes_out + {new.bytes - old.bytes} "
            f"WHERE work = 'store' AND size = {size} AND source = {old.span.first_source}",
            f"UPDATE expansions SET lists_in = {new.lists}, source_digest = "
            f"iif(source_digest IS NULL, NULL, '{new.digest}') WHERE {condition} AND source = {number}",
        ]
    try:
        with closing(sqlite3.connect(workspace / "setset.db")) as connection, connection:
            for statement in statements:
                connection.execute(statement)
    except sqlite3.IntegrityError:
        return False
    small.accept_rows(workspace)
    return True


def _batch_row(path: Path, file: BatchFile) -> str:
    """The statement that makes the row of a batch fit its file."""
    first, last = (" ".join(map(str, cards)) for cards in (file.first, file.last))
    span = ", ".join(f"{name} = {int(getattr(file.span, name))}" for name in Span.__dataclass_fields__)
    name = path.relative_to(path.parents[2]).as_posix()
    return (
        f"UPDATE batches SET lists = {file.lists}, bytes = {file.bytes}, digest = '{file.digest}', "
        f"source_digest = '{file.source_digest}', first_list = '{first}', last_list = '{last}', {span} "
        f"WHERE path = '{name}'"
    )

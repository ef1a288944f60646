"""Altered batch files and databases: each is noticed, or harmless; none crashes, hangs or takes much memory."""

from __future__ import annotations

import signal
import sqlite3
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Protocol

import setset
from setset.batches import files
from setset.batches import format as batch_format
from setset.engine import search
from setset.errors import SetsetError
from tests import small

TARGET, SIZE, BATCH_LISTS = 18, 4, 100_000
SECONDS, MEGABYTES = 20, 500
"""Limits for one altered file."""
PAGE = 4096
EXTREMES = (0, 1, 2, 3, 20, 21, 127, 128, 255, 1 << 15, (1 << 16) - 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
EXTREMES = (*EXTREMES, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
FIELDS = ("<H:8", "<B:10", "<B:11", "<B:12", *(f"<Q:{offset}" for offset in (16, 24, 32, 40, 56)), "<I:48", "<I:52")
"""The numbers in the header of a batch file: format and offset."""

Mutation = Callable[[bytearray, Random], None]


def flip_bits(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def truncate(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data)) :]


def splice(data: bytearray, random: Random) -> None:
    """Some bytes stand in another place."""
    length = random.choice((1, 8, 64, 512, 4096))
    source, target = (random.randrange(max(1, len(data) - length)) for _ in range(2))
    data[target : target + length] = data[source : source + length]


def set_field(data: bytearray, random: Random) -> None:
    """A number of the header is extreme, and the checksum right again."""
    form, _, offset = random.choice((*FIELDS, *(f"<Q:{batch_format.HEAD_BYTES + 8 * i}" for i in range(3)))).partition(
        ":"
    )
    largest = (1 << (8 * struct.calcsize(form))) - 1
    struct.pack_into(form, data, int(offset), min(random.choice(EXTREMES), largest))
    seal(data, random)


def flip_and_seal(data: bytearray, random: Random) -> None:
    flip_bits(data, random)
    seal(data, random)


def seal(data: bytearray, _random: Random) -> None:
    data[-batch_format.DIGEST_BYTES :] = batch_format.digest_of(bytes(data[: -batch_format.DIGEST_BYTES]))


def swap_pages(data: bytearray, random: Random) -> None:
    first, second = (PAGE * page for page in random.sample(range(len(data) // PAGE), 2))
    data[first : first + PAGE], data[second : second + PAGE] = data[second : second + PAGE], data[first : first + PAGE]


def copy_page(data: bytearray, random: Random) -> None:
    target, source = (PAGE * page for page in random.sample(range(len(data) // PAGE), 2))
    data[target : target + PAGE] = data[source : source + PAGE]


def clear_page(data: bytearray, random: Random) -> None:
    page = PAGE * random.randrange(len(data) // PAGE)
    data[page : page + PAGE] = bytes(PAGE)


def truncate_pages(data: bytearray, random: Random) -> None:
    del data[PAGE * random.randrange(len(data) // PAGE) :]


def flip_in_header(data: bytearray, random: Random) -> None:
    """In the first 100 bytes, or in the header of a page."""
    page = random.choice((0, PAGE * random.randrange(len(data) // PAGE)))
    data[page + random.randrange(100 if page == 0 else 12)] ^= 1 << random.randrange(8)


def vanish(database: sqlite3.Connection, table: str, random: Random) -> None:
    """Some rows are gone."""
    keys = random.sample(_keys(database, table), 1) if random.random() < 0.7 else _keys(database, table)
    for key in keys:
        database.execute(f"DELETE FROM {table} WHERE {_is(key)}", tuple(key.values()))


def double(database: sqlite3.Connection, table: str, random: Random) -> None:
    """A row is there twice, with another key."""
    key = random.choice(_keys(database, table))
    row = dict(database.execute(f"SELECT * FROM {table} WHERE {_is(key)}", tuple(key.values())).fetchone())
    for name, kind in _columns(database, table).items():
        if name in key or random.random() < 0.3:
            row[name] = random.randrange(50) if kind == "INTEGER" else f"{row[name]}x"
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def set_value(database: sqlite3.Connection, table: str, random: Random) -> None:
    """A column of one row, or of all, has another value, or one of another type where the table allows it."""
    name, kind = random.choice(list(_columns(database, table).items()))
    number = random.choice((*[extreme for extreme in EXTREMES if extreme < 1 << 63], -1, -(1 << 63)))
    value = random.choice((None, "", "many", "\x1b[2J", b"\xff\xfe", 0.5, number))
    value = number if kind == "INTEGER" and random.random() < 0.8 else value
    key = random.choice(_keys(database, table)) if random.random() < 0.7 else {}
    database.execute(f"UPDATE {table} SET {name} = ? WHERE {_is(key) or 1}", (value, *key.values()))


def _columns(database: sqlite3.Connection, table: str) -> dict[str, str]:
    return {row["name"]: row["type"] for row in database.execute(f"PRAGMA table_info({table})")}


def _keys(database: sqlite3.Connection, table: str) -> list[dict[str, object]]:
    names = [row["name"] for row in database.execute(f"PRAGMA table_info({table})") if row["pk"]]
    return [dict(row) for row in database.execute(f"SELECT {', '.join(names)} FROM {table}")]


def _is(key: Iterable[str]) -> str:
    return " AND ".join(f"{name} IS ?" for name in key)


Change = Callable[[sqlite3.Connection, str, Random], None]
ROWS: tuple[Change, ...] = (vanish, vanish, double, set_value, set_value)
TABLES = ("workspace", "explorations", "sizes", "storage_roots", "batches", "runs", "expansions", "tallies")


def alter_rows(path: Path, random: Random, changes: Sequence[Change], tables: Sequence[str]) -> str:
    """Changes rows as their owner may, with a tool that knows no checksums; the name of the change."""
    while True:
        change, table = random.choice(changes), random.choice(tables)
        with closing(sqlite3.connect(path)) as database:
            database.row_factory = sqlite3.Row
            try:
                with database:
                    change(database, table, random)
                    if database.total_changes:
                        return f"{change.__name__} {table}"
            except (sqlite3.Error, OverflowError, IndexError):
                continue  # the schema does not allow it, or no row is left


BATCH: tuple[Mutation, ...] = (flip_bits, truncate, splice, set_field, flip_and_seal)
DATABASE: tuple[Mutation, ...] = (
    *(flip_bits, flip_bits, flip_in_header, splice, truncate),
    *(swap_pages, copy_page, clear_page, truncate_pages),
)


class Hangs(Exception):
    """It took too long."""


class Subject:
    """A sound workspace, one file of which is altered at a time."""

    def __init__(self, path: Path) -> None:
        self.path = small.build(path, SIZE, target=TARGET, batch_lists=BATCH_LISTS)[0].path
        small.build(path, SIZE + 1, target=TARGET, count_only=True)
        self.counts = self._counts()
        self.database = self.path / "setset.db"
        self.batches = sorted((self.path / "batches").rglob("*.setset"))

    def _counts(self) -> list[tuple[object, ...]]:
        with setset.open(self.path) as workspace:
            return [(count.target, count.size, count.lists, count.complete) for count in workspace.counts()]

    def try_one(self, path: Path, mutations: tuple[Mutation, ...], random: Random) -> tuple[str, str]:
        """Alters a file and asks everything; the name of the mutation, and what came of it."""
        before = path.read_bytes()
        data, mutation = bytearray(before), random.choice(mutations)
        while data == before:  # zeros may have been put in the place of zeros
            mutation(data, random)
        path.write_bytes(data)
        return mutation.__name__, self._outcome(path, before)

    def try_rows(
        self, random: Random, changes: Sequence[Change] = ROWS, tables: Sequence[str] = TABLES
    ) -> tuple[str, str]:
        """Alters rows of the database and asks everything; the name of the change, and what came of it."""
        before = self.database.read_bytes()
        return alter_rows(self.database, random, changes, tables), self._outcome(self.database, before)

    def _outcome(self, path: Path, before: bytes) -> str:
        """Outcome for an altered file; restores the file."""
        try:
            with limited():
                outcome = self._decode(path) if path != self.database else self._ask()
                if outcome != "noticed" and path != self.database:
                    outcome = self._ask()
                    outcome = "silent: check finds nothing" if outcome == "harmless" else outcome
        except (Exception, Hangs) as error:
            outcome = f"crash: {type(error).__name__}: {error}"
        finally:
            path.write_bytes(before)
            for side in ("-journal", "-wal", "-shm"):
                Path(f"{self.database}{side}").unlink(missing_ok=True)
        return outcome

    def _decode(self, path: Path) -> str:
        try:
            files.verify(path)
            _, streams = files.load(path)
            for _ in search.unpack(streams):
                pass
        except SetsetError:
            return "noticed"
        return "decoded"

    def _ask(self) -> str:
        """Outcome by the public API: noticed (by an error or by check), harmless, or silent with wrong counts."""
        noticed = False
        counts = status = None
        try:
            counts = self._counts()
        except SetsetError:
            noticed = True
        try:
            with setset.open(self.path) as workspace:
                complete = [size for size in workspace.status().sizes if size.state in ("complete", "defective")]
                workspace.runs()
                expected = {(target, size): lists for target, size, lists, _ in self.counts}
                for size in complete:
                    if expected.get((size.target, size.size)) != size.lists:
                        status = f"size {size.size} of target {size.target} complete with {size.lists}"
        except SetsetError:
            noticed = True
        try:
            with setset.open(self.path) as workspace:
                findings = list(workspace.check())
        except SetsetError:
            return "noticed" if counts in (None, self.counts) else "noticed by check only"
        if findings:
            return "noticed" if counts in (None, self.counts) else "noticed by check only"
        if counts is not None and counts != self.counts:
            return f"silent: counts {counts}"
        if status:
            return f"silent: status says {status}"
        return "noticed" if noticed else "harmless"


@contextmanager
def limited() -> Iterator[None]:
    """Ends what takes too long or too much memory."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Hangs(f"more than {SECONDS} seconds")

    import resource  # not on Windows

    memory = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, stop)  # of processor time: the machine may do other things too
    resource.setrlimit(resource.RLIMIT_AS, (memory + (MEGABYTES << 20), limits[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


class Forging(Protocol):
    """Forges a file; see tests/forged.py."""

    def try_one(self, random: Random) -> tuple[str, str]: ...


def try_many(subject: Subject | Forging, kind: str, count: int, seed: str) -> Iterator[tuple[int, str, str, float]]:
    """Number, mutation, what came of it, and seconds; each number of a seed is the same file again."""
    for number in range(count):
        yield number, *try_number(subject, kind, number, seed)


def try_number(subject: Subject | Forging, kind: str, number: int, seed: str) -> tuple[str, str, float]:
    random = Random(f"{seed}/{kind}/{number}")
    start = time.monotonic()
    if not isinstance(subject, Subject):
        name, outcome = subject.try_one(random)
    elif kind == "database":
        name, outcome = subject.try_one(subject.database, DATABASE, random)
    elif kind == "rows":
        name, outcome = subject.try_rows(random)
    else:
        name, outcome = subject.try_one(random.choice(subject.batches), BATCH, random)
    return name, outcome, time.monotonic() - start

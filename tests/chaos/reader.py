"""A reader beside whatever happens to a workspace: it asks for counts, lists and exports all the time.

It runs in a fork, so that it asks from the first moment on. Every answer must be right or an error of setset. The log
gets the number of answers, then each wrong answer, and a traceback for each error that is not setset's own.
"""

from __future__ import annotations

import hashlib
import os
import select
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

import setset
from setset.database.views import SizeState
from setset.errors import SetsetError
from tests.chaos.processes import wait_until
from tests.commands import threads_for_processes

PAUSE = 0.05
PATIENCE = 60
"""Seconds after which a reader that does not end counts as hanging."""
MOST_EXPORTED = 200_000
"""Lists of one export."""


@dataclass(frozen=True)
class Known:
    """Number of lists of each size of a target, and the digest of all of them one after the other."""

    target: int
    lists: dict[int, int]
    digests: dict[int, str]


@dataclass
class Answers:
    """Answers that a reader got: their number, and in words each wrong one."""

    given: int
    wrong: list[str]

    @staticmethod
    def read(log: Path) -> Answers:
        """The log of a reader that has ended. A missing log is a finding too."""
        if not log.exists():
            return Answers(0, ["the reader ended without a log"])
        count, *wrong = log.read_text(encoding="utf-8").split("\0")
        return Answers(int(count), wrong)

    def write(self, log: Path) -> None:
        log.write_text("\0".join([str(self.given), *self.wrong]), encoding="utf-8")


@contextmanager
def reading(folders: Sequence[Path], known: Known, log: Path) -> Iterator[None]:
    """A reader beside what is done in the block. It reads the first of the folders that is there."""
    log.unlink(missing_ok=True)
    hears, tells = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with threads_for_processes():
                _read_until(hears, Reader(folders, known, Random(1))).write(log)
            os._exit(0)
        finally:
            os._exit(99)
    os.close(hears)
    try:
        yield
    finally:
        os.write(tells, b"x")
        os.close(tells)
        if not wait_until(lambda: os.waitpid(pid, os.WNOHANG)[0] != 0, PATIENCE):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _read_until(hears: int, reader: Reader) -> Answers:
    """Asks until something can be read from the pipe."""
    answers = Answers(0, [])
    while not select.select([hears], [], [], PAUSE)[0]:
        try:
            answer = reader.ask()
            answers.given += 1
            answers.wrong += [answer] if answer else []
        except SetsetError:
            time.sleep(PAUSE)
        except Exception:  # whatever it is, it is a finding
            answers.wrong.append(traceback.format_exc())
    return answers


class Reader:
    """Asks one question at a time and compares the answer with what is known."""

    def __init__(self, folders: Sequence[Path], known: Known, random: Random) -> None:
        self._folders, self._known, self._random = folders, known, random

    def ask(self) -> str | None:
        """Asks for something; the answer in words if it is wrong."""
        questions: list[Callable[[setset.Workspace], str | None]] = [
            self._counts,
            self._status,
            self._lists,
            self._export,
        ]
        folder = next((folder for folder in self._folders if folder.exists()), self._folders[0])
        with setset.open(folder) as workspace:
            return self._random.choice(questions)(workspace)

    def _counts(self, workspace: setset.Workspace) -> str | None:
        counts = {count.size: count.lists for count in workspace.counts(target=self._known.target) if count.complete}
        return None if counts.items() <= self._known.lists.items() else f"counts: {counts}"

    def _status(self, workspace: setset.Workspace) -> str | None:
        sizes = workspace.status(self._known.target).sizes
        lists = {size.size: size.lists for size in sizes if size.state in (SizeState.COMPLETE, SizeState.DEFECTIVE)}
        return None if lists.items() <= self._known.lists.items() else f"status: {lists}"

    def _lists(self, workspace: setset.Workspace) -> str | None:
        size = self._some_size(workspace)
        start = self._random.choice([0, self._random.randrange(max(size.lists, 1))])
        lists, digest = 0, hashlib.blake2b()
        for rows in size.arrays(start):
            lists += len(rows)
            digest.update(rows.tobytes())
        if lists != size.lists - start or (size.complete and size.lists != self._known.lists[size.size]):
            return f"lists of {size.size} from {start}: {lists} of {size.lists}, complete {size.complete}"
        if size.complete and start == 0 and digest.hexdigest() != self._known.digests[size.size]:
            return f"lists of {size.size}: other lists than there should be"
        return None

    def _export(self, workspace: setset.Workspace) -> str | None:
        size = self._some_size(workspace)
        with tempfile.TemporaryDirectory() as folder:
            result = size.export(Path(folder) / "lists.npy", limit=MOST_EXPORTED, partial=True)
            lists = len(np.load(Path(folder) / "lists.npy"))
        expected = min(MOST_EXPORTED, self._known.lists[size.size]) if size.complete else result.lists
        return None if lists == result.lists == expected else f"export of {size.size}: {lists} of {result.lists}"

    def _some_size(self, workspace: setset.Workspace) -> setset.Size:
        return workspace.exploration(self._known.target)[self._random.choice(list(self._known.lists))]

"""A reader beside a sequence of faults: it asks for counts, lists and exports all the time, and trusts no answer.

    python -m tests.chaos.reader WORKSPACE TARGET KNOWN LOG

KNOWN is JSON: how many lists each size has. Every answer must be right or an error of setset. The log gets a line for
each wrong answer and a traceback for each other error. The reader ends when its standard input does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np

import setset
from setset.database.views import SizeState
from setset.errors import SetsetError
from tests.chaos.processes import CHECKOUT

PAUSE = 0.05
MOST_EXPORTED = 200_000
"""Lists of one export."""


@contextmanager
def reading(workspace: Path, target: int, known: Mapping[int, int], log: Path) -> Iterator[None]:
    """A reader beside what is done in the block. `wrong_answers` tells what it saw."""
    log.unlink(missing_ok=True)
    words = [sys.executable, "-m", "tests.chaos.reader", str(workspace), str(target), json.dumps(known), str(log)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, cwd=CHECKOUT) as process:
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()


def wrong_answers(log: Path) -> list[str]:
    """Wrong answers and errors that are not setset's own; the number of right answers is in the first line."""
    answers, *wrong = log.read_text(encoding="utf-8").split("\0") if log.exists() else ["0"]
    return wrong if answers != "" else ["the reader did not start"]


class Reader:
    def __init__(self, workspace: Path, target: int, known: Mapping[int, int], random: Random) -> None:
        self._workspace, self._target, self._known, self._random = workspace, target, known, random

    def ask(self) -> str | None:
        """Asks for something; the answer in words if it is wrong."""
        questions: list[Callable[[setset.Workspace], str | None]] = [
            self._counts,
            self._status,
            self._lists,
            self._export,
        ]
        with setset.open(self._workspace) as opened:
            return self._random.choice(questions)(opened)

    def _counts(self, opened: setset.Workspace) -> str | None:
        found = {each.size: each.lists for each in opened.counts(target=self._target) if each.complete}
        return None if found.items() <= self._known.items() else f"counts: {found}"

    def _status(self, opened: setset.Workspace) -> str | None:
        sizes = opened.status(self._target).sizes
        found = {each.size: each.lists for each in sizes if each.state in (SizeState.COMPLETE, SizeState.DEFECTIVE)}
        return None if found.items() <= self._known.items() else f"status: {found}"

    def _lists(self, opened: setset.Workspace) -> str | None:
        size = self._some_size(opened)
        start = self._random.randrange(max(size.lists, 1))
        found = sum(len(rows) for rows in size.arrays(start))
        if found != size.lists - start or (size.complete and size.lists != self._known[size.size]):
            return f"lists of {size.size} from {start}: {found} of {size.lists}, complete {size.complete}"
        return None

    def _export(self, opened: setset.Workspace) -> str | None:
        size = self._some_size(opened)
        with tempfile.TemporaryDirectory() as folder:
            made = size.export(Path(folder) / "lists.npy", limit=MOST_EXPORTED, partial=True)
            found = len(np.load(Path(folder) / "lists.npy"))
        return None if found == made.lists else f"export of {size.size}: {found} of {made.lists}"

    def _some_size(self, opened: setset.Workspace) -> setset.Size:
        return opened.exploration(self._target)[self._random.choice(list(self._known))]


def main(workspace: str, target: str, known: str, log: str) -> None:
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    reader = Reader(Path(workspace), int(target), {int(size): n for size, n in json.loads(known).items()}, Random(1))
    answers, wrong = 0, list[str]()
    while not ended.wait(PAUSE):
        try:
            answer = reader.ask()
            answers += 1
            wrong += [answer] if answer else []
        except (SetsetError, FileNotFoundError):
            time.sleep(PAUSE)
        except Exception:  # whatever it is, it is a finding
            wrong.append(traceback.format_exc())
    Path(log).write_text("\0".join([str(answers), *wrong]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

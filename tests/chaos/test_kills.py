"""`rm` and `roots move`, killed before each of their calls that change something: the same command goes on.

A sample of the calls; SETSET_ALL_CALLS=1 takes all of them.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind
from tests import small
from tests.chaos.commands import die_at, perform, perform_in_fork
from tests.chaos.processes import Outcome

pytestmark = [pytest.mark.chaos, pytest.mark.posix("sends signals")]

TARGET = 18
STEP = 1 if os.environ.get("SETSET_ALL_CALLS") else 31
KILLED = 128 + 9
COMPLETE = "SELECT size FROM complete_sizes ORDER BY size"


class Killed:
    """A workspace w whose lists of 4 are in the storage root `out`, set up again before each kill."""

    def __init__(self, folder: Path) -> None:
        # The token of a root names the folder of its workspace: copies are used where the original was.
        self.base, self._kept, self._log = folder / "base", folder / "kept", folder / "log"
        small.build(self.workspace, 3, target=TARGET, batch_lists=10_000)
        small.build(self.workspace, 4, target=TARGET, batch_lists=200_000, output=self.base / "out")
        self.base.rename(self._kept)

    @property
    def workspace(self) -> Path:
        return self.base / "w"

    @property
    def folder(self) -> WorkspaceFolder:
        return WorkspaceFolder(self.workspace)

    def set_up(self) -> None:
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.copytree(self._kept, self.base)

    def at_each_call(self, *arguments: str, moved: str | None = None) -> Iterator[int]:
        """Kills the command before its first call, some later one, and so on, until it comes to its end."""
        for number in itertools.count(1, STEP):
            self.set_up()
            if moved:
                (self.base / moved).rename(self.base / "new")
            outcome = perform_in_fork(self._log, die_at(number), *arguments, "-w", str(self.workspace))
            assert outcome.code in (0, KILLED), outcome
            yield number
            if outcome.code == 0:
                assert number > 5 * STEP
                return

    def do(self, *arguments: str) -> Outcome:
        return perform(*arguments, "-w", str(self.workspace))


@pytest.fixture
def killed(tmp_path: Path) -> Killed:
    return Killed(tmp_path)


def test_rm_goes_on_wherever_it_was_killed(killed: Killed) -> None:
    arguments = ("rm", "--target", str(TARGET), "--size", "4", "--yes", "-q")
    for number in killed.at_each_call(*arguments):
        files = len(small.digests(killed.base / "out"))
        findings = small.findings(killed.folder)
        assert {finding.kind for finding in findings} <= {FindingKind.ORPHAN}, number
        recorded = small.rows(killed.workspace, "SELECT COUNT(*) FROM batches WHERE size = 4")[0][0]
        assert recorded == (0 if findings or not files else files), number
        if number % 2:
            # At worst it brings back what is proven: all files, or fewer in a size that is not complete.
            assert killed.do("db", "rebuild", "-q", "--output", str(killed.base / "out")).code == 0
            assert ((4,) in small.rows(killed.workspace, COMPLETE)) == (files == 5), number
        outcome = killed.do(*arguments)
        assert outcome.code == 0, outcome.output
        assert small.digests(killed.base / "out") == {}
        assert small.rows(killed.workspace, COMPLETE) == [(3,)]
        assert small.findings(killed.folder) == [], number


@pytest.mark.parametrize("old", ["out", "w/batches"])
def test_roots_move_goes_on_wherever_it_was_killed(killed: Killed, old: str) -> None:
    killed.set_up()
    expected = small.rows(killed.workspace, small.BATCHES)
    arguments = ("roots", "move", str(killed.base / old), str(killed.base / "new"), "-q")
    for number in killed.at_each_call(*arguments, moved=old):
        paths = {Path(path) for (path,) in small.rows(killed.workspace, "SELECT path FROM storage_roots")}
        assert len(paths) == 2, number
        outcome = killed.do(*arguments)
        assert outcome.code == 0, (number, outcome.output)
        assert small.rows(killed.workspace, small.BATCHES) == expected
        assert small.findings(killed.folder, deep=number == 1) == [], number
        output = ("--output", str(killed.base / "new"))
        run_outcome = killed.do("run", "--size", "4", "--target", str(TARGET), "-q", *output)
        assert run_outcome.code == 0, (number, run_outcome.output)

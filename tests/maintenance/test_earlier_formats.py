"""A workspace of an earlier version, with files of format 1 or 2: it is read, goes on, and is mended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from setset.batches import files
from setset.batches.format import LAST_CODED_VERSION, PLAIN_VERSION, VERSION
from setset.folder import OWN_ROOT, WorkspaceFolder
from tests.small import COUNTS, build, findings, rebuild, repair_all, rows

ASSETS = Path(__file__).parent / "assets"
"""Target 19, sizes 3 and 4, `--batch-lists 200000`, as earlier versions wrote them."""
LOST = "t19/s04/0000000-001.setset"


@pytest.fixture(params=[PLAIN_VERSION, LAST_CODED_VERSION])
def earlier(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def folder(tmp_path: Path, earlier: int) -> WorkspaceFolder:
    old = WorkspaceFolder(tmp_path)
    shutil.copytree(ASSETS / f"format{earlier}", old.path / OWN_ROOT)
    rebuild(old)
    return old


def version(folder: WorkspaceFolder, path: str) -> int:
    return files.load(folder.path / OWN_ROOT / path)[0].version


def grow(folder: WorkspaceFolder) -> None:
    build(folder.path, 5, target=19, batch_lists=5_000_000)


def test_it_goes_on_and_stays_as_it_is(folder: WorkspaceFolder, earlier: int) -> None:
    grow(folder)
    assert findings(folder, deep=True) == []
    assert rows(folder.path, COUNTS) == [(19, 3, 43_137, 1), (19, 4, 640_764, 1), (19, 5, 7_326_612, 1)]
    assert version(folder, LOST) == earlier
    assert version(folder, "t19/s05/0000001-000.setset") == VERSION


def test_what_is_lost_is_made_again_in_the_format_of_today(folder: WorkspaceFolder) -> None:
    grow(folder)
    (folder.path / OWN_ROOT / LOST).unlink()
    repair_all(folder)
    assert findings(folder, deep=True) == []
    assert version(folder, LOST) == VERSION
    assert rows(folder.path, COUNTS)[-1] == (19, 5, 7_326_612, 1)


def test_what_was_counted_from_it_is_counted_again(folder: WorkspaceFolder) -> None:
    """The file has another digest now, so nothing shows that it has the lists that were counted from."""
    build(folder.path, 5, target=19, count_only=True)
    digests = "SELECT source_digest FROM expansions WHERE work = 'count' ORDER BY source"
    before = rows(folder.path, digests)
    (folder.path / OWN_ROOT / LOST).unlink()
    repair_all(folder)
    after = rows(folder.path, digests)
    assert [old == new for old, new in zip(before, after, strict=True)] == [source != 1 for source in range(4)]
    assert after == rows(folder.path, "SELECT digest FROM batches WHERE size = 4 ORDER BY number")
    assert rows(folder.path, COUNTS)[-1] == (19, 5, 7_326_612, 1)


def test_an_altered_list_is_seen_by_a_deep_check(folder: WorkspaceFolder) -> None:
    """Files of any format are compared list by list."""
    first, second = (folder.path / OWN_ROOT / f"t19/s04/0000000-00{part}.setset" for part in (0, 1))
    assert findings(folder, deep=True) == []
    shutil.copy(first, second)
    assert findings(folder, deep=True) != []

"""Decoding every file comes to what is recorded; what cannot be decoded is said and not counted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setset.maintenance.recount import recount_files
from tests.small import SIZE, TARGET, Copy, Notices, batch_file, flip, reading, rows


def recounted(path: Path, size: int | None = None) -> tuple[dict[tuple[int, int], int], list[str]]:
    notices = Notices()
    with reading(path) as database, ThreadPoolExecutor(2) as executor:
        return recount_files(database, size, executor, notices), notices.texts


def test_the_files_hold_what_is_recorded(reference: Path) -> None:
    stored = {
        (target, size): lists
        for target, size, lists in rows(reference, "SELECT target, size, lists FROM counts")
    }
    assert recounted(reference) == (stored, [])
    assert recounted(reference, 4) == ({(TARGET, 4): stored[TARGET, 4]}, [])


def test_a_damaged_file_counts_as_empty(copy: Copy) -> None:
    folder = copy()
    flip(batch_file(folder, 0))
    ((lost,),) = rows(folder.path, f"SELECT lists FROM files WHERE size = {SIZE} AND number = 0")
    ((stored,),) = rows(folder.path, f"SELECT lists FROM counts WHERE size = {SIZE}")
    totals, notices = recounted(folder.path, SIZE)
    assert totals == {(TARGET, SIZE): stored - lost}
    (notice,) = notices
    assert notice.startswith(str(batch_file(folder, 0)))
    assert notice.endswith("run 'setset check'")

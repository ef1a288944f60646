"""Classes of all lists: from the workspace's database, or from the package if the database has none."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from setset.cards import LARGEST, check_size
from setset.errors import NotAWorkspace
from setset.folder import WorkspaceFolder

# Functions import the database and numba only when needed: most hands are classified without a workspace, and a stored
# table is printed without computing anything.
if TYPE_CHECKING:
    from setset.database import Database
    from setset.jobs.signals import StopRequest
    from setset.progress import ProgressListener
    from setset.symmetry import Catalogue, Level, Totals

STOPPED = "interrupted; finished sizes are recorded, 'setset classes build' resumes"


def build_catalogue(
    folder: WorkspaceFolder,
    size: int,
    progress: ProgressListener,
    force: bool = False,
    stop: StopRequest | None = None,
    on_built: Callable[[Totals], None] = lambda _: None,
) -> list[Totals]:
    """Classifies the sizes from 0 to `size` that the database lacks, or all of these sizes with `force`.

    Stores each size in one transaction, then calls `on_built`. Sizes stored before an interruption stay. Returns the
    totals of the new sizes.
    """
    wanted = range(check_size(size) + 1)
    if not force and _load(folder, _load_totals).keys() >= set(wanted):
        return []
    from setset.database import LockPolicy, levels, open_to_write, runs
    from setset.jobs.signals import StopRequest
    from setset.symmetry.build import build_level
    from setset.symmetry.game import game_classes_of_each

    stop = StopRequest() if stop is None else stop  # an unset StopRequest is false
    folder.create()
    policy = LockPolicy(progress, lambda: bool(stop))
    with (
        folder.locked(),
        contextlib.closing(open_to_write(folder, policy=policy)) as database,
        runs.record_run(database, f"setset classes build --size {size}", workers=0),
    ):
        done = set() if force else levels.load_totals(database).keys()
        level, built = None, []
        for number in wanted:
            stop.raise_if_set(STOPPED)
            if number in done:
                level = None
                continue
            previous = level or levels.load_level(database, number - 1)
            level = build_level(number, previous.classes if previous else ())
            built.append(levels.store_level(database, level, game_classes_of_each(level.classes)))
            on_built(built[-1])
        return built


def class_totals(workspace: str | Path | None = None, size: int | None = None) -> list[Totals]:
    """Totals of every size: classes, lists, complete lists, and the chance that a hand has no set.

    Args:
        workspace: Folder of a workspace with a catalogue; sizes missing there come from the package.
        size: Only this size.

    Example:
        >>> setset.class_totals(size=20)[0].lists
        682344
    """
    from setset.symmetry import Totals, catalogue_in_memory

    stored = {} if workspace is None else _load(WorkspaceFolder(Path(workspace)), _load_totals)
    wanted, packaged = range(LARGEST + 1) if size is None else [check_size(size)], catalogue_in_memory()
    for level in (packaged.level(number) for number in wanted if number not in stored):
        stored[level.size] = Totals.of(level, sum(map(packaged.game_classes, level.classes)))
    return [stored[number] for number in wanted]


def load_catalogue(workspace: str | Path, size: int, neighbours: bool = False) -> Catalogue:
    """Loads the classes of a size from a workspace. Sizes that the workspace lacks come from the package.

    Args:
        workspace: Folder of the workspace, which may be missing.
        size: 0 to 20.
        neighbours: Also load the sizes with one card less and one card more.

    Raises:
        SetsetError: The catalogue in the database is damaged.

    Example:
        >>> len(setset.load_catalogue(example, 5).level(5).classes)
        3
    """
    from setset.symmetry import Catalogue

    def load_levels(database: Database) -> dict[int, Level]:
        from setset.database.levels import load_level

        wanted = (size, size - 1, size + 1) if neighbours else (size,)
        return {number: level for number in wanted if (level := load_level(database, number))}

    return Catalogue(_load(WorkspaceFolder(Path(workspace)), load_levels).values())


_Record = TypeVar("_Record")


def _load(folder: WorkspaceFolder, load: Callable[[Database], dict[int, _Record]]) -> dict[int, _Record]:
    """Returns `load(database)`, or an empty dictionary if the database is missing or has an older schema."""
    if not folder.database.is_file():
        return {}
    from setset.database import open_to_read
    from setset.database.connection import OlderSchema

    try:
        with contextlib.closing(open_to_read(folder)) as database:
            return load(database)
    except (NotAWorkspace, OlderSchema):
        return {}


def _load_totals(database: Database) -> dict[int, Totals]:
    from setset.database.levels import load_totals

    return load_totals(database)

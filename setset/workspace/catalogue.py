"""The classes of all lists: in the workspace's database, or those of the package where it has none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from setset.cards import LARGEST, check_size
from setset.errors import NotAWorkspace
from setset.folder import WorkspaceFolder

# What needs the database or numba is imported where it is used: most hands are classified where there is no
# workspace, and a stored table is printed without computing anything.
if TYPE_CHECKING:
    from collections.abc import Callable

    from setset.database import Database
    from setset.jobs.signals import StopRequest
    from setset.progress import ProgressListener
    from setset.symmetry import Catalogue, Level, Totals

STOPPED = "interrupted; finished sizes are recorded, 'setset classes build' goes on from there"


def build_catalogue(
    folder: WorkspaceFolder,
    size: int,
    progress: ProgressListener,
    force: bool = False,
    stop: StopRequest | None = None,
    on_built: Callable[[Totals], None] = lambda _: None,
) -> list[Totals]:
    """Classifies the sizes from 0 to this one that are not in the database yet, or all of them with `force`.

    Each size is stored in one transaction, then `on_built` is called; what was stored before an interruption stays.
    Returns the sizes that were built.
    """
    from setset.database import LockPolicy, open_to_write, runs
    from setset.jobs.signals import StopRequest

    wanted = range(check_size(size) + 1)
    if not force and _stored_totals(folder).keys() >= set(wanted):
        return []
    stop = StopRequest() if stop is None else stop  # one that is not set is false
    folder.create()
    with folder.locked():
        database = open_to_write(folder, policy=LockPolicy(progress.notice, lambda: bool(stop)))
        try:
            # No workers: everything is done in this process.
            with runs.record_run(database, f"setset classes build --size {size}", workers=0):
                return _build(database, wanted, force, stop, on_built)
        finally:
            database.close()


def _build(
    database: Database,
    wanted: range,
    force: bool,
    stop: StopRequest,
    on_built: Callable[[Totals], None],
) -> list[Totals]:
    from setset.database import catalogue
    from setset.symmetry import build_level, game_classes_of_each

    done = set() if force else catalogue.load_totals(database).keys()
    previous: Level | None = None
    built = []
    for size in wanted:
        stop.raise_if_set(STOPPED)
        if size in done:
            previous = None
            continue
        if previous is None and size:
            previous = catalogue.load_level(database, size - 1)
        level = build_level(size, previous.classes if previous else ())
        built.append(catalogue.store_level(database, level, game_classes_of_each(level.classes)))
        on_built(built[-1])
        previous = level
    return built


def class_totals(workspace: str | Path | None = None, size: int | None = None) -> list[Totals]:
    """The figures of every size: classes, lists, complete ones, and the chance of no set.

    Args:
        workspace: The folder of a workspace whose catalogue to use; what it does not have comes with the package.
        size: Only this size.

    Example:
        >>> setset.class_totals(size=20)[0].lists
        682344
    """
    wanted = range(LARGEST + 1) if size is None else [check_size(size)]
    stored = {} if workspace is None else _stored_totals(WorkspaceFolder(Path(workspace)))
    return [stored.get(each) or _totals(each) for each in wanted]


def _totals(size: int) -> Totals:
    from setset.symmetry import Totals, catalogue_in_memory

    catalogue = catalogue_in_memory()
    level = catalogue.level(size)
    return Totals.of(level, sum(map(catalogue.game_classes, level.classes)))


def load_catalogue(workspace: str | Path, size: int, neighbours: bool = False) -> Catalogue:
    """A catalogue with the classes of a size: that of a workspace, or that of the package if it has none.

    Args:
        workspace: The folder, which may not be there.
        size: 0 to 20.
        neighbours: Also those with one card less and one more.

    Raises:
        BadInput: There are no lists of this size.
        SetsetError: The catalogue in the database is damaged.

    Example:
        >>> len(setset.load_catalogue(example, 5).level(5).classes)
        3
    """
    from setset.symmetry import Catalogue, catalogue_in_memory

    database = _open_if_there(WorkspaceFolder(Path(workspace)))
    if database is None:
        return catalogue_in_memory()
    from setset.database import catalogue

    wanted = (size, size - 1, size + 1) if neighbours else (size,)
    levels = [catalogue.load_level(database, each) for each in wanted]
    database.close()
    return catalogue_in_memory() if levels[0] is None else Catalogue(filter(None, levels))


def _stored_totals(folder: WorkspaceFolder) -> dict[int, Totals]:
    database = _open_if_there(folder)
    if database is None:
        return {}
    from setset.database import catalogue

    totals = catalogue.load_totals(database)
    database.close()
    return totals


def _open_if_there(folder: WorkspaceFolder) -> Database | None:
    """The workspace's database; None if there is none or it is from before there was a catalogue."""
    if not folder.database.is_file():
        return None
    from setset.database import open_to_read
    from setset.database.connection import OlderSchema

    try:
        return open_to_read(folder)
    except (NotAWorkspace, OlderSchema):
        return None

"""`setset classes`: the catalogue of the workspace, built size by size, and what there is of it at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from setset.cards import LARGEST
from setset.errors import Interrupted, NotAWorkspace
from setset.folder import Workspace

# What needs the database or numba is imported where it is used: most hands are classified where there is no
# workspace, and a stored table is printed without computing anything.
if TYPE_CHECKING:
    from setset.database.store import Store
    from setset.jobs.coordinator import Stop
    from setset.jobs.progress import Watcher
    from setset.symmetry import Catalogue, Level, Totals

Tell = Callable[["Totals"], None]


def build(workspace: Workspace, size: int, watcher: Watcher, tell: Tell, anew: bool = False) -> None:
    """Classifies the sizes from 0 to this one that are not in the workspace's catalogue yet; `anew`: all.

    Each size is stored in one transaction and then told; what was stored before an interruption stays.
    """
    from setset.cards import check_size
    from setset.database.runs import logged
    from setset.database.schema import Patience
    from setset.database.store import Store
    from setset.jobs.coordinator import Stop

    wanted = range(check_size(size) + 1)
    if not anew and _stored(workspace).keys() >= set(wanted):
        return
    with workspace.held(create=True), Stop().listening() as stop:
        store = Store.writing(workspace, patience=Patience(watcher.notice, lambda: bool(stop)))
        # No workers: everything is done in this process.
        with logged(store, f"setset classes build --size {size}", workers=0):
            _build(store, wanted, anew, stop, tell)


def _build(store: Store, wanted: range, anew: bool, stop: Stop, tell: Tell) -> None:
    from setset.database import catalogue as shelf
    from setset.symmetry import build_level, game_classes

    done = set() if anew else shelf.totals(store).keys()
    previous: Level | None = None
    for size in wanted:
        if stop.signal is not None:
            raise Interrupted(
                stop.signal,
                "interrupted; finished sizes are recorded, 'setset classes build' goes on from there",
            )
        if size in done:
            previous = None
            continue
        if previous is None and size:
            previous = shelf.level(store, size - 1)
        level = build_level(size, previous.classes if previous else ())
        tell(shelf.put(store, level, [game_classes([one]) for one in level.classes]))
        previous = level


def table(workspace: Workspace, size: int | None = None) -> list[Totals]:
    """The figures of every size, or of one: from the workspace's catalogue, computed where it has none."""
    from setset.cards import check_size

    wanted = range(LARGEST + 1) if size is None else [check_size(size)]
    stored = _stored(workspace)
    return [stored.get(each) or _computed(each) for each in wanted]


def _computed(size: int) -> Totals:
    from setset.symmetry import Totals, catalogue_in_memory, game_classes

    level = catalogue_in_memory().level(size)
    return Totals.of(level, game_classes(level.classes))


def at_hand(workspace: Workspace, size: int) -> Catalogue:
    """A catalogue with the classes of a size: the workspace's, or one built in memory if it has none."""
    from setset.symmetry import Catalogue, catalogue_in_memory

    store = _reading(workspace)
    if store is None:
        return catalogue_in_memory()
    from setset.database import catalogue as shelf

    level = shelf.level(store, size)
    return catalogue_in_memory() if level is None else Catalogue([level])


def _stored(workspace: Workspace) -> dict[int, Totals]:
    store = _reading(workspace)
    if store is None:
        return {}
    from setset.database import catalogue as shelf

    return shelf.totals(store)


def _reading(workspace: Workspace) -> Store | None:
    """The workspace's database; None if there is none or it is from before there was a catalogue."""
    if not workspace.database.is_file():
        return None
    from setset.database.schema import OlderSchema
    from setset.database.store import Store

    try:
        return Store.reading(workspace)
    except (NotAWorkspace, OlderSchema):
        return None

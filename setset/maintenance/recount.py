"""`setset count --recount`: decode every file and count what comes out."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import Future

from setset.database.store import Store
from setset.errors import SetsetError
from setset.executors.local import LocalExecutor
from setset.jobs.coordinator import default_workers
from setset.jobs.progress import Watcher
from setset.tasks.execute import recount

AHEAD = 8


def recounted(store: Store, size: int | None, watcher: Watcher) -> dict[tuple[int, int], int]:
    """The lists in the files of each target and size. A file that cannot be decoded counts as empty."""
    totals: dict[tuple[int, int], int] = defaultdict(int)
    executor = LocalExecutor(default_workers())
    try:
        for target in store.targets():
            exploration = store.find_exploration(target)
            for each in store.sizes(exploration):
                if size not in (None, each):
                    continue
                watcher.begin(each, "check", store.count_batches(exploration, each), 0)
                waiting: list[tuple[str, Future[int]]] = []
                for batch in store.batches(exploration, each):
                    path = str(store.path_of(batch))
                    waiting.append((path, executor.submit(recount, path, batch.digest)))
                    if len(waiting) >= AHEAD:
                        totals[target, each] += _lists(*waiting.pop(0), watcher)
                for pending in waiting:
                    totals[target, each] += _lists(*pending, watcher)
                watcher.end()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    return totals


def _lists(path: str, future: Future[int], watcher: Watcher) -> int:
    try:
        found = future.result()
    except SetsetError as error:
        watcher.notice(f"{path}: {error}; run 'setset check'")
        found = 0
    watcher.advance(found, found)
    return found

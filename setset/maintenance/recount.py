"""Decoding every file and counting what comes out."""

from __future__ import annotations

from concurrent.futures import Executor, Future

from setset.database import Database, batches, explorations, roots
from setset.database.batches import StoredBatch
from setset.errors import SetsetError
from setset.executors.window import submit_ahead
from setset.progress import Activity, ProgressListener
from setset.tasks.execute import recount


def recount_files(
    database: Database,
    size: int | None,
    executor: Executor,
    progress: ProgressListener,
    target: int | None = None,
) -> dict[tuple[int, int], int]:
    """The lists in the files of each target and size. A file that cannot be decoded counts as empty."""
    totals: dict[tuple[int, int], int] = {}

    def submit(batch: StoredBatch) -> Future[int]:
        return executor.submit(recount, str(batches.path_of(database, batch)), batch.digest)

    for exploration in explorations.find_all(database):
        for each in explorations.sizes(database, exploration):
            if size not in (None, each.size) or target not in (None, exploration.target):
                continue
            known = batches.count_numbered(database, exploration, each.size)
            progress.begin(each.size, Activity.CHECK, known, 0)
            total = 0
            for batch, future in submit_ahead(batches.in_order(database, exploration, each.size), submit):
                try:
                    found = future.result()
                except SetsetError as error:
                    roots.require_there(database, batch.root_id)
                    progress.notice(f"{batches.path_of(database, batch)}: {error}; run 'setset check'")
                    found = 0
                progress.advance(each.size, found, found)
                total += found
            totals[exploration.target, each.size] = total
            progress.end(each.size)
    return totals

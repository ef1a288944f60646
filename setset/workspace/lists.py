"""`setset lists`: lists straight from the files."""

from __future__ import annotations

from collections.abc import Iterator

from setset.batches import files
from setset.batches.format import BadBatch
from setset.batches.spans import Cards
from setset.database.store import Store
from setset.engine import search
from setset.errors import BadInput, SetsetError
from setset.tasks.kinds import StoredBatch


def lists(
    store: Store, target: int, size: int, number: int | None, start: int, limit: int | None
) -> Iterator[Cards]:
    """The lists of a size, or of one batch, in lexicographic order, from number `start` on.

    Only the batches with lists in that range are read; those without a number are not yet in order.
    """
    exploration = store.find_exploration(target)
    batch: StoredBatch | None
    if number is None:
        batch, skip = store.batch_with_list(exploration, size, start)
    else:
        batch, skip = (only := store.batch(exploration, size, number)), start
        if skip >= only.lists:
            raise BadInput(f"{only} has {only.lists:,} lists, numbered from 0")
    left = limit
    while batch is not None and left != 0:
        for row in _read(store, batch, skip):
            yield row
            if left is not None:
                left -= 1
                if left == 0:
                    return
        skip = 0
        batch = None if number is not None else store.next_batch(exploration, batch)


def _read(store: Store, batch: StoredBatch, skip: int) -> Iterator[Cards]:
    try:
        _, streams = files.load(store.path_of(batch), batch.digest)
        for chunk in search.unpack(streams, skip, 4096):
            for row in chunk.tolist():
                yield tuple(row)
    except (BadBatch, search.BadStreams) as error:
        raise SetsetError(f"{batch}: {error}; run 'setset repair'") from error

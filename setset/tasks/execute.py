"""What the coordinator hands to executors.

What carries it out, and the compiler that this needs, is loaded in the workers alone: without them the
coordinator starts sooner and smaller.
"""

from __future__ import annotations

from setset.tasks.kinds import Order, RemakeOrder, Report


def carry_out(order: Order) -> Report:
    """Does what an order says."""
    from setset.tasks import worker

    return worker.carry_out(order)


def differs(order: RemakeOrder, path: str, digest: str) -> str | None:
    """What is wrong with the lists of a batch file, derived anew from its sources; None if nothing."""
    from setset.tasks import worker

    return worker.differs(order, path, digest)


def recount(path: str, digest: str) -> int:
    """How many lists a file holds, by decoding them."""
    from setset.tasks import worker

    return worker.recount(path, digest)

"""Blocks of lists as lines of text, as fast as numpy copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from setset.cards import CARDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class ListText:
    """Lists as text, a line each.

    A line is made of cells that are all of one width, if short a power of two, which numpy is quick to copy: what
    stands before the cards, then the cards. What fills up the cells, zero bytes, is removed at the end.

    Args:
        words: the text of each of the 81 cards.
        between: what stands between two cards.
        start: what stands before the first.
        end: what stands behind the last.

    >>> import numpy as np
    >>> ListText([str(card) for card in range(81)], ", ", "[", "]").encode(np.array([[7, 80, 0]], np.uint8))
    b'[7, 80, 0]'
    """

    def __init__(self, words: Sequence[str], between: str, start: str = "", end: str = "\n") -> None:
        import numpy as np

        longest = max(map(len, words)) + max(len(between), len(end))
        width = longest if longest > 32 else 1 << (longest - 1).bit_length()
        starts = [start[place : place + width] for place in range(0, len(start), width)]
        texts = [*(word + between for word in words), *(word + end for word in words), *starts]
        self._cells = np.array([text.encode() for text in texts], f"S{width}")
        self._starts = np.arange(2 * CARDS, len(texts), dtype=np.uint8)
        self._without_cards = (start + end).encode()

    def encode(self, rows: npt.NDArray[np.uint8]) -> bytes:
        """The lines of some lists, a row each; some thousands at once are quickest, which a core's cache holds."""
        import numpy as np

        lists, size = rows.shape
        if not size:
            return self._without_cards * len(rows)
        before = len(self._starts)
        cells = np.empty((lists, before + size), np.uint8)
        cells[:, :before] = self._starts
        cells[:, before:] = rows
        cells[:, -1] += CARDS
        text: bytes = np.take(self._cells, cells).tobytes()
        return text.translate(None, b"\0")

"""Fast conversion of lists to lines of text, by array operations of numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from setset.cards import CARDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class ListText:
    """Converts lists to text, one line per list.

    A line is a row of cells of equal width: first the text before the cards, then one cell per card. Zero bytes pad the
    cells, and are removed at the end. Widths up to 32 are powers of two, which numpy copies fast.

    Args:
        words: the text of each of the 81 cards.
        between: the text between two cards.
        start: the text before the first card.
        end: the text after the last card.

    >>> import numpy as np
    >>> ListText([str(card) for card in range(81)], ", ", "[", "]").encode(np.array([[7, 80, 0]], np.uint8))
    b'[7, 80, 0]'
    """

    def __init__(self, words: Sequence[str], between: str, start: str = "", end: str = "\n") -> None:
        import numpy as np

        longest = max(map(len, words)) + max(len(between), len(end))
        width = longest if longest > 32 else 1 << (longest - 1).bit_length()
        starts = [start[index : index + width] for index in range(0, len(start), width)]
        texts = [*(word + between for word in words), *(word + end for word in words), *starts]
        self._cells = np.array([text.encode() for text in texts], f"S{width}")
        self._starts = np.arange(2 * CARDS, len(texts), dtype=np.uint8)
        self._without_cards = (start + end).encode()

    def encode(self, rows: npt.NDArray[np.uint8]) -> bytes:
        """Converts lists, one per row, to lines. Fastest with a few thousand lists, which fit into a core's cache."""
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

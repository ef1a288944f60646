"""Lists as Arrow record batches and Parquet files. Needs the extra `setset[export]`, which is imported on first use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from setset.cards import CARDS, name
from setset.errors import require_extra
from setset.export.formats import Content, Values

if TYPE_CHECKING:
    from setset.export.formats import Lists

PREFIX = "setset."
"""Prefix of the keys of setset in the metadata of a Parquet file."""
PAGE_BYTES = 1 << 18
WRITE_ROWS = 1 << 16
LEVEL = 1
"""Compression level of zstd. Level 3 saves no bytes here. Level 5 saves a tenth, but takes a third more time."""


def require_arrow() -> Any:
    """Imports pyarrow. Raises MissingExtra if it is not installed."""
    with require_extra("export", "Parquet"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow


def schema(content: Content) -> Any:
    """Makes the Arrow schema of an exported file: its columns and metadata."""
    arrow = require_arrow()
    is_named = content.values is Values.NAMES
    cell = arrow.dictionary(arrow.int8(), arrow.string()) if is_named else arrow.uint8()
    metadata = {PREFIX + key: value for key, value in content.metadata.items()}
    return arrow.schema([(column, cell) for column in content.columns], metadata=metadata)


def record_batches(content: Content, blocks: Iterable[Lists]) -> Iterator[Any]:
    """Converts each array of lists to an Arrow record batch. Later changes of the array do not change the batch."""
    import numpy as np

    from setset.export.encoding import vectors

    arrow, columns = require_arrow(), schema(content)
    names = arrow.array([name(card) for card in range(CARDS)])
    for block in blocks:
        flat = vectors(block).reshape(len(block), -1) if content.values is Values.VECTORS else block
        arrays = [arrow.array(column) for column in np.ascontiguousarray(flat.T)]
        if content.values is Values.NAMES:
            indices = [column.cast(arrow.int8()) for column in arrays]
            arrays = [arrow.DictionaryArray.from_arrays(column, names) for column in indices]
        yield arrow.record_batch(arrays, schema=columns)


def write(file: BinaryIO, content: Content, blocks: Iterable[Lists]) -> None:
    """Writes a Parquet file with one row group per array of lists."""
    arrow = require_arrow()
    with arrow.parquet.ParquetWriter(
        file,
        schema(content),
        compression="zstd",
        compression_level=LEVEL,
        # Dictionary encoding makes all columns smaller, except the last, which changes with each list.
        use_dictionary=content.columns if content.values is Values.NAMES else content.columns[:-1],
        data_page_size=PAGE_BYTES,
        write_batch_size=WRITE_ROWS,
    ) as writer:
        for batch in record_batches(content, blocks):
            writer.write_batch(batch, row_group_size=batch.num_rows)


def read_metadata(path: Path) -> dict[str, str]:
    """Reads the metadata that setset wrote to a Parquet file, and its number of rows as `rows`. Returns an empty
    dictionary if the file is not a complete Parquet file."""
    arrow = require_arrow()
    try:
        file_metadata = arrow.parquet.read_metadata(path)
    except (OSError, arrow.ArrowInvalid):
        return {}
    texts = {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (file_metadata.metadata or {}).items()
    }
    own = {key.removeprefix(PREFIX): text for key, text in texts.items() if key.startswith(PREFIX)}
    return {**own, "rows": str(file_metadata.num_rows)}

"""The lists of a size for other programs: which ones, where to, and what their files say of themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from setset import __version__
from setset.errors import BadInput, require_between
from setset.export.formats import (
    ROW_GROUP_SIZE,
    SUFFIXES,
    Content,
    Format,
    choose_content,
    choose_format,
    refuse_existing,
)
from setset.progress import NoProgress, ProgressListener
from setset.workspace.counts import describe

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow

    from setset.export.files import ExportTask
    from setset.export.lists import Exported
    from setset.jobs.signals import StopRequest
    from setset.workspace.size import Size

STOPPED = "interrupted; finished files stay, the same command goes on from there"


@dataclasses.dataclass(frozen=True)
class ListsRequest:
    """Which lists to export, and how."""

    output: Path | BinaryIO
    format: str | None = None
    values: str = "cards"
    start: int = 0
    limit: int | None = None
    row_group_size: int = ROW_GROUP_SIZE
    partial: bool = False
    overwrite: bool = False
    dry_run: bool = False
    workers: int | None = None

    @property
    def is_range(self) -> bool:
        return self.start > 0 or self.limit is not None

    def content(self, size: int) -> Content:
        """What the files hold."""
        is_stream = not isinstance(self.output, Path)
        name = "-" if is_stream else self.output.name
        chosen = choose_format(name, self.format, SUFFIXES)
        if is_stream and chosen == Format.PARQUET:
            raise BadInput("parquet needs a file: give -o a name, or --format csv, jsonl or npy")
        return choose_content(size, chosen, self.values, self.row_group_size)


def export_lists(
    size: Size, request: ListsRequest, progress: ProgressListener | None, stop: StopRequest | None
) -> Exported:
    """Exports a stored size, to a folder or to one file: see `Size.export`."""
    from setset.export import lists as export

    content = _marked(size, request.content(size.size))
    _require_arrow_if_needed(content)
    _require_complete(size, request)
    output = request.output

    def raise_if_stopped() -> None:
        if stop is not None:
            stop.raise_if_set(STOPPED)

    listener = progress or NoProgress()
    if isinstance(output, Path) and _is_folder(output, request):
        return export.export_folder(
            output,
            size.target,
            list(_tasks(size, content, output)),
            overwrite=request.overwrite,
            dry_run=request.dry_run,
            workers=request.workers,
            progress=listener,
            raise_if_stopped=raise_if_stopped,
        )
    return _export_range(size, content, request, listener, raise_if_stopped)


def _export_range(
    size: Size,
    content: Content,
    request: ListsRequest,
    progress: ProgressListener,
    raise_if_stopped: Callable[[], None],
) -> Exported:
    """Exports lists one after the other to one file."""
    from setset.export import lists as export
    from setset.export.files import SAMPLE, block_rows, bytes_a_list

    output, count = request.output, _range_length(size, request)
    if isinstance(output, Path):
        refuse_existing(output, request.overwrite)
    marks = {"first_list": str(request.start), "lists": str(count), **content.marks}
    content = dataclasses.replace(content, marks=marks)
    blocks = _blocks(size, request.start, count, block_rows(content))
    if not isinstance(output, Path):
        export.export_stream(output, content, count, blocks, progress, raise_if_stopped)
        return export.Exported(1, 1, count, 0)
    sample = next(blocks)
    expected = int(bytes_a_list(content, sample[:SAMPLE]) * count)
    if request.dry_run:
        return export.expectation(output.parent, 1, 1, count, 0, expected)
    export.require_room(output.parent, expected)
    return export.export_file(
        output,
        content,
        count,
        chain([sample], blocks),
        overwrite=request.overwrite,
        progress=progress,
        raise_if_stopped=raise_if_stopped,
    )


def arrow_reader(
    size: Size, values: str, start: int, limit: int | None, rows: int
) -> pyarrow.RecordBatchReader:
    """The lists of a size as record batches: see `Size.to_arrow`."""
    from setset.export import parquet

    request = ListsRequest(Path("lists.parquet"), None, values, start, limit, rows)
    content = _marked(size, request.content(size.size))
    arrow = parquet.require_arrow()
    blocks = _blocks(size, start, _range_length(size, request), rows)
    batches = parquet.record_batches(content, blocks)
    return arrow.RecordBatchReader.from_batches(parquet.schema(content), batches)


def _marked(size: Size, content: Content) -> Content:
    """The same, with what all files of an export say of themselves."""
    marks: dict[str, Any] = {
        "target": size.target,
        "size": size.size,
        "rule": describe(size.target, size.size, size.pruned),
        "version": __version__,
        "as": content.values,
    }
    if content.format is Format.PARQUET:
        marks["row_group_size"] = content.row_group_size
    return dataclasses.replace(content, marks={key: str(value) for key, value in marks.items()})


def _require_arrow_if_needed(content: Content) -> None:
    """Says that the extra is missing before anything is begun."""
    if content.format is Format.PARQUET:
        from setset.export.parquet import require_arrow

        require_arrow()


def _require_complete(size: Size, request: ListsRequest) -> None:
    if size.complete or request.partial:
        return
    batches = sum(1 for _ in size._numbered())
    raise BadInput(
        f"size {size.size} of target {size.target} is incomplete: of its batches the first {batches:,} are there; "
        f"'setset run --size {size.size} {size._exploration.options}' makes the others, --partial exports these"
    )


def _is_folder(output: Path, request: ListsRequest) -> bool:
    """Whether a name means a folder, with a file for each batch, or one file."""
    if not request.is_range:
        return output.is_dir() or output.suffix.lower() not in SUFFIXES
    if output.is_dir():
        raise BadInput(
            f"--start and --limit make one file, and {output} is a folder: give -o the name of a file"
        )
    return False


def _tasks(size: Size, content: Content, folder: Path) -> Iterator[ExportTask]:
    from setset.export.files import ExportTask, file_name

    first = 0
    for batch, source in size._numbered():
        path = folder.absolute() / file_name(size.target, size.size, source.number, content.format)
        yield ExportTask(source, batch.lists, first, str(path), content)
        first += batch.lists
    if not first:
        raise BadInput(f"no lists of size {size.size} are stored")


def _range_length(size: Size, request: ListsRequest) -> int:
    known = sum(batch.lists for batch, _ in size._numbered())
    if not 0 <= request.start < known:
        raise BadInput(
            f"there is no list {request.start:,} of size {size.size}: {known:,} are stored, numbered from 0"
        )
    if request.limit is not None:
        require_between("--limit", request.limit, 1)
    left = known - request.start
    return left if request.limit is None else min(request.limit, left)


def _blocks(size: Size, start: int, count: int, rows: int) -> Iterator[npt.NDArray[np.uint8]]:
    """So many lists from a number on."""
    for block in size.arrays(start, min(rows, count)):
        yield block[:count]
        count -= len(block)
        if count <= 0:
            return

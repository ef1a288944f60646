"""A size whose lists are exported, and the options of the export."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from setset import __version__
from setset.errors import BadInput, ChangedMeanwhile, require_between
from setset.export.formats import ROW_GROUP_SIZE, SUFFIXES, Content, Format, choose_content, choose_format, exactly
from setset.export.single_file import ExportTask
from setset.tasks.kinds import Source

if TYPE_CHECKING:
    from setset.export.formats import Lists


@dataclass(frozen=True)
class ExportOptions:
    """Options of `setset export lists`. `Size.export` in docs/python.md explains each option."""

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

    def folder(self) -> Path | None:
        """Output folder of an export with one file per batch; None if the output is a single file."""
        output, is_range = self.output, self.start > 0 or self.limit is not None
        if not isinstance(output, Path) or (output.suffix.lower() in SUFFIXES and not output.is_dir()):
            return None
        if is_range and output.is_dir():
            raise BadInput(f"--start and --limit export to a single file, but {output} is a folder: give -o FILE")
        return None if is_range else output


@dataclass(frozen=True)
class StoredSize:
    """Lists of one size for an export: stored in batches, or derived from smaller batches or the classes."""

    target: int | None
    """Target of the exploration; None for lists that do not come from an exploration."""
    size: int
    lists: int
    rule: str
    """Rule by which the exploration keeps lists, as text for the metadata of exported files."""
    run: str
    """Command that completes the size; empty if it is complete."""
    batches: tuple[tuple[int, Source], ...]
    """Parts of the size up to the first missing batch, each with its number of lists and its source. If the size is
    stored, the source of a part is the batch with its lists. Otherwise the source is the batch of a smaller size from
    which the lists are derived. Empty for lists from the classes."""
    blocks: Callable[[int, int, int], Iterator[Lists]]
    """Function (start, count, rows) that reads `count` lists from index `start` on, in arrays of up to `rows` rows."""

    def read(self, start: int, count: int, rows: int) -> Iterator[Lists]:
        """Reads `count` lists from index `start` on, in arrays of up to `rows` rows.

        Raises ChangedMeanwhile if the number of lists that were read is not `count`.
        """
        yield from exactly(count, self.blocks(start, count, rows), ChangedMeanwhile(self.size))

    def content(self, options: ExportOptions) -> Content:
        """Makes the description of the files of an export from its options."""
        is_stream = not isinstance(options.output, Path)
        name = "-" if is_stream else options.output.name
        chosen = choose_format(name, options.format, SUFFIXES)
        if is_stream and chosen == Format.PARQUET:
            raise BadInput("parquet cannot go to a stream: give -o FILE, or --format csv, jsonl or npy")
        content = choose_content(self.size, chosen, options.values, options.row_group_size)
        metadata = {"size": self.size, "rule": self.rule, "version": __version__, "as": content.values}
        if self.target is not None:
            metadata = {"target": self.target, **metadata}
        if content.format is Format.PARQUET:
            from setset.export.parquet import require_arrow

            require_arrow()
            metadata["row_group_size"] = content.row_group_size
        return content.with_metadata(**metadata)

    def range_length(self, start: int, limit: int | None) -> int:
        """Number of lists from index `start` on, at most `limit`. Raises BadInput if `start` is not the index of a
        list."""
        if not 0 <= start < self.lists:
            raise BadInput(f"size {self.size} has no list {start:,}: its {self.lists:,} lists are numbered from 0")
        if limit is not None:
            require_between("--limit", limit, 1)
        return self.lists - start if limit is None else min(limit, self.lists - start)

    def file_names(self, content: Content) -> str:
        """Makes a regular expression that matches the names of the files of an export to a folder."""
        return rf"t{self.target:02d}-s{self.size:02d}-\d{{6,}}\.{content.format}"

    def tasks(self, content: Content, folder: Path) -> Iterator[ExportTask]:
        """Yields a task for each batch, in the order of the batches."""
        if self.target is None:
            raise BadInput("lists from the classes are exported to a single file: give -o a name such as lists.parquet")
        first = 0
        for lists, source in self.batches:
            name = f"t{self.target:02d}-s{self.size:02d}-{source.number:06d}.{content.format}"
            of_batch = {"batch": source.number, "digest": source.digest, "first_list": first, "lists": lists}
            path = str(folder.absolute() / name)
            yield ExportTask(source, lists, path, content.with_metadata(**of_batch))
            first += lists
        if not first:
            raise BadInput(f"no lists of size {self.size} are stored")

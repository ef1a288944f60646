"""Files of a newer setset, and files whose headers lie: named, never replaced, never believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from setset.batches import files
from setset.batches import format as batch_format
from setset.batches.files import NewerFormat
from setset.batches.format import Header
from setset.cards import Cards
from setset.database.models import HEAD
from setset.engine import search
from setset.engine.bitstreams import Streams
from setset.errors import SetsetError
from setset.folder import WorkspaceFolder
from setset.maintenance.findings import FindingKind, Remedy, advice
from tests.commands import run_here
from tests.small import BATCHES, SIZE, Copy, batch_file, build, change, digests, findings, rebuild, rows

SCHEMA_OF_FORMAT = {1: "0001", 2: "0006", 3: "0008"}
"""Revision of the schema that each batch format needs."""


def make_newer(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8] = batch_format.VERSION + 1
    path.write_bytes(data)


def test_a_new_format_raises_the_schema() -> None:
    assert max(SCHEMA_OF_FORMAT) == batch_format.VERSION, "a new format needs a new revision of the schema"
    assert SCHEMA_OF_FORMAT[batch_format.VERSION] <= HEAD


@pytest.mark.parametrize("recorded", [True, False])
def test_files_of_a_newer_setset_are_left_alone(copy: Copy, recorded: bool) -> None:
    folder = copy()
    newer = [batch_file(folder, number, size) for number, size in ((0, 4), (1, 4), (2, SIZE))]
    for path in newer:
        make_newer(path)
    if not recorded:
        change(folder.path, "DELETE FROM batches", "DELETE FROM expansions", "UPDATE sizes SET numbered = 0")
    names = {path.relative_to(folder.path).as_posix() for path in newer}
    before = {path: digest for path, digest in digests(folder.path).items() if path in names}
    assert len(before) == 3
    problems = [finding for finding in findings(folder) if finding.kind is FindingKind.NEWER]
    assert len(problems) == 3
    assert advice(problems) == Remedy.UPGRADE.value
    result = run_here("repair", workspace=folder.path)
    assert (result.returncode, "upgrade setset" in result.stderr) == (1, True)
    for _ in range(2):
        with pytest.raises(
            NewerFormat, match=r"has batch format 4, but this setset reads up to format 3: upgrade setset"
        ):
            build(folder.path, SIZE + 1)
    assert before.items() <= digests(folder.path).items()


def test_a_rebuild_refuses_files_of_a_newer_setset(copy: Copy) -> None:
    folder = copy()
    make_newer(batch_file(folder))
    before = folder.database.read_bytes()
    with pytest.raises(NewerFormat):
        rebuild(folder)
    assert folder.database.read_bytes() == before


def forge(path: Path, change_of: Callable[[Header, Streams], tuple[Streams, tuple[Cards, Cards]]]) -> str:
    """Replaces a file by one with a right checksum whose header lies; returns its digest."""
    header, streams = files.load(path)
    changed, bounds = change_of(header, streams)
    data = batch_format.encode(
        changed, header.target, header.batch_lists, header.span, bounds, header.source_digest, header.pruned
    )
    path.write_bytes(data)
    return data[-batch_format.DIGEST_BYTES :].hex()


def accept(folder: WorkspaceFolder, path: Path, digest: str, **values: str) -> None:
    """Records a forged file, as somebody who knows the format would."""
    header, _ = batch_format.verify(path.read_bytes())
    columns = {"digest": f"'{digest}'", "bytes": str(header.file_bytes), **values}
    assignments = ", ".join(f"{name} = {value}" for name, value in columns.items())
    change(folder.path, f"UPDATE batches SET {assignments} WHERE path LIKE '%{path.parent.name}/{path.name}'")


def spelled(cards: Cards) -> str:
    return f"'{' '.join(map(str, cards))}'"


@pytest.mark.parametrize("first", [(0, 1, 3, 4, 9), (5, 6, 9, 10, 12)])
def test_a_header_that_lies_about_its_ends_is_found_and_mended(copy: Copy, first: Cards) -> None:
    """In order or not: `check --deep` finds it, `db rebuild` does not take it, and nobody goes in circles."""
    folder = copy()
    expected = rows(folder.path, BATCHES)
    path = batch_file(folder, 3)
    digest = forge(path, lambda header, streams: (streams, (first, header.last)))
    accept(folder, path, digest, first_list=spelled(first))
    problems = findings(folder, deep=True)
    assert {finding.kind for finding in problems} == {FindingKind.LISTS}
    rebuild(folder)
    build(folder.path)
    assert findings(folder, deep=True) == []
    assert rows(folder.path, BATCHES) == expected


@pytest.mark.parametrize("lie", [-1, -1000])
def test_a_header_that_lies_about_its_number_of_lists_is_not_expanded(copy: Copy, lie: int) -> None:
    folder = copy()
    path = batch_file(folder, 0, 4)

    def change_number(header: Header, streams: Streams) -> tuple[Streams, tuple[Cards, Cards]]:
        return replace(streams, lists=streams.lists + lie), (header.first, header.last)

    digest = forge(path, change_number)
    streams = files.load(path)[1]
    for walk in (lambda: list(search.expand(streams, 16, 10**6)), lambda: search.count(streams, 16, 6)):
        with pytest.raises(search.BadStreams, match="lists, not"):
            walk()
    accept(folder, path, digest, lists=f"lists + {lie}")
    change(
        folder.path,
        f"UPDATE expansions SET lists_out = lists_out + {lie} WHERE size = 4 AND source = 0",
        "DELETE FROM expansions WHERE size = 5",
        "DELETE FROM batches WHERE size = 5",
        "DELETE FROM sizes WHERE size = 5",
    )
    with pytest.raises(SetsetError, match="setset repair --deep"):
        build(folder.path)

"""Counts beside the database, so that they survive it: hours of work that no batch file holds.

The file has a line of JSON for each count of a source, and a last line with the checksum of all lines before it.
"""

import contextlib
import json
from dataclasses import asdict

import xxhash

from setset import durable
from setset.database import Database, tallies
from setset.database.tallies import SourceCount
from setset.errors import SetsetError
from setset.progress import ProgressListener

MOST_BYTES = 1 << 28


def save_counts(database: Database) -> None:
    """Writes all counts of a workspace to its file, in the place of an earlier one."""
    found = tallies.source_counts(database)
    if found:
        body = b"".join(json.dumps(asdict(count)).encode() + b"\n" for count in found)
        durable.save(database.folder.counts, body + _last_line(body))


def _last_line(body: bytes) -> bytes:
    return json.dumps({"checksum": xxhash.xxh3_128_hexdigest(body)}).encode() + b"\n"


def restore_counts(database: Database, progress: ProgressListener) -> None:
    """Records the counts in the file of a workspace whose sources are there as they were."""
    path = database.folder.counts
    try:
        data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
        body = data[: data.rstrip(b"\n").rfind(b"\n") + 1]
        if body + _last_line(body) != data:
            raise ValueError("checksum mismatch")
        found = [SourceCount.from_json(json.loads(line)) for line in body.splitlines()]
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, LookupError) as error:
        progress.notice(f"{path} cannot be read ({error}): the counts in it are lost")
        return
    restored = tallies.adopt(database, found)
    progress.notice(f"restored {restored:,} of {len(found):,} counts from {path.name}")


def save_counts_if_possible(database: Database) -> None:
    """As `save_counts`, at the end of a run that may have failed: the error of the run must not be hidden."""
    with contextlib.suppress(OSError, SetsetError):
        save_counts(database)

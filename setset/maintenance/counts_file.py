"""The counts file, `setset.counts`: a copy of all counts. Counts are hours of work, and no batch file holds them.

The file has a line of JSON for each count of a source, and a final line with the checksum of the lines before it.
"""

import json
import os
import stat
from dataclasses import asdict
from pathlib import Path

import xxhash

from setset import durable, platform
from setset.database import Database, tallies
from setset.database.tallies import SourceCount
from setset.errors import SetsetError
from setset.progress import ProgressListener

MOST_BYTES = 1 << 28


def save_counts(database: Database) -> None:
    """Writes all counts of a workspace to its counts file, and replaces an earlier file."""
    counts = tallies.source_counts(database)
    if counts:
        body = b"".join(json.dumps(asdict(count)).encode() + b"\n" for count in counts)
        durable.save(database.folder.counts, body + _last_line(body))


def _last_line(body: bytes) -> bytes:
    return json.dumps({"checksum": xxhash.xxh3_128_hexdigest(body)}).encode() + b"\n"


def restore_counts(database: Database, progress: ProgressListener) -> None:
    """Restores counts from the counts file to the database. Skips counts whose source batches have changed."""
    path = database.folder.counts
    try:
        data = _read(path)
        body = data[: data.rstrip(b"\n").rfind(b"\n") + 1]
        if body + _last_line(body) != data:
            raise ValueError("checksum mismatch")
        counts = [SourceCount.from_json(json.loads(line)) for line in body.splitlines()]
        if len({(*count.exploration, count.size, count.source_size, count.source) for count in counts}) < len(counts):
            raise ValueError("a count occurs twice")
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        progress.notice(f"{path} cannot be read ({error}): the counts in it are lost")
        return
    restored = tallies.adopt(database, counts)
    progress.notice(f"restored {restored:,} of {len(counts):,} counts from {path.name}")


def _read(path: Path) -> bytes:
    with open(path, "rb", opener=lambda name, _: os.open(name, platform.READ)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("not a regular file")
        return file.read(MOST_BYTES)


def save_counts_if_possible(database: Database, progress: ProgressListener) -> None:
    """Calls `save_counts` at the end of a run. Reports an error instead of raising it, to keep an error of the run."""
    try:
        save_counts(database)
    except (OSError, SetsetError) as error:
        progress.notice(f"{error}; only the database has the counts, so a rebuild of the database would lose them")

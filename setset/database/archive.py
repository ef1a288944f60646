"""A workspace of an older schema on read-only media, read through an upgraded copy of its database."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from setset.database import schema
from setset.folder import WorkspaceFolder


def upgraded_copy(folder: WorkspaceFolder) -> tuple[WorkspaceFolder, TemporaryDirectory[str]]:
    """Returns the workspace with an upgraded copy of its database, and the temporary folder that holds the copy."""
    temporary = TemporaryDirectory(prefix="setset-")
    copy = Path(temporary.name) / folder.database.name
    shutil.copyfile(folder.database, copy)
    schema.upgrade(copy)
    return replace(folder, database_name=str(copy)), temporary


def is_read_only(folder: WorkspaceFolder) -> bool:
    """Whether the folder is read-only, so that the database cannot be upgraded in place."""
    return not os.access(folder.path, os.W_OK)

"""Whether anything has happened in a workspace since one last looked."""

from __future__ import annotations

from pathlib import Path

from setset.database.changes import ChangeCounter
from setset.database.copies import reading_copies as reading_copies
from setset.folder import WorkspaceFolder


class Watch:
    """Notices what other programs do to a workspace: what they record, and runs that begin, end or are killed.

    To be used by one thread. Nothing is held between two questions, so no commit waits for it.

    Args:
        workspace: The folder, which may not be there yet.
    """

    def __init__(self, workspace: str | Path) -> None:
        self._folder = WorkspaceFolder(Path(workspace))
        self._counter = ChangeCounter(self._folder.database)
        self._seen: tuple[object, bool] | None = None

    def changed(self) -> bool:
        """Whether something has changed since the last call; True at the first."""
        before = self._seen
        self._seen = (self._counter.read(), self._folder.is_in_use())
        return self._seen != before

    @property
    def in_use(self) -> bool:
        """Whether a run was under way at the last call of `changed`."""
        return self._seen is not None and self._seen[1]

    def close(self) -> None:
        self._counter.close()

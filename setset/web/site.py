"""What all pages share: the workspace, which may not be there, and the catalogue, which is built once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import setset
from setset.cards import LARGEST

SECONDS: Final = 5.0
"""How long anything that a page asks of the database may take."""


@dataclass(frozen=True)
class Settings:
    """What a page is started with."""

    workspace: Path
    hosts: frozenset[str]
    """The names under which requests may ask for it."""
    token: str | None = None
    """What a visitor must know; None if nothing."""


class Site:
    """The data behind the pages. Every request opens the workspace anew, so that one that is replaced is seen."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._building = threading.Lock()
        self._totals: list[setset.Totals] = []
        self._queries = threading.Semaphore(2)
        self.ending = threading.Event()
        """Set when the server ends: live pages end too."""

    @contextmanager
    def workspace(self) -> Iterator[setset.Workspace]:
        """The workspace, to read; NotAWorkspace if there is none."""
        with setset.open(self.settings.workspace, time_limit=SECONDS) as opened:
            yield opened

    @contextmanager
    def query_slot(self) -> Iterator[None]:
        """Only a few queries of visitors at a time, so that they cannot take all memory."""
        if not self._queries.acquire(timeout=SECONDS):
            raise setset.Locked("other queries are being answered: try again")
        try:
            yield
        finally:
            self._queries.release()

    def catalogue(self) -> setset.Catalogue:
        """All classes. The first to ask waits until they are built, and so does everybody else."""
        catalogue = setset.catalogue_in_memory()
        with self._building:
            catalogue.level(LARGEST)
        return catalogue

    def totals(self) -> list[setset.Totals]:
        """The sums of all sizes."""
        self.catalogue()
        with self._building:
            self._totals = self._totals or setset.class_totals()
        return self._totals

    def warm_up(self) -> None:
        """Does once all that takes long the first time: compiled code is loaded, the catalogue is built."""
        catalogue = self.catalogue()
        hand = setset.unrank(12, 0, catalogue)
        setset.rank(setset.classify(hand, catalogue).cards, catalogue)
        for size in range(LARGEST + 1):
            setset.describe_class(catalogue.get(size, 0), catalogue)
        self.totals()

"""Finished trials of a long programme, so that it can resume. The file has a line of JSON per trial."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from sections import code

Record = dict[str, Any]


class State:
    """The finished trials of a programme, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, programme: str, seed: int, path: Path | None) -> State:
        """State in a file; by default, one in the temporary folder for this programme, seed and committed code."""
        return cls(path or Path(tempfile.gettempdir()) / f"setset-{programme}-{seed}-{code()}.jsonl")

    def read(self) -> list[Record]:
        """All finished trials. Removes an incomplete last line, so that its trial is repeated."""
        if not self.path.exists():
            return []
        text = self.path.read_text()
        if text and not text.endswith("\n"):
            text = text[: text.rfind("\n") + 1]
            self.path.write_text(text)
        return [json.loads(line) for line in text.splitlines()]

    def add(self, *records: Record) -> None:
        with self.path.open("a") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records))

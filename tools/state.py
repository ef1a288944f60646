"""Finished trials of a long programme, so that it can resume: a line of JSON per trial."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class State:
    """The finished trials of a programme, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, programme: str, seed: int, path: Path | None) -> State:
        """State in a file; by default, in the temporary folder under the name of the programme and its seed."""
        return cls(path or Path(tempfile.gettempdir()) / f"setset-{programme}-{seed}.jsonl")

    def read(self) -> list[Record]:
        """All that was added. A last line that was cut short is removed: that trial is made again."""
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

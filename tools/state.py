"""State file of a tool with many trials, so that a stopped tool can resume. The file has a line of JSON per finished
trial."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from sections import code

Record = dict[str, Any]


class State:
    """The state file of a tool."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, programme: str, seed: int, path: Path | None) -> State:
        """Makes the state for a file. The default file is in the temporary folder, for this tool, seed and committed
        code."""
        return cls(path or Path(tempfile.gettempdir()) / f"setset-{programme}-{seed}-{code()}.jsonl")

    def read(self) -> list[Record]:
        """Reads all finished trials. Removes an incomplete last line, so that its trial is repeated."""
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

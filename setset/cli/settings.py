"""Settings of a workspace: the file `setset.toml` in its folder has defaults of options."""

import tomllib
from pathlib import Path
from typing import Any

from setset.errors import BadInput

SETTINGS = "setset.toml"
KINDS: dict[str, type] = {"target": int, "output": str, "workers": int}
"""The settings in `setset.toml`, and the type of each."""
MOST_BYTES = 1 << 16


def read_settings(workspace: Path) -> dict[str, Any]:
    """Reads the settings of a workspace; empty without the file. A relative `output` is resolved in the workspace.

    Raises:
        BadInput: The file is not TOML, or a setting is unknown or of another type.
    """
    path = workspace / SETTINGS
    if not path.is_file():
        return {}
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it has {path.stat().st_size:,} bytes")
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not TOML: {error}") from error
    for name, value in settings.items():
        if type(value) is not KINDS.get(name) or value == "" or "\0" in str(value):
            raise BadInput(f'{path}: expected target = 18, output = "FOLDER" or workers = 2, not {name} = {value!r}')
    if "output" in settings:
        settings["output"] = str(workspace / settings["output"])
    return settings

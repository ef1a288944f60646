"""The best times of games that were played to the end without a hint, in a small file of the user."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from setset import durable, platform
from setset.errors import SetsetError

NAME = "best-times.json"


def enter_game(seconds: float, players: Sequence[str]) -> str:
    """Enters a game that is over, if it is the quickest of so many players; a line on the best time. Never fails."""
    try:
        return _enter(platform.data_folder() / NAME, seconds, players)
    except (OSError, RuntimeError, SetsetError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"best times are not kept: {error}"


def _enter(path: Path, seconds: float, players: Sequence[str]) -> str:
    best = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    kind = str(max(1, len(players)))
    before = _spell(best[kind]) if kind in best else None
    if before is not None and best[kind]["seconds"] <= seconds:
        return f"best time {before}"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    best[kind] = {"seconds": round(seconds, 1), "players": list(players), "day": today}
    durable.make_folder(path.parent)
    durable.save(path, (json.dumps(best, indent=1) + "\n").encode())
    return "a new best time" + (f", the last one was {before}" if before else "")


def _spell(entry: dict[str, Any]) -> str:
    """'12:05 by Ada and Emmy on 2026-03-01'"""
    whole = int(entry["seconds"])
    names = " and ".join(map(str, entry["players"]))
    return f"{whole // 60}:{whole % 60:02}{f' by {names}' if names else ''} on {entry['day']}"

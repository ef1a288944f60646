"""Output of `tools/bench --json`, shortened."""

from __future__ import annotations

BENCH = {
    "machine": "a machine, 2 cores",
    "figures": [
        {"name": "count", "value": 300.0, "unit": "M lists/s", "mark": None, "at_most": False, "verdict": ""},
        {"name": "ratio", "value": 0.97, "unit": "x", "mark": 0.95, "verdict": "at least 0.95: yes"},
        {"name": "other", "value": 1.7, "unit": "x", "mark": 1.8, "verdict": "at least 1.8: NO"},
    ],
}

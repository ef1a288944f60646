#!/usr/bin/env python3
"""Builds the classes of all sizes, with their links, for setset/symmetry/classes.npz, which comes with the package.

A test builds the classes again and compares, so this tool is needed only if the format of the file changes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from setset.cards import LARGEST
from setset.symmetry.build import build_level
from setset.symmetry.catalogue import STORED
from setset.symmetry.classes import Level
from setset.symmetry.game import game_classes_of_each
from setset.symmetry.stabilizers import stabilizer_of


def main() -> None:
    arrays: dict[str, np.ndarray] = {}
    level: Level | None = None
    for size in range(LARGEST + 1):
        level = build_level(size, level.classes if level else ())
        forms = np.array([list_class.cards for list_class in level.classes], np.uint8).reshape(len(level.classes), size)
        links = level.links.rows.astype(np.int16)
        steps = np.diff(links[:, :2], axis=0, prepend=np.zeros((1, 2), np.int16))  # differences take half the bytes
        arrays[f"forms_{size}"] = forms.T.copy()  # column by column the values are similar and take half the bytes
        arrays[f"stabilizers_{size}"] = np.array([list_class.stabilizer for list_class in level.classes], "<i8")
        arrays[f"extensions_{size}"] = np.array([list_class.extensions for list_class in level.classes], np.uint8)
        arrays[f"smaller_{size}"] = steps[:, 0].astype(np.uint8)
        arrays[f"larger_{size}"] = steps[:, 1].astype("<i2")
        arrays[f"link_extensions_{size}"] = links[:, 2].astype(np.uint8)
        arrays[f"game_classes_{size}"] = np.array(game_classes_of_each(level.classes), "<i4")
        traits = zip(*(stabilizer_of(list_class).traits for list_class in level.classes), strict=True)
        for name, column in zip(("structures", "orbits", "extension_orbits"), traits, strict=True):
            arrays[f"{name}_{size}"] = np.array(column, np.bytes_)
    np.savez_compressed(STORED, allow_pickle=False, **arrays)
    print(f"{STORED.relative_to(Path.cwd())}: {STORED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

"""What `pip install .` installs: the command, the types, and the migrations, so that a copy upgrades its databases."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_makes_databases_on_its_own(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("setset-*.whl")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
        names = archive.namelist()
    assert "setset/py.typed" in names
    stubs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "setset").rglob("*.pyi")}
    assert "setset/__init__.pyi" in stubs
    assert stubs <= set(names)
    assert "setset/migrations/env.py" in names
    web = ROOT / "setset" / "web"
    pages = [*(web / "templates").iterdir(), *(web / "static").iterdir()]
    assert len(pages) > 15
    assert {path.relative_to(ROOT).as_posix() for path in pages} <= set(names)
    assert any("entry_points.txt" in name for name in names)
    assert not any(name.startswith(("tests/", "tools/")) for name in names)
    code = (
        "from pathlib import Path; import setset; from setset.database import schema\n"
        "assert setset.GROUP_ORDER; schema.create(Path('new.db')); schema.require_current(Path('new.db'))\n"
        "print(setset.__file__, schema.migrations(), sep='\\n')"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
    )
    package = unpacked / "setset"
    assert [Path(line) for line in run.stdout.splitlines()] == [package / "__init__.py", package / "migrations"]

"""Steps of a sequence of faults: damage to a workspace at rest.

Each takes its decisions from the random numbers that it is given, so that a round can be played again.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from alembic import command as alembic

from setset.batches.ownership import TOKEN, read_token
from setset.database import schema, storage_roots
from setset.database.connection import DRIVER_ERRORS, connect
from tests.chaos.commands import die_at
from tests.chaos.faults import STRANGERS, cut_short, exchange, flip_some_bits
from tests.chaos.scene import NAMES, Scene


def _damage(scene: Scene, random: Random, damage: Callable[[Path], None]) -> None:
    for _ in range(random.choice([1, 1, 2])):
        path = scene.some_file(random)
        if path is not None:
            scene.damaged.add(path.name)
            damage(path)


def flip(scene: Scene, random: Random) -> None:
    _damage(scene, random, lambda path: flip_some_bits(path, random))


def truncate(scene: Scene, random: Random) -> None:
    _damage(scene, random, lambda path: cut_short(path, random))


def delete(scene: Scene, random: Random) -> None:
    _damage(scene, random, lambda path: path.unlink())


def swap(scene: Scene, random: Random) -> None:
    """Two batch files in each other's place, of one size or of two."""

    def damage(path: Path) -> None:
        second = scene.some_file(random)
        if second not in (None, path):
            scene.damaged.add(second.name)
            exchange(path, second, scene.folder / "aside")

    _damage(scene, random, damage)


def replace(scene: Scene, random: Random) -> None:
    """A sound batch file in the place of another, or one more under a name of its own in the other root."""

    def damage(path: Path) -> None:
        source = scene.some_file(random)
        root = random.choice(scene.roots)
        if random.random() < 0.3 and root not in path.parents:
            path = root / path.relative_to(path.parents[2])
            path.parent.mkdir(parents=True, exist_ok=True)
        if source not in (None, path):
            shutil.copyfile(source, path)

    _damage(scene, random, damage)


def delete_size(scene: Scene, random: Random) -> None:
    """The whole folder of a size."""
    folders = sorted({path.parent for path in scene.files()})
    if folders:
        folder = random.choice(folders)
        scene.forget_strangers(folder)
        shutil.rmtree(folder)


def delete_token(scene: Scene, random: Random) -> None:
    (random.choice(scene.roots) / TOKEN).unlink(missing_ok=True)


def flip_token(scene: Scene, random: Random) -> None:
    flip_some_bits(random.choice(scene.roots) / TOKEN, random)


def delete_database(scene: Scene, random: Random) -> None:
    """The database deleted or emptied."""
    if random.random() < 0.8:
        scene.database.unlink(missing_ok=True)
    elif scene.database.exists():
        scene.database.write_bytes(b"")


def flip_database(scene: Scene, random: Random) -> None:
    flip_some_bits(scene.database, random)


def restore_database(scene: Scene, random: Random) -> None:
    """An older copy in the place of the database, as it was made earlier; it may be made now for later."""
    if not scene.older.exists() and scene.database.exists():
        shutil.copy(scene.database, scene.older)
        scene.do("run", die_at(random.randrange(50, 600)))
    if scene.older.exists() and scene.workspace.exists():
        shutil.copy(scene.older, scene.database)


def other_cut(scene: Scene, random: Random) -> None:
    """A run with another --batch-lists, perhaps on an older database, perhaps killed."""
    scene.same_cuts = False
    if random.random() < 0.5:
        restore_database(scene, random)
    cut = random.choice([40_000, 70_000, 200_000, 700_000, 2_000_000])
    scene.do("run", die_at(random.randrange(50, 900)) if random.random() < 0.6 else None, cut)


def older_schema(scene: Scene, random: Random) -> None:
    """The database as an earlier version of setset would have left it."""
    if not scene.database.exists():
        return
    path = scene.folder / "schema.db"
    path.unlink(missing_ok=True)
    path.touch()
    # Schemas before 0005 have no column for pruning.
    revisions = ["0005"] if scene.plan.pruned else ["0001", "0002", "0005"]
    alembic.upgrade(schema.alembic_config(path), random.choice(revisions))
    with contextlib.suppress(*DRIVER_ERRORS), contextlib.closing(connect(path, "rw")) as old, old:
        old.execute("ATTACH ? AS new", (str(scene.database),))
        if old.execute("SELECT version_num FROM new.alembic_version").fetchone() != (schema.HEAD,):
            return
        tables = [row[0] for row in old.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")]
        for table in tables:
            if table != "alembic_version" and not table.startswith("sqlite_"):
                names = [row[1] for row in old.execute(f"PRAGMA main.table_info({table})")]
                columns = ", ".join(names)
                old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        old.commit()
        old.execute("DETACH new")
        shutil.copy(path, scene.database)


def foreign_file(scene: Scene, random: Random) -> None:
    path = scene.some_file(random)
    if path is not None:
        stranger = random.choice([path.parent, path.parents[1], path.parents[2]]) / random.choice(STRANGERS)
        stranger.write_bytes(b"mine")
        if stranger not in scene.strangers:
            scene.strangers.append(stranger)


def root_away(scene: Scene, random: Random) -> None:
    """A storage root is away, with a bare mount point in its place perhaps, while a command runs."""
    root = random.choice(scene.roots)
    away = scene.folder / "away"
    if not root.is_dir():
        return
    root.rename(away)
    if random.random() < 0.5:
        root.mkdir()
    command = random.choice(["run", "run", "check", "repair", "db rebuild"])
    is_known = _has_recorded_files(scene, root)
    scene.do(command)
    written = [path for path in root.rglob("*") if path.is_file()] if root.exists() else []
    if written and is_known and command == "run" and root != scene.workspace / "batches":
        scene.problems.append(f"written where the storage root was: {written[0]}")
    shutil.rmtree(root, ignore_errors=True)
    away.rename(root)


def _has_recorded_files(scene: Scene, root: Path) -> bool:
    """Whether the database has files in a root. A restored database may be older than the root and not know it."""
    query = "SELECT COUNT(*) FROM batches JOIN storage_roots r ON r.id = root_id WHERE r.path = ?"
    with contextlib.suppress(*DRIVER_ERRORS), contextlib.closing(connect(scene.database, "ro")) as connection:
        return bool(connection.execute(query, [str(root.resolve())]).fetchone()[0])
    return False


def copy_goes_on(scene: Scene, random: Random) -> None:
    """A copy of the workspace is worked on. Nothing of the original may change."""
    copy = copy_of(scene)
    if copy is None:
        return
    before = {path: path.read_bytes() for path in scene.files()}
    if random.random() < 0.5:
        for files in copy.workspace.glob("batches/[tp]??"):
            shutil.rmtree(files)
    for command in random.sample(["run", "repair", "compact", "db rebuild"], 2):
        copy.do(command)
    scene.commands += [(f"(copy) {command}", outcome) for command, outcome in copy.commands]
    shutil.rmtree(copy.workspace)
    require_same_files(scene, before, "the copy")


def copy_of(scene: Scene) -> Scene | None:
    """A copy of the workspace; None if nothing says which of the two is the original."""
    copy = Scene(scene.folder, scene.plan, "copy", moved=scene.moved)
    roots = [scene.root_folder(name) for name in scene.plan.outputs if name]
    claimed = all((root / TOKEN).exists() or any(root.glob(NAMES)) for root in roots)
    if not (scene.workspace.exists() and claimed and (not roots or is_noted(scene))):
        return None  # a folder that is nobody's yet is the first one's who takes it
    shutil.rmtree(copy.workspace, ignore_errors=True)
    shutil.copytree(scene.workspace, copy.workspace)
    return copy


def require_same_files(scene: Scene, before: dict[Path, bytes], actor: str) -> None:
    """Every file that was there before must be as it was."""
    after = {path: path.read_bytes() for path in scene.files()}
    changed = sorted(str(path) for path in before if after.get(path) != before[path])
    if changed:
        scene.problems.append(f"{actor} changed {len(changed)} files of the original: {changed[0]}")


def is_noted(scene: Scene) -> bool:
    """Whether the workspace noted where it is. If all notes are lost, or it was moved and nothing was written since,
    it and its copy are alike."""
    token = read_token(scene.workspace / "batches")
    notes = {*storage_roots.salvage(scene.database, "workspace", "folder"), token.folder if token else None}
    return str(scene.workspace.resolve()) in notes


def copy_takes_over(scene: Scene, random: Random) -> None:  # noqa: ARG001
    """The workspace is copied or moved to another folder, where it goes on; the original is gone."""
    if not scene.workspace.exists():
        return
    before, scene.name = scene.workspace, "w2" if scene.name == "w" else "w"
    shutil.rmtree(scene.workspace, ignore_errors=True)
    before.rename(scene.workspace)
    scene.strangers = [
        scene.workspace / path.relative_to(before) if path.is_relative_to(before) else path for path in scene.strangers
    ]


HALF_A_COMMIT = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = TRUNCATE")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE batches SET defect = ?, lists = 1", ("x" * 3000,))
os.kill(os.getpid(), 9)
"""


def hot_journal(scene: Scene, random: Random) -> None:
    """A writer killed in the middle of a commit; perhaps the database is deleted or replaced, its journal not."""
    if scene.database.exists():
        subprocess.run([sys.executable, "-S", "-c", HALF_A_COMMIT, scene.database], check=False, capture_output=True)
    if random.random() < 0.4:
        random.choice([delete_database, restore_database])(scene, random)


def check_only(scene: Scene, random: Random) -> None:
    """A command that is not disturbed, between two that are."""
    scene.do(random.choice(["run", "check", "repair", "db rebuild"]))

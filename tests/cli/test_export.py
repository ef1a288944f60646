"""`setset export` as a user meets it: real commands, real worker processes."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars
import psutil
import pytest

from tests.cli.conftest import SETSET, run_process
from tests.commands import run_here
from tests.conftest import Run
from tests.small import TARGET

LISTS = ["export", "lists", "--target", str(TARGET), "--workers", "2"]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def exported(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Size 5 of the reference as Parquet, some 10 million lists in 50 files. Not to be changed."""
    folder = tmp_path_factory.mktemp("exported") / "five"
    result = run_here(*LISTS, "--size", "5", "-o", str(folder), "--format", "parquet", "--json", workspace=reference)
    assert (result.returncode, result.stderr) == (0, "")
    summary = json.loads(result.stdout)
    assert summary["files"] == summary["written"] == len(list(folder.iterdir()))
    assert summary["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    return folder


def test_every_list_is_there_once(exported: Path, reference: Path) -> None:
    result = run_here("count", "--size", "5", "--json", workspace=reference)
    (count,) = json.loads(result.stdout)
    frame = polars.scan_parquet(exported / "*.parquet")
    assert frame.select(polars.len()).collect().item() == count["lists"]
    assert frame.head(1).collect().row(0) == (0, 1, 3, 4, 9)


@pytest.mark.posix("sends signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_a_stopped_export_goes_on_and_ends_with_the_same_bytes(
    exported: Path, reference: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "five"
    arguments = [*LISTS, "--size", "5", "-o", str(folder), "--format", "parquet", "-w", str(reference)]
    process = subprocess.Popen([*SETSET, *arguments], stderr=subprocess.PIPE, text=True)
    children: list[psutil.Process] = []
    while process.poll() is None and len(list(folder.glob("*.parquet"))) < 3:
        time.sleep(0.01)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=120)
    psutil.wait_procs(children, timeout=120)
    assert not any(child.is_running() for child in children)
    finished = sorted(folder.glob("*.parquet"))
    assert 3 <= len(finished) < len(snapshot(exported))
    if name == "SIGINT":
        assert process.returncode == 130
        assert errors.splitlines()[-1].startswith("setset: interrupted; finished files stay")
        assert sorted(folder.iterdir()) == finished
    inodes = {path: path.stat().st_ino for path in finished}
    rerun = run_here(*arguments)
    assert rerun.returncode == 0
    assert f"{len(finished)} of them existed before" in rerun.stdout
    assert snapshot(folder) == snapshot(exported)
    assert {path: path.stat().st_ino for path in finished} == inodes


@pytest.mark.posix("a killed process leaves files open for a moment")
def test_a_killed_export_of_numpy_goes_on(reference: Path, tmp_path: Path) -> None:
    """At once after the first files, before the manifest names them."""
    folder, complete = tmp_path / "five", tmp_path / "whole"
    words = [*LISTS, "--size", "5", "--format", "npy", "-w", str(reference), "-o"]
    process = subprocess.Popen([*SETSET, *words, str(folder)], stderr=subprocess.DEVNULL)
    while process.poll() is None and len(list(folder.glob("*.npy"))) < 3:
        time.sleep(0.001)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    psutil.wait_procs(children, timeout=120)
    inodes = {path: path.stat().st_ino for path in folder.glob("*.npy")}
    rerun = run_here(*words, str(folder))
    assert (rerun.returncode, f"{len(inodes)} of them existed before" in rerun.stdout) == (0, True), rerun.stderr
    assert {path: path.stat().st_ino for path in inodes} == inodes
    assert run_here(*words, str(complete)).returncode == 0
    assert snapshot(folder) == snapshot(complete)


@pytest.mark.posix("sets limits of a process")
def test_a_full_disk_is_exit_code_12_and_leaves_nothing_half(reference: Path, tmp_path: Path) -> None:
    """With a limit on the size of files, which the system reports as it reports a full disk."""
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))\n"
        "from setset.cli import main; sys.argv[0] = 'setset'; main()"
    )
    words = [*LISTS, "--size", "4", "-o", str(tmp_path / "four"), "--format", "npy", "-w", str(reference)]
    result = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 12, result.stderr
    assert result.stderr.splitlines()[-1].startswith("setset: no room for ")
    assert list((tmp_path / "four").iterdir()) == []


def test_standard_output(workspace: Path) -> None:
    command = ("export", "lists", "--size", "5", "--start", "7", "--limit", "2", "-o", "-", "--quiet")
    result = run_here(*command, "--format", "csv", "--as", "names", workspace=workspace)
    head, row, _ = csv.reader(io.StringIO(result.stdout))
    assert head == ["c1", "c2", "c3", "c4", "c5"]
    assert row[:2] == ["red one solid diamond", "red one solid squiggle"]
    words = [*SETSET, *command, "--format", "npy", "-w", str(workspace)]
    raw = subprocess.run(words, capture_output=True, check=True)
    assert np.load(io.BytesIO(raw.stdout)).shape == (2, 5)


@pytest.mark.posix("needs a shell")
def test_a_pipe_that_closes_early_is_no_error(workspace: Path) -> None:
    shell = f"{sys.executable} -m setset export lists --size 5 -o - --format csv --quiet | head -2"
    environment = {**os.environ, "SETSET_WORKSPACE": str(workspace)}
    result = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True, env=environment)
    assert (result.stdout, result.stderr) == ("c1,c2,c3,c4,c5\n0,1,3,4,9\n", "")


def test_a_dry_run_says_how_much_and_writes_nothing(workspace: Path, nowhere: Path) -> None:
    words = ("export", "lists", "--size", "5", "-o", "five", "--format", "npy", "--dry-run")
    result = run_here(*words, workspace=workspace)
    assert result.stdout == "size 5: 13,394,538 lists in 1 file, about 67.0 MB: five\n"
    assert (result.returncode, result.stderr, list(nowhere.iterdir())) == (0, "", [])


@pytest.mark.parametrize("what", ["classes", "links", "counts"])
def test_tables(run: Run, workspace: Path, nowhere: Path, what: str) -> None:
    code, out, _ = run("export", what, "-o", "a.json", "--size", "5", "-w", str(workspace))
    rows = json.loads((nowhere / "a.json").read_bytes())
    assert code == 0
    assert out.startswith(f"{len(rows)} ")
    assert {row["size"] for row in rows} == {5}


def test_a_table_on_standard_output(workspace: Path) -> None:
    result = run_here("export", "counts", "-o", "-", "--format", "gap", workspace=workspace)
    assert result.stdout.startswith("SetsetCounts := [\nrec(target := 12, size := 3, lists := 58896, complete := true")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["lists", "--size", "5", "-o", "x"], "no format: give --format parquet|npy|csv|jsonl"),
        (["lists", "--size", "5", "-o", "x.csv", "--format", "npy"], "--format npy contradicts the suffix"),
        (["lists", "--size", "5", "-o", "-", "--format", "parquet"], "parquet cannot go to a stream"),
        (["lists", "--size", "5", "-o", "x.npy", "--as", "names"], "--as names needs --format parquet, csv or jsonl"),
        (["lists", "--size", "5", "-o", "x.csv", "--start", "99999999"], "has no list 99,999,999"),
        (["lists", "--size", "9", "-o", "x.csv"], "size 9 is not stored for target 12"),
        (["lists", "--size", "5", "-o", "-", "--format", "csv", "--json"], "--json cannot be combined"),
        (["classes", "-o", "x"], "no format: give --format csv|json|parquet|gap"),
    ],
)
def test_bad_input_is_one_line(run: Run, workspace: Path, nowhere: Path, arguments: list[str], complaint: str) -> None:
    code, out, err = run("export", *arguments, "-w", str(workspace))
    assert (code, out, list(nowhere.iterdir())) == (2, "", [])
    assert complaint in err.splitlines()[-1]


def test_without_the_extra_parquet_says_what_to_install(workspace: Path, nowhere: Path) -> None:
    (nowhere / "pyarrow.py").write_text("raise ImportError\n")
    words = ("export", "lists", "--size", "3", "-o")
    result = run_process(*words, "a.parquet", workspace=workspace, PYTHONPATH=_path_with(nowhere))
    assert result.returncode == 14
    assert result.stderr == ("setset: Parquet needs an extra: pip install 'setset[export]'\n")
    result = run_process(*words, "a.npy", workspace=workspace, PYTHONPATH=_path_with(nowhere))
    assert result.returncode == 0, result.stderr


def _path_with(folder: Path) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])

"""Selection of an executor by `--executor NAME`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import setset
from setset.errors import BadInput
from setset.executors.dask.transfer import FileAccess
from setset.executors.local import LocalExecutor
from setset.executors.selection import choose_executor
from setset.folder import WorkspaceFolder
from setset.jobs.options import RunOptions
from setset.jobs.run import run
from tests.small import rows

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(setset.__file__).parent.parent)}


def test_local_is_local() -> None:
    assert choose_executor("local", FileAccess()) is LocalExecutor


@pytest.mark.parametrize("access", [FileAccess(ship=True), FileAccess((("", "/mnt", "/data"),))])
@pytest.mark.parametrize("name", ["local", "concurrent.futures:ThreadPoolExecutor"])
def test_map_and_ship_are_for_dask(name: str, access: FileAccess) -> None:
    with pytest.raises(BadInput, match=r"^--map and --ship need --executor dask"):
        choose_executor(name, access)


def test_any_other_executor_will_do(tmp_path: Path) -> None:
    """As mpi4py.futures:MPIPoolExecutor does."""
    start = choose_executor("concurrent.futures:ThreadPoolExecutor", FileAccess())
    run(WorkspaceFolder(tmp_path / "w"), RunOptions(4, executor=start))
    assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]


def test_a_module_in_the_current_folder_and_an_executor_that_cannot_drop_tasks(tmp_path: Path) -> None:
    """As loky, whose `shutdown` does not know `cancel_futures`."""
    (tmp_path / "mine.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "class Start(ThreadPoolExecutor):\n"
        "    def shutdown(self, wait=True): super().shutdown(wait=wait)\n"
    )
    command = "import sys; sys.argv[0] = 'setset'; sys.path.remove('')\nfrom setset.cli import main; main()"
    arguments = ["run", "--size", "3", "-q", "--executor", "mine:Start", "-w", "w"]
    result = subprocess.run(
        [sys.executable, "-c", command, *arguments], env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    "name", ["", "dusk", "dask=", "nowhere:Executor", "os:Executor", "os:path", "math:sqrt", "math:pi"]
)
def test_an_unknown_executor_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--executor"):
        run(WorkspaceFolder(tmp_path / "w"), RunOptions(3, executor=choose_executor(name, FileAccess())))


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['distributed'] = None; sys.argv[0] = 'setset'\nfrom setset.cli import main; main()"
    arguments = ["run", "--size", "3", "--executor", "dask", "-w", str(tmp_path / "w")]
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (
        14,
        "setset: a Dask cluster needs an extra: pip install 'setset[dask]'\n",
    )
    assert not (tmp_path / "w").exists()


def test_a_run_without_dask_does_not_import_it() -> None:
    code = (
        "import sys; import setset.jobs.run, setset.cli.run, setset.executors.selection\n"
        "print({'dask', 'distributed'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    assert result.stdout == "set()\n"

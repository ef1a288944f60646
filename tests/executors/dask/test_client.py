"""Getting hold of a cluster: one line, soon, for whatever is wrong, and Ctrl-C is heard."""

from __future__ import annotations

import re
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.commands import run_here
from tests.executors.dask.conftest import finish, start_run

pytest.importorskip("distributed")

pytestmark = pytest.mark.cluster


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def assert_nobody_answers(where: str, code: int, said: str) -> None:
    assert code == 1, said
    assert said.startswith(f"setset: no Dask scheduler answers at {where} (")
    assert re.search(r"\): start one with '(python -m )?setset scheduler'\n$", said)
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "where", ["foo", " ", "tcp://", "host:abc", "http://127.0.0.1:80", "tls://127.0.0.1:80", "inproc://x", "x" * 300]
)
def test_an_address_that_is_none(where: str, tmp_path: Path) -> None:
    started = time.monotonic()
    done = run_here("run", "--size", "3", "--executor", f"dask={where}", workspace=tmp_path / "w")
    assert_nobody_answers(where, done.returncode, done.stderr)
    assert time.monotonic() - started < 10, "and the machine may be busy"


def test_an_address_where_nobody_listens(tmp_path: Path) -> None:
    where = f"127.0.0.1:{free_port()}"
    code, said = finish(start_run("-w", str(tmp_path / "w"), "--executor", f"dask={where}", "-q", size=3))
    assert_nobody_answers(where, code, said)
    assert re.search(r" after 1\d(\.\d)? s\)", said)


@pytest.mark.parametrize("content", [None, "", "{", "[]", "{}", '{"address": 5}'])
def test_a_scheduler_file_without_an_address(content: str | None, tmp_path: Path) -> None:
    from setset.errors import SetsetError
    from setset.executors.dask.client import connect

    file = tmp_path / "scheduler.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(SetsetError, match=r"^there is no scheduler's address in .*scheduler.json: 'setset sch"):
        connect(str(file), 0.5, lambda: False)


def test_a_line_says_that_the_scheduler_is_waited_for(tmp_path: Path) -> None:
    from setset.errors import SetsetError
    from setset.executors.dask.client import connect

    lines: list[str] = []
    with pytest.raises(SetsetError, match="there is no scheduler's address"):
        connect(str(tmp_path / "none.json"), 3.5, lambda: False, lines.append)
    assert lines == [f"waiting for the Dask scheduler at {tmp_path / 'none.json'}"]


@pytest.mark.posix("sends signals")
@pytest.mark.parametrize("where", ["127.0.0.1:{port}", "none.json"])
def test_ctrl_c_ends_the_waiting(where: str, tmp_path: Path) -> None:
    process = start_run("-w", str(tmp_path / "w"), "--executor", f"dask={where.format(port=free_port())}", size=3)
    assert process.stderr is not None
    assert any("waiting for the Dask scheduler" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    code, said = finish(process)
    assert code == 130, said
    again = f"'python -m setset run -w {tmp_path / 'w'}'"
    assert said.endswith(f"setset: interrupted; what was finished is recorded, {again} resumes\n")
    assert time.monotonic() - started < 10, "of 12 that it would wait"


@pytest.mark.posix("needs /proc")
def test_a_cluster_that_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.executors.dask import conftest

    monkeypatch.setitem(conftest.ENVIRONMENT, "DASK_TEMPORARY_DIRECTORY", "/proc/x")
    code, said = finish(start_run("-w", str(tmp_path / "w"), "--executor", "dask", size=3))
    assert code == 1
    assert said.splitlines()[-1].startswith("setset: Dask cannot start a cluster here: ")
    assert "Traceback" not in said


def test_a_scheduler_that_listens_and_says_nothing_is_not_waited_for() -> None:
    """For example a stopped scheduler: the system accepts the connection, and nobody answers."""
    from setset.errors import SetsetError
    from setset.executors.dask.client import connect

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(SetsetError, match=r"no Dask scheduler answers at .* \(it listens, but says nothing\)"):
            connect(address, 1, lambda: False)


def test_a_cluster_of_ones_own_lets_nobody_else_in() -> None:
    """Another user of this machine knows the address, but has no certificate."""
    from setset.errors import SetsetError
    from setset.executors.dask.client import close, connect, start_local_cluster

    client = start_local_cluster(1, lambda: False)
    try:
        assert client is not None
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        assert client.submit(sum, [1, 2, 3]).result(timeout=60) == 6
        for stranger in (address.replace("tls://", "tcp://"), address):
            with pytest.raises(SetsetError, match="no Dask scheduler answers"):
                connect(stranger, 3, lambda: False)
    finally:
        close(client)

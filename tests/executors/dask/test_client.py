"""Getting hold of a cluster: one line, soon, for whatever is wrong, and Ctrl-C is heard."""

from __future__ import annotations

import http.server
import re
import signal
import socket
import sys
import threading
from pathlib import Path

import pytest

from setset.errors import SetsetError
from tests.commands import run_here
from tests.executors.dask.conftest import LONGEST, finish, start_run

pytest.importorskip("distributed")

import dask

from setset.executors.dask.client import Timeouts, close, connect, find_page, start_local_cluster

pytestmark = pytest.mark.cluster


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    "where", ["foo", " ", "tcp://", "host:abc", "http://127.0.0.1:80", "tls://127.0.0.1:80", "inproc://x", "x" * 300]
)
def test_an_address_that_is_none(where: str, tmp_path: Path) -> None:
    result = run_here("run", "--size", "3", "--executor", f"dask={where}", workspace=tmp_path / "w")
    assert result.returncode == 1
    assert result.stderr.startswith(f"setset: no Dask scheduler answers at {where} (")
    assert re.search(r"\): start one with '(python -m )?setset scheduler'\n$", result.stderr)
    assert len(result.stderr.splitlines()) == 1


def test_an_address_where_nobody_listens() -> None:
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(SetsetError, match=rf"no Dask scheduler answers at {address} \(.* after 1(\.\d)? s\)"):
        connect(address, 1, lambda: False)


@pytest.mark.parametrize("content", [None, "", "{", "[]", "{}", '{"address": 5}'])
def test_a_scheduler_file_without_an_address(content: str | None, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(SetsetError, match=r"scheduler.json has no scheduler's address: 'setset sch"):
        connect(str(file), 0.5, lambda: False)


@pytest.mark.parametrize("where", ["127.0.0.1:{port}", "none.json"])
def test_waiting_is_announced_and_ends_if_the_run_is_stopping(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where = where.format(port=free_port())
    monkeypatch.setattr(Timeouts, "line", 0.1)
    lines: list[str] = []
    assert connect(where, LONGEST, lambda: bool(lines), lines.append) is None
    assert lines == [f"waiting for the Dask scheduler at {where}"]


@pytest.mark.posix("sends signals")
def test_ctrl_c_ends_the_waiting(tmp_path: Path) -> None:
    process = start_run("-w", str(tmp_path / "w"), "--executor", f"dask=127.0.0.1:{free_port()}", size=3)
    assert process.stderr is not None
    assert any("waiting for the Dask scheduler" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    code, errors = finish(process)
    assert code == 130, errors
    command = f"'python -m setset run -w {tmp_path / 'w'}'"
    assert errors.endswith(f"setset: interrupted; what was finished is recorded, {command} resumes\n")


@pytest.mark.posix("needs /proc")
def test_a_cluster_that_cannot_start(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        dask.config.set({"temporary-directory": "/proc/x"}),
        pytest.raises(SetsetError, match=r"^Dask cannot start a cluster on this machine: "),
    ):
        start_local_cluster(1, lambda: False)
    assert capfd.readouterr().err == ""


def test_a_scheduler_that_listens_and_says_nothing_is_not_waited_for() -> None:
    """For example a stopped scheduler: the system accepts the connection, and nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(
            SetsetError, match=r"no Dask scheduler answers at .* \(a process listens there, but does not answer\)"
        ):
            connect(address, 1, lambda: False)


def test_a_cluster_of_ones_own_lets_nobody_else_in() -> None:
    """Another user of this machine knows the address, but has no certificate."""
    client = start_local_cluster(1, lambda: False)
    try:
        assert client is not None
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        assert client.submit(sum, [1, 2, 3]).result(timeout=60) == 6
        for address_of_stranger in (address.replace("tls://", "tcp://"), address):
            with pytest.raises(SetsetError, match="no Dask scheduler answers"):
                connect(address_of_stranger, 1, lambda: False)
    finally:
        close(client)


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is not an address of this machine")
def test_the_dashboard_is_found_at_the_loopback_address() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        page = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            assert find_page(page) == page
            assert find_page(page.replace("127.0.0.1", "127.0.0.2")) == page
            assert not find_page(page.replace("127.0.0.1", "192.0.2.1"))
        finally:
            server.shutdown()
            thread.join()

"""`setset worker` and `setset scheduler`: a cluster with certificates on loopback, started and ended in order."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from setset.errors import SetsetError
from tests.commands import run_here
from tests.executors.dask.conftest import ENVIRONMENT, LONGEST, until
from tests.small import rows

pytest.importorskip("distributed")

from setset.executors.dask.client import connect

pytestmark = [pytest.mark.cluster, pytest.mark.posix("sends signals")]


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "setset", *arguments]
    environment = {**ENVIRONMENT, "SETSET_CERTIFICATES": str(folder / "tls")}
    return subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True)


def listening(pid: int) -> list[str]:
    """Addresses at which a process and its children listen."""
    process = psutil.Process(pid)
    return [
        connection.laddr.ip
        for member in (process, *process.children(recursive=True))
        for connection in member.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]


def test_a_cluster_of_our_own_commands(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    processes = [start(tmp_path, "scheduler", "--port", "0", "--scheduler-file", str(file))]
    try:
        until(file.is_file, "the scheduler")
        worker = "worker", str(file), "--workers", "1", "--local-directory", str(tmp_path), "--output", "files"
        processes.append(start(tmp_path, *worker))  # the run makes this storage root
        run = start(tmp_path, "run", "--size", "4", "-q", "-w", "w", "-o", "files", "--executor", f"dask={file}")
        processes.append(run)
        _, errors = run.communicate(timeout=LONGEST)
        assert (run.returncode, errors) == (0, "")
        assert rows(tmp_path / "w", "SELECT lists FROM counts WHERE size = 4") == [(1_004_589,)]
        assert {address for process in processes[:2] for address in listening(process.pid)} == {"127.0.0.1"}
        with pytest.raises(SetsetError, match="no Dask scheduler answers"):
            connect(str(file), 1, lambda: False)  # without a certificate
        # The worker finds a new scheduler at another address, in the same file.
        scheduler = processes.pop(0)
        scheduler.kill()
        scheduler.communicate()
        file.unlink()
        processes.insert(0, start(tmp_path, "scheduler", "--port", "0", "--scheduler-file", str(file)))
        second_run = start(tmp_path, "run", "--size", "3", "-q", "-w", "again", "--executor", f"dask={file}")
        processes.append(second_run)
        _, errors = second_run.communicate(timeout=LONGEST)
        assert (second_run.returncode, errors) == (0, "")
        for process in processes[1::-1]:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=LONGEST)
            assert process.returncode == 0, errors
            assert "tls://127.0.0.1:" in errors
            assert "Traceback" not in errors
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert not file.exists(), "a stale file would lead workers astray"
    assert (tmp_path / "tls").stat().st_mode & 0o777 == 0o700


def test_a_network_needs_certificates() -> None:
    result = run_here("scheduler", "--host", "10.1.2.3")
    assert result.returncode == 2
    assert (
        "--host 10.1.2.3: everyone on this network could run code on every worker: add --certificates DIR"
        in result.stderr
    )


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result = run_here("scheduler", "--port", str(port))
    reason = "(Address already in use): choose another with --port\n"
    assert (result.returncode, result.stderr) == (
        2,
        f"setset: no scheduler can start at 127.0.0.1 port {port} {reason}",
    )


def test_a_worker_without_its_certificates_says_so(tmp_path: Path) -> None:
    result = run_here("worker", "tcp://127.0.0.1:1", "--certificates", str(tmp_path))
    assert (result.returncode, f"{tmp_path}/ca.pem is missing" in result.stderr) == (1, True)

"""Ten thousand connections at once: the page goes on answering, and stays small."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import pytest

from setset.web.server import MOST_CONNECTIONS
from tests.web.conftest import SETSET, cpu_seconds, serving, wait_until_idle

resource = pytest.importorskip("resource")
CONNECTIONS, CLIENTS = 10_000, 5
CLIENT = """
import contextlib, resource, socket, sys
port, wanted = int(sys.argv[1]), int(sys.argv[2])
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
held = []
for place in range(wanted):
    held.append(socket.create_connection(("127.0.0.1", port), timeout=60))
    with contextlib.suppress(OSError):  # it hung up already
        if place % 2:
            held[-1].sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nX-Slow: ")
print(len(held), flush=True)
sys.stdin.read()
"""
"""Opens connections that send nothing, or no whole request, and keeps them all."""


@pytest.mark.posix("sets limits of a process")
@pytest.mark.chaos
def test_ten_thousand_connections(tmp_path: Path) -> None:
    """While they come, and when all of them are there, somebody else is answered and a run goes on to its end."""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < CONNECTIONS // CLIENTS + 100:
        pytest.skip("too few files may be open here")
    run = [*SETSET, "run", "--size", "5", "--workers", "1", "-q", "-w", str(tmp_path / "w")]
    with serving("-w", str(tmp_path / "w")) as (address, process), ExitStack() as stack:
        server = psutil.Process(process.pid)
        for path in ("", "/progress", "/identify?cards=0,1,40"):
            httpx.get(f"{address}{path}", timeout=60)
        wait_until_idle(server)
        memory, seconds = server.memory_info().rss, cpu_seconds(server)
        port = address.rpartition(":")[2]
        command = [sys.executable, "-c", CLIENT, port, str(CONNECTIONS // CLIENTS)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        clients = [stack.enter_context(subprocess.Popen(command, **pipes)) for _ in range(CLIENTS)]
        running = stack.enter_context(subprocess.Popen(run))
        connections = 0
        for client in clients:
            answer(address)
            assert client.stdout is not None
            connections += int(client.stdout.readline())
            assert len(server.net_connections()) < 2 * MOST_CONNECTIONS
        assert connections == CONNECTIONS
        answer(address)
        assert running.wait(60) == 0
        assert httpx.get(f"{address}/api/progress", timeout=60).json()["sizes"][-1]["state"] == "complete"
        grown = server.memory_info().rss - memory
        print(f"{grown / 1e6:.1f} MB more, {cpu_seconds(server) - seconds:.1f} s of CPU time")
        assert grown < 100e6
        for client in clients:
            client.kill()


def answer(address: str) -> None:
    assert httpx.get(f"{address}/identify?cards=0,1,40", timeout=60).status_code == 200

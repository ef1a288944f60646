"""The real server: slow and hostile clients, a run that is watched, Ctrl-C."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from setset.web import server
from setset.web.live import MOST_VIEWERS
from setset.web.security import HEADERS
from tests.cli.conftest import run_process
from tests.conftest import Run
from tests.web.conftest import SETSET, serving


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without a workspace."""
    with serving("-w", str(tmp_path_factory.mktemp("none") / "w")) as (url, _):
        yield url


def connect(address: str) -> socket.socket:
    name, _, port = address.removeprefix("http://").partition(":")
    return socket.create_connection((name, int(port)), timeout=30)


def test_many_connections_that_say_nothing_keep_nobody_out(address: str) -> None:
    """More than the server keeps: it drops the oldest of them, and answers who asks."""
    with ExitStack() as stack:
        for number in range(server.MOST_CONNECTIONS + 60):
            idle = stack.enter_context(connect(address))
            if number % 2:
                idle.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            if number % 50 == 0:
                assert httpx.get(f"{address}/api/addresses", timeout=30).status_code == 200
        assert httpx.get(f"{address}/api/addresses", timeout=30).status_code == 200


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"POST /identify/many HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nx",
    ],
    ids=["header", "address", "TLS", "no host", "another host", "length", "websocket"],
)
def test_what_is_no_request_of_a_browser(address: str, said: bytes) -> None:
    with connect(address) as client:
        client.sendall(said)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while block := client.recv(65536):
                answer += block
        except ConnectionError:
            pass  # it hung up before all was sent
    assert b"Traceback" not in answer
    missing = [name for name, value in HEADERS.items() if f"{name}: {value}".lower().encode() not in answer.lower()]
    assert not answer or missing == []
    assert b"workspace" not in answer or b"Upgrade" in said
    assert httpx.get(f"{address}/api/addresses", timeout=30).status_code == 200


def test_many_live_pages_keep_nobody_out(address: str) -> None:
    """More than the server has connections, opened at the same moment: the rest get an answer that says why."""
    request = b"GET /progress/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(address)) for _ in range(server.MOST_CONNECTIONS - 20)]
        for client in clients:
            client.sendall(request)
        answers = [client.recv(4096) for client in clients]
        assert sum(b"HTTP/1.1 200" in answer for answer in answers) == MOST_VIEWERS
        refusal = next(answer for answer in answers if b"HTTP/1.1 503" in answer)
        assert b"retry-after: 10" in refusal
        for _ in range(30):  # connections that were refused are idle: the oldest of them go
            clients.append(stack.enter_context(connect(address)))
            clients[-1].sendall(request)
            assert b"HTTP/1.1 503" in clients[-1].recv(4096)
            assert httpx.get(f"{address}/api/addresses", timeout=30).status_code == 200
        for client in clients:
            client.close()
    for _ in range(100):  # all of them are free again
        with httpx.stream("GET", f"{address}/progress/events", timeout=30) as live:
            if live.status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("no live page any more")


def test_many_queries_keep_nobody_out(reference: Path) -> None:
    """Sixty queries that do not end, more than the server has threads."""
    query = quote("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    with serving("-w", str(reference)) as (address, _), ThreadPoolExecutor(60) as visitors:
        httpx.get(f"{address}/api/home", timeout=60)
        futures = [visitors.submit(httpx.get, f"{address}/api/sql?query={query}", timeout=60) for _ in range(60)]
        time.sleep(1)
        assert httpx.get(f"{address}/api/home", timeout=60).status_code == 200
        assert not all(future.done() for future in futures), "answered before the queries ended"
        statuses = Counter(future.result().status_code for future in futures)
    assert statuses.keys() == {400, 503}
    assert statuses[503] >= 50


def test_who_does_not_go_on_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Half a header, half a body, and nothing at all: each connection is ended by the server."""
    monkeypatch.setattr(server, "PATIENCE", 0.3)
    site, listening = (server.Site(tmp_path, frozenset({"127.0.0.1"})), server.listen("127.0.0.1", 0))
    instance = server.make_server(site)
    thread = threading.Thread(target=instance.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    half_body = b"POST /identify/many HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhan"
    with connect(f"http://127.0.0.1:{listening.getsockname()[1]}") as client:
        client.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200")
        (connection,) = instance.server_state.connections
        client_socket = connection.transport.get_extra_info("socket")
        # Or the body would wait for the headers to be acknowledged, which browsers do 40 ms later.
        assert client_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    for data in (b"", b"GET / HT", half_body, b"GET /api/addresses HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /x"):
        with connect(f"http://127.0.0.1:{listening.getsockname()[1]}") as client:
            client.sendall(data)
            try:
                while client.recv(65536):
                    pass
            except ConnectionError:
                pass
    site.ending.set()
    instance.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


def test_a_run_is_seen_to_begin_go_on_and_be_killed(tmp_path: Path) -> None:
    """Over one connection, opened before there is a workspace."""
    folder = str(tmp_path / "w")
    run = [*SETSET, "run", "--size", "8", "--workers", "1", "--batch-lists", "200000", "-q", "-w", folder]
    with serving("-w", folder) as (address, _), httpx.stream("GET", f"{address}/progress/events", timeout=60) as live:
        events = live.iter_lines()
        wait_for(events, "no workspace at")
        with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                wait_for(events, "<strong>Running</strong>")
                wait_for(events, 'class="chip complete"')
            finally:
                process.kill()
            killed_at = time.monotonic()
        wait_for(events, "Nothing is running")
        print(f"seen {time.monotonic() - killed_at:.1f} s after the run was killed")
        assert httpx.get(f"{address}/api/progress").json()["runs"][0]["outcome"] == "killed"


def wait_for(events: Iterator[str], text: str) -> None:
    """Reads on until something is said."""
    for line in events:
        if text in line:
            return
    raise AssertionError(f"never said: {text}")


@pytest.mark.posix("sends signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_ends_at_once_though_somebody_watches(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with (
        serving("-w", str(tmp_path)) as (address, process),
        httpx.stream("GET", f"{address}/progress/events", timeout=60) as live,
    ):
        assert live.status_code == 200
        process.send_signal(number)
        assert process.wait(30) == code
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_the_token_is_in_the_address_that_is_printed(tmp_path: Path) -> None:
    with serving("-w", str(tmp_path), "--token", "random") as (address, _):
        url, _, token = address.partition("/?token=")
        assert re.fullmatch(r"[\w-]{20,}", token)
        assert httpx.get(f"{url}/").status_code == 401
        assert httpx.get(f"{url}/", params={"token": token}, follow_redirects=True).status_code == 200


def test_another_host_must_be_named(run: Run, tmp_path: Path) -> None:
    code, out, err = run("serve", "--host", "0.0.0.0", "-w", str(tmp_path))
    assert (code, out) == (2, "")
    assert err == "setset: --host 0.0.0.0 needs --allow-host NAME, the host name in the address of the page\n"
    with serving("--host", "0.0.0.0", "--allow-host", "caps.example", "-w", str(tmp_path)) as (address, process):
        assert address.startswith("http://caps.example:")
        port = address.rpartition(":")[2]
        response = httpx.get(f"http://127.0.0.1:{port}/", headers={"Host": f"Caps.Example:{port}"})
        assert response.status_code == 200
        process.terminate()
        assert process.stderr is not None
        assert "anyone on the network of 0.0.0.0 can read" in process.stderr.read()


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        result = run_process("serve", "--port", str(listener.getsockname()[1]))
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith("): choose another with --port\n")

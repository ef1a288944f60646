"""Clients that get an answer, and limits of every parameter."""

from __future__ import annotations

import re
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from setset.web.pages import PAGES
from setset.web.security import COOKIE, MOST_BODY
from tests.web.conftest import is_guarded, visitor

HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "../../etc/passwd",
    "-1",
    "9" * 5_000,
    "\x00\x1b[31m",
    "\u0663\u00e9",
    "' OR 1=1 --",
    "0," * 300,
    "{{ 7777 * 7777 }}",
)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "[::2]", "localhost:x", "127.0.0.1@evil"]
)
def test_only_known_names_are_answered(page: TestClient, host: str) -> None:
    """So that a name which somebody points to 127.0.0.1 reads nothing."""
    response = page.get("/api/home", headers={"Host": host})
    assert response.status_code == 421
    assert "workspace" not in response.text
    assert is_guarded(response.headers)


def test_any_port_is_answered(page: TestClient) -> None:
    assert page.get("/", headers={"Host": "localhost:9999"}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_but_reading(page: TestClient, method: str) -> None:
    for path in ("/", "/sql", "/api/progress", "/static/style.css", "/nothing"):
        response = page.request(method, path)
        assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
        assert is_guarded(response.headers)


def test_forms_of_other_pages_are_refused(page: TestClient) -> None:
    for origin in ("http://evil.example", "null", "https://127.0.0.1.evil.example"):
        assert page.post("/identify/many", data={"hands": "1 2"}, headers={"Origin": origin}).status_code == 403
    for origin in ("http://127.0.0.1:8081", "http://localhost:9000"):
        assert page.post("/identify/many", data={"hands": "1 2"}, headers={"Origin": origin}).status_code == 200


@pytest.mark.parametrize("origin", ["http://[", "http://]:80", "://", "\udcff"])
def test_an_origin_that_is_none_is_refused(page: TestClient, origin: str) -> None:
    headers = {"Origin": origin.encode(errors="surrogateescape")}
    response = page.post("/identify/many", data={"hands": "1 2"}, headers=headers)
    assert (response.status_code, is_guarded(response.headers)) == (403, True)


@pytest.mark.parametrize("path", ["/sql", "/api/sql"])
def test_queries_of_other_pages_are_refused(page: TestClient, path: str) -> None:
    """Any page that a visitor has open could make the server work, by a picture with such an address."""
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:9000"},
        {"Origin": "http://evil.example"},
    ):
        response = page.get(path, params={"query": "SELECT 1"}, headers=headers)
        assert (response.status_code, is_guarded(response.headers)) == (403, True)
        assert response.text == "setset: forms and queries are taken from this page only\n"
        assert page.get(path, headers=headers).status_code == 200  # a link to the page itself
    for headers_of_page in (
        {},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://127.0.0.1:8081"},
    ):
        assert page.get(path, params={"query": "SELECT 1"}, headers=headers_of_page).status_code == 200


PART = b'--b\r\nContent-Disposition: form-data; name="hands"\r\n\r\n1 2 4\r\n'
NESTED = b"".join(b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(3_000))


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/x-www-form-urlencoded", b"a=&" * 300_000, 400),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\n" * 110_000, 400),
        ("multipart/form-data; boundary=b", PART * 3 + b"--b--\r\n", 200),
        ("multipart/form-data; boundary=b0", NESTED, 200),
        ("multipart/form-data", PART, 200),
    ],
    ids=["300,000 fields", "110,000 parts", "three parts", "nested parts", "no boundary"],
)
def test_any_form_is_answered_at_once(page: TestClient, kind: str, body: bytes, status: int) -> None:
    start = time.process_time()
    answer = page.post("/identify/many", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, is_guarded(answer.headers)) == (status, True)
    assert time.process_time() - start < 5


def test_a_path_with_a_null_character_is_not_found(page: TestClient) -> None:
    response = page.get("/static/%00")
    assert (response.status_code, is_guarded(response.headers)) == (404, True)


def test_what_is_too_large_is_refused(page: TestClient) -> None:
    large = b"1 2 3\n" * (MOST_BODY // 6 + 1)
    assert page.post("/identify/many", content=large).status_code == 413
    assert page.post("/identify/many", content=iter([large[:500_000]] * 3)).status_code == 413
    for length in ("x", "9" * 5_000):
        assert page.get("/", headers={"Content-Length": length}).status_code == 413
    assert page.request("GET", "/", content=iter([b"no form"])).status_code == 413


def test_the_token(reference: Path) -> None:
    guarded = visitor(reference, "s3cret words")
    assert guarded.get("/api/home").status_code == 401
    assert guarded.get("/api/home", params={"token": "s3cret"}).status_code == 403
    assert guarded.get("/api/home", headers={"Authorization": "Bearer \u00e9".encode()}).status_code == 401
    assert guarded.get("/api/home", headers={"Authorization": "Bearer s3cret words"}).status_code == 200
    response = guarded.get("/sql", params={"token": "s3cret words", "query": "SELECT 1"})
    assert (response.status_code, response.headers["Location"]) == (303, "./sql?query=SELECT+1")
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert guarded.get("/" + response.headers["Location"].removeprefix("./")).status_code == 200  # by the cookie


def test_a_token_leads_to_no_other_host(reference: Path) -> None:
    guarded = visitor(reference, "word")
    for path in ("//evil.example", "/\\evil.example", "///evil.example/x"):
        response = guarded.get(f"http://127.0.0.1{path}", params={"token": "word"})
        assert re.fullmatch(r"\./[^/\\]+", response.headers["Location"]), response.headers["Location"]


def paths() -> list[str]:
    """Every address, with each of its parameters to be set to something."""
    addresses = []
    for page in PAGES:
        for path in {page.path, page.api}:
            if "{" in path:
                addresses += [path.format(size="\0", number="0"), path.format(size="12", number="\0")]
            addresses += [f"{path.format(size=12, number=0)}?{name}=\0" for name in (*page.parameters, "card", "other")]
    return [*addresses, "/hand.svg?cards=\0", "/charts/\0.svg", "/static/\0", "/\0", "/api/\0"]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_no_parameter_does_harm(page: TestClient, value: str) -> None:
    for path in paths():
        address, _, query = path.partition("?")
        name = query.partition("=")[0]
        parameters = {name: value} if name else {}
        answer = page.get(address.replace("\0", quote(value[:200])), params=parameters or None)
        assert answer.status_code in (200, 303, 400, 404), (path, answer.text)
        assert is_guarded(answer.headers), path
        assert "Traceback" not in answer.text
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            assert not re.search(r"<script>|<img src=x|style=|onerror=alert\(1\)>", answer.text), path
            assert str(7777 * 7777) not in answer.text, path
        location = answer.headers.get("Location", "/identify")
        assert re.match(r"/identify|[./]+/(api/)?(identify|play|classes/\d+/\d+)", location), path


def test_pages_run_and_load_nothing_of_others(page: TestClient) -> None:
    """No inline script or style, which the policy would refuse, and no address of another host."""
    for path in (
        "/",
        "/progress",
        "/counts",
        "/classes",
        "/classes/12/786",
        "/identify?cards=1,2,4",
        "/play?seed=7",
        "/sql",
        "/api",
    ):
        text = page.get(path).text
        assert re.findall(r"<script(?! type=\"module\" src=\"\.[./]*/static/)", text) == []
        assert re.findall(r"\sstyle=|<style|\son\w+=|javascript:", text) == []
        assert re.findall(r"(?:src|href|action)=\"?+(?!\.{1,2}/|#)[^\" >]*", text) == []


def test_nothing_but_static_files_is_read(page: TestClient) -> None:
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/",
    ):
        assert page.get(path).status_code == 404

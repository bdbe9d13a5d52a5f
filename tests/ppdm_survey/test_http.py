"""What stands around the messages: methods, paths, headers, names, and what is not recorded."""

import json
import re

import httpx
import pytest
from survey_server import Server
from survey_site import CANARY, guarded, refused

from ppdm_survey.__main__ import _hosts, _parser
from ppdm_survey._store import metadata

pytestmark = pytest.mark.usefixtures("unchanged")


# Methods and paths

@pytest.mark.parametrize("method", [
    "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "NONE"])
@pytest.mark.parametrize("path", [
    "/", "/api/inquiry", "/api/submit", "/api/ready", "/miner/api/status", "/miner/api/results"])
def test_other_method(site, method, path):
    allowed = "POST" if path in ("/api/submit", "/api/ready") else "GET"
    answer = site.send(b"{}", path) if method == "POST" else site.client.request(method, path)
    if method == "HEAD":
        assert answer.status_code == (200 if allowed == "GET" else 405)
        assert answer.content == b""
        guarded(answer)
    elif method != allowed:
        refused(answer, 405, "not_allowed")
    assert answer.headers.get("allow", allowed) == allowed


@pytest.mark.parametrize("path", [
    "/nowhere", "/api", "/api/", "/api/schema/x", "/miner/x", "/docs", "/redoc", "/static/",
    "/static/../__main__.py", "/static/%2e%2e/__main__.py", "/static/..%2f__main__.py",
    "/static/%2e%2e%2f%2e%2e%2f_validation.py", "/static/....//__main__.py", "/static//etc/passwd",
    "/static/%2fetc%2fpasswd", "/static/..%5c__main__.py", "/static/%00", "/static/survey.css%00",
    "/static/%ff", "/static/" + "a" * 5000, "/templates/survey.html", "/static/" + CANARY,
    "/../ppdm_survey/__main__.py", "//etc/passwd",
])
def test_path_that_is_none(site, path):
    raw = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    status, rest = site.raw(raw)  # a client would tidy the path up
    assert b" 404 " in status
    assert json.loads(rest.partition(b"\r\n\r\n")[2]).keys() == {"error", "reason"}
    assert CANARY.encode() not in rest
    assert b"content-security-policy" in rest.lower()


def test_parameters_are_no_part_of_an_inquiry(site):
    assert site.client.get(f"/api/inquiry?epoch={CANARY}").json() == {
        "epoch": 1, "k": site.collector.guidance.k, "batch_size": 3}


# What stands around the messages

@pytest.mark.parametrize("path", [
    "/", "/miner/", "/miner", "/miner/metrics", "/api/health",
    "/api/schema", "/api/inquiry", "/api/epochs", "/api/epochs/0",
    "/miner/api/status", "/miner/api/results", "/static/survey.css", "/openapi.json",
    "/miner/openapi.json", "/static",
])
def test_headers_of_every_answer(site, path):
    answer = site.client.get(path)
    assert answer.status_code in (200, 204, 307)
    guarded(answer)
    head = site.client.head(path)  # who asks for it alone gets it
    assert (head.status_code, head.content) == (answer.status_code, b"")
    assert head.headers.get("content-length") == answer.headers.get("content-length")
    if "/static/" not in path:
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/miner/"])
def test_pages_need_nothing_inline_and_nobody_else(site, path):
    page = site.client.get(path).text
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert not re.search(r"""(?:src|href|action)=["']?(?:https?:)?//""", page)


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:8008", "127.0.0.1.evil.example", "www.localhost", "[::2]", "",
    "localhost@evil.example",
])
def test_foreign_host_on_loopback(site, host):
    for answer in (site.client.get("/api/inquiry", headers={"host": host}),
                   site.send(site.draw(), host=host)):
        assert "127.0.0.1" in refused(answer, 400, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]", "[::1]:80"])
def test_loopback_under_its_names(site, host):
    assert site.client.get("/api/inquiry", headers={"host": host}).status_code == 200


def test_defaults_are_loopback_and_its_names():
    assert _parser().parse_args([]).host == "127.0.0.1"
    assert _hosts("0.0.0.0", []) == []
    assert "survey.example" in _hosts("0.0.0.0", ["survey.example"])
    assert "127.0.0.1" in _hosts("localhost", [])


def test_nothing_else_stands_beside_a_submission():
    tables = metadata.tables
    assert {name: sorted(table.columns.keys()) for name, table in tables.items()} == {
        "survey": ["id", "schema", "secret", "settings", "start"],
        "epoch": ["V", "epoch", "k", "n_received"],
        "submission": ["bits", "epoch", "label", "position", "token"],
        # who was invited is not here, but that an invitation was exchanged; no order and no time
        "invitation": ["blinded", "code"],
        "key": ["id", "private"],
        "store": ["closed", "layout"],
    }


def test_output_says_nothing_of_requests(tmp_path):
    """Neither on a good request nor on a bad one, neither address nor path nor time."""
    with Server(f"sqlite:///{tmp_path}/survey.sqlite") as server:
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
            token = client.post("/api/ready", json={"epoch": 0}).json()["token"]
            body = {"token": token, "epoch": 0, "class": 0, "ones": [1]}
            assert client.post("/api/submit", json=body).status_code == 204
            assert client.post("/api/submit", json={**body, "class": 1}).status_code == 409
            assert client.post("/api/submit", content=CANARY).status_code == 415
            assert client.get(f"/{CANARY}").status_code == 404
            client.get("/", headers={"host": CANARY})
        assert server.stop() == 0
    assert [line.split(":")[0] for line in server.said().splitlines() if line[0] != " "] == [
        "Asked of people", "What to expect (roughly; check simulates more)", "The survey",
        "The miner's page", "For your letter", "Who may answer", "Stored so far",
        "Stop with Ctrl-C; nothing that was acknowledged is lost."]

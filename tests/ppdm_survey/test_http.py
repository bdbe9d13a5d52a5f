"""HTTP: what a message may not hold, what stands around it, and that nothing changes by it."""

import json
import re
import socket

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
    # nothing inline, and nobody else
    assert not re.search(r"<script(?![^>]*\bsrc=)", answer.text)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", answer.text)
    assert not re.search(r"""(?:src|href|action)=["']?(?:https?:)?//""", answer.text)
    head = site.client.head(path)  # who asks for it alone gets it
    assert (head.status_code, head.content) == (answer.status_code, b"")
    assert head.headers.get("content-length") == answer.headers.get("content-length")
    if "/static/" not in path:
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(("headers", "status", "error", "word"), [
    *(({"host": host}, 400, "foreign_host", "127.0.0.1") for host in (
        "evil.example", "evil.example:8008", "127.0.0.1.evil.example", "www.localhost", "[::2]", "",
        "localhost@evil.example")),
    *(({"content-type": kind}, 415, "not_json", "application/json") for kind in (
        "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
        "application/vnd.api+json", "text/json", "json", "application/json5", CANARY)),
    ({}, 415, "not_json", "application/json"),
])
def test_headers_that_are_refused(site, headers, status, error, word):
    usual = {"content-type": "application/json"} if "host" in headers else {}
    body = json.dumps(site.draw())
    answer = site.client.post("/api/submit", content=body, headers=usual | headers)
    assert word in refused(answer, status, error)
    if "host" in headers:
        refused(site.client.get("/api/inquiry", headers=headers), status, error)


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


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SUBMIT, READY = "/api/submit", "/api/ready"
GONE = object()

#: What a key of a message may not hold.
VALUES = {
    "token": ["", "A" * 42, "A" * 44, "A" * 42 + "=", "A" * 42 + "\n", "é" * 43, "\ud800" * 43,
              "\0" * 43, 1, None, True, ["A" * 43], CANARY, GONE],
    "epoch": [2**31, 10**30, -1, 0.5, 1.0, True, "1", None, [1], CANARY, GONE],
    "class": [2, -1, 0.0, 1.5, True, "0", None, [], CANARY, GONE],
    "ones": [[32], [-1], [2**31], [10**30], [2, 1], [1, 1], [0, 5, 3], [1.0], [0.5], [True], ["1"],
             [None], [[1]], "1", {"1": 1}, None, 1, list(range(33)), list(range(9000)), [CANARY],
             CANARY, GONE],
}
EXTRA = ["x", "", "label", CANARY, "\ud800", "__proto__", "\0"]
#: What is no JSON, whatever it was to say.
NO_JSON = [
    b"", b" ", b"{", b"}", b"{}{}", b"{'epoch': 1}", b'{"epoch": 01}', b"\xff\xfe", b"\x00",
    b'{"epoch": 1}\x00', b'{"token": "\xff"}', b'{"token": "\xed\xa0\x80"}', b"[" * 30_000,
    b'{"a":' * 10_000, b"[" * 30_000 + b"]" * 30_000, b'{"epoch": ' + b"9" * 5000 + b"}",
    b"canary-57", b'"canary-57',
]
NO_OBJECT = [b"null", b"[]", b"0", b'"canary-57"', b"[[]]", b"true"]


def number(text):
    """Write a number that is none in the place of a message's last one."""
    return lambda body: re.sub(rb"\d+(\D*)$", text.encode() + rb"\1", body)


def twice(key):
    """Write a key a second time: readers differ on which of the two counts."""
    return lambda body: body[:-1] + f', "{key}": {json.dumps(json.loads(body)[key])}}}'.encode()


def letter(at):
    """Change a letter of the token; the last one has two bits to spare, which spell the same."""
    def change(body):
        token = json.loads(body)["token"]
        other = ALPHABET[ALPHABET.index(token[at]) ^ 1]
        return body.replace(token.encode(), f"{token[:at]}{other}{token[at + 1 :]}".encode())

    return change


#: What becomes of the bytes of a good message, status and error.
BYTES = [
    *((lambda _, body=body: body, 400, "not_json") for body in NO_JSON),
    *((lambda _, body=body: body, 422, "invalid") for body in NO_OBJECT),
    *((lambda body, name=name: body.decode().encode(name), 400, "not_json")
      for name in ("utf-16", "utf-32", "utf-8-sig", "utf-16-le")),
    *((number(text), 400, "not_json") for text in ("NaN", "Infinity", "-Infinity")),
    *((number(text), 422, "invalid") for text in ("1e999", "-1e999")),  # by its grammar JSON
]
#: Path, what differs from a good message or what its bytes become, status, error, and a word of
#: the reason.
MESSAGES = [
    *((SUBMIT, {key: value}, 422, "invalid", key)
      for key, values in VALUES.items() for value in values),
    *((READY, {"epoch": value}, 422, "invalid", "epoch") for value in VALUES["epoch"]),
    *((path, {key: CANARY}, 422, "invalid", "") for path in (SUBMIT, READY) for key in EXTRA),
    (SUBMIT, {"class": GONE, "label": 0}, 422, "invalid", ""),  # its inner name
    *((path, {"epoch": never}, 404, "unknown_epoch", "epoch")
      for path in (SUBMIT, READY) for never in (2, 2**31 - 1)),
    (SUBMIT, {"epoch": 0}, 403, "bad_token", ""),  # it has been, but the token is of epoch 1
    (READY, {"epoch": 0}, 409, "epoch_over", ""),
    # they are R(t), or the answers themselves where a client is broken: not repeated
    (SUBMIT, {"ones": [29, 27]}, 422, "invalid", r"^(?!.*(29|27)).*\[0, 31\]"),
    *((path, *change, "") for path in (SUBMIT, READY) for change in BYTES),
    *((SUBMIT, letter(at), 403, "bad_token", "handed out for epoch 1") for at in range(43)),
    *((SUBMIT, twice(key), 400, "not_json", "twice") for key in VALUES),
]


@pytest.mark.parametrize(("path", "change", "status", "error", "word"), MESSAGES)
def test_message_that_is_none(site, path, change, status, error, word):
    body = site.draw() if path == SUBMIT else {"epoch": 1}
    if callable(change):
        body = change(json.dumps(body).encode())
    else:
        body = {key: value for key, value in {**body, **change}.items() if value is not GONE}
    assert re.search(word, refused(site.send(body, path), status, error))


@pytest.fixture(scope="module")
def used(site):
    body = site.draw()
    assert site.send(body).status_code == 204
    return body


@pytest.mark.parametrize(("change", "status", "error"), [
    ({"class": 1}, 409, "token_used"), ({"ones": [1, 6]}, 409, "token_used"),
    ({"ones": []}, 409, "token_used"), ({"epoch": 0}, 403, "bad_token")])
def test_used_token_with_another_body(site, used, change, status, error):
    assert site.send(used).status_code == 204  # the same once more
    refused(site.send({**used, **change}), status, error)


@pytest.mark.parametrize("epoch", [
    "2", "-1", str(10**30), "9" * 5000, "x", "0.5", "1e0", "%00", "NaN", "true", CANARY,
])
def test_epoch_in_the_path(site, epoch):
    status, error = (404, "unknown_epoch") if epoch == "2" else (422, "invalid")
    assert "epoch" in refused(site.client.get(f"/api/epochs/{epoch}"), status, error)


# Sizes

def test_body_of_ten_megabytes(site):
    assert "65536" in refused(site.send(b" " * 10_000_000), 413, "too_large")

    def chunks():  # that does not say so
        for _ in range(1000):
            yield b" " * 10_000

    answer = site.client.post("/api/submit", content=chunks(),
                              headers={"content-type": "application/json"})
    assert "Content-Length" in refused(answer, 411, "no_length")


def test_largest_body_that_is_read(site):
    """Just as large as is allowed is no reason to refuse, and a byte more is one."""
    text = json.dumps({**site.draw(), "token": "A" * 43}).encode()
    refused(site.send(text + b" " * (65_536 - len(text))), 403, "bad_token")
    refused(site.send(text + b" " * (65_537 - len(text))), 413, "too_large")


def request(body, length):
    return (b"POST /api/submit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Connection: close\r\nContent-Length: " + str(length).encode() + b"\r\n\r\n" + body)


def test_length_that_is_too_large(site):
    """The rest never comes: what has come is no message."""
    text = json.dumps(site.draw()).encode()
    with socket.create_connection(("127.0.0.1", site.port), timeout=30) as one:
        one.sendall(request(text, len(text) + 5))
        one.shutdown(socket.SHUT_WR)
        assert b" 204 " not in one.recv(65536)


# the first is too small
@pytest.mark.parametrize("length", ["50", "-1", "x", "1e3", "5, 6"])
def test_length_that_is_another(site, length):
    status, _ = site.raw(request(json.dumps(site.draw()).encode(), length))
    assert b"400" in status

"""What a message may not hold: each is refused with a reason, and nothing changes by it."""

import json
import re
import socket

import pytest
from survey_site import CANARY, refused

pytestmark = pytest.mark.usefixtures("unchanged")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


# A token

def test_token_of_another_epoch(site):
    body = {**site.draw(), "epoch": 0}  # epoch 0 has been, but the token is of epoch 1
    refused(site.send(body), 403, "bad_token")


@pytest.mark.parametrize("at", range(43))
def test_token_with_one_letter_changed(site, at):
    """The last letter has two bits to spare, which spell the same bytes."""
    body = site.draw()
    letter = ALPHABET[ALPHABET.index(body["token"][at]) ^ 1]
    token = body["token"][:at] + letter + body["token"][at + 1 :]
    reason = refused(site.send({**body, "token": token}), 403, "bad_token")
    assert "handed out for epoch 1" in reason


@pytest.mark.parametrize("token", [
    "", "A" * 42, "A" * 44, "A" * 42 + "=", "A" * 42 + "\n", "é" * 43, "\ud800" * 43, "\0" * 43,
    1, None, True, ["A" * 43], CANARY,
])
def test_token_that_is_none(site, token):
    assert "token" in refused(site.send({**site.draw(), "token": token}), 422, "invalid")


@pytest.mark.parametrize("change", [{"class": 1}, {"ones": [1, 6]}, {"ones": []}])
def test_used_token_with_another_body(site, used, change):
    assert site.send(used).status_code == 204  # the same once more
    refused(site.send({**used, **change}), 409, "token_used")


def test_used_token_with_another_epoch(site, used):
    refused(site.send({**used, "epoch": 0}), 403, "bad_token")


@pytest.fixture(scope="module")
def used(site):
    body = site.draw()
    assert site.send(body).status_code == 204
    return body


# An epoch

@pytest.mark.parametrize("path", ["/api/submit", "/api/ready"])
@pytest.mark.parametrize(("epoch", "status", "error"), [
    (2, 404, "unknown_epoch"), (2**31 - 1, 404, "unknown_epoch"), (2**31, 422, "invalid"),
    (10**30, 422, "invalid"), (-1, 422, "invalid"), (0.5, 422, "invalid"), (1.0, 422, "invalid"),
    (True, 422, "invalid"), ("1", 422, "invalid"), (None, 422, "invalid"), ([1], 422, "invalid"),
    (CANARY, 422, "invalid"),
])
def test_epoch_that_never_was(site, path, epoch, status, error):
    body = {**site.draw(), "epoch": epoch} if path == "/api/submit" else {"epoch": epoch}
    assert "epoch" in refused(site.send(body, path), status, error)


def test_epoch_that_is_over(site):
    refused(site.send({"epoch": 0}, "/api/ready"), 409, "epoch_over")


@pytest.mark.parametrize("epoch", [
    "2", "-1", str(10**30), "9" * 5000, "x", "0.5", "1e0", "%00", "NaN", "true", CANARY,
])
def test_epoch_in_the_path(site, epoch):
    status, error = (404, "unknown_epoch") if epoch == "2" else (422, "invalid")
    assert "epoch" in refused(site.client.get(f"/api/epochs/{epoch}"), status, error)


# Class and bits

@pytest.mark.parametrize("label", [2, -1, 0.0, 1.5, True, "0", None, [], CANARY])
def test_class_that_is_none(site, label):
    assert "class" in refused(site.send({**site.draw(), "class": label}), 422, "invalid")


@pytest.mark.parametrize("ones", [
    [32], [-1], [2**31], [10**30], [2, 1], [1, 1], [0, 5, 3], [1.0], [0.5], [True], ["1"], [None],
    [[1]], "1", {"1": 1}, None, 1, list(range(33)), list(range(9000)), [CANARY], CANARY,
])
def test_ones_that_are_none(site, ones):
    assert "ones" in refused(site.send({**site.draw(), "ones": ones}), 422, "invalid")


def test_ones_are_not_repeated_in_the_refusal(site):
    """They are R(t), or the answers themselves where a client is broken."""
    reason = refused(site.send({**site.draw(), "ones": [29, 27]}), 422, "invalid")
    assert not re.search("29|27", reason)
    assert "[0, 31]" in reason


# The body

@pytest.mark.parametrize("key", ["token", "epoch", "class", "ones"])
def test_missing_key(site, key):
    body = {name: value for name, value in site.draw().items() if name != key}
    assert key in refused(site.send(body), 422, "invalid")


@pytest.mark.parametrize("key", ["x", "", "label", CANARY, "\ud800", "__proto__", "\0"])
def test_extra_key(site, key):
    refused(site.send({**site.draw(), key: CANARY}), 422, "invalid")
    refused(site.send({"epoch": 1, key: CANARY}, "/api/ready"), 422, "invalid")


def test_class_under_its_inner_name(site):
    body = site.draw()
    body["label"] = body.pop("class")
    refused(site.send(body), 422, "invalid")


@pytest.mark.parametrize("key", ["token", "epoch", "class", "ones"])
def test_key_twice(site, key):
    """Readers differ on which of the two counts."""
    body = site.draw()
    text = json.dumps(body)[:-1] + f', "{key}": {json.dumps(body[key])}}}'
    assert "twice" in refused(site.send(text.encode()), 400, "not_json")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("key", ["epoch", "class", "ones"])
def test_number_that_is_none(site, key, value):
    body = {**site.draw(), key: ["#"] if key == "ones" else "#"}
    answer = site.send(json.dumps(body).replace('"#"', value).encode())
    if "999" in value:  # JSON by its grammar
        refused(answer, 422, "invalid")
    else:
        refused(answer, 400, "not_json")


@pytest.mark.parametrize("body", [
    b"", b" ", b"{", b"}", b"{}{}", b"{'epoch': 1}", b'{"epoch": 01}', b"\xff\xfe", b"\x00",
    b'{"epoch": 1}\x00', b'{"token": "\xff"}', b'{"token": "\xed\xa0\x80"}', b"[" * 30_000,
    b'{"a":' * 10_000, b"[" * 30_000 + b"]" * 30_000, b'{"epoch": ' + b"9" * 5000 + b"}",
    b"canary-57", b'"canary-57',
], ids=lambda body: f"{body[:8]!r}-{len(body)}")
def test_no_json(site, body):
    for path in ("/api/submit", "/api/ready"):
        refused(site.send(body, path), 400, "not_json")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "utf-16-le"])
def test_json_in_another_encoding(site, encoding):
    refused(site.send(json.dumps(site.draw()).encode(encoding)), 400, "not_json")


@pytest.mark.parametrize("body", [b"null", b"[]", b"0", b'"canary-57"', b"[[]]", b"true"])
def test_json_that_is_no_object(site, body):
    for path in ("/api/submit", "/api/ready"):
        refused(site.send(body, path), 422, "invalid")


@pytest.mark.parametrize("kind", [
    None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
    "application/vnd.api+json", "text/json", "json", "application/json5", CANARY,
])
def test_other_content_type(site, kind):
    headers = {} if kind is None else {"content-type": kind}
    answer = site.client.post("/api/submit", content=json.dumps(site.draw()), headers=headers)
    assert "application/json" in refused(answer, 415, "not_json")


# Sizes

def test_body_of_ten_megabytes(site):
    assert "65536" in refused(site.send(b" " * 10_000_000), 413, "too_large")


def test_body_of_ten_megabytes_that_does_not_say_so(site):
    def chunks():
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

"""The Python client: what it sends, what it sends again, and what it does not believe."""

import json

import httpx
import numpy as np
import pytest
from refusals import refusals

from ppdm.exceptions import EpochOverError
from ppdm.guidance import perturb
from ppdm.protocol import DataMiner, DataProvider, Submission
from ppdm_survey import HttpMiner, guidance_hash
from ppdm_survey import _client as client_module

GOOD = [1, 0, 0, 1, 0, 1, 0]
URL = "http://survey.test/at/a/path"


class Server:
    """A survey's server without a network: answers from a real miner, and bad days to order.

    ``days`` maps a path to what happens to its next requests, one each: ``"lost"`` (handled,
    and the answer does not arrive), ``"down"`` (does not arrive), a status, or a Response.
    ``lie`` changes the answer to a ready message; the published hash stays the true one.
    """

    def __init__(self, lie=None, **days):
        self.miner = DataMiner([2, 3, 2], batch_size=5)
        self.lie, self.days = lie or (lambda answer: None), days
        self.requests, self.stored = [], {}

    def client(self):
        return httpx.Client(transport=httpx.MockTransport(self.handle))

    def provider_s(self, **options):
        return HttpMiner(URL, self.client(), **options)

    def handle(self, request):
        assert str(request.url).startswith(f"{URL}/")
        name = request.url.path.removeprefix("/at/a/path/")
        self.requests.append((request.method, name, request.content))
        day = (self.days.get(name.split("/")[1]) or [None]).pop(0)
        if day == "down":
            raise httpx.ConnectError("no route", request=request)
        if isinstance(day, httpx.Response):
            return day
        if isinstance(day, int):
            return httpx.Response(day, json={"error": "busy", "reason": "later"})
        response = self.answer(name, json.loads(request.content or "null"))
        if day == "lost":
            raise httpx.ReadError("cut", request=request)
        return response

    def answer(self, name, body):
        now, k = self.miner.inquire()
        if name == "api/inquiry":
            return httpx.Response(200, json={"epoch": now, "k": k})
        V = self.miner._V
        digest = guidance_hash(now, V)
        if name == f"api/epochs/{now}":
            return httpx.Response(200, json={"epoch": now, "k": k, "hash": digest})
        if name == "api/ready":
            token = f"token-{sum(path == name for _, path, _ in self.requests)}"
            answer = {"epoch": now, "k": k, "V": V.tolist(), "token": token, "hash": digest}
            self.lie(answer)
            return httpx.Response(200, json=answer)
        assert name == "api/submit"
        known = self.stored.setdefault(body["token"], body)
        if known != body:
            return httpx.Response(409, json={"error": "token_used", "reason": "used before"})
        return httpx.Response(204)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    waits = []
    monkeypatch.setattr(client_module.time, "sleep", waits.append)
    return waits


def anna(seed=3, level=7):
    return DataProvider(GOOD, 1, level, sender="anna", random_state=seed)


def test_the_three_messages_carry_what_they_should_and_no_more():
    server = Server()
    assert anna().attempt(server.provider_s())
    sent = [(method, path, json.loads(body or "null")) for method, path, body in server.requests]
    R = perturb(GOOD, server.miner._V, random_state=3)
    submission = {"token": "token-1", "epoch": 0, "class": 1, "ones": np.flatnonzero(R).tolist()}
    assert sent == [
        ("GET", "api/inquiry", None),
        ("GET", "api/epochs/0", None),
        ("POST", "api/ready", {"epoch": 0}),
        ("POST", "api/submit", submission),
    ]


def test_who_does_not_accept_k_sends_an_inquiry_only():
    server = Server()
    assert not anna(level=6).attempt(server.provider_s())
    assert [path for _, path, _ in server.requests] == ["api/inquiry"]


@pytest.mark.parametrize("day", ["lost", "down", 503, 500, 502])
@pytest.mark.parametrize("path", ["inquiry", "ready", "epochs", "submit"])
def test_a_bad_day_is_waited_out_and_r_of_t_is_stored_once(path, day, no_waiting):
    server = Server(**{path: [day, day]})
    assert anna().attempt(server.provider_s())
    assert no_waiting == [0.1, 0.2]
    bodies = [body for _, name, body in server.requests if name == "api/submit"]
    assert len(bodies) == (3 if path == "submit" else 1)
    assert len(set(bodies)) == 1
    assert len(server.stored) == 1


def test_it_waits_as_long_as_the_server_asks_but_not_for_ever(no_waiting):
    busy = [httpx.Response(503, headers={"Retry-After": after}) for after in ("2", "900", "soon")]
    assert anna().attempt(Server(submit=busy).provider_s())
    assert no_waiting == [2.0, 5.0, 0.4]


def test_it_gives_up_and_the_same_r_of_t_can_be_sent_later(no_waiting):
    server, provider = Server(submit=["down"] * 3), anna()
    miner = server.provider_s(n_attempts=3)
    with pytest.raises(ConnectionError, match=r"api/submit failed 3 time\(s\).*ConnectError: no r"):
        provider.attempt(miner)
    assert len(no_waiting) == 2  # none after the last
    assert not server.stored
    drawn = provider.submission
    assert provider.attempt(miner)
    assert provider.submission is drawn
    assert len({body for _, name, body in server.requests if name == "api/submit"}) == 1


def test_an_epoch_that_is_over_is_said_by_name():
    over = httpx.Response(409, json={"error": "epoch_over", "reason": "epoch 0 is over"})
    with pytest.raises(EpochOverError, match="epoch 0 is over"):
        Server(ready=[over]).provider_s().ready(0)
    assert not anna().attempt(Server(ready=[over]).provider_s())


@pytest.mark.parametrize(("path", "status", "error"), [
    ("ready", 404, "unknown_epoch"), ("submit", 403, "bad_token"), ("submit", 409, "token_used"),
    ("inquiry", 404, "nothing_here"),
])
def test_a_refusal_passes_on_the_reason_and_is_not_repeated(path, status, error, no_waiting):
    refusal = httpx.Response(status, json={"error": error, "reason": f"because of {error}"})
    server = Server(**{path: [refusal]})
    with pytest.raises(ValueError, match=rf"\({status} {error}\): because of {error}") as caught:
        anna().attempt(server.provider_s())
    assert not isinstance(caught.value, EpochOverError)
    assert not no_waiting
    assert not server.stored


test_an_answer_that_is_none_is_refused = refusals(
    ("inquire", httpx.Response(404, text="<h1>lost</h1>"), r"\(404 \): Not Found"),
    ("inquire", httpx.Response(302, headers={"Location": "/"}), r"\(302 \): Found"),
    ("inquire", httpx.Response(200, text="hello"), "must answer with a JSON object, got 'hello'"),
    ("inquire", httpx.Response(200, json=[1]), r"must answer with a JSON object, got '\[1\]'"),
    ("inquire", httpx.Response(200, json={"epoch": 0}), r"must have 'k', got \['epoch'\]"),
    ("inquire", httpx.Response(200, json={"epoch": -1, "k": 2}), "epoch == -1, must be >= 0"),
    ("inquire", httpx.Response(200, json={"epoch": 0, "k": 0}), "k == 0, must be >= 1"),
    ("schema", httpx.Response(200, json={"protocol": 2}), "protocol must be 1, got 2"),
    ("schema", httpx.Response(200, json={}), "must have 'protocol'"),
    by=lambda method, response: getattr(
        Server(inquiry=[response], schema=[response]).provider_s(), method)(),
)


HASH = "V must have the hash that was published for epoch 0"


@pytest.mark.parametrize(("lie", "reason"), [
    (lambda answer: answer["V"].reverse(), HASH),
    (lambda answer: answer.update(V=answer["V"][::-1],
                                  hash=guidance_hash(0, np.array(answer["V"][::-1]))), HASH),
    (lambda answer: answer.update(hash="0" * 64), HASH),
    (lambda answer: answer.update(k=6), "k must be the one published for epoch 0, got 6"),
    (lambda answer: answer.update(k=3, V=[row[:3] for row in answer["V"]]),
     "k must be the one published for epoch 0, got 3"),
    (lambda answer: answer["V"][0].pop(), "V must be rows of numbers, each of one length"),
    (lambda answer: answer.update(V=[[[1.0]]]), r"V must have 2 dimensions, got .*\(1, 1, 1\)"),
    (lambda answer: answer.update(V="high"), "V must be rows of numbers.*'high'"),
    (lambda answer: answer.pop("token"), "must have 'token'"),
])
def test_a_tampered_guidance_is_refused_and_nothing_is_sent(lie, reason):
    server, provider = Server(lie), anna()
    with pytest.raises(ValueError, match=reason):
        provider.attempt(server.provider_s())
    assert provider.submission is None
    assert "api/submit" not in [path for _, path, _ in server.requests]


def test_a_guidance_that_is_published_and_wrong_is_refused_by_the_provider():
    server, provider = Server(), anna()
    server.miner.inquire()
    server.miner._V *= 2
    with pytest.raises(ValueError, match="V must have orthonormal columns"):
        provider.attempt(server.provider_s())
    assert "api/submit" not in [path for _, path, _ in server.requests]


def test_a_submission_needs_the_token_of_its_epoch():
    miner = Server().provider_s()
    with pytest.raises(ValueError, match="epoch must be one that ready was asked for, got 0"):
        miner.submit(Submission("anna", 0, 1, np.array(GOOD)))
    miner.ready(0)
    with pytest.raises(ValueError, match=r"epoch must be .* got 1"):
        miner.submit(Submission("anna", 1, 1, np.array(GOOD)))
    with pytest.raises(ValueError, match=r"R must hold only 0 and 1, .*got array\(\[2"):
        miner.submit(Submission("anna", 0, 1, np.array(GOOD) * 2))
    miner.submit(Submission("anna", 0, 1, np.array(GOOD)))
    with pytest.raises(ValueError, match="used before"):
        miner.submit(Submission("bert", 0, 0, np.array(GOOD)))


def test_it_closes_its_own_connections_and_no_others():
    given = Server().client()
    with HttpMiner(URL, given) as miner:
        miner.inquire()
    assert not given.is_closed
    with HttpMiner(URL) as miner:
        pass
    assert miner._client.is_closed
    with pytest.raises(ValueError, match="n_attempts == 0, must be >= 1"):
        HttpMiner(URL, given, n_attempts=0)

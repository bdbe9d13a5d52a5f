"""The survey on a port, and how a refusal by it should look."""

import json
import re
import socket

import httpx
import pytest
from serving import serve

from ppdm_survey import Collector, create_app, voting_survey
from ppdm_survey.__main__ import _hosts

#: Stands in requests, and must not stand in answers.
CANARY = "canary-57"
HEADERS = {
    "content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy",
    "permissions-policy", "cross-origin-opener-policy", "cross-origin-resource-policy",
}


class Site:
    """The survey as it is served, its state, and ways to ask it."""

    def __init__(self, collector, url):
        self.collector, self.url = collector, url
        self.port = httpx.URL(url).port
        self.client = httpx.Client(base_url=url, timeout=30)

    def state(self):
        guidance = self.collector._miner.guidance
        rows = list(self.collector._store.pages(3))
        return (self.collector.results(), self.collector.epochs, rows,
                guidance.A0.tolist(), guidance.A1.tolist())

    def draw(self, epoch=None):
        """Return a submission that would be accepted."""
        epoch = self.collector.inquire().epoch if epoch is None else epoch
        _, token = self.collector.ready(epoch)
        return {"token": token, "epoch": epoch, "class": 0, "ones": [1, 5]}

    def send(self, body, path="/api/submit", **headers):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json", **headers}
        return self.client.post(path, content=content, headers=headers)

    def raw(self, data):
        """Send bytes as they are, and return the answer's status line and the rest."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as one:
            one.sendall(data)
            answer = b"".join(iter(lambda: one.recv(65536), b""))
        return answer.partition(b"\r\n")[::2]


def refused(answer, status, error):
    """Look at a refusal: its status, its reason, its headers, and that it echoes nothing."""
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert problem.keys() == {"error", "reason"}
    assert problem["error"] == error
    assert len(problem["reason"]) > 8
    assert CANARY not in answer.text
    guarded(answer)
    return problem["reason"]


def guarded(answer):
    assert answer.headers.keys() >= HEADERS
    assert "set-cookie" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?:|\*", policy)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """One survey on a port for all tests of a file: one whole epoch, and a tuple more."""
    database = f"sqlite:///{tmp_path_factory.mktemp('survey')}/survey.sqlite"
    with Collector(voting_survey(), database, batch_size=3) as collector:
        app = create_app(collector, hosts=_hosts("127.0.0.1", []))
        with serve(app) as url:
            site = Site(collector, url)
            for label in (0, 1, 1, 0):
                assert site.send({**site.draw(), "class": label}).status_code == 204
            yield site
            site.client.close()


@pytest.fixture
def unchanged(site):
    """Hold the state of before against that of after."""
    before = site.state()
    yield
    assert site.state() == before

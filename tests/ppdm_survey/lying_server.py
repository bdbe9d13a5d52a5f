"""A survey's server for tests: it asks for what it is told to, and is as honest as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI, Request, Response
from numpy.typing import NDArray
from serving import serve

from ppdm_survey import Collector, PublishedGuidance, Survey, create_app
from ppdm_survey._store import unpack

REGIONS = ["north", "east", "south", "west", "centre", "abroad"]
SCHEMA: dict[str, Any] = {
    "protocol": 1,
    "language": "en",
    "title": "A small survey",
    "introduction": "Five questions of three kinds.",
    "attributes": [
        *(
            {"name": f"vote_{i}", "label": f"Vote number {i}", "values": ["n", "y"],
             "labels": ["No", "Yes"], "edges": None}
            for i in range(3)
        ),
        {"name": "age", "label": "Your age", "values": ["young", "middle", "old"],
         "labels": ["up to 30", "30 to 50", "over 50"], "edges": [30, 50]},
        {"name": "region", "label": "Your region", "values": REGIONS,
         "labels": [name.title() for name in REGIONS], "edges": None},
    ],
    "class": {"name": "party", "label": "Your party", "values": ["left", "right"],
              "labels": ["Left", "Right"]},
    "n_bits": 15,
}


def directions(k: int, seed: int = 0, n_bits: int = 15) -> NDArray[np.float64]:
    """Return k random orthonormal columns; up to five read nothing of the small survey's answers.

    The bits of an attribute have one sum, whatever the answer: five attributes, five such sums.
    """
    rng = np.random.default_rng(seed)
    square = rng.normal(size=(n_bits, n_bits))
    small = n_bits == SCHEMA["n_bits"]
    # any other survey of the tests has two values a question
    sizes = [len(a["values"]) for a in SCHEMA["attributes"]] if small else [2] * (n_bits // 2)
    if k <= len(sizes):
        sums = np.repeat(np.eye(len(sizes)) / np.sqrt(sizes), sizes, axis=0)
        square = sums @ rng.normal(size=(len(sizes), len(sizes)))
    return np.linalg.qr(square)[0][:, :k]


class LyingServer(Collector):
    """A survey whose guidances are given. ``lies[name](answer)`` takes the place of an answer.

    ``guides`` holds V of each epoch, the last one is current; append one to end an epoch. What
    was answered with 204 is in ``stored``, by its token.
    """

    def __init__(self, *guides: NDArray[np.float64], schema: dict[str, Any] = SCHEMA) -> None:
        self.guides = list(guides)
        self.lies: dict[str, Callable[[Any], Any]] = {}
        self.seen: list[str] = []
        self.stored: dict[str, Any] = {}
        super().__init__(Survey.from_dict(schema))

    def __enter__(self) -> LyingServer:
        site, app = FastAPI(), create_app(self)
        app.middleware("http")(self._answer)
        site.mount("/a/survey", app)
        self._served = serve(site)
        self.url = f"{self._served.__enter__()}/a/survey/"
        return self

    def __exit__(self, *_: object) -> None:
        self._served.__exit__(None, None, None)
        self.close()

    def asked(self, path: str) -> int:
        """Count the requests for a path."""
        return self.seen.count(path)

    def lower(self) -> None:
        """Ask for less: what reads nothing of the small survey's answers."""
        self.guides.append(directions(4))

    def submissions(self) -> list[tuple[int, list[int]]]:
        """Return class and set bits of what is in the store."""
        return [(int(label), np.flatnonzero(bits).tolist()) for page in self._store.pages(100)
                for bits, label in zip(*unpack(page, self.survey.n_bits), strict=True)]

    def published(self, epoch: int) -> PublishedGuidance:
        return PublishedGuidance(epoch=epoch, n_received=0, V=self.guides[epoch])

    guidance = property(
        lambda self: self.published(len(self.guides) - 1),
        lambda self, learnt: None,  # what a collector would learn is not asked for
    )

    def _in_time(self, epoch: int) -> bool:
        return True

    @property
    def epochs(self) -> list[dict[str, Any]]:
        return [self.published(epoch).to_dict() for epoch in range(len(self.guides))]

    async def _answer(self, request: Request, go_on: Callable[[Request], Any]) -> Response:
        """Answer, or lie; what is told is what the tests look at."""
        path = request.url.path.removeprefix("/a/survey")
        if not path.startswith("/api/"):
            return await go_on(request)
        name, sent = path.split("/")[2], await request.body()
        true = await go_on(request)
        body = b"".join([part async for part in true.body_iterator])
        status, lie = true.status_code, self.lies.get(name)
        if lie is not None and status < 300:
            answer = lie(json.loads(body or "null"))
            status, answer = answer if isinstance(answer, tuple) else (status, answer)
            body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
            body = b"" if answer is None else body
        if name == "submit" and status == 204:
            message = json.loads(sent)
            self.stored[message["token"]] = message
        # behind it: who counts the requests changes what the next one is answered
        self.seen.append(path)
        return Response(body, status, media_type="application/json")


@pytest.fixture
def double() -> Iterator[LyingServer]:
    """Serve the small survey; at first it asks for everything."""
    with LyingServer(directions(15)) as server:
        yield server

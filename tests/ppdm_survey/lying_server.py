"""A survey server for tests: as honest, or as lying, as it is told."""

from __future__ import annotations

import hashlib
import json
import secrets
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

import ppdm_survey
from ppdm_survey import Survey
from ppdm_survey._app import render
from ppdm_survey._serve import HEADERS

FILES = Path(ppdm_survey.__file__).parent
TYPES = {".js": "text/javascript", ".css": "text/css"}
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


def rendered(survey: Survey, **given: Any) -> str:
    """Return the page of an open survey that begins with clear records, unless told otherwise."""
    usual = {"access": "open", "hold": 0, "clear": True, "public": True, "guided": True}
    return render("survey.html", survey, ".", **usual | given)


def guidance_hash(epoch: int, V: NDArray[np.float64]) -> str:
    """Hash an epoch's guidance by the letter of the protocol, entry by entry."""
    n_bits, k = V.shape
    text = b"ppdm-guidance-1\n%d\n%d\n%d\n" % (epoch, n_bits, k)
    return hashlib.sha256(text + b"".join(struct.pack("<d", v) for v in V.ravel())).hexdigest()


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


class LyingServer:
    """The protocol over http.server. ``lies[name](answer)`` takes the place of an answer.

    ``guides`` holds V of each epoch, the last one is current; append one to end an epoch.
    """

    def __init__(self, *guides: NDArray[np.float64], schema: dict[str, Any] = SCHEMA) -> None:
        self.schema = schema
        self.guides = list(guides)
        self.lies: dict[str, Callable[[Any], Any]] = {}
        self.seen: list[str] = []
        self.tokens: dict[str, int] = {}
        self.stored: dict[str, Any] = {}
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.port = self.http.server_port
        self.url = f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> LyingServer:
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()

    def asked(self, path: str) -> int:
        """Count the requests for a path."""
        return self.seen.count(path)

    # ---- the honest answers: (status, message)

    def epoch(self, number: int) -> tuple[int, Any]:
        if not 0 <= number < len(self.guides):
            return 404, {"error": "unknown_epoch", "reason": "There was no such epoch."}
        V = self.guides[number]
        return 200, {"epoch": number, "k": V.shape[1], "n_received": 0,
                     "hash": guidance_hash(number, V)}

    def inquiry(self) -> tuple[int, Any]:
        return 200, {"epoch": len(self.guides) - 1, "k": self.guides[-1].shape[1]}

    def ready(self, message: Any) -> tuple[int, Any]:
        epoch = message["epoch"]
        status, answer = self.epoch(epoch)
        if status == 200 and epoch < len(self.guides) - 1:
            return 409, {"error": "epoch_over", "reason": "Inquire again."}
        if status == 200:
            token = secrets.token_urlsafe(32)
            self.tokens[token] = epoch
            answer |= {"V": self.guides[epoch].tolist(), "token": token}
        return status, answer

    def submit(self, message: Any) -> tuple[int, Any]:
        token = message["token"]
        if self.tokens.get(token) != message["epoch"]:
            return 403, {"error": "bad_token", "reason": "The token is not for this."}
        if self.stored.setdefault(token, message) != message:
            return 409, {"error": "token_used", "reason": "The token is used."}
        return 204, None

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        name = path.removeprefix("/api/").split("/")[0]
        if method == "POST":
            status, answer = getattr(self, name)(json.loads(body))
        elif name == "epochs":
            status, answer = self.epoch(int(path.rsplit("/", 1)[1]))
        else:
            known = {"schema": self.schema,
                     "access": {"access": "open", "id": "0" * 64, "key": None}}
            status, answer = (200, known[name]) if name in known else self.inquiry()
        if name in self.lies and status < 300:
            answer = self.lies[name](answer)
            if isinstance(answer, tuple):
                return answer
        return status, answer

    # ---- HTTP

    def _handler(survey) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                if path == "/":
                    page = rendered(Survey.from_dict(survey.schema))
                    self.reply(200, page.encode(), "text/html; charset=utf-8")
                elif path.startswith("/static/"):
                    file = FILES / path[1:]
                    self.reply(200, file.read_bytes(), TYPES[file.suffix])
                else:
                    self.api("GET")

            def do_POST(self) -> None:
                self.api("POST")

            def api(self, method: str) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, answer = survey.answer(method, self.path, body)
                # behind it: who counts the requests changes what the next one is answered
                survey.seen.append(self.path)
                text = answer if isinstance(answer, str) else json.dumps(answer)
                self.reply(status, b"" if answer is None else text.encode(), "application/json")

            def reply(self, status: int, body: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Security-Policy", HEADERS["Content-Security-Policy"])
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

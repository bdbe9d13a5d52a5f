"""Respondents who do not give up, and the books that are kept on what they were told."""

import base64
import threading
import time
from contextlib import ExitStack

import httpx
import numpy as np

from ppdm_survey import CoinChannel


class Books:
    """What was sent, what was acknowledged, and what was published, by all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent = {}  # nonce -> epoch, class and bits, as they are to be stored
        self.acknowledged = set()
        self.again = 0  # identical repetitions that were acknowledged
        self.refused = 0  # used tokens with another body
        self.hashes = {}  # epoch -> hash, as first seen
        self.wrong = []

    def wait_for_more(self, n):
        """Wait until n more submissions are acknowledged."""
        end = len(self.acknowledged) + n
        for _ in range(24_000):
            if len(self.acknowledged) >= end or self.wrong:
                return
            time.sleep(0.005)
        raise AssertionError("nothing has been acknowledged for two minutes")

    def saw_hash(self, epoch, value):
        with self.lock:
            if self.hashes.setdefault(epoch, value) != value:
                self.wrong.append(f"epoch {epoch} had hash {self.hashes[epoch]}, now {value}")


class Crowd:
    """Threads that submit, one respondent after the other, for as long as the block lasts.

    Each asks and sends again until it is told that its submission is stored. One in five
    then repeats it, and one in five sends another body with the used token.
    """

    def __init__(self, port, n_bits, scheme="guided", n_threads=6, seed=0):
        self.books = Books()
        self._url = f"http://127.0.0.1:{port}"
        self._n_bits, self._channel = n_bits, None
        if scheme == "coin":
            self._channel = CoinChannel.model_validate(httpx.get(f"{self._url}/api/channel").json())
        self._over = threading.Event()
        seeds = np.random.SeedSequence(seed).spawn(n_threads)
        self._threads = [threading.Thread(target=self._run, args=(one,)) for one in seeds]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self.books

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, seed):
        rng = np.random.default_rng(seed)
        with ExitStack() as stack:
            client = stack.enter_context(httpx.Client(base_url=self._url, timeout=30))
            try:
                while not self._over.is_set():
                    self._respond(client, rng)
            except Exception as error:  # a thread's error would pass unseen
                self.books.wrong.append(repr(error))

    def _respond(self, client, rng):
        coin = self._channel is not None
        body = self._toss(client, rng) if coin else self._draw(client, rng)
        nonce = base64.urlsafe_b64decode(body["token"] + "=")[:16]
        with self.books.lock:
            self.books.sent[nonce] = self._stored(body)
        answer = self._ask(client, "POST", "/api/submit", body)
        if answer.status_code == 409 and answer.json()["error"] == "epoch_over":
            return  # two epochs have gone by, or half a minute; it was not stored
        assert answer.status_code == 204, f"{answer.status_code} instead of 204"
        with self.books.lock:
            self.books.acknowledged.add(nonce)
        chance = rng.random()
        if chance < 0.2:
            assert self._ask(client, "POST", "/api/submit", body).status_code == 204
            with self.books.lock:
                self.books.again += 1
        elif chance < 0.4:
            other = {"answers": [told if told is None else 1 - told for told in body["answers"]]
                     } if coin else {"class": 1 - body["class"]}
            answer = self._ask(client, "POST", "/api/submit", body | other)
            assert (answer.status_code, answer.json()["error"]) == (409, "token_used")
            with self.books.lock:
                self.books.refused += 1

    def _stored(self, body):
        if self._channel is not None:
            return 0, 0, self._channel.pack(body["answers"])
        bits = np.isin(np.arange(self._n_bits), body["ones"])
        return body["epoch"], body["class"], np.packbits(bits).tobytes()

    def _toss(self, client, rng):
        channel = self._channel
        ready = self._ask(client, "POST", "/api/ready", {"channel": channel.hash}).json()
        codes = rng.integers(0, 2, (1, len(channel.columns)))  # of the votes: no and yes
        marks = channel.report(codes, rng.integers(0, 2**32, (1, channel.n_words)))
        return {"token": ready["token"], "channel": channel.hash,
                "answers": channel.answers(marks[0])}

    def _draw(self, client, rng):
        while True:
            epoch = self._ask(client, "GET", "/api/inquiry").json()["epoch"]
            answer = self._ask(client, "POST", "/api/ready", {"epoch": epoch})
            if answer.status_code != 409:  # else the epoch has ended in between
                break
        guide = answer.json()
        self.books.saw_hash(guide["epoch"], guide["hash"])
        ones = np.flatnonzero(rng.random(self._n_bits) < 0.4)
        return {"token": guide["token"], "epoch": guide["epoch"],
                "class": int(rng.integers(2)), "ones": ones.tolist()}

    def _ask(self, client, method, path, body=None):
        """Ask until there is an answer other than busy; a network that fails is no answer."""
        for _ in range(3000):
            try:
                answer = client.request(method, path, json=body)
            except httpx.TransportError:
                time.sleep(0.02)
            else:
                if answer.status_code != 503:
                    return answer
                time.sleep(0.02)
        raise AssertionError("the server has not come back for a minute")

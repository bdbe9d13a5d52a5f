"""Somebody outside who has HTTP and nothing else: reads what is public, answers where he may."""

from __future__ import annotations

import httpx
import numpy as np

from ppdm.datasets import load_voting
from ppdm.guidance import one_hot
from ppdm.typing import IntArray

HOUSE = load_voting(random_state=0)
#: The members of Congress, and their parties.
T, Y = one_hot(HOUSE.data, (2,) * 16), HOUSE.target


class Outsider:
    """Reads each public page, and answers as often as the survey lets him."""

    def __init__(self, url: str) -> None:
        self.web = httpx.Client(base_url=url.rstrip("/") + "/", timeout=30)
        self.sent = [0, 0]
        """His own answers since he last looked at the counts, by class; he sends no bit."""

    def __enter__(self) -> Outsider:
        return self

    def __exit__(self, *_: object) -> None:
        self.web.close()

    def pages(self) -> dict[str, str]:
        """Return every public page and message: whatever the two descriptions say is a GET."""
        texts = {path: self.web.get(path).text for path in ("", "miner/", "miner/metrics")}
        for place in ("", "miner/"):
            paths = self.web.get(f"{place}openapi.json").json()["paths"]
            for path in sorted(path for path, how in paths.items() if "get" in how):
                path = place + path.lstrip("/").replace("{epoch}", "0")
                texts[path] = self.web.get(path).text
        return texts

    def epoch(self) -> int:
        return int(self.web.get("api/inquiry").json()["epoch"])

    def counts(self) -> IntArray:
        """Return the published counts, (2, n_bits + 1): of each class its bits, and its people."""
        results = self.web.get("miner/api/results").json()
        learnt = results["classifier"]
        if learnt is None:
            return np.zeros((2, results["n_bits"] + 1), dtype=np.int64)
        return np.c_[learnt["bit_count"], learnt["class_count"]]

    def answer(self, label: int = 0) -> bool:
        """Answer with no bit at all; say whether it was taken."""
        token = self.web.post("api/ready", json={"epoch": self.epoch()}).json()
        body = {"token": token.get("token", ""), "epoch": token.get("epoch", 0), "class": label,
                "ones": []}
        taken = self.web.post("api/submit", json=body).status_code == 204
        self.sent[label] += taken
        return taken

    def fill(self, limit: int = 1000) -> int:
        """Answer until the epoch ends, or until he is refused; return how often he was taken."""
        start, taken = self.epoch(), 0
        while self.epoch() == start and taken < limit and self.answer():
            taken += 1
        return taken

    def difference(self, before: IntArray) -> IntArray:
        """Return what others added to the counts since, and forget what he sent himself."""
        others = self.counts() - before
        others[:, -1] -= self.sent
        self.sent = [0, 0]
        return others


def as_person(counts: IntArray) -> tuple[int, list[int]] | None:
    """Return class and ones of R(t), where the counts are those of one person."""
    if counts[:, -1].tolist() not in ([1, 0], [0, 1]):
        return None
    label = int(np.argmax(counts[:, -1]))
    return label, np.flatnonzero(counts[label, :-1]).tolist()



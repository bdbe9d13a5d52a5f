"""How the cost of learning grows, from disguised data and from clear ones: ``growth.csv``.

``python benchmarks/growth.py`` (ten minutes) learns in one piece, at several sizes, from
disguised records and with the same learner from clear ones, in turn; then it varies what the
papers' O(.) name: intervals of a reconstruction, bits of a guidance. Seconds are of the processor.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from timeit import Timer

import numpy as np
from _stored import store

from ppdm.classifiers import (
    GuidedNB,
    RandomizedResponseNB,
    RandomizedResponseTreeClassifier,
    ReconstructedTreeClassifier,
)
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.guidance import Guidance, one_hot, perturb
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import RandomizedResponse
from ppdm.reconstruction import em
from ppdm.tree import CountTreeClassifier

THETA, N_BITS, REPEATS = 0.7, 16, 5
RECORDS = (10_000, 100_000, 1_000_000)
INTERVALS = (25, 50, 100, 200, 400)
BITS = (50, 100, 200, 400, 800)

Call = Callable[[], object]
#: What is done, what is varied, its size; the call on disguised data; on clear data or None.
Case = tuple[str, str, int, Call, Call | None]


def from_bits(n: int) -> Iterator[Case]:
    """Learn from n records of bits that depend on each other and on the class."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    X = (rng.random((n, N_BITS)) < 0.35 + 0.3 * y[:, np.newaxis]).astype(np.int8)
    coin = RandomizedResponse(THETA, random_state=rng)
    R, said = coin.disguise(X, y)
    yield ("naive Bayes", "records", n,
           partial(RandomizedResponseNB(coin).fit, R, said), partial(CountNB(2).fit, X, y))
    id3 = CountTreeClassifier(criterion="entropy", split="multiway", n_intervals=None)
    yield ("ID3", "records", n,
           partial(RandomizedResponseTreeClassifier(coin).fit, R, said), partial(id3.fit, X, y))
    half = X[:, : N_BITS // 2]  # each of its attributes has two bits of a tuple
    T = one_hot(half, [2] * half.shape[1])
    V = Guidance(N_BITS).update(T[:1000], y[:1000]).vectors(3)
    guided = perturb(T, V, random_state=rng)
    yield ("guided naive Bayes", "records", n,
           partial(GuidedNB([2] * half.shape[1]).fit, guided, y),
           partial(CountNB(2).fit, half, y))


def from_numbers(n: int, function: int) -> Iterator[Case]:
    """Grow AS00's trees on n records of nine attributes at 100% privacy.

    Randomized takes noisy values as they are: what it costs, the size of its tree costs.
    """
    X, y = make_agrawal(n, function, random_state=0)
    noise = AdditiveNoise("gaussian", domain=AGRAWAL_DOMAIN, random_state=0)
    Z = noise.fit_transform(X)
    tree = partial(ReconstructedTreeClassifier, noise, integer_features=AGRAWAL_INTEGER,
                   n_intervals=100)
    for name in ("ByClass", "Randomized"):
        yield (f"{name}, F{function}", "records", n, partial(tree(name.lower()).fit, Z, y),
               partial(tree("none").fit, X, y))


def by_intervals(m: int) -> Iterator[Case]:
    """Do a hundred steps of the iteration on m intervals, from counts."""
    channel = AdditiveNoise("gaussian", scale=0.25).on(np.linspace(0, 1, m + 1))
    counts = channel.count(np.random.default_rng(m).random(100_000))
    steps = partial(em, channel, counts, stop=None, max_iter=100, keep_history=False)
    yield "a hundred steps of EM", "intervals", m, steps, None


def by_bits(n_bits: int) -> Iterator[Case]:
    """Take in a hundred guided tuples, and decompose the sums."""
    rng = np.random.default_rng(n_bits)
    R, y = rng.integers(0, 2, (100, n_bits), dtype=np.int8), rng.integers(0, 2, 100)
    guidance = Guidance(n_bits)
    yield "a hundred guided tuples", "bits", n_bits, partial(guidance.update, R, y), None

    def refresh() -> None:
        guidance.update(R, y)  # otherwise the vectors computed last are returned
        guidance.disclosure_level()

    yield "tuples and vectors", "bits", n_bits, refresh, None


def measure(ours: Call, clear: Call | None) -> dict[str, float]:
    """Return median seconds of both, the median ratio of pairs, and its standard deviation."""
    def seconds(call: Call) -> float:
        times, took = Timer(call, timer=process_time).autorange()  # a short call is repeated
        return took / times

    ours()
    if clear is None:
        return {"seconds": statistics.median(seconds(ours) for _ in range(REPEATS))}
    clear()
    pairs = [(seconds(ours), seconds(clear)) for _ in range(REPEATS)]
    ratios = [a / b for a, b in pairs]
    middle, clear_middle = (statistics.median(side) for side in zip(*pairs, strict=True))
    return {"seconds": middle, "clear": clear_middle, "ratio": statistics.median(ratios),
            "spread": statistics.stdev(ratios)}


def cases() -> Iterator[Case]:
    """Yield all cases; the data of one are freed before the next is made."""
    for n in RECORDS:
        yield from from_bits(n)
        yield from from_numbers(n, 2)
        yield from from_numbers(n, 5)
    for m in INTERVALS:
        yield from by_intervals(m)
    for n_bits in BITS:
        yield from by_bits(n_bits)


def main() -> None:
    rows = []
    for task, varied, size, ours, clear in cases():
        rows.append({"task": task, "varied": varied, "size": size} | measure(ours, clear))
        print(*rows[-1].values(), flush=True)
    store("growth", rows, ("ppdm", "numpy"), ", one thread")


if __name__ == "__main__":
    main()

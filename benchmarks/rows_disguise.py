"""Disguising, in copies of the array.

A copy of the bytes is what no call that returns a disguised array can go below. The random
numbers are the rest of the floor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _data import bits
from _rows import row

from ppdm.datasets import AGRAWAL_DOMAIN, make_agrawal
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import CategoricalRandomizedResponse, RandomizedResponse
from ppdm.typing import Noise

TARGET, N, SMALL = 5.0, 1_000_000, 100_000
COPY = "a copy of the array"


def coins(of: str, groups: list[list[int]] | None, repeats: int) -> None:
    """Add a row: a coin for each of so many bits."""

    @row(f"one coin a {of}, 32 bits", COPY, target=TARGET, n=N, small=SMALL, repeats=repeats)
    def coin(n: int) -> tuple[Any, Any]:
        X, _ = bits(n)
        scheme = RandomizedResponse(0.7, groups, random_state=np.random.default_rng(0)).fit(X)
        return lambda: scheme.transform(X), X.copy


coins("record", None, 25)
coins("bit", [[j] for j in range(32)], 5)


@row("k-ary response, codes of 10 values", COPY, target=TARGET, n=N, small=SMALL, repeats=25)
def codes(n: int) -> tuple[Any, Any]:
    X = np.random.default_rng(2).integers(0, 10, (n, 1))
    rng = np.random.default_rng(3)
    scheme = CategoricalRandomizedResponse(10, 0.6, random_state=rng).fit(X)
    return lambda: scheme.transform(X), X.copy


def noises(distribution: Noise) -> None:
    """Add a row: noise on each value."""
    name = distribution.replace("gauss", "Gauss")

    @row(f"{name} noise, 9 floats", COPY, target=TARGET, n=N, small=SMALL, repeats=9)
    def noise(n: int) -> tuple[Any, Any]:
        X, _ = make_agrawal(n, 2, random_state=0)
        rng = np.random.default_rng(0)
        adding = AdditiveNoise(distribution, domain=AGRAWAL_DOMAIN, random_state=rng).fit(X)
        return lambda: adding.transform(X), X.copy


noises("uniform")
noises("gaussian")

"""Frequencies of codes, from client to estimate.

The k-ary response of 1,000,000 people who have one of k values, and unary encoding of 200,000 of
them, optimised or symmetric (basic RAPPOR); of 20,000 where they release 1,000 bits each. Hadamard
response of 100,000 values. A peer's estimate begins with the reports, as ours does; both are
asserted to agree.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from _elsewhere import Elsewhere
from _rows import row

from ppdm.datasets import make_plateau, make_triangles
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    RandomizedResponse,
    UnaryEncoding,
    estimate_proportion,
)
from ppdm.reconstruction import em, estimate_frequencies, invert, reconstruct_distribution
from ppdm.typing import Noise

N, SMALL, SLOW = 1_000_000, 100_000, 20_000
SIZES = 10, 16, 1000
KRR = CategoricalRandomizedResponse
RAPPOR = partial(UnaryEncoding, symmetric=True)
STEPS, N_INTERVALS = 1000, 100


def disguising(n: int, k: int, epsilon: float, of: Any = KRR) -> tuple[Any, Any]:
    """Return people's codes and the scheme that disguises them."""
    truth = np.random.default_rng(2).integers(0, k, (n, 1))
    return truth, of(k, epsilon=epsilon, random_state=np.random.default_rng(3)).fit(truth)


def collected(n: int, k: int, epsilon: float, of: Any = KRR) -> tuple[Any, Any]:
    """Return reports on values of unlike frequencies, and their scheme."""
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    truth = np.random.default_rng(2).choice(k, (n, 1), p=shares)
    channel = of(k, epsilon=epsilon, random_state=np.random.default_rng(3)).fit(truth)
    return channel.transform(truth), channel


def agreeing(ours: Callable[[], Any], peer: Any, tolerance: float) -> tuple[Any, Any]:
    """Return both, if they estimate the same."""
    found = peer.result() if isinstance(peer, Elsewhere) else peer()
    np.testing.assert_allclose(ours(), found, atol=tolerance)
    return ours, peer


def told(k: int, epsilon: float, of: Any) -> dict[str, Any]:
    """Return what a peer is told beside the arrays."""
    return {"k": k, "epsilon": epsilon, **({"optimal": False} if of is RAPPOR else {})}


def estimates(n: int, k: int, peer: str, epsilon: float, of: Any = KRR) -> tuple[Any, Any]:
    reports, channel = collected(n, k, epsilon, of)
    plain = reports if reports.shape[1] > 1 else np.ascontiguousarray(reports[:, 0])
    arrays = {"reports": plain, **told(k, epsilon, of)}
    return channel, (reports, Elsewhere("ldp", peer, arrays))


NAMED = {KRR: "k-ary", UnaryEncoding: "unary", RAPPOR: "basic RAPPOR", HadamardResponse: "Hadamard"}


def beside(
    package: str, calls: tuple[str, str], k: int, method: Any, targets: tuple[float, float],
    of: Any = KRR, people: tuple[int, int] = (N, N), repeats: int = 5, epsilon: float = 2.0,
) -> None:  # fmt: skip
    """Add two rows: client and estimate of ``k`` values, beside the two calls of a peer."""
    what = NAMED[of]

    @row(f"{what} client, {k:,} values, beside {package}", f"{package}'s client",
         target=targets[0], n=people[0], small=SLOW, elsewhere="ldp", repeats=3)  # fmt: skip
    def client(n: int) -> tuple[Any, Any]:
        truth, channel = disguising(n, k, epsilon, of)
        arrays = {"truth": np.ascontiguousarray(truth[:, 0]), **told(k, epsilon, of)}
        return partial(channel.transform, truth), Elsewhere("ldp", calls[0], arrays)

    @row(f"{what} estimate, {k:,} values, beside {package}", f"{package}'s estimate, {method}",
         target=targets[1], n=people[1], small=SLOW, elsewhere="ldp", repeats=repeats)  # fmt: skip
    def estimate(n: int) -> tuple[Any, Any]:
        channel, (reports, peer) = estimates(n, k, calls[1], 1.0, of)

        def ours() -> Any:
            return estimate_frequencies(reports, channel, method=method).frequencies

        return agreeing(ours, peer, 1e-9 if of is HadamardResponse else 1e-12)


MFL, PURE = "multi-freq-ldpy", "pure-ldp"
for k in SIZES:
    beside(MFL, ("client", "matrix_inversion"), k, "clip", (0.03, 0.1))
    beside(PURE, ("pure_ldp_client", "pure_ldp_server"), k, "raw", (0.03, 0.1))
for k in SIZES:
    people = (200_000, 200_000) if k < 1000 else (SLOW, SLOW)
    for of in (UnaryEncoding, RAPPOR)[: 1 if k < 1000 else 2]:
        beside(MFL, ("unary_client", "unary_inversion"), k, "clip", (0.3, 0.3), of, people)
        calls = "pure_ldp_unary_client", "pure_ldp_unary_server"
        beside(PURE, calls, k, "raw", (0.3, 0.3), of, people)
beside(PURE, ("pure_ldp_hadamard_client", "pure_ldp_hadamard_server"), 100_000, "raw", (0.03, 0.1),
       HadamardResponse, (200_000, 2_000_000), repeats=3, epsilon=1.0)  # fmt: skip


@row("Hadamard estimate, 1,000 values of 20,000 people", "our estimate of their unary encoding",
     target=1.0, n=SLOW, small=SLOW, repeats=11)  # fmt: skip
def hadamard_beside_unary(n: int) -> tuple[Any, Any]:
    calls = [
        partial(estimate_frequencies, *collected(n, 1000, 1.0, of))
        for of in (HadamardResponse, UnaryEncoding)
    ]
    ours, peer = (call() for call in calls)
    apart = abs(ours.frequencies - peer.frequencies)
    np.testing.assert_array_less(apart, 6 * np.hypot(ours.standard_errors, peer.standard_errors))
    return tuple(calls)


@row("share of a million disguised bits", "their plain mean",
     target=1.0, n=N, small=SMALL, repeats=25)  # fmt: skip
def share_of_bits(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    truth = (rng.random((n, 1)) < 0.3).astype(np.int8)
    coin = RandomizedResponse(0.8, random_state=rng)
    reports = np.ascontiguousarray(coin.fit_transform(truth)[:, 0])
    agreeing(lambda: estimate_proportion(reports, 0.8).proportion,
             lambda: (reports.mean() - 0.2) / 0.6, 1e-9)  # fmt: skip
    return lambda: estimate_proportion(reports, 0.8), reports.mean


@row("k-ary shares of a million reports, 10 values", "two lines of NumPy",
     target=1.0, n=N, small=SMALL, repeats=25)  # fmt: skip
def shares_of_codes(n: int) -> tuple[Any, Any]:
    reports, channel = collected(n, 10, 1.0)
    column = np.ascontiguousarray(reports[:, 0])
    _, p, q = channel.support()

    def two_lines() -> Any:
        counts = np.bincount(column, minlength=10)
        return (counts / n - q) / (p - q)

    return agreeing(lambda: estimate_frequencies(reports, channel).frequencies, two_lines, 1e-12)


def inverse(reports: Any, channel: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NegativeEstimateWarning)
        return invert(channel, channel.count(reports)[0]).proportions


def iterative_update(k: int, epsilon: float) -> None:
    """Add a row: to where neither side's shares change any more."""

    @row(f"EM, {k} values at epsilon {epsilon:g}", "multi-freq-ldpy's iterative update",
         target=0.1, n=N, small=SMALL, elsewhere="ldp")  # fmt: skip
    def update(n: int) -> tuple[Any, Any]:
        channel, (reports, peer) = estimates(n, k, "iterative_update", epsilon)

        def converged() -> Any:
            counts = channel.count(reports)[0]
            return em(channel, counts, stop="tol", tol=1e-12, keep_history=False).probabilities

        return agreeing(converged, peer, 1e-9)


iterative_update(10, 2.0)
iterative_update(200, 1.0)


def same_step(k: int, theta: float, target: float, repeats: int) -> None:
    """Add a row: with few values a step is calls and nothing else."""

    @row(f"1,000 steps of EM, any channel of {k:,} values",
         "multi-freq-ldpy's update, as many steps",
         target=target, n=N, small=N, elsewhere="ldp", repeats=repeats)  # fmt: skip
    def steps(n: int) -> tuple[Any, Any]:
        channel = np.full((k, k), (1 - theta) / (k - 1))
        np.fill_diagonal(channel, theta)
        rng = np.random.default_rng(0)
        counts = rng.multinomial(n, channel @ rng.dirichlet(np.ones(k)))
        ours = partial(em, channel, counts, stop=None, max_iter=STEPS)
        arrays = {"channel": channel, "counts": counts, "steps": STEPS}
        peer = Elsewhere("ldp", "update_of_counts", arrays)
        agreeing(lambda: ours().probabilities, peer, 1e-12)
        return ours, peer


for case in ((2, 0.8, 1.0, 11), (16, 0.8, 1.0, 11), (100, 0.5, 3.0, 11), (1000, 0.5, 1.2, 5)):
    same_step(*case)


@row("counting reports of 200 values", "np.bincount", target=None, n=N, small=SMALL, repeats=25)
def counting(n: int) -> tuple[Any, Any]:
    reports, channel = collected(n, 200, 1.0)
    column = np.ascontiguousarray(reports[:, 0])
    return lambda: channel.count(reports), lambda: np.bincount(column, minlength=200)


def reconstructions(what: str, make: Any, distribution: Noise, scale: float) -> None:
    """Add a row: from disguised values to the distribution, against a histogram of them."""

    @row(f"counting and reconstruction, {what}", "np.histogram, 200 cells",
         target=1.0, n=N, small=SMALL, repeats=25)  # fmt: skip
    def reconstruction(n: int) -> tuple[Any, Any]:
        edges = np.linspace(0, 1, N_INTERVALS + 1)
        noise = AdditiveNoise(distribution, scale=scale, random_state=1)
        values = noise.transform(make(n, random_state=0))[:, 0]
        return (
            partial(reconstruct_distribution, values, noise, edges),
            partial(np.histogram, values, 200),
        )


reconstructions("plateau, uniform noise", make_plateau, "uniform", 0.5)
reconstructions("plateau, Gaussian noise", make_plateau, "gaussian", 0.25)
reconstructions("triangles, Gaussian noise", make_triangles, "gaussian", 0.25)

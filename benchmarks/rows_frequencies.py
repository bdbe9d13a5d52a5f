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


def clients(
    n: int, k: int, peer: str, of: Any = KRR, *, epsilon: float = 2.0, by_theta: bool = False
) -> tuple[Any, Any]:
    """Compare clients; the peer's strength is given by epsilon or theta."""
    truth, channel = disguising(n, k, epsilon, of)
    column = np.ascontiguousarray(truth[:, 0])
    given = {"k": k, "theta": float(channel.theta_[0])} if by_theta else told(k, epsilon, of)
    return lambda: channel.transform(truth), Elsewhere("ldp", peer, {"truth": column, **given})


def estimates(
    n: int, k: int, peer: str, epsilon: float = 1.0, of: Any = KRR
) -> tuple[Any, Any]:
    reports, channel = collected(n, k, epsilon, of)
    plain = reports if reports.shape[1] > 1 else np.ascontiguousarray(reports[:, 0])
    arrays = {"reports": plain, **told(k, epsilon, of)}
    return channel, (reports, Elsewhere("ldp", peer, arrays))


#: Where the time goes, of k-ary response and of unary encoding.
CLIENT = {
    "where": "A third draws a number a person; the rest compares it with the code and moves it, "
             "whatever the number of values.",
    "floor": "A random number a person, a third of our time.",
}  # fmt: skip
ESTIMATE = {
    "where": "Half to three quarters count the reports, the rest checks them; the closed form "
             "itself takes nothing.",
    "floor": "np.bincount of the reports, half of our time or more.",
}  # fmt: skip
UNARY_CLIENT = {
    "where": "Over half draws a number a bit, the rest compares it with the bit's chance.",
    "floor": "A random number a bit, over half of our time.",
}
UNARY_ESTIMATE = {
    "where": "Nearly all adds up the bits, 255 reports at a time, whose sums fit a byte.",
    "floor": "A pass over the bits: a hundredth of our time at 16 values, a tenth at 1,000.",
}
BYTES = (
    " A report of 1,000 values takes 125 bytes as bits, 1,000 in our array, and 8,000 as either "
    "peer's vector of numbers."
)
TEXTS = {
    KRR: ("k-ary", CLIENT, ESTIMATE),
    UnaryEncoding: ("unary", UNARY_CLIENT, UNARY_ESTIMATE),
    RAPPOR: ("basic RAPPOR", *(
        {**text, "where": text["where"] + BYTES} for text in (UNARY_CLIENT, UNARY_ESTIMATE)
    )),
}  # fmt: skip


def beside(
    package: str, calls: tuple[str, str], k: int, method: Any, targets: tuple[float, float],
    of: Any = KRR,
) -> None:  # fmt: skip
    """Add two rows: client and estimate of ``k`` values, beside the two calls of a peer."""
    what, client, estimated = TEXTS[of]
    n = N if of is KRR else 200_000 if k < 1000 else SLOW

    @row(f"{what} client, {k:,} values, beside {package}", f"{package}'s client",
         target=targets[0], n=n, small=SLOW, elsewhere="ldp", repeats=3, **client)  # fmt: skip
    def disguise(n: int) -> tuple[Any, Any]:
        return clients(n, k, calls[0], of)

    @row(f"{what} estimate, {k:,} values, beside {package}", f"{package}'s estimate, {method}",
         target=targets[1], n=n, small=SLOW, elsewhere="ldp", repeats=5, **estimated)  # fmt: skip
    def estimate(n: int) -> tuple[Any, Any]:
        channel, (reports, peer) = estimates(n, k, calls[1], 1.0, of)

        def ours() -> Any:
            return estimate_frequencies(reports, channel, method=method).frequencies

        return agreeing(ours, peer, 1e-12)


for k in SIZES:
    beside("multi-freq-ldpy", ("client", "matrix_inversion"), k, "clip", (0.03, 0.1))
    beside("pure-ldp", ("pure_ldp_client", "pure_ldp_server"), k, "raw", (0.03, 0.1))
for k in SIZES:
    for of in (UnaryEncoding, RAPPOR)[: 1 if k < 1000 else 2]:
        beside("multi-freq-ldpy", ("unary_client", "unary_inversion"), k, "clip", (0.3, 0.3), of)
        calls = "pure_ldp_unary_client", "pure_ldp_unary_server"
        beside("pure-ldp", calls, k, "raw", (0.3, 0.3), of)


MANY = 100_000
MANY_BYTES = (
    "A report is a number of 17 bits, three bytes (four in our array, a Python integer of 28 of "
    "the peer's), where unary encoding sends 12,500."
)


@row("Hadamard client, 100,000 values, beside pure-ldp", "pure-ldp's client",
     target=0.03, n=200_000, small=SLOW, elsewhere="ldp", repeats=3,
     where="Three fifths draw a column and a number a person, a fifth finds the sign of the column "
           f"in the person's row, the rest moves it. {MANY_BYTES}",
     floor="As many random numbers, all within one bound: a quarter of our time.")  # fmt: skip
def hadamard_client(n: int) -> tuple[Any, Any]:
    return clients(n, MANY, "pure_ldp_hadamard_client", HadamardResponse, epsilon=1.0)


@row("Hadamard estimate, 100,000 values, beside pure-ldp", "pure-ldp's estimate, raw",
     target=0.1, n=2_000_000, small=SLOW, elsewhere="ldp", repeats=3,
     where="Over two fifths count the columns, nearly half transforms the counts. "
           f"{MANY_BYTES}",
     floor="np.bincount of the reports, over two fifths of our time.")  # fmt: skip
def hadamard_estimate(n: int) -> tuple[Any, Any]:
    of = HadamardResponse
    channel, (reports, peer) = estimates(n, MANY, "pure_ldp_hadamard_server", 1.0, of)
    return agreeing(lambda: estimate_frequencies(reports, channel).frequencies, peer, 1e-9)


@row("Hadamard estimate, 1,000 values of 20,000 people", "our estimate of their unary encoding",
     target=1.0, n=SLOW, small=SLOW, repeats=11,
     where="Half is the transform, ten steps of a few calls of NumPy; a third is what any call "
           "takes, however few the people. A report takes two bytes (four in our array), one of "
           "unary encoding 125 (1,000 in our array).",
     floor="np.bincount of the reports, a fourteenth of our time.")  # fmt: skip
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
     target=1.0, n=N, small=SMALL, repeats=25,
     where="Three fifths are what any call takes, however few the reports; the rest checks that "
           "all are bits and counts those that agree.",
     floor="np.count_nonzero of the reports, a tenth of our time.",
     reason="A fifth of a millisecond of checks of scheme, expression and reports, which the mean "
            "does without; the passes themselves take less than the mean's one.")  # fmt: skip
def share_of_bits(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    truth = (rng.random((n, 1)) < 0.3).astype(np.int8)
    coin = RandomizedResponse(0.8, random_state=rng)
    reports = np.ascontiguousarray(coin.fit_transform(truth)[:, 0])
    agreeing(lambda: estimate_proportion(reports, 0.8).proportion,
             lambda: (reports.mean() - 0.2) / 0.6, 1e-9)  # fmt: skip
    return lambda: estimate_proportion(reports, 0.8), reports.mean


@row("k-ary shares of a million reports, 10 values", "two lines of NumPy",
     target=1.0, n=N, small=SMALL, repeats=25,
     where="Over half count the reports, a tenth is the check that every report is a code, a "
           "seventh what any call takes, however few the reports.",
     floor="np.bincount of the reports, over half of our time.",
     reason="The two lines count whatever comes. That every report is a code is one pass more "
            "over them, for the least and the largest; errors and the checks of the scheme take "
            "a fifth of a millisecond.")  # fmt: skip
def shares_of_codes(n: int) -> tuple[Any, Any]:
    reports, channel = collected(n, 10, 1.0)
    column = np.ascontiguousarray(reports[:, 0])
    _, p, q = channel.support()

    def two_lines() -> Any:
        counts = np.bincount(column, minlength=10)
        return (counts / n - q) / (p - q)

    return agreeing(lambda: estimate_frequencies(reports, channel).frequencies, two_lines, 1e-12)


@row("k-ary client, 10 values, 20,000 people in turn", "OpenDP's measurement",
     target=None, n=SLOW, small=SLOW, elsewhere="ldp", repeats=3,
     where="Two fifths is what any call takes, however few the people: checks.",
     floor="A random number a person, a seventh of our time.")  # fmt: skip
def opendp_client(n: int) -> tuple[Any, Any]:
    return clients(n, 10, "opendp_client", by_theta=True)


def inverse(reports: Any, channel: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NegativeEstimateWarning)
        return invert(channel, channel.count(reports)[0]).proportions


@row("EM, 10 values at epsilon 2", "multi-freq-ldpy's iterative update",
     target=0.1, n=N, small=SMALL, elsewhere="ldp",
     where="Two thirds are some 500 steps of EM, one third counts the reports.",
     floor="np.bincount of the reports, a fifth of our time.",
     reason="The loop of EM makes as many steps as the peer's, in NumPy and not compiled; a"
            " step of ten values is calls and nothing else.")  # fmt: skip
def iterative_update_of_ten(n: int) -> tuple[Any, Any]:
    channel, (reports, peer) = estimates(n, 10, "iterative_update", 2.0)
    return agreeing(partial(converged, reports, channel), peer, 1e-9)


@row("EM, 200 values at epsilon 1", "multi-freq-ldpy's iterative update",
     target=0.1, n=N, small=SMALL, elsewhere="ldp",
     where="Nearly all of it are 10,000 steps, each a dozen calls of NumPy.",
     floor="The two products of a matrix and a vector in each step, a third of our time.",
     reason="Both make the same 10,000 steps. A step is a dozen calls of NumPy, where the "
            "peer's is compiled, so that ours cost what its loop over the reports costs. "
            "Fewer steps would be another estimate: where EM stops is part of it.")  # fmt: skip
def iterative_update(n: int) -> tuple[Any, Any]:
    channel, (reports, peer) = estimates(n, 200, "iterative_update")
    return agreeing(partial(converged, reports, channel), peer, 1e-9)


def converged(reports: Any, channel: Any) -> Any:
    """Iterate as long as the peer does."""
    counts = channel.count(reports)[0]
    return em(channel, counts, stop="tol", tol=1e-12, keep_history=False).probabilities


def same_steps(n: int, k: int, theta: float = 0.5) -> tuple[Any, Any]:
    channel = np.full((k, k), (1 - theta) / (k - 1))
    np.fill_diagonal(channel, theta)
    rng = np.random.default_rng(0)
    counts = rng.multinomial(n, channel @ rng.dirichlet(np.ones(k)))
    arrays = {"channel": channel, "counts": counts, "steps": STEPS}
    steps = partial(em, channel, counts, stop=None, max_iter=STEPS)
    peer = Elsewhere("ldp", "update_of_counts", arrays)
    np.testing.assert_allclose(steps().probabilities, peer.result(), atol=1e-12)
    return steps, peer


def few_values(k: int) -> None:
    """Add a row: a step of which is calls and nothing else."""

    @row(f"1,000 steps of EM, any channel of {k} values", "multi-freq-ldpy's update, as many steps",
         target=1.0, n=N, small=N, elsewhere="ldp", repeats=11,
         where="All of it are calls of NumPy, some three microseconds a step.",
         floor="The two products, a quarter of our time.",
         reason="A step is a dozen calls of NumPy, whatever is calculated, and the peer's a third "
                "of a microsecond of compiled code. A thousand steps take three "
                "milliseconds.")  # fmt: skip
    def steps(n: int) -> tuple[Any, Any]:
        return same_steps(n, k, 0.8)


few_values(2)
few_values(16)


@row("1,000 steps of EM, any channel of 100 values", "multi-freq-ldpy's update, as many steps",
     target=3.0, n=N, small=N, elsewhere="ldp", repeats=11,
     where="Each step is a dozen calls of NumPy, of about a microsecond each, around two "
           "small products.",
     floor="The two products, a fifth of our time.",
     reason="A step is a dozen calls of NumPy against two in compiled code.")  # fmt: skip
def steps_of_100(n: int) -> tuple[Any, Any]:
    return same_steps(n, 100)


@row("1,000 steps of EM, any channel of 1,000 values", "multi-freq-ldpy's update, as many steps",
     target=1.2, n=N, small=N, elsewhere="ldp",
     where="Nearly all of it are the two products, which read 16 megabytes a step.",
     floor="Reading the matrix twice a step.",
     reason="The same two products, by two builds of one library; the logarithms that we "
            "keep come on top.")  # fmt: skip
def steps_of_1000(n: int) -> tuple[Any, Any]:
    return same_steps(n, 1000)


@row("counting reports of 200 values", "np.bincount",
     target=None, n=N, small=SMALL, repeats=25,
     where="Checking that the codes are whole and below 200, and copying them, takes most.",
     floor="np.bincount itself, a sixth of our time.")  # fmt: skip
def counting(n: int) -> tuple[Any, Any]:
    reports, channel = collected(n, 200, 1.0)
    column = np.ascontiguousarray(reports[:, 0])
    return lambda: channel.count(reports), lambda: np.bincount(column, minlength=200)


def reconstructions(what: str, make: Any, distribution: Noise, scale: float) -> None:
    """Add a row: from disguised values to the distribution, against a histogram of them."""

    @row(f"counting and reconstruction, {what}", "np.histogram, 200 cells",
         target=1.0, n=N, small=SMALL, repeats=25,
         where="Two thirds place the values in cells and count them, a seventh are the steps, "
               "the rest checks that all are finite.",
         floor="A pass that finds each value's cell and one that counts: half of our time.",
         reason="Values are checked, placed and counted, each a pass over the million; the "
                "histogram of equal cells makes one.")  # fmt: skip
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

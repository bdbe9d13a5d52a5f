"""A lower bound of epsilon from draws: what a client or a curator really guarantees.

A fair coin decides which of two inputs a mechanism gets. Whoever sees the release may guess
the coin, or abstain. Under epsilon-differential privacy no release is more than e^epsilon
times as likely under one input as under the other; so, whatever the rule of guessing, those
guesses that are made are right with probability at most e^epsilon / (1 + e^epsilon). The
number of right ones is then at most binomial, and Clopper and Pearson's bound of their share
is one of epsilon. (Bounds of the two rates of errors would lose a tenth of epsilon 1 in 60,000
draws.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import beta

from ppdm import _validation as check
from ppdm.channel import Channel
from ppdm.typing import AnyArray, ArrayLike, FloatArray, IntArray, RandomState

#: Releases with more different values than one in so many draws are binned.
_DRAWS_A_VALUE = 16
#: Bins of what has too many values.
_N_BINS = 64
#: The event is chosen at the risk to this power, so that a large one beats a lucky one.
_CAUTION = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class EpsilonAudit:
    """A lower confidence bound of a mechanism's epsilon.

    Attributes
    ----------
    lower_bound : float
        At least 0. An epsilon below it is refuted at the given confidence.
    exact : float or None
        The epsilon of these two inputs, where the channel was given.
    event : tuple of two ndarrays
        The releases that are taken to speak for the first input, and for the second; of
        binned ones the bins' ends, (n_bins, 2).
    right, wrong : int
        How many guesses were right and wrong, of the draws that did not choose the event.
    confidence : float
        As given.
    """

    lower_bound: float
    exact: float | None
    event: tuple[AnyArray, AnyArray]
    right: int
    wrong: int
    confidence: float


def audit_epsilon(
    mechanism: Callable[..., Any],
    first: Any,
    second: Any,
    *,
    n_draws: int,
    delta: float = 0.0,
    confidence: float = 0.99,
    batch: bool = False,
    channel: Channel | None = None,
    random_state: RandomState = None,
) -> EpsilonAudit:
    """Return a lower confidence bound of a mechanism's epsilon, from its releases alone.

    An epsilon is a claim about all inputs and all releases; two inputs and an event are
    enough to refute it. Nothing can be confirmed this way: a small bound may mean much
    privacy, too few draws, or inputs that are not the worst.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng)`` makes one release of ``data``: a number, or an array of
        numbers, each time as many. A client makes it of a record, a curator of a table. What it
        does with the release afterwards may be part of it, such as numbering texts: that never
        raises epsilon.
    first, second : object
        What is released: two records, or two tables that differ in one record.
    n_draws : int
        How many releases of each input are drawn, on average. Half of them choose the event,
        the others bound its probability.
    delta : float in [0, 1), default=0
        The claim's delta.
    confidence : float in (0, 1), default=0.99
        The bound exceeds the true epsilon with probability 1 - confidence at most.
    batch : bool, default=False
        Whether ``mechanism(data, n, rng)`` makes n independent releases, one a row. Much
        faster than one at a time.
    channel : Channel, optional
        What the mechanism claims to be; both inputs are then records of codes. Its epsilon
        for these two is put beside the bound.
    random_state : None, int or numpy.random.Generator, default=None
        Where ``rng`` and the coin come from.

    Returns
    -------
    EpsilonAudit

    Raises
    ------
    ValueError, TypeError
        If there are so few draws that no bound could exceed 0, an argument is out of its
        range, the mechanism raises one of them, or its releases are no numbers or differ in shape.

    Notes
    -----
    The event is a rule of guessing (the module says why that bounds epsilon): a set of releases
    for either input. Releases are ordered by their log-ratio, less its standard error, and the
    set is cut where the bound of the choosing half is best. For delta > 0 the rates of right
    and wrong guesses are bounded each at half of the risk, and epsilon by
    ln((right - delta) / wrong).

    Numbers with too many values for that, continuous ones above all, are first projected on
    the difference of both inputs' means and cut into 64 bins, equally full ones in the choosing
    half. That is post-processing: the bound holds, and may be far below epsilon where the two
    distributions do not differ in that direction.

    References
    ----------
    Clopper and Pearson (1934); Jagielski, Ullman and Oprea (2020), Auditing differentially
    private machine learning, for the bound from two rates; Steinke, Nasr and Jagielski (2023),
    Privacy auditing with one training run, for guesses that abstain.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> coin = RandomizedResponse(0.7).fit([[0]])
    >>> def client(record, n, rng):
    ...     return coin.set_params(random_state=rng).transform(np.tile(record, (n, 1)))
    >>> audit = audit_epsilon(
    ...     client, [0], [1], n_draws=20_000, batch=True, channel=coin, random_state=0
    ... )
    >>> round(audit.exact, 3), 0.75 < audit.lower_bound < audit.exact
    (0.847, True)
    """
    delta = check.given("audit_epsilon.delta", delta)
    risk = 1 - check.given("confidence", confidence)
    share = (1 + delta) / 2  # of right guesses, at least
    # draws, if all of them guessed right would bound epsilon above 0
    least = int(np.log(risk / 2 if delta else risk) / np.log(share)) + 2
    half = check.given("n_draws", n_draws) // 2
    rule = f"n_draws must be at least {least} for a bound above 0 at confidence {1 - risk:g} and "
    check.demand(n_draws >= least, f"{rule}delta {delta:g}", n_draws)
    check.given("batch", batch)
    rng = check.random_state(random_state)
    exact = None if channel is None else _epsilon_of_pair(channel, first, second)
    n_first = int(rng.binomial(2 * half, 0.5))
    sizes = half + n_first, 3 * half - n_first
    draws = []
    for data, n in zip((first, second), sizes, strict=True):
        with check.naming("mechanism", "a function of what is released and of a Generator"):
            many = mechanism(data, n, rng) if batch else [mechanism(data, rng) for _ in range(n)]
        draws.append(_table(many, n))
    (one, other), values = _number_releases(draws[0], draws[1], half)
    tally = np.stack([np.bincount(codes[:half], minlength=len(values)) for codes in (one, other)])
    guess = _choose(tally, half, delta, risk)
    one, other = guess[one[half:]], guess[other[half:]]
    right = int(np.count_nonzero(one == 1) + np.count_nonzero(other == -1))
    wrong = int(np.count_nonzero(one == -1) + np.count_nonzero(other == 1))
    return EpsilonAudit(
        lower_bound=max(float(_bound(right, wrong, 2 * half, delta, risk)), 0.0),
        exact=exact,
        event=(values[guess == 1], values[guess == -1]),
        right=right,
        wrong=wrong,
        confidence=float(confidence),
    )


def _table(releases: Any, size: int) -> AnyArray:
    """Return releases, one a row of numbers."""
    table = check.plain(releases, "mechanism")
    rule = "mechanism must release numbers (of anything else, their number in a list of all)"
    check.demand(table.dtype.kind in "biuf", rule, str(table.dtype), TypeError)
    n = len(table) if table.ndim else 1
    check.demand(table.ndim and n == size, f"mechanism must make {size} releases, as asked", n)
    return table.reshape(size, -1)


def _number_releases(one: AnyArray, other: AnyArray, half: int) -> tuple[list[IntArray], AnyArray]:
    """Return the number of each release's value, and the values; bins where they are many."""
    check.of_shape(other, "mechanism", (None, one.shape[1]), "as many numbers of both inputs")
    both = np.concatenate([one, other])
    # no two NaN are equal: a missing number is taken for an infinite one
    keys = np.where(np.isnan(both), np.inf, both) if both.dtype.kind == "f" else both
    keys = keys[:, 0] if keys.shape[1] == 1 else keys
    _, first, codes = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    values, codes = both[first], codes.reshape(-1)
    if both.dtype.kind in "iuf" and len(values) > len(both) / _DRAWS_A_VALUE:
        values, codes = _binned(one.astype(np.float64), other.astype(np.float64), half)
    return np.split(codes, [len(one)]), values


def _binned(one: FloatArray, other: FloatArray, half: int) -> tuple[FloatArray, IntArray]:
    """Bins along the difference of the means, which only the choosing halves set."""
    direction = one[:half].mean(axis=0) - other[:half].mean(axis=0)
    length = np.linalg.norm(direction)
    scores = np.concatenate([one, other]) @ (direction / length if length else direction)
    chosen = np.concatenate([scores[:half], scores[len(one) : len(one) + half]])
    cuts = np.unique(np.quantile(chosen, np.arange(1, _N_BINS) / _N_BINS))
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return np.column_stack([ends[:-1], ends[1:]]), np.searchsorted(cuts, scores, side="right")


def _bound(right: ArrayLike, wrong: ArrayLike, n: int, delta: float, risk: float) -> FloatArray:
    """Lower confidence bound of epsilon from right and wrong guesses among n draws."""
    good, bad = np.asarray(right, np.float64), np.asarray(wrong, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if delta == 0:
            share = beta.ppf(risk, good, bad + 1)  # NaN where nothing is right
            bound = np.log(share) - np.log1p(-share)
        else:
            rate = beta.ppf(risk / 2, good, n - good + 1) - delta
            bound = np.log(np.maximum(rate, 0)) - np.log(beta.isf(risk / 2, bad + 1, n - bad))
    return np.asarray(np.nan_to_num(bound, nan=-np.inf, neginf=-np.inf), dtype=np.float64)


def _choose(tally: IntArray, half: int, delta: float, risk: float) -> IntArray:
    """Return for each released value the guess: 1 for the first input, -1 for the second, or 0."""
    more, less = tally.max(axis=0), tally.min(axis=0)
    score = np.log(more + 0.5) - np.log(less + 0.5)
    score -= np.sqrt(1 / (more + 0.5) + 1 / (less + 0.5))
    order = np.argsort(-score, kind="stable")
    careful = risk**_CAUTION
    bounds = _bound(np.cumsum(more[order]), np.cumsum(less[order]), 2 * half, delta, careful)
    chosen = order[: len(order) - int(np.argmax(bounds[::-1]))]  # of equal bounds the last
    guess = np.zeros(tally.shape[1], dtype=np.intp)
    guess[chosen] = np.where(tally[0, chosen] >= tally[1, chosen], 1, -1)
    return guess


def _epsilon_of_pair(channel: Channel, first: Any, second: Any) -> float:
    """Return the largest log-ratio of two records' releases, either way."""
    check.having(channel, "channel", "record_parts")
    pair = [check.codes(np.atleast_2d(check.plain(value, name)), name) for value, name in
            ((first, "first"), (second, "second"))]
    for one in pair:
        check.of_shape(one, "first and second", (1, pair[0].shape[1]), "one record each, as many")
    way, back = 0.0, 0.0
    with check.naming("first", "a record that channel takes, as second must"):
        parts = channel.record_parts(np.concatenate(pair))
    for part in parts:
        one, other = part.matrix.toarray()[:, part.values].T
        seen = (one > 0) | (other > 0)
        with np.errstate(divide="ignore"):
            ratio = np.log(one[seen]) - np.log(other[seen])
        way, back = way + float(ratio.max()), back + float((-ratio).max())
    return max(way, back)

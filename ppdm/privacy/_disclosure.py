"""What whole releases say about whole records: I(t; R) of H(t), for any channel, and for ZWZ05.

A record's release has parts that are independent given the record, each with a small table
(:meth:`ppdm.channel.Channel.record_parts`). So H(R | t) adds up over parts. Where the parts'
true values are independent too (the product prior), so does all of I. Where they are not (the
pool prior) the tables are applied to the distribution of the records one part after the other,
and no table of whole records against whole releases is ever made.

ZWZ05 (section 5.2) do not say how they measure their degree of disclosure. Three definitions stand
here; all take the prior to be the tuples themselves and know nothing of a scheme but the
probability that each released bit is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csc_array
from scipy.special import xlogy

from ppdm import _validation as check
from ppdm._statistics import entropy_bits
from ppdm.channel import Channel, RecordPart
from ppdm.channel._opening import as_channel
from ppdm.guidance._perturbation import bit_groups, read_codes
from ppdm.privacy._information import (
    Disclosure,
    Information,
    Sampling,
    disclosed,
    of_bits,
    read_sampling,
)
from ppdm.typing import ArrayLike, Bits, BoolArray, Codes, FloatArray, IntArray, Prior, RandomState


def degree_of_disclosure(
    T: ArrayLike,
    probabilities: ArrayLike,
    *,
    y: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    n_draws: int = 1,
    n_samples: int = 10_000,
    max_cells: int = 2**26,
    random_state: RandomState = None,
) -> Disclosure:
    r"""Return the share of a tuple's information that its release discloses.

    .. math:: I(t; R(t)) \,/\, H(t)

    for one guidance; the paper's :math:`l_p` is its maximum over guidances.

    Parameters
    ----------
    T : array-like of shape (n, n_bits)
        The clear tuples. Their empirical distribution is the prior.
    probabilities : array-like of shape (n, n_released_bits)
        P(bit is 1 | tuple) of each released bit, the bits independent given the tuple:
        ``bit_probabilities(T, V)``. Equal tuples have equal rows.
    y : array-like of shape (n,), optional
        The classes, 0 or 1, where the miner sees them too: information and entropy are
        then given the class.
    weights : array-like of shape (n,), optional
        The prior of the tuples, up to a factor; equal where None.
    n_draws : int >= 1, default=1
        How many independent releases of the same tuple are seen.
    n_samples : int >= 2, default=10000
        Draws, where the outcomes are too many to enumerate.
    max_cells : int >= 0, default=2**26
        Up to this many tuples times outcomes are enumerated; 0 draws always, unless the
        release is a function of the tuple.
    random_state : None, int or numpy.random.Generator, default=None
        Where draws come from.

    Returns
    -------
    Disclosure
        Exact, or an unbiased estimate: the mean, over draws of a tuple and its release,
        of the entropy that the posterior over tuples still has.

    Raises
    ------
    ValueError, TypeError
        If T or y does not hold bits, a probability is outside [0, 1], lengths differ,
        equal tuples have unequal probabilities, or nothing is secret (entropy 0).

    Notes
    -----
    ZWZ05, Definition 2 and Eq. 27. With few tuples for the number of bits the prior is
    close to a list of all records, and its entropy close to log2(n).

    Examples
    --------
    A fair bit reported truthfully three times in four, once and twice:

    >>> T = [[1, 0], [0, 1]]
    >>> P = [[0.75], [0.25]]
    >>> round(degree_of_disclosure(T, P).degree, 4)
    0.1887
    >>> round(degree_of_disclosure(T, P, n_draws=2).degree, 4)
    0.3319
    """
    shares, P, classes = _check_prior(T, probabilities, y, weights)
    sampling = read_sampling(max_cells, n_samples, random_state)
    n_draws = check.given("n_draws", n_draws)
    told = partial(of_bits, np.arange(len(P)), shares, P, n_draws, sampling)
    return disclosed(told, classes, shares, "T")


def attribute_disclosure(
    T: ArrayLike,
    probabilities: ArrayLike,
    n_values: Sequence[int],
    *,
    y: ArrayLike | None = None,
    n_samples: int = 10_000,
    max_cells: int = 2**26,
    random_state: RandomState = None,
) -> list[Disclosure]:
    r"""Return, attribute by attribute, the share of its information that is disclosed.

    .. math:: I(a_j; R_j) \,/\, H(a_j)

    Parameters
    ----------
    T : array-like of shape (n, n_bits)
        The clear tuples, one bit of each attribute set. Their empirical distribution is
        the prior.
    probabilities : array-like of shape (n, n_bits)
        ``bit_probabilities(T, V)``. Rows of equal tuples may differ here, as they do when
        providers get different guidances: the measure is then of the average channel.
    n_values : sequence of int >= 2
        How many values each attribute has.
    y : array-like of shape (n,), optional
        The classes, 0 or 1: information and entropy are then given the class.
    n_samples, max_cells, random_state
        As in ``degree_of_disclosure``.

    Returns
    -------
    list of Disclosure
        One for each attribute. Their mean degree is the per-attribute disclosure.

    Raises
    ------
    ValueError, TypeError
        If T or y does not hold bits, a row of T has not one bit of each attribute, a
        probability is outside [0, 1], shapes differ, or an attribute is constant.

    Examples
    --------
    >>> import numpy as np
    >>> T = [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]]
    >>> P = np.array(T) * [1, 1, 0, 0]   # the first attribute as it is, nothing else
    >>> [d.degree for d in attribute_disclosure(T, P, [2, 2])]
    [1.0, 0.0]
    """
    sizes = check.n_values(n_values)
    groups = bit_groups(sizes)
    clear, P, classes = check.bit_probabilities(T, probabilities, y, groups[-1].stop)
    codes = read_codes(clear, np.array(sizes), "T")
    sampling = read_sampling(max_cells, n_samples, random_state)
    weights = np.ones(len(clear))
    attributes = []
    for j, group in enumerate(groups):
        told = partial(of_bits, codes[:, j], weights, P[:, group], 1, sampling)
        attributes.append(disclosed(told, classes, weights, f"T's attribute {j}"))
    return attributes


def disclosure_bound(T: ArrayLike, k: int) -> float:
    r"""Return what Theorem 5.2 says no guidance of k columns discloses more than.

    .. math:: (\rho_1^2 + \dots + \rho_k^2) \,/\, (m n)

    with :math:`\rho_j` the singular values of T. It is the share of T's squares that the
    best k directions hold. The theorem does not hold: see the examples.

    Parameters
    ----------
    T : array-like of shape (m, n_bits)
        The clear tuples, one bit of each of the n attributes set.
    k : int in [1, n_bits]
        The disclosure level.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError, TypeError
        If T does not hold bits, its rows have unequal numbers of ones, or k is out of
        range.

    Notes
    -----
    ZWZ05, Theorem 5.2, Eq. 29.

    Examples
    --------
    Three attributes that are the same fair bit; reading one of them reads all:

    >>> import numpy as np
    >>> T = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]])
    >>> round(disclosure_bound(T, k=1), 3)
    0.5
    >>> degree_of_disclosure(T, T * [1, 0, 0, 0, 0, 0]).degree
    1.0
    """
    clear = check.bits(T, "T", ndim=2)
    k = check.given("k", k, high=clear.shape[1])
    ones = clear.sum(axis=1)
    rule = "T must have the same number of ones in every row, one for each attribute"
    check.demand(ones[0] and (ones == ones[0]).all(), rule, (int(ones.min()), int(ones.max())))
    squares = np.linalg.svd(clear.astype(np.float64), compute_uv=False) ** 2
    return float(min(1.0, squares[:k].sum() / ones.sum()))


def _check_prior(
    T: ArrayLike, probabilities: ArrayLike, y: ArrayLike | None, weights: ArrayLike | None
) -> tuple[FloatArray, FloatArray, Bits]:
    """Return weights, probabilities and class of the distinct tuples of each class."""
    clear, P, classes = check.bit_probabilities(T, probabilities, y)
    given = np.ones(len(clear)) if weights is None else check.counts(weights, len(clear), "weights")
    check.of_shape(given, "weights", (len(clear),), "one number a tuple")
    there = given > 0
    clear, P, classes, given = clear[there], P[there], classes[there], given[there]
    both = np.column_stack([clear, classes])
    _, first, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    gap = np.abs(P - P[first][inverse]).max(axis=1)
    rule = "probabilities must differ by 0 for equal tuples (measure each guidance by itself)"
    check.demand(gap.max() <= 1e-9, rule, float(gap.max()))
    return np.bincount(inverse, given).astype(np.float64), P[first], classes[first]


#: Table entries worked on at a time.
_CHUNK = 2**20


def record_information(
    channel: Any,
    records: ArrayLike,
    *,
    y: ArrayLike | None = None,
    prior: Prior = "pool",
    n_samples: int = 10_000,
    max_cells: int = 2**26,
    random_state: RandomState = None,
) -> Disclosure:
    r"""Return the share of a whole record's information that its release discloses.

    .. math:: I(t; R(t)) \,/\, H(t)

    To an adversary who believes the record is one of the pool, each as likely as another, it
    is how much closer the release brings them to which one; to one who knows no more than
    the share of each value in each class (the product prior) it is how much they learn about
    its values. The first is large as soon as a release singles out one of the pool.

    Parameters
    ----------
    channel : Channel or array-like
        The scheme, or P[released | true] of all attributes or of each.
    records : array-like of int, shape (n, n_features)
        The pool in the clear: codes 0, 1, ...
    y : array-like of shape (n,), optional
        The classes, where they are public: information and entropy are then given the class.
    prior : {"pool", "product"}, default="pool"
        The distribution of the records, or in each class the product of its shares of each
        attribute's values.
    n_samples : int >= 2, default=10000
        Draws a class, where the releases are too many to enumerate.
    max_cells : int >= 0, default=2**26
        Up to this many releases are enumerated; 0 draws always. Only for the pool prior.
    random_state : None, int or numpy.random.Generator, default=None
        Where draws come from.

    Returns
    -------
    Disclosure
        Exact, or an unbiased estimate with its standard error: the mean, over draws of a
        record and its release, of the entropy that the posterior over records still has.

    Raises
    ------
    ValueError, TypeError
        If the channel has a column that does not sum to one, or lacks a code of the
        records; if lengths differ, nothing is secret (entropy 0), or under a product prior
        attributes that share a coin have more than 2^20 values.

    See Also
    --------
    degree_of_disclosure : The same for guided perturbation, whose bits each depend on the
        whole record.
    mutual_information : Of one attribute.

    Notes
    -----
    A class that the scheme disguises is no part of the record here.

    Examples
    --------
    Two bits that always agree, reported with one coin or with two. Two reports of one fair bit:

    >>> from ppdm.randomized_response import RandomizedResponse
    >>> T = [[0, 0], [1, 1]]
    >>> one, two = (RandomizedResponse(0.75, groups).fit(T) for groups in (None, [[0], [1]]))
    >>> round(record_information(one, T).degree, 4), round(record_information(two, T).degree, 4)
    (0.1887, 0.3319)

    Who thinks the bits have nothing to do with each other, learns which pair it was:

    >>> round(record_information(one, T, prior="product").degree, 4)
    0.5944
    """
    check.in_step(records=records, y=y)
    pool = check.codes(check.of_names(channel, records, "records"), "records")
    check.given("record_information.prior", prior)
    sampling = read_sampling(max_cells, n_samples, random_state)
    scheme = as_channel(channel, pool.shape[1])
    labels = np.zeros(len(pool)) if y is None else check.classes(y, len(pool))[1]

    def told_by(rows: BoolArray) -> Information:
        if prior == "product":
            return _of_product(scheme, pool[rows])
        return _of_pool(scheme, pool[rows], sampling)

    return disclosed(told_by, labels, np.ones(len(pool)), "records")


def _of_product(scheme: Channel, pool: Codes) -> Information:
    """Return the sum over parts, whose true values are independent."""
    told = secret = 0.0
    for place, part in enumerate(scheme.record_parts(pool)):
        every, weights = _combinations_of(pool, part.columns)
        table = np.repeat(pool[:1], len(weights), axis=0)
        table[:, part.columns] = every
        whole = scheme.record_parts(table)[place]
        prior = np.bincount(whole.values, weights, whole.matrix.shape[1])
        told += float(entropy_bits(whole.matrix @ prior) - prior @ _column_entropies(whole.matrix))
        secret += float(entropy_bits(prior))
    return Information(told, secret, 0.0, True)


def _combinations_of(pool: Codes, columns: IntArray) -> tuple[IntArray, FloatArray]:
    """Every choice of the values that occur in some columns, and its share if they are apart."""
    shares = [np.bincount(pool[:, j]) / len(pool) for j in columns]
    present = [np.flatnonzero(share) for share in shares]
    n_values = np.prod([float(len(values)) for values in present])
    rule = f"records must have at most {check.MOST_VALUES} values together where they share a coin"
    check.demand(n_values <= check.MOST_VALUES, rule, float(n_values))
    every = np.stack([axis.ravel() for axis in np.meshgrid(*present, indexing="ij")])
    weights = np.prod([share[values] for share, values in zip(shares, every, strict=True)], axis=0)
    return every.T, weights


def _of_pool(scheme: Channel, pool: Codes, sampling: Sampling) -> Information:
    distinct, counts = np.unique(pool, axis=0, return_counts=True)
    weights = counts / counts.sum()
    parts = [_merged(part) for part in scheme.record_parts(distinct)]
    secret = float(entropy_bits(weights))
    n_releases, n_truths = np.prod([[float(s) for s in part.matrix.shape] for part in parts], 0)
    if max(n_releases, n_truths) > sampling.max_cells:
        given = partial(_log_given, parts, sampling.rng)
        return sampling.told(secret, weights, given, np.arange(len(weights)))
    truth = np.ravel_multi_index(
        [part.values for part in parts], [part.matrix.shape[1] for part in parts]
    )
    noise = sum(weights @ _column_entropies(part.matrix)[part.values] for part in parts)
    table = np.bincount(truth, weights, int(n_truths)).astype(np.float64)
    released = _entropy_released(table, [part.matrix for part in parts])
    return Information(released - float(noise), secret, 0.0, True)


def _merged(part: RecordPart) -> RecordPart:
    """Take released values that say the same for one.

    Their rows are proportional, as 00 and 11 of a unary-encoded bit. It changes no information.
    """
    rows = part.matrix.tocsr()
    rows = rows[np.diff(rows.indptr) > 0]
    if rows.shape[0] * rows.shape[1] > _CHUNK:
        return part._replace(matrix=rows.tocsc())
    dense = rows.toarray()
    shape = np.round(dense / dense.sum(axis=1, keepdims=True), 12)
    same = np.unique(shape, axis=0, return_inverse=True)[1].reshape(-1)
    merged = np.zeros((same.max() + 1, dense.shape[1]))
    np.add.at(merged, same, dense)
    return part._replace(matrix=csc_array(merged))


def _entropy_released(table: FloatArray, matrices: list[csc_array]) -> float:
    """Entropy in bits of what is released, from the distribution of the parts' true values.

    ``table`` has an entry for each combination of true values, the first part's outermost. The
    first parts' releases are gone through one at a time, until the others' fit in a chunk.
    """
    first, *rest = matrices
    moved = first @ table.reshape(first.shape[1], -1)
    if rest and np.prod([float(matrix.shape[0]) for matrix in matrices]) > _CHUNK:
        return sum(_entropy_released(row, rest) for row in moved)
    for matrix in rest:  # each step takes one axis off the front and puts one at the end
        moved = matrix @ moved.T.reshape(matrix.shape[1], -1)
    return float(-xlogy(moved, moved).sum() / np.log(2))


def _log_given(parts: list[RecordPart], rng: np.random.Generator, truth: IntArray) -> FloatArray:
    """Draw what some records release, and return its log-likelihood under every record."""
    logs = np.zeros((len(truth), len(parts[0].values)))
    with np.errstate(divide="ignore"):
        for part in parts:
            released = _draw(part.matrix, part.values[truth], rng)
            logs += np.log(part.matrix.toarray())[released][:, part.values]
    return logs


def _draw(matrix: csc_array, values: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw what each true value releases: one search in the running sum of all columns."""
    ends = np.cumsum(matrix.data)
    below = np.append(0.0, ends)[matrix.indptr]  # what comes before each column
    draws = below[values] + rng.random(len(values)) * np.diff(below)[values]
    places = np.searchsorted(ends, draws, side="right")
    return np.asarray(matrix.indices[np.minimum(places, matrix.indptr[values + 1] - 1)], np.intp)


def _column_entropies(matrix: csc_array) -> FloatArray:
    """H(released | true) in bits of each true value."""
    terms = np.add.reduceat(xlogy(matrix.data, matrix.data), matrix.indptr[:-1])
    return np.asarray(-terms / np.log(2), dtype=np.float64)

"""How much guided perturbation discloses: ZWZ05, section 5.2, measured and bounded.

The paper does not say how it measures its degree of disclosure. Three definitions stand
here; all take the prior to be the tuples themselves and know nothing of a scheme but the
probability that each released bit is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.guidance._perturbation import bit_groups, read_codes
from ppdm.privacy._information import Disclosure, disclosed, of_bits, read_sampling
from ppdm.typing import Bits, FloatArray, RandomState


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
    check.of_shape(given, (None,), "weights must be one number a tuple")
    there = given > 0
    clear, P, classes, given = clear[there], P[there], classes[there], given[there]
    both = np.column_stack([clear, classes])
    _, first, inverse = np.unique(both, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    gap = np.abs(P - P[first][inverse]).max(axis=1)
    rule = "probabilities must differ by 0 for equal tuples (measure each guidance by itself)"
    check.demand(gap.max() <= 1e-9, rule, float(gap.max()))
    return np.bincount(inverse, given).astype(np.float64), P[first], classes[first]

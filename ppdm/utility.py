"""How much is kept: the measures of utility.

:func:`disguised_accuracy` estimates a classifier's accuracy from disguised test records.
:func:`delta_r` is LX14's measure of what a classifier keeps. :func:`degree_of_error` is ZWZ05's, of
guided perturbation (section 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm.exceptions import NegativeEstimateWarning, warn
from ppdm.guidance._perturbation import bit_groups
from ppdm.randomized_response import ProportionEstimate, RandomizedResponse
from ppdm.randomized_response._channel import read_reports
from ppdm.randomized_response._coins import Table
from ppdm.randomized_response._signed import record_scores
from ppdm.typing import AnyArray, ArrayLike, Bits, BoolArray, FloatArray

__all__ = ["degree_of_error", "delta_r", "disguised_accuracy"]


def disguised_accuracy(
    predict: Callable[[Any], ArrayLike] | Any,
    X: ArrayLike,
    y: ArrayLike,
    scheme: RandomizedResponse,
) -> ProportionEstimate:
    """Estimate a classifier's accuracy on clear records from disguised test records.

    Each test record is classified as it was disguised and with every choice of groups
    reversed (the class too, where it was disguised). The shares of correct answers are
    related to those on the true records as reports are to the truth, so that the channel's
    inverse gives the accuracy (DZ03, section 4.3; ZCM04, section 3.5).

    Parameters
    ----------
    predict : callable or classifier
        A function, or an object with a method ``predict``, from bits of shape (m,
        n_attributes) to m classes. It is called once, with each pattern once: as a DataFrame
        with the names of its columns, where X is one.
    X : array-like of shape (n, n_attributes)
        Disguised bits. The columns of a DataFrame may come in any order, where the scheme knows
        their names.
    y : array-like of shape (n,)
        The classes as they were released; zeros and ones unless the class is public.
    scheme : RandomizedResponse
        The coins that disguised them.

    Returns
    -------
    ProportionEstimate
        ``proportion``, the share of records classified right; ``standard_error``,
        ``disguise_error``, ``n`` and ``interval`` as of
        :func:`ppdm.randomized_response.estimate_proportion`.

    Raises
    ------
    TypeError
        If ``predict`` can neither be called nor has a method ``predict``, or if it returns
        texts where ``y`` holds numbers or the other way round.
    ValueError
        As :func:`ppdm.randomized_response.signed_records`, and if ``predict`` returns another
        number of classes than it got records, or if a class is missing.

    Warns
    -----
    NegativeEstimateWarning
        If the standard error is above 1/4, where a guess is as good: the test records are too few
        for so many coins.

    Notes
    -----
    Eq. 7 of ZCM04 lists its vectors as (cc, c'c', c'c, cc'), c' standing for a reversed
    group, while its matrix M2 is laid out for (cc, cc', c'c, c'c') as in Eq. 4. Taken
    literally it mixes the one-group errors with the two-group ones and is biased. Here each
    combination meets its own entry, theta^(kept) (1 - theta)^(reversed).

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> from ppdm.utility import disguised_accuracy
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (20000, 2))
    >>> coin = RandomizedResponse(0.8, random_state=rng)
    >>> R, y = coin.disguise(X, X[:, 0])
    >>> estimate = disguised_accuracy(lambda bits: bits[:, 0] & bits[:, 1], R, y, coin)
    >>> round(estimate.proportion, 2), round(estimate.standard_error, 3)
    (0.75, 0.004)
    """
    answer = check.function(getattr(predict, "predict", predict), "predict (or its method)")
    table = check.plain(X, "X")
    check.demand(table.ndim, "X must have a row for each record", X)
    check.in_step(X=X, y=y)
    classes = check.class_values(y, "y", len(table))
    reports = read_reports(X, scheme, classes, "X")
    wanted = getattr(predict, "feature_names_in_", None)

    def is_correct(bits: Bits, classes: AnyArray | None) -> BoolArray:
        told = answer(_named(X, scheme, wanted, bits))
        known = check.class_values(classes, "y", len(bits))
        predicted = check.class_values(told, "the classes of predict", len(bits))
        texts = [isinstance(each.flat[0], str) for each in (predicted, known)]
        rule = f"predict must return classes as those of y, {known.dtype}"
        check.demand(texts[0] == texts[1], rule, str(predicted.dtype), TypeError)
        return np.asarray(predicted == known)

    scores = record_scores(is_correct, *reports)
    correct = ProportionEstimate.from_scores(scores)
    _warn_of_coins(correct, *reports)
    return correct


def _named(X: Any, scheme: Any, wanted: AnyArray | None, bits: Bits) -> Any:
    """Return bits with the names that X has, in the order in which the classifier learnt them."""
    names = getattr(scheme, "feature_names_in_", check.names_of(X))
    if names is None or not check.is_table(X):
        return bits
    frame: Any = type(X)(bits, columns=names)
    return frame[list(wanted)] if wanted is not None and set(wanted) == set(names) else frame


def _warn_of_coins(estimate: ProportionEstimate, table: Table, theta: float) -> None:
    """Warn of an estimate that says nothing, and of how many coins the test records carry."""
    if not estimate.standard_error > 0.25:
        return
    growth = (theta**2 + (1 - theta) ** 2) / (2 * theta - 1) ** 2  # of the mean square of a score
    carried = int(np.log(max(estimate.n / 100, 1)) / np.log(growth))
    warn(
        f"the estimated accuracy {estimate.proportion:.4g} +- {estimate.standard_error:.3g} is "
        f"kept, and says little: a record has {len(table.groups)} coin(s), each of which can make "
        f"the mean square error {growth:.3g} times as large at theta = {theta:g}; {estimate.n} "
        f"test records carry {carried} to a standard error of 0.1",
        NegativeEstimateWarning,
    )


def delta_r(
    released_accuracy: ArrayLike, original_accuracy: ArrayLike, *, epsilon: float = 0.02
) -> Any:
    r"""Accuracy that a classifier keeps when it is trained on the release.

    .. math:: \Delta R = R_p - (1 - \epsilon) R_o

    Parameters
    ----------
    released_accuracy : float or array-like
        R_p, the accuracy (a share in [0, 1]) on clear test records of a classifier
        trained on the released records.
    original_accuracy : float or array-like
        R_o, the accuracy of the same kind of classifier trained on the original
        records. Arrays of several trials are broadcast against each other.
    epsilon : float in [0, 1), default=0.02
        The share of accuracy that may be lost.

    Returns
    -------
    float or ndarray
        In [-1, 1]. The paper calls utility maintained where it is not negative, for
        every classifier tried.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1] or missing, or ``epsilon`` outside [0, 1).

    Notes
    -----
    LX14, section 3.1.

    Examples
    --------
    >>> round(delta_r(0.72, 0.75), 4)
    -0.015
    >>> delta_r([0.72, 0.76], [0.75, 0.75]).round(4)
    array([-0.015,  0.025])
    """
    kept = 1 - check.given("delta_r.epsilon", epsilon)
    released, original = check.broadcast(
        released_accuracy=check.numbers(released_accuracy, "released_accuracy", low=0, high=1),
        original_accuracy=check.numbers(original_accuracy, "original_accuracy", low=0, high=1),
    )
    difference = released - kept * original
    return float(difference) if difference.ndim == 0 else difference


def degree_of_error(
    T: ArrayLike,
    probabilities: ArrayLike,
    y: ArrayLike,
    n_values: Sequence[int],
    *,
    max_size: int = 3,
) -> FloatArray:
    r"""Return l_e(h) for sets of h = 1, ..., ``max_size`` attributes.

    .. math:: l_e(h) = \max_{t_s} \left| P(C_0, t_s) - P(C_1, t_s)
              - \tilde P(C_0, t_s) + \tilde P(C_1, t_s) \right|

    over all sets of h attributes and all values of them. The estimate
    :math:`\tilde P(C, t_s)` is the share of tuples of class C whose released bits for
    t_s are all 1. Given the tuple the bits are independent, so its expectation is the
    mean of a product of probabilities: nothing is simulated.

    Parameters
    ----------
    T : array-like of shape (n, n_bits)
        The clear tuples.
    probabilities : array-like of shape (n, n_bits)
        P(bit is 1 | tuple), ``bit_probabilities(T, V)``: the error of the expected
        estimate. Given a drawn R instead, it is the error of that draw.
    y : array-like of shape (n,)
        The classes, 0 or 1.
    n_values : sequence of int >= 2
        How many values each attribute has.
    max_size : {1, 2, 3}, default=3
        The largest set of attributes, at most their number. The paper's l_e is the
        maximum over all sizes, so the largest entry is a lower bound of it.

    Returns
    -------
    ndarray of float64, shape (max_size,)
        Each in [0, 2]: shares of all n tuples.

    Raises
    ------
    ValueError, TypeError
        If T or y does not hold bits, a probability is outside [0, 1], shapes differ, or
        ``max_size`` is out of range.

    Notes
    -----
    ZWZ05, Eq. 10 and Definition 1. Time O(n n_bits^max_size).

    Examples
    --------
    Two attributes; all bits are released with probability 1/4, whatever the tuple:

    >>> import numpy as np
    >>> T = np.array([[1, 0, 1, 0], [0, 1, 0, 1]])
    >>> degree_of_error(T, np.full(T.shape, 0.25), [0, 1], [2, 2], max_size=2)
    array([0.5, 0.5])
    """
    groups = bit_groups(check.n_values(n_values))
    check.bits(y, "y", ndim=1)
    clear, P, labels = check.bit_probabilities(T, probabilities, y, groups[-1].stop)
    size = check.given("max_size", max_size, high=min(3, len(groups)))
    sign = (1.0 - 2.0 * labels) / len(labels)
    true = clear.astype(np.float64)
    errors = [float(np.abs(sign @ (true - P)).max())]
    if size >= 2:
        errors.append(_pair_error(true, P, sign, groups))
    if size >= 3:
        # a triple is a pair among the later attributes, each tuple weighted by the first bit
        errors.append(
            max(
                _pair_error(true, P, np.stack([sign * true[:, b], sign * P[:, b]]), groups[j + 1 :])
                for j, group in enumerate(groups[:-2])
                for b in range(group.start, group.stop)
            )
        )
    return np.array(errors)


def _pair_error(
    true: FloatArray, released: FloatArray, weights: FloatArray, groups: Sequence[slice]
) -> float:
    """Largest error over pairs of bits of two attributes; true and released weights."""
    here = slice(groups[0].start, groups[-1].stop)
    attribute = np.repeat(np.arange(len(groups)), [g.stop - g.start for g in groups])
    w_true, w_released = np.broadcast_to(weights, (2, len(true)))
    gap = (true[:, here].T * w_true) @ true[:, here]
    gap -= (released[:, here].T * w_released) @ released[:, here]
    return float(np.abs(gap[attribute[:, np.newaxis] < attribute]).max())

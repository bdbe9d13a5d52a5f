"""Randomised response: the channel of Warner's question, and its inverse on counts.

A data provider holds a sensitive bit. With probability theta it reports the bit, else
the opposite. Nobody who sees the report knows which happened, and yet the share of ones
can be estimated: the channel is known, so it can be undone, on counts and never on
records.

Warner (1965); Du and Zhan (2003), section 3 (the related-question model).
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ppdm._validation import RandomState, check_bits, check_number, check_random_state
from ppdm.exceptions import NegativeEstimateWarning

__all__ = ["ProportionEstimate", "RandomizedResponse", "estimate_proportion", "respondents_needed"]


class RandomizedResponse(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Report the truth with probability ``theta``, the opposite otherwise.

    One coin is tossed a record: all its bits are kept or all are reversed. With one
    column this is Warner's related-question model.

    Parameters
    ----------
    theta : float in [0, 1]
        Probability of telling the truth. At 1/2 the report is independent of the truth;
        a provider may use it, but nobody can estimate anything from such reports.
    random_state : None, int or numpy.random.Generator, default=None
        An int tosses the same coins at every call: right for tests, wrong for two
        providers. Simulations pass one Generator to all.

    Attributes
    ----------
    n_features_in_ : int
        Number of bits of a record.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had names.

    Raises
    ------
    TypeError
        If theta is not a number, or X does not hold zeros and ones.
    ValueError
        If theta is outside [0, 1], or X holds anything but 0 and 1 or a missing value.

    See Also
    --------
    estimate_proportion : The share of ones from the disguised bits.

    References
    ----------
    Warner (1965); Du and Zhan (2003), sections 3 and 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> answers = np.array([[1], [0], [0], [1], [0]])
    >>> RandomizedResponse(theta=0.7, random_state=0).fit_transform(answers).ravel()
    array([1, 0, 0, 1, 1], dtype=int8)
    """

    def __init__(self, theta: float, *, random_state: RandomState = None) -> None:
        self.theta = theta
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> RandomizedResponse:
        """Check theta and learn the number of bits; nothing else is learnt from ``X``.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.
        y : ignored

        Returns
        -------
        RandomizedResponse
            The transformer itself.
        """
        _check_theta(self.theta)
        check_random_state(self.random_state)
        check_bits(validate_data(self, X, dtype=None, ensure_all_finite=False), "X", ndim=2)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.int8]:
        """Disguise records: each is kept with probability theta, else reversed whole.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.

        Returns
        -------
        ndarray of int8, shape (n_records, n_bits)
            The disguised records.
        """
        check_is_fitted(self)
        bits = check_bits(
            validate_data(self, X, dtype=None, reset=False, ensure_all_finite=False), "X", ndim=2
        )
        rng = check_random_state(self.random_state)
        lie = rng.random(len(bits)) >= _check_theta(self.theta)
        return bits ^ lie[:, np.newaxis].astype(np.int8)

    def channel_matrix(self) -> NDArray[np.float64]:
        """P[released | true] for a record (index 0) and its complement (index 1).

        Returns
        -------
        ndarray of shape (2, 2)
            Column j is what a provider with truth j releases; columns sum to one.

        Examples
        --------
        >>> RandomizedResponse(theta=0.75).channel_matrix()
        array([[0.75, 0.25],
               [0.25, 0.75]])
        """
        theta = _check_theta(self.theta)
        return np.array([[theta, 1 - theta], [1 - theta, theta]])

    def __sklearn_tags__(self) -> Tags:
        """Say that the input is bits and the output random."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.non_deterministic = True
        tags.transformer_tags.preserves_dtype = []  # bits come out as int8
        return tags


class ProportionEstimate(NamedTuple):
    """What the data miner knows about a share after undoing the channel."""

    proportion: float
    """The unbiased estimate; it may lie outside [0, 1] and is kept as it is."""
    standard_error: float
    """Of the share in the population the respondents are a random sample of."""
    disguise_error: float
    """Of the share among these respondents, the coins' part alone."""
    n: int
    """Number of reports."""


def estimate_proportion(reported: ArrayLike, theta: float) -> ProportionEstimate:
    """Estimate the share of ones among the true answers from the disguised ones.

    With ``r`` the share of ones among the reports, the estimate is
    ``(r - (1 - theta)) / (2 theta - 1)``: the solution of the two equations of
    Du and Zhan (2003), section 3, and Warner's estimator.

    Parameters
    ----------
    reported : array-like of shape (n,) or (n, 1)
        The disguised bits.
    theta : float in [0, 1], not 1/2
        The probability with which each provider told the truth.

    Returns
    -------
    ProportionEstimate
        ``proportion``, ``standard_error``, ``disguise_error``, ``n``. The first error is
        ``sqrt(r (1 - r) / (n - 1)) / |2 theta - 1|`` (NaN where n is 1): its square is an
        unbiased estimate of the variance when the respondents are a random sample. The
        second is ``sqrt(theta (1 - theta) / n) / |2 theta - 1|``, exact, for a question
        put to everybody, where only the coins are random.

    Warns
    -----
    NegativeEstimateWarning
        If the estimate lies outside [0, 1].

    Raises
    ------
    ValueError
        If theta is outside [0, 1] or equals 1/2; if reported is empty, has a missing
        value, or anything but 0 and 1.

    References
    ----------
    Warner (1965); Du and Zhan (2003), section 3.

    Examples
    --------
    >>> from ppdm.randomized_response import estimate_proportion
    >>> estimate = estimate_proportion([1] * 46 + [0] * 54, theta=0.7)
    >>> round(estimate.proportion, 3), round(estimate.standard_error, 3)
    (0.4, 0.125)
    """
    theta = _check_invertible(theta)
    bits = check_bits(reported, "reported")
    if bits.ndim > 2 or (bits.ndim == 2 and bits.shape[1] != 1):
        raise ValueError(f"reported must have shape (n,) or (n, 1), got {bits.shape}")
    n, slope = bits.size, 2 * theta - 1
    share = float(bits.mean())
    proportion = (share - (1 - theta)) / slope
    if not -1e-12 <= proportion <= 1 + 1e-12:
        warnings.warn(
            f"the estimated proportion {proportion:.4g} lies outside [0, 1]: with {n} reports "
            f"at theta = {theta:g} chance alone can do this; it is kept as it is",
            NegativeEstimateWarning,
            stacklevel=2,
        )
    spread = np.sqrt(share * (1 - share) / (n - 1)) if n > 1 else np.nan
    return ProportionEstimate(
        proportion=proportion,
        standard_error=float(spread / abs(slope)),
        disguise_error=float(np.sqrt(theta * (1 - theta) / n) / abs(slope)),
        n=n,
    )


def respondents_needed(
    theta: ArrayLike, error: ArrayLike, *, proportion: float = 0.5
) -> NDArray[np.int64]:
    """How many respondents bring the standard error down to ``error``.

    Parameters
    ----------
    theta : float or array-like in [0, 1], not 1/2
        Probability of telling the truth. Broadcast against ``error``, so that a column
        of one and a row of the other give a table.
    error : float or array-like > 0
        The standard error wanted, as a share (0.01 is one percentage point).
    proportion : float in [0, 1], default=0.5
        The true share; one half needs the most respondents.

    Returns
    -------
    ndarray of int64
        The smallest n with ``r (1 - r) / (n (2 theta - 1)^2) <= error^2``, where ``r`` is
        the share of ones expected among the reports.

    Raises
    ------
    ValueError
        If a theta is outside [0, 1] or equals 1/2, an error is not a positive number, or
        the proportion is outside [0, 1].

    References
    ----------
    The variance is Warner's (1965).

    Examples
    --------
    Telling the truth seven times in ten needs 6.25 times the people:

    >>> respondents_needed([[1.0], [0.7]], [0.05, 0.01])
    array([[  100,  2500],
           [  625, 15625]])
    """
    proportion = check_number(proportion, "proportion", low=0, high=1)
    thetas: NDArray[np.float64] = np.vectorize(_check_invertible, otypes=[float])(theta)
    errors: NDArray[np.float64] = np.vectorize(_check_error, otypes=[float])(error)
    reported = proportion * thetas + (1 - proportion) * (1 - thetas)
    n: NDArray[np.float64] = reported * (1 - reported) / ((2 * thetas - 1) * errors) ** 2
    # an n that is whole but for rounding is whole
    whole: NDArray[np.int64] = np.maximum(np.ceil(n * (1 - 1e-12)), 1).astype(np.int64)
    return whole


def _check_theta(theta: object) -> float:
    return check_number(theta, "theta", low=0, high=1)


def _check_error(error: object) -> float:
    return check_number(error, "error", low=0, inclusive="neither")


def _check_invertible(theta: object) -> float:
    theta = _check_theta(theta)
    if theta == 0.5:
        raise ValueError(
            "theta = 0.5 cannot be inverted: the reports are fair coins whatever the truth. "
            "Use another theta, or the unrelated-question model"
        )
    return theta

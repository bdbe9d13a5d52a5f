"""The unrelated question: a matrix that can be undone even where theta is 1/2."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._budget import known_theta
from ppdm.randomized_response._categorical import CategoricalRandomizedResponse
from ppdm.typing import FloatArray, RandomState


def unrelated_question(
    theta: float | None = None,
    prevalence: float | ArrayLike | None = None,
    *,
    epsilon: float | None = None,
    random_state: RandomState = None,
) -> CategoricalRandomizedResponse:
    """Answer the sensitive question with probability ``theta``, else an unrelated one.

    How people answer the unrelated question ("were you born in April?") is known, and has
    nothing to do with the sensitive one. The reports say something about the truth at every
    theta above 0, at 1/2 too, where the related-question model says nothing.

    Parameters
    ----------
    theta : float in [0, 1], default=None
        Probability of the sensitive question; this or ``epsilon`` is given.
    prevalence : float in [0, 1] or array-like of shape (k,)
        The share of people who say 1 (yes) to the unrelated question; for k answers, the
        share of each.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what one answer spends of local differential privacy. An answer
        betrays most that is rare among the unrelated ones, so that theta is x / (1 + x) with
        x = (e^epsilon - 1) times the smallest prevalence, which must be above zero.
    random_state : None, int or numpy.random.Generator, default=None
        Of the transformer.

    Returns
    -------
    CategoricalRandomizedResponse
        Its matrix is theta I + (1 - theta) prevalence 1'; its ``epsilon_`` is the answer's.

    Raises
    ------
    ValueError
        If not exactly one of theta and epsilon is given, theta or a prevalence is outside
        [0, 1], k prevalences do not sum to one, or epsilon is outside (0, 20] or given where a
        prevalence is zero.

    References
    ----------
    DZ03, section 3, and ZCM04, section 4.3.3, name the model as the way out at theta = 1/2;
    its estimator, (r - (1 - theta) prevalence) / theta for the share r of yes, is that of
    Greenberg, Abul-Ela, Simmons and Horvitz (1969).

    Examples
    --------
    >>> from ppdm.randomized_response import unrelated_question
    >>> from ppdm.reconstruction import invert
    >>> ask = unrelated_question(0.5, prevalence=1 / 12)
    >>> ask.channel_matrix().round(3)
    array([[0.958, 0.458],
           [0.042, 0.542]])
    >>> estimate = invert(ask.channel_matrix(), counts=[76, 24])
    >>> estimate.proportions.round(3), estimate.standard_errors.round(1)
    (array([0.603, 0.397]), array([8.6, 8.6]))
    """
    check.random_state(random_state)
    if np.ndim(check.plain(prevalence, "prevalence")) == 0:
        yes = check.number(prevalence, "prevalence", low=0, high=1)
        shares = np.array([1 - yes, yes])
    else:
        given = check.numbers(cast(ArrayLike, prevalence), "prevalence", ndim=1)
        shares = check.probabilities(given, "prevalence", given.size)
    known = _sensitive(theta, epsilon, shares)
    matrix = known * np.eye(shares.size) + (1 - known) * shares[:, np.newaxis]
    return CategoricalRandomizedResponse(channel=matrix, random_state=random_state)


def _sensitive(theta: object, epsilon: object, shares: FloatArray) -> float:
    """Return the probability of the sensitive question, from whichever was given."""
    if epsilon is not None and shares.min() == 0:
        raise ValueError(
            "epsilon needs every prevalence above zero: an answer that nobody gives to the "
            f"unrelated question betrays the truth, got prevalence {shares.tolist()}"
        )
    known = known_theta(theta, epsilon)
    if epsilon is None:
        return known
    odds = float(np.expm1(float(epsilon)) * shares.min())  # type: ignore[arg-type]
    return odds / (1 + odds)

"""How many people a survey with a coin needs, before anybody is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm import _validation as check
from ppdm._statistics import normal_quantile, people_for, people_to_compare, report_error
from ppdm._support import kept, known_theta

#: More people than anybody counts, and a number that 64 bits hold.
MOST_PEOPLE = 1e18


def respondents_needed(
    theta: ArrayLike | None = None,
    error: ArrayLike | None = None,
    *,
    proportion: float = 0.5,
    epsilon: ArrayLike | None = None,
    margin: ArrayLike | None = None,
    confidence: float = 0.95,
    n_values: int = 2,
    difference: ArrayLike | None = None,
    power: float | None = None,
) -> NDArray[np.int64]:
    """How many respondents bring the error of a share down to a wish, or show a difference.

    Parameters
    ----------
    theta : float or array-like in [0, 1], not 1/n_values, default=None
        Probability of telling the truth; this or ``epsilon`` is given. Broadcast against the
        wish, so that a column of one and a row of the other give a table.
    error : float or array-like > 0, default=None
        The standard error wanted, as a share (0.01 is one percentage point); this, ``margin`` or
        ``difference`` is given.
    proportion : float in [0, 1], default=0.5
        The true share; of a yes or no, one half needs the most respondents.
    epsilon : float or array-like in (0, 20], default=None
        Instead of ``theta``: what an answer spends, as in
        :class:`ppdm.randomized_response.RandomizedResponse`.
    margin : float or array-like > 0, default=None
        Half the width of the interval wanted: so many standard errors as ``confidence`` asks for.
    confidence : float in (0, 1), default=0.95
        Of ``margin``, and of the test of ``difference``.
    n_values : int >= 2, default=2
        How many answers there are; the share is one answer's, by k-ary response.
    difference : float or array-like in (-1, 1), not 0, default=None
        How much larger the share of a second group is, for the test of
        :func:`ppdm.regression.estimate_difference` to show it.
    power : float in (0, 1), default=None
        With ``difference``: how often the test is to show it; None is 0.8.

    Returns
    -------
    ndarray of int64
        Of a difference, the people in each of the two groups. Else the smallest n with
        ``r (1 - r) / (n (p - q)^2) <= error^2``, where p is theta, q is
        (1 - theta) / (n_values - 1), and ``r`` the share of reports of this answer.

    Raises
    ------
    ValueError
        If not exactly one of theta and epsilon, or of error, margin and difference, is given; if
        power is given without a difference, or the second share is none; if a theta is
        outside [0, 1] or equals 1/n_values, an epsilon is outside (0, 20], an error or margin is
        not in (0, 1) or would take more than 10^18 people, or the proportion is outside [0, 1].

    See Also
    --------
    choose_scheme : The same for whole questionnaires, and which scheme.

    Notes
    -----
    A coefficient of a logistic regression needs more people than it would of clear answers by the
    factor ``r (1 - r) / ((p - q)^2 s (1 - s))``, s being the share of true yes: 4.3 at a theta of
    3/4 and a share of .34. A share needs as much more.

    References
    ----------
    The variance is Warner's (1965); of several answers, Wang et al. (2017), section 3.

    Examples
    --------
    Telling the truth seven times in ten needs 6.25 times the people:

    >>> from ppdm.compare import respondents_needed
    >>> respondents_needed([[1.0], [0.7]], [0.05, 0.01])
    array([[  100,  2500],
           [  625, 15625]])

    Within three points with a confidence of 95%, of a share near a tenth, at epsilon 1:

    >>> respondents_needed(epsilon=1, margin=0.03, proportion=0.1)
    array(4314)

    People in each of two groups, for a test to show a fifth against three tenths:

    >>> respondents_needed([0.75, 1.0], proportion=0.2, difference=0.1, power=0.8)
    array([1471,  294])
    """
    proportion = check.given("proportion", proportion)
    k = check.given("respondents_needed.n_values", n_values)
    name, chance = ("theta", theta) if epsilon is None else ("epsilon", epsilon)
    wishes = {"error": error, "margin": margin, "difference": difference}
    named = [wish for wish, value in wishes.items() if value is not None]
    check.demand(len(named) == 1, "give either error, margin or difference", wishes)
    [wish] = named
    if difference is None:
        check.goes_with(power, "power", "difference")
    chances, wanted = check.plain(chance, name), check.plain(wishes[wish], wish)
    check.demand(chances.size and wanted.size, f"{name} and {wish} must not be empty", [])
    thetas = np.vectorize(known_theta, otypes=[float])(theta, epsilon, k)
    rule = f"theta must not be 1/{k}, where the reports say nothing"
    check.demand(not np.isclose(thetas, 1 / k, rtol=1e-12, atol=0).any(), rule, chance)
    errors = np.vectorize(check.given, otypes=[float])(f"respondents_needed.{wish}", wanted)
    thetas, errors = check.broadcast(**{name: thetas, wish: errors})
    if wish == "margin":
        errors = errors / normal_quantile(confidence)
    _, p, q = kept(k, thetas)
    if wish == "difference":
        other = proportion + errors
        legal = ((other >= 0) & (other <= 1) & (errors != 0)).all()
        rule = "proportion and difference must be shares together, and not the same"
        check.demand(legal, rule, (proportion, difference))
        often = check.given("power", 0.8 if power is None else power)
        people = people_to_compare(p, q, (proportion, other), confidence, often)
    else:
        with np.errstate(over="ignore"):
            people = people_for(report_error(p, q, proportion), errors)
    rule = f"{wish} must be so large that at most 10^18 people reach it"
    check.demand((people <= MOST_PEOPLE).all(), rule, wishes[wish])
    return np.asarray(people).astype(np.int64)

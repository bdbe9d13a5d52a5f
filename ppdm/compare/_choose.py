"""The chooser: a wish is read, each scheme judged by its error, and the best one named."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq

from ppdm import _validation as check
from ppdm._statistics import normal_quantile, people_for
from ppdm.compare._answer import FOUND, Judged, SchemeChoice, SchemeRow, answer
from ppdm.compare._errors import MOST_EPSILON, Scheme, Survey, falling, schemes, top_found
from ppdm.typing import Trust, Want

_LEAST_EPSILON = 1e-6
#: The numbers of people that are looked at.
_PEOPLE = 1.0, 1e18
#: Schemes whose odds are bounded but for a delta: whom they ask to trust, how they are set, and
#: what they do not stop.
_BUT_FOR_DELTA = {
    "Gaussian noise": ("nobody", "delta 1e-5, and a bounded range",
                       "averaging over repeated reports; the posterior"),
    "private tree": ("curator", "delta 1e-5, and public cuts",
                     "whoever reads what the curator holds; releasing again and again"),
}  # fmt: skip


def choose_scheme(
    n: int,
    *,
    yes_no: int = 0,
    one_of: int | Sequence[int] = (),
    numbers: Sequence[Sequence[float]] = (),
    want: Want = "proportion",
    margin: float | None = None,
    confidence: float = 0.95,
    proportion: float | None = None,
    epsilon: float | None = None,
    odds: float | None = None,
    trust: Trust = "nobody",
    smaller: float | None = None,
    secret_class: bool = False,
    times: int = 1,
    top: int | None = None,
    sd: float | None = None,
    n_intervals: int = 10,
) -> SchemeChoice:
    r"""Say which scheme, how much noise, for how many people, and when none.

    Parameters
    ----------
    n : int >= 1
        People.
    yes_no : int >= 0, default=0
        How many yes-or-no questions.
    one_of : int or sequence of int >= 2, default=()
        How many answers each question of several answers has; an int for a single one.
    numbers : sequence of (low, high), default=()
        The public bounds of each number that is asked for.
    want : str, default="proportion"
        What for. ``"proportion"``: the share of yes, or of each of several answers; ``"top"``: the
        most frequent answers; ``"mean"`` of a number, or its ``"distribution"``, the shares of
        ``n_intervals`` intervals; a ``"classifier"``; a public ``"table"`` of records.
    margin : float > 0, default=None
        Half the width of the interval wanted: .03 is three points; for a mean in its own units.
        None asks for the least: a share that can be told from nobody and from everybody, a mean
        that is nearer than one ``sd``.
    confidence : float in (0, 1), default=0.95
    proportion : float in (0, 1), default=None
        The expected share of a yes or an answer; of a mean, where between the bounds it lies. None
        is one half, and for ``top`` that of the last one wanted, where shares fall as 1/rank.
    epsilon : float > 0, default=None
        Of the whole record, whatever is asked of it.
    odds : float > 1, default=None
        e^epsilon instead: the largest factor by which a report may move anybody's odds. Without
        either the smallest epsilon is sought that reaches ``margin``.
    trust : {"nobody", "curator"}, default="nobody"
        Whom people trust with their clear records.
    smaller : float in (0, 1], default=None
        Where shares are wanted within public classes: the smaller class's part of the people.
    secret_class : bool, default=False
        For a classifier: the class is asked, too, of everybody, and shares the epsilon.
    times : int >= 1, default=1
        How often the same people are asked. Asking one of all these answers is a rota.
    top : int >= 1, default=None
        With ``want="top"``. Reached if nine in ten of them are found, by the expected number.
    sd : float > 0, default=None
        Standard deviation of a number, for its mean; None is a quarter of its range.
    n_intervals : int >= 2, default=10
        How many intervals a number is cut into, but for a mean.

    Returns
    -------
    SchemeChoice

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, nothing is asked that is wanted, or not one of epsilon,
        odds and (for shares and means) margin says how much noise there may be.

    See Also
    --------
    ppdm.simulation.simulate_schemes : What a classifier or a table is worth, on data of your own.
    ppdm.randomized_response.respondents_needed : The same numbers for one question.

    Notes
    -----
    Of d questions each person answers s, drawn by lot, at e = epsilon/s each: the s of the least
    error is taken. With p and q the probabilities that a report supports an answer, from those who
    have it and from others, its share pi is known with the standard error

    .. math:: \frac{\sqrt{r (1 - r)\, d / (s n)}}{p - q}, \qquad r = \pi p + (1 - \pi) q

    and the margin is as many standard errors as the confidence asks for. Of k answers k-ary
    response (p = e^e / (e^e + k - 1), q = (1 - p) / (k - 1)) and unary encoding (p = 1/2,
    q = 1 / (e^e + 1)) are both judged at the expected proportion: an answer that nearly half of
    the people give may favour the one, and a rare one the other. A mean's error is that of unbiased
    noise on each number. A curator adds Laplace noise to each count, of scale (what one record
    moves) / epsilon: a yes-or-no question moves 1, another one 2. The estimate by Square Wave,
    whose error has no formula, is not judged.

    References
    ----------
    Warner (1965); Wang, Blocki, Li and Jha (2017); Bittau et al. (2017), Prochlo; Bonawitz et al.
    (2017), Practical secure aggregation.

    Examples
    --------
    1,200 nurses are asked one question to which a tenth may say yes; within three points:

    >>> from ppdm.compare import choose_scheme
    >>> choice = choose_scheme(1_200, yes_no=1, proportion=0.1, margin=0.03)
    >>> choice.scheme, choice.best.setting, round(choice.best.epsilon, 2)
    ('coin', 'theta 0.876', 1.96)

    At epsilon 1 they are too few:

    >>> choice = choose_scheme(1_200, yes_no=1, proportion=0.1, margin=0.03, epsilon=1)
    >>> choice.scheme, round(100 * choice.best.margin, 1), choice.best.people
    ('none', 5.7, 4314.0)

    Forty questions for a classifier:

    >>> choose_scheme(5_000, yes_no=40, want="classifier", epsilon=2).best.setting
    'ask 1 of 40, theta 0.881'
    """
    check.arguments(
        "compare", n=n, yes_no=yes_no, want=want, margin=margin, proportion=proportion,
        epsilon=epsilon, odds=odds, trust=trust, smaller=smaller, secret_class=secret_class,
        times=times, top=top, sd=sd, n_intervals=n_intervals,
    )  # fmt: skip
    check.demand(epsilon is None or odds is None, "give either epsilon or odds", (epsilon, odds))
    known = epsilon if odds is None else math.log(odds)
    sought = want == "top" or (margin is not None and want not in ("classifier", "table"))
    rule = "give epsilon or odds, or a margin (or top) that the smallest epsilon is to reach"
    check.demand(known is not None or sought, rule, None)
    survey = _survey(
        n, yes_no, one_of, numbers, want, margin, normal_quantile(confidence), proportion, smaller,
        secret_class, times, top, sd, n_intervals,
    )  # fmt: skip
    judged = [each for scheme in schemes(survey) for each in _judge(survey, scheme, known)]
    judged.sort(key=lambda each: each.order)
    others = [
        SchemeRow(scheme=name, trust=trusted, verdict="but for delta", setting=setting,
                  not_stopped=attacks, epsilon=math.nan if known is None else known)
        for name, (trusted, setting, attacks) in _BUT_FOR_DELTA.items()
        if name != "Gaussian noise" or len(numbers)
    ]  # fmt: skip
    return answer(survey, judged, others, trust, any_share=proportion is None, times=times)


def _survey(
    n: int, yes_no: int, one_of: Any, numbers: Any, want: Want, margin: float | None, z: float,
    proportion: float | None, smaller: float | None, secret_class: bool, times: int,
    top: int | None, sd: float | None, n_intervals: int,
) -> Survey:  # fmt: skip
    """Return the wish, after the checks that need several arguments."""
    several = [] if _is_empty(one_of) else check.sizes(one_of, "one_of", None, low=2)
    bounds = np.zeros((0, 2))
    if not _is_empty(numbers):
        with check.naming("numbers", "pairs of public bounds, (low, high) of each number"):
            bounds = check.domain(numbers)
    values, intervals = [2] * yes_no + several, [n_intervals] * len(bounds)
    judged = {
        "proportion": values, "top": sorted(several)[-1:], "mean": intervals,
        "distribution": intervals,
    }.get(want, values + intervals)  # fmt: skip
    rule = f"want={want!r} needs a question that it is about: yes_no, one_of or numbers"
    check.demand(judged, rule, (yes_no, one_of, numbers))
    rule = "secret_class goes with want='classifier'"
    check.demand(not secret_class or want == "classifier", rule, secret_class)
    check.demand((top is None) == (want != "top"), "top goes with want='top'", top)
    if top is not None:
        rule = f"top must be at most {FOUND:g} of the {judged[0]} values"
        check.demand(top <= FOUND * judged[0], rule, top)
    rule = "margin must be below 1, a share: .05 is five points"
    check.demand(margin is None or margin < 1 or want == "mean", rule, margin)
    if proportion is None:
        proportion = 0.5 if top is None else float(falling(judged[0])[top - 1])
    reach = float(np.ptp(bounds, axis=1).max()) if want == "mean" else 1.0
    sd = reach / 4 if sd is None else sd
    questions = len(values) + len(bounds)
    rule = f"times must leave at most {check.MOST_BITS} answers to {questions} question(s)"
    check.demand(times * questions <= check.MOST_BITS, rule, times)
    moves = yes_no + 2 * len(several) + (1 if want == "mean" else 2) * len(bounds)
    if secret_class:  # a record leaves a cell of class and value, and enters another one
        moves = 2 * (questions + 1)
    least = sd if want == "mean" else min(proportion, 1 - proportion)
    return Survey(
        n=n, want=want, questions=times * questions, everybody=int(secret_class),
        sizes=tuple(sorted(set(judged))), moves=times * moves, share=proportion,
        part=1.0 if smaller is None else smaller, reach=reach, sd=sd, top=top or 0, z=z,
        margin=least if margin is None else margin, least=margin is None,
    )  # fmt: skip


def _is_empty(given: Any) -> bool:
    return isinstance(given, list | tuple) and not given


def _judge(survey: Survey, scheme: Scheme, known: float | None) -> list[Judged]:
    """Judge a scheme where the best number of questions is asked, and where all are."""
    best = _judged(survey, scheme, known, None)
    if best.row.asked == survey.questions:
        return [best]
    return [best, _judged(survey, scheme, known, survey.questions)]


def _judged(survey: Survey, scheme: Scheme, known: float | None, fixed: int | None) -> Judged:
    """Judge a scheme at a known epsilon, or at the least one that reaches the wish."""
    local, questions = scheme.trust == "nobody", survey.questions

    def asked_at(epsilon: float) -> int:
        if not local or fixed is not None:
            return questions
        every = np.arange(1, questions + 1)
        return int(every[np.argmin(scheme.error(1, epsilon, every, survey.share))])

    def short(n: float, epsilon: float) -> float:
        """Return by how much the wish is missed; it falls with people and with epsilon."""
        asked = asked_at(epsilon)
        if survey.top:
            errors = scheme.error(n, epsilon, asked, falling(survey.sizes[0]))
            return FOUND * survey.top - top_found(errors, survey.top)
        return float(survey.z * scheme.error(n, epsilon, asked, survey.share) - survey.margin)

    most = MOST_EPSILON * (questions + survey.everybody)
    least = _smallest(lambda epsilon: short(survey.n, epsilon), _LEAST_EPSILON, most)
    epsilon = known if known is not None else most if math.isnan(least) else least
    asked = asked_at(epsilon)
    each = float(survey.of_answer(epsilon, asked)) if local else epsilon
    some = f"ask {asked} of {questions}, " if local and questions > 1 else ""
    row = SchemeRow(
        scheme=scheme.name, trust=scheme.trust, verdict="simulate",
        epsilon=each * (asked + survey.everybody) if local else epsilon, asked=asked,
        setting=some + scheme.setting(each), not_stopped=scheme.not_stopped,
    )  # fmt: skip
    chances = None if scheme.chances is None else scheme.chances(each)
    error = float(scheme.error(survey.n, epsilon, asked, survey.share))
    if survey.want == "classifier":
        return Judged(row, error, scheme, chances)
    if local and not survey.top:
        one = float(scheme.error(1, epsilon, asked, survey.share))
        people = float(people_for(survey.z * one, survey.margin))
    else:
        people = float(np.ceil(_smallest(lambda n: short(n, epsilon), *_PEOPLE) * (1 - 1e-11)))
    missed = short(survey.n, epsilon)
    row = replace(
        row, verdict="yes" if missed <= 1e-9 * survey.margin else "none", standard_error=error,
        margin=survey.z * error, people=people, least_epsilon=least,
        found=FOUND * survey.top - missed if survey.top else math.nan,
    )  # fmt: skip
    if known is None:  # the scheme that needs the least is the best
        return Judged(row, math.inf if math.isnan(least) else least, scheme, chances)
    return Judged(row, -row.found if survey.top else error, scheme, chances)


def _smallest(short: Callable[[float], float], low: float, high: float) -> float:
    """Return the least number at which a falling function is zero or below; NaN if none is."""
    if short(high) > 0:
        return math.nan
    if short(low) <= 0:
        return low
    ends = math.log(low), math.log(high)
    return math.exp(brentq(lambda log: short(math.exp(log)), *ends, xtol=1e-13))

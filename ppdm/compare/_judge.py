"""How well each scheme does what is wished: its error, the people and the epsilon that it needs.

Of all questions each person answers some, drawn by lot, which share the epsilon evenly.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from ppdm._statistics import at_most, people_for, report_error
from ppdm._support import Support, hadamard, kary, unary
from ppdm.compare._respondents import MOST_PEOPLE
from ppdm.typing import FloatArray, Trust, Want

#: Of one answer: beyond, a coin is certain to a float, and the mechanisms take none.
MOST_EPSILON = 20.0
#: Of those asked for, so many of the top values must be found.
FOUND = 0.9
#: The one scheme that needs a curator.
CURATORS = "central counts"
#: How a report names an answer, by the number of values and the epsilon of the answer.
PROTOCOLS: dict[str, Callable[[int, Any], Support]] = {
    "coin": kary, "k-ary response": kary, "unary encoding": unary, "Hadamard response": hadamard,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SchemeRow:
    """One scheme and what it comes to; the docstring of SchemeChoice says what each means."""

    scheme: str
    trust: str
    verdict: str
    setting: str
    epsilon: float = math.nan
    asked: int = 0
    standard_error: float = math.nan
    margin: float = math.nan
    found: float = math.nan
    people: float = math.nan
    least_epsilon: float = math.nan


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What is asked and wished, by arguments of :func:`choose_scheme` that were checked."""

    n: int
    want: Want
    sizes: tuple[int, ...]  # the numbers of values of the questions that are judged, each once
    n_numbers: int
    questions: int  # each as often as it is asked
    everybody: int  # answers that nobody is spared: a secret class
    times: int
    moves: int  # by how much one record changes a curator's counts
    reach: float  # the range of a number whose mean is wanted, else 1
    proportion: float | None
    share: float  # the proportion, or what stands for it where nobody named one
    part: float  # of the people, those whose share is wanted
    wished: float | None
    margin: float  # the one wished, or where nobody named one the least of any use
    z: float  # how many standard errors it has
    top: int | None
    epsilon: float | None
    trust: Trust

    def clear_error(self, share: Any) -> Any:
        """Return the error of answers in the clear."""
        one = self.reach / 4 if self.want == "mean" else np.sqrt(share * (1 - share))
        return one / np.sqrt(self.part * self.n)

    def of_answer(self, epsilon: Any, asked: Any) -> Any:
        """Return the epsilon of each answer."""
        return np.minimum(epsilon / (asked + self.everybody), MOST_EPSILON)


def schemes(survey: Survey) -> list[str]:
    """Return the schemes that can do what is wished and keep their promise."""
    if survey.want == "table":
        return []
    if survey.want == "mean":
        return ["Laplace noise", "Piecewise", CURATORS]
    if survey.sizes == (2,):
        return ["coin", CURATORS]
    return ["k-ary response", "unary encoding", "Hadamard response", CURATORS]


def standard_error(
    survey: Survey, scheme: str, n: Any, epsilon: Any, asked: Any, share: Any
) -> Any:
    """Return the error by the people, the record's epsilon, how many are asked, the true share."""
    if scheme == CURATORS:
        noise = 2 * (survey.moves * survey.reach / (epsilon * survey.part * n)) ** 2
        return np.sqrt(survey.clear_error(share) ** 2 * (survey.n / n) + noise)
    one, reach = survey.of_answer(epsilon, asked), survey.reach
    sd = reach / 4  # of a number
    if scheme == "Laplace noise":
        error = np.sqrt(sd**2 + 2 * (reach / one) ** 2)
    elif scheme == "Piecewise":
        grown = np.expm1(one / 2)
        square = ((share - 0.5) * reach) ** 2 + sd**2  # mean square about the middle
        error = np.sqrt(sd**2 + square / grown + (reach / 2) ** 2 * (grown + 4) / (3 * grown**2))
    else:  # of the question that is worst off; a yes has a coin
        each = [(kary if k == 2 else PROTOCOLS[scheme])(k, one) for k in survey.sizes]
        error = np.max([report_error(p, q, share) for _, p, q in each], axis=0)
    return error / np.sqrt(survey.part * n * asked / survey.questions)


def _setting(survey: Survey, scheme: str, epsilon: float) -> str:
    """Return the setting in words, by the epsilon of an answer (a curator's: of the record)."""
    if scheme == CURATORS:
        what = "sum" if survey.want == "mean" else "count"
        return f"scale {amount(survey.moves * survey.reach / epsilon)} on each {what}"
    if scheme == "Laplace noise":
        return f"scale {amount(survey.reach / epsilon)}"
    if scheme not in ("coin", "k-ary response"):
        return f"epsilon {at_most(epsilon)} an answer"
    thetas = [f"{kary(k, epsilon).p:.3g}" for k in survey.sizes]
    if len(thetas) == 1:
        return f"theta {thetas[0]}"
    pairs = zip(thetas, survey.sizes, strict=True)
    return "theta " + ", ".join(f"{theta} of {k} values" for theta, k in pairs)


def falling(k: int) -> FloatArray:
    """Return the shares of k values that fall as 1/rank."""
    ranks = np.arange(1.0, k + 1)
    return np.asarray(1 / (ranks * (1 / ranks).sum()))


def top_found(errors: FloatArray, top: int) -> float:
    """Return how many of the top values are expected among as many that seem the largest.

    The errors are normal, and the threshold is where so many estimates are expected above it.
    """
    shares = falling(errors.size)

    def above(threshold: float) -> FloatArray:
        return np.asarray(ndtr((shares - threshold) / errors))

    reach = 9 * float(errors.max()) + 1
    threshold = brentq(lambda at: above(at).sum() - top, -reach, reach)
    return float(above(threshold)[:top].sum())


def ranked(survey: Survey) -> list[SchemeRow]:
    """Judge each scheme where the best number of questions is asked, and where all are."""
    judged = []
    for scheme in schemes(survey):
        judged.append(_judged(survey, scheme, None))
        if judged[-1][1].asked != survey.questions:
            judged.append(_judged(survey, scheme, survey.questions))
    return [row for _, row in sorted(judged, key=itemgetter(0))]


def _judged(survey: Survey, scheme: str, fixed: int | None) -> tuple[float, SchemeRow]:
    """Judge a scheme at the known epsilon, or at the least one that reaches the wish.

    With the row comes what it is sorted by, the less the better.
    """
    local, questions, known = scheme != CURATORS, survey.questions, survey.epsilon

    def asked_at(epsilon: float) -> int:
        if not local or fixed is not None:
            return questions
        every = np.arange(1, questions + 1)
        errors = standard_error(survey, scheme, 1, epsilon, every, survey.share)
        return int(every[np.argmin(errors)])

    def short(n: float, epsilon: float) -> float:
        """Return by how much the wish is missed; it falls with people and with epsilon."""
        asked = asked_at(epsilon)
        shares = falling(survey.sizes[0]) if survey.top else survey.share
        error = standard_error(survey, scheme, n, epsilon, asked, shares)
        if survey.top:
            return FOUND * survey.top - top_found(error, survey.top)
        return float(survey.z * error - survey.margin)

    most = MOST_EPSILON * (questions + survey.everybody)
    least = _smallest(lambda epsilon: short(survey.n, epsilon), 1e-6, most)
    epsilon = known if known is not None else most if math.isnan(least) else least
    asked = asked_at(epsilon)
    of_answer = float(survey.of_answer(epsilon, asked)) if local else epsilon
    some = f"ask {asked} of {questions}, " if local and questions > 1 else ""
    row = SchemeRow(
        scheme=scheme, trust="nobody" if local else "curator", verdict="simulate",
        epsilon=of_answer * (asked + survey.everybody) if local else epsilon, asked=asked,
        setting=some + _setting(survey, scheme, of_answer),
    )  # fmt: skip
    error = float(standard_error(survey, scheme, survey.n, epsilon, asked, survey.share))
    if survey.want == "classifier":
        return error, row
    if local and not survey.top:
        one = float(standard_error(survey, scheme, 1, epsilon, asked, survey.share))
        people = float(people_for(survey.z * one, survey.margin))
    else:
        least_people = _smallest(lambda n: short(n, epsilon), 1.0, MOST_PEOPLE)
        people = float(np.ceil(least_people * (1 - 1e-11)))
    missed = short(survey.n, epsilon)
    row = replace(
        row, verdict="yes" if missed <= 1e-9 * survey.margin else "none", standard_error=error,
        margin=survey.z * error, people=people, least_epsilon=least,
        found=FOUND * survey.top - missed if survey.top else math.nan,
    )  # fmt: skip
    if known is None:  # the scheme that needs the least is the best
        return math.inf if math.isnan(least) else least, row
    return -row.found if survey.top else error, row


def _smallest(short: Callable[[float], float], low: float, high: float) -> float:
    """Return the least number at which a falling function is zero or below; NaN if none is."""
    if short(high) > 0:
        return math.nan
    if short(low) <= 0:
        return low
    ends = math.log(low), math.log(high)
    return math.exp(brentq(lambda log: short(math.exp(log)), *ends, xtol=1e-13))


def amount(number: float) -> str:
    """Return a number of three digits, whole between a thousand and a billion."""
    return f"{number:,.0f}" if 1_000 <= number < 1e9 else f"{number:.3g}"

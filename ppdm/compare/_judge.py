"""How well each scheme does what is wished: its error, the people and the epsilon that it needs.

Of all questions each person answers some, drawn by lot, which share the epsilon evenly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from ppdm._statistics import people_for, report_error
from ppdm._support import Support, hadamard, kary, unary
from ppdm.typing import FloatArray, Trust, Want

#: Of one answer: beyond, a coin is certain to a float, and the mechanisms take none.
MOST_EPSILON = 20.0
_LEAST_EPSILON = 1e-6
#: The numbers of people that are looked at.
_PEOPLE = 1.0, 1e18
#: Of those asked for, so many of the top values must be found.
FOUND = 0.9
_LINKING = "averaging over repeated reports; guessing one answer from the others"
_CURATOR = "whoever reads what the curator holds; counting again and again"


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
    not_stopped: str = ""


class Survey(NamedTuple):
    """What is wished, by arguments that were checked."""

    n: int
    want: Want
    questions: int  # each as often as it is asked
    everybody: int  # answers that nobody is spared: a secret class
    sizes: tuple[int, ...]  # the numbers of values of the questions that are judged
    moves: int  # by how much one record changes a curator's counts
    share: float
    part: float  # of the people, those whose share is wanted
    reach: float  # the range of a number whose mean is wanted, else 1
    sd: float
    top: int
    z: float
    margin: float
    least: bool  # nobody named a margin

    def clear_error(self, share: Any) -> Any:
        """Return the error of answers in the clear."""
        one = self.sd if self.want == "mean" else np.sqrt(share * (1 - share))
        return one / np.sqrt(self.part * self.n)

    def of_answer(self, epsilon: Any, asked: Any) -> Any:
        """Return the epsilon of each answer."""
        return np.minimum(epsilon / (asked + self.everybody), MOST_EPSILON)


class Scheme(NamedTuple):
    """A scheme that keeps its promise."""

    name: str
    trust: Trust
    #: The standard error, by the people, the epsilon of the record, how many questions each
    #: person is asked, and the true share.
    error: Callable[[Any, Any, Any, Any], Any]
    #: The setting in words, by the epsilon of an answer (a curator's: of the record).
    setting: Callable[[float], str]
    not_stopped: str
    #: How often a report names an answer, of those who have it and of others, by that epsilon.
    chances: Callable[[float], Support] | None = None


class Judged(NamedTuple):
    """A row, what it is sorted by, its scheme, and how likely its reports are."""

    row: SchemeRow
    order: float
    scheme: Scheme | None = None
    chances: Support | None = None


def schemes(survey: Survey) -> list[Scheme]:
    """Return the schemes that can do what is wished and keep their promise."""
    sizes, reach = survey.sizes, survey.reach

    def local(name: str, one: Any, setting: Callable[[float], str], chances: Any = None) -> Scheme:
        """Return a scheme with the error ``one(epsilon of an answer, share)`` from one answer."""

        def error(n: Any, epsilon: Any, asked: Any, share: Any) -> Any:
            answers = survey.part * n * asked / survey.questions
            return one(survey.of_answer(epsilon, asked), share) / np.sqrt(answers)

        return Scheme(name, "nobody", error, setting, _LINKING, chances)

    def by_report(name: str, protocol: Any, setting: Callable[[float], str]) -> Scheme:
        def worst(epsilon: Any, share: Any) -> Any:
            each = [(kary if k == 2 else protocol)(k, epsilon) for k in sizes]  # a yes has a coin
            return np.max([report_error(p, q, share) for _, p, q in each], axis=0)

        return local(name, worst, setting, partial(protocol, sizes[-1]))

    def thetas(epsilon: float) -> str:
        each = [f"{kary(k, epsilon).p:.3g}" for k in sizes]
        of = [f"{theta} of {k} values" for theta, k in zip(each, sizes, strict=True)]
        return "theta " + (each[0] if len(sizes) == 1 else ", ".join(of))

    def laplace(epsilon: Any, share: Any) -> Any:
        return np.sqrt(survey.sd**2 + 2 * (reach / epsilon) ** 2)

    def central(n: Any, epsilon: Any, asked: Any, share: Any) -> Any:
        noise = 2 * (survey.moves * reach / (epsilon * survey.part * n)) ** 2
        return np.sqrt(survey.clear_error(share) ** 2 * (survey.n / n) + noise)

    def scale(epsilon: float) -> str:
        what = "sum" if survey.want == "mean" else "count"
        return f"scale {amount(survey.moves * reach / epsilon)} on each {what}"

    def each(epsilon: float) -> str:
        return f"epsilon {epsilon:.3g} an answer"

    if survey.want == "table":
        return []
    if survey.want == "mean":
        piecewise = partial(piecewise_error, survey.sd, reach)
        found = [local("Laplace noise", laplace, lambda e: f"scale {amount(reach / e)}"),
                 local("Piecewise", piecewise, each)]  # fmt: skip
    elif sizes == (2,):
        found = [by_report("coin", kary, thetas)]
    else:
        found = [by_report("k-ary response", kary, thetas),
                 by_report("unary encoding", unary, each),
                 by_report("Hadamard response", hadamard, each)]  # fmt: skip
    return [*found, Scheme("central counts", "curator", central, scale, _CURATOR)]


def piecewise_error(sd: float, reach: float, epsilon: Any, share: Any) -> Any:
    """Return the error of one number by the Piecewise mechanism, by where their mean lies."""
    grown = np.expm1(epsilon / 2)
    square = ((share - 0.5) * reach) ** 2 + sd**2  # mean square about the middle
    return np.sqrt(sd**2 + square / grown + (reach / 2) ** 2 * (grown + 4) / (3 * grown**2))


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


def ranked(survey: Survey, known: float | None) -> list[Judged]:
    """Judge each scheme where the best number of questions is asked, and where all are."""
    found = []
    for scheme in schemes(survey):
        found.append(_judged(survey, scheme, known, None))
        if found[-1].row.asked != survey.questions:
            found.append(_judged(survey, scheme, known, survey.questions))
    return sorted(found, key=lambda each: each.order)


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


def amount(number: float) -> str:
    """Return a number of three digits, whole between a thousand and a billion."""
    return f"{number:,.0f}" if 1_000 <= number < 1e9 else f"{number:.3g}"

"""How far each scheme's estimates are off: from so many people, at an epsilon of the record.

Of all questions each person answers some, drawn by lot, which share the epsilon evenly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from ppdm._statistics import report_error
from ppdm._support import Support, hadamard, kary, unary
from ppdm.typing import FloatArray, Trust, Want

#: Of one answer: beyond, a coin is certain to a float, and the mechanisms take none.
MOST_EPSILON = 20.0
_LINKING = "averaging over repeated reports; guessing one answer from the others"
_CURATOR = "whoever reads what the curator holds; counting again and again"


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


def coin_or(protocol: Callable[[int, Any], Support], k: int, epsilon: Any) -> Support:
    """Return the chances of a protocol; a yes or no has a coin."""
    return kary(k, epsilon) if k == 2 else protocol(k, epsilon)


def laplace_error(sd: float, reach: float, epsilon: Any) -> Any:
    """Return the error of one number under Laplace noise of scale reach / epsilon."""
    return np.sqrt(sd**2 + 2 * (reach / epsilon) ** 2)


def piecewise_error(sd: float, reach: float, share: float, epsilon: Any) -> Any:
    """Return that of the Piecewise mechanism, the mean lying at ``share`` of the range."""
    grown = np.expm1(epsilon / 2)
    square = ((share - 0.5) * reach) ** 2 + sd**2  # mean square about the middle
    return np.sqrt(sd**2 + square / grown + (reach / 2) ** 2 * (grown + 4) / (3 * grown**2))


def schemes(survey: Survey) -> list[Scheme]:
    """Return the schemes that can do what is wished and keep their promise."""
    sizes, reach = survey.sizes, survey.reach

    def local(name: str, one: Any, setting: Callable[[float], str], chances: Any = None) -> Scheme:
        """Return a scheme with the error ``one(epsilon of an answer, share)`` from one answer."""

        def error(n: Any, epsilon: Any, asked: Any, share: Any) -> Any:
            answers = survey.part * n * asked / survey.questions
            return one(survey.of_answer(epsilon, asked), share) / np.sqrt(answers)

        return Scheme(name, "nobody", error, setting, _LINKING, chances)

    def by_report(name: str, chances: Any, setting: Callable[[float], str]) -> Scheme:
        def worst(epsilon: Any, share: Any) -> Any:
            each = [chances(k, epsilon) for k in sizes]
            return np.max([report_error(p, q, share) for _, p, q in each], axis=0)

        return local(name, worst, setting, partial(chances, sizes[-1]))

    def thetas(epsilon: float) -> str:
        each = [f"{kary(k, epsilon).p:.3g}" for k in sizes]
        of = [f"{theta} of {k} values" for theta, k in zip(each, sizes, strict=True)]
        return "theta " + (each[0] if len(sizes) == 1 else ", ".join(of))

    def central(n: Any, epsilon: Any, asked: Any, share: Any) -> Any:
        noise = 2 * (survey.moves * reach / (epsilon * survey.part * n)) ** 2
        return np.sqrt(survey.clear_error(share) ** 2 * (survey.n / n) + noise)

    def scale(epsilon: float) -> str:
        what = "sum" if survey.want == "mean" else "count"
        return f"scale {amount(survey.moves * reach / epsilon)} on each {what}"

    def each(epsilon: float) -> str:
        return f"epsilon {epsilon:.3g} an answer"

    found = []
    if survey.want == "mean":
        laplace = partial(laplace_error, survey.sd, reach)
        found = [
            local("Laplace noise", lambda e, _: laplace(e), lambda e: f"scale {amount(reach / e)}"),
            local("Piecewise", lambda e, at: piecewise_error(survey.sd, reach, at, e), each),
        ]
    elif survey.want != "table":
        only_bits = sizes == (2,)
        found = [by_report("coin" if only_bits else "k-ary response", kary, thetas)]
        for name, protocol in {"unary encoding": unary, "Hadamard response": hadamard}.items():
            found += [] if only_bits else [by_report(name, partial(coin_or, protocol), each)]
    if survey.want != "table":
        found.append(Scheme("central counts", "curator", central, scale, _CURATOR))
    return found


def amount(number: float) -> str:
    """Return a number of three digits, whole between a thousand and a billion."""
    return f"{number:,.0f}" if 1_000 <= number < 1e9 else f"{number:.3g}"


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

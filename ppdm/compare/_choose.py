"""The chooser: a wish is read, each scheme judged, and the best one named in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._statistics import at_most, normal_quantile
from ppdm.compare import _judge as judging
from ppdm.compare._judge import FOUND, SchemeRow, Survey, amount
from ppdm.compare._respondents import MOST_PEOPLE
from ppdm.typing import FloatArray, Trust, Want

#: So many intervals a number is cut into, but for a mean.
_N_INTERVALS = 10
#: A number may span so much: its square is a float, and so is that of one over it.
_WIDEST = 1e100
#: Schemes whose odds are bounded but for a delta.
_BUT_FOR_DELTA = (
    SchemeRow(scheme="Gaussian noise", trust="nobody", verdict="but for delta",
              setting="delta 1e-5, and a bounded range"),
    SchemeRow(scheme="private tree", trust="curator", verdict="but for delta",
              setting="delta 1e-5, and public cuts"),
)  # fmt: skip
_BETWEEN = (
    "Between nobody and a curator lie shuffling (Bittau et al. 2017) and secure aggregation "
    "(Bonawitz et al. 2017); ppdm has neither."
)
_NO_EPSILON = (
    "No epsilon bounds groups that share a coin, uniform noise or guided perturbation, whose "
    "reports rule something out; nor BSVD, SSVD or invented records, where something follows from "
    "the records without chance."
)
_NO_MARGIN = (
    "No margin was asked for: margin=0.05 is ± 5 points of a share, and margin=10 of a mean ± 10."
)
_NUMBERS = (
    "Numbers take their part of the epsilon, and are judged with want='mean' or 'distribution'; "
    "Square Wave, whose error has no formula, is not."
)
_SIMULATE = (
    "What it is worth depends on the data: ppdm.simulation.simulate_schemes tries it on a pilot."
)
_AGAIN = (
    "The same people are asked {times} times. Each answers some of the times only, in a rota; or "
    "keeps one report (MemoizedResponse), whose epsilon is spent once while the answer stays."
)


@dataclass(frozen=True, kw_only=True, repr=False)
class SchemeChoice:
    """The answer of :func:`choose_scheme`. Printed, it is an answer in sentences, and a table.

    ``pandas.DataFrame(choice.rows)`` is the table as a frame.

    Attributes
    ----------
    want : str
        As asked for.
    scheme : str
        The one that does best what is wished, or ``"none"``.
    best : object
        Its row, as below; where it is none, that of the scheme which misses by least.
    why : str
        Why none; empty otherwise.
    rows : tuple
        All schemes, those that keep a promise first, the best of them on top. Each has
        ``scheme``; ``trust``, whom people must trust with the clear record, ``"nobody"`` or the
        ``"curator"``; ``verdict``, ``"yes"`` or ``"none"`` (whether it reaches the wish),
        ``"simulate"`` (its promise holds, what it is worth depends on the data) or
        ``"but for delta"`` (odds are bounded but for a probability of 1e-5); ``setting``;
        ``epsilon`` of the whole record; ``asked``, how many questions each person answers, drawn
        by lot; ``standard_error`` and ``margin`` of the estimate that is worst off, at these
        people, as a share or in a mean's own units; ``found``, how many of the top values are
        expected to be found, if shares fall as 1/rank; ``people``, how many reach the wish at
        this setting; and ``least_epsilon`` that reaches it with these people, NaN where none does.
    margin, clear_margin : float
        The margin that is to be reached, and that of answers in the clear.
    odds : float
        The largest factor by which a report of the best scheme moves anybody's odds of any two
        records.
    after : tuple of float
        How likely an answer is after a report of it, and after any other report, to who held it
        for as likely as the expected proportion before. NaN for numbers and for a curator.
    sentences : tuple of str
        The scheme and its setting, or why none; the margin at these people; the people for the
        margin; the smallest epsilon; what one report does; what else is to be known.
    """

    want: Want
    scheme: str
    best: SchemeRow
    why: str
    rows: tuple[SchemeRow, ...]
    margin: float
    clear_margin: float
    odds: float
    after: tuple[float, float]
    sentences: tuple[str, ...]

    def __repr__(self) -> str:
        top = self.want == "top"
        head = ["scheme", "trust", "verdict", "epsilon", "setting"]
        table = [[*head, "found" if top else "margin", "people"]]
        for row in self.rows:
            reached = f"{row.found:.1f}" if top else _in_words(self.want, row.margin)
            epsilon = "" if math.isnan(row.epsilon) else at_most(row.epsilon)
            table.append([row.scheme, row.trust, row.verdict, epsilon, row.setting, reached,
                          f"{row.people:,.0f}"])  # fmt: skip
        cells = [["" if "nan" in cell.split() else cell for cell in line] for line in table]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, line, wide)).rstrip() for line in cells]
        return "\n".join([*self.sentences, "", *lines])


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
    trust: Trust = "nobody",
    smaller: float | None = None,
    secret_class: bool = False,
    times: int = 1,
    top: int | None = None,
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
        most frequent answers; ``"mean"`` of a number, or its ``"distribution"``, the shares of ten
        intervals; a ``"classifier"``; a public ``"table"`` of records.
    margin : float > 0, default=None
        Half the width of the interval wanted: .03 is three points; for a mean in its own units.
        None asks for the least: a share that can be told from nobody and from everybody, a mean
        that is nearer than the values' own spread, taken as a quarter of their range.
    confidence : float in (0, 1), default=0.95
    proportion : float in (0, 1), default=None
        The expected share of a yes or an answer; of a mean, where between the bounds it lies. None
        is one half, and for ``top`` that of the last one wanted, where shares fall as 1/rank.
    epsilon : float > 0, default=None
        Of the whole record, whatever is asked of it: a report moves anybody's odds by e^epsilon at
        most. Without it the smallest epsilon is sought that reaches ``margin``.
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

    Returns
    -------
    SchemeChoice

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, nothing is asked that is wanted, or neither epsilon nor
        (for shares and means) margin says how much noise there may be.

    See Also
    --------
    ppdm.simulation.simulate_schemes : The same question, by trying on a pilot table.
    respondents_needed : How many people one question needs.

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
        "choose_scheme", n=n, yes_no=yes_no, want=want, margin=margin, proportion=proportion,
        epsilon=epsilon, trust=trust, smaller=smaller, secret_class=secret_class, times=times,
        top=top,
    )  # fmt: skip
    sought = want == "top" or (margin is not None and want not in ("classifier", "table"))
    check.demand(epsilon is not None or sought, "give epsilon, or a margin (or top) to reach", None)
    several, bounds = _questions(one_of, numbers)
    values, intervals = [2] * yes_no + several, [_N_INTERVALS] * len(bounds)
    judged = {
        "proportion": values, "top": sorted(several)[-1:], "mean": intervals,
        "distribution": intervals,
    }.get(want, values + intervals)  # fmt: skip
    rule = f"want={want!r} needs a question that it is about: yes_no, one_of or numbers"
    check.demand(judged, rule, (yes_no, one_of, numbers))
    _refuse(want, top, margin, secret_class, judged)
    once = len(values) + len(bounds)
    rule = f"times must leave at most {check.MOST_BITS} answers to {once} question(s)"
    check.demand(times * once <= check.MOST_BITS, rule, times)
    moves = yes_no + 2 * len(several) + (1 if want == "mean" else 2) * len(bounds)
    if secret_class:  # a record leaves a cell of class and value, and enters another one
        moves = 2 * (once + 1)
    usual = 0.5 if top is None else float(judging.falling(judged[0])[top - 1])
    share = usual if proportion is None else proportion
    reach = float(np.ptp(bounds, axis=1).max()) if want == "mean" else 1.0
    least = reach / 4 if want == "mean" else min(share, 1 - share)
    survey = Survey(
        n=n, want=want, sizes=tuple(sorted(set(judged))), n_numbers=len(bounds),
        questions=times * once, everybody=int(secret_class), times=times, moves=times * moves,
        reach=reach, proportion=proportion, share=share, part=smaller or 1.0, wished=margin,
        margin=least if margin is None else margin, z=float(normal_quantile(confidence)), top=top,
        epsilon=epsilon, trust=trust,
    )  # fmt: skip
    one = survey.z * survey.clear_error(share) * math.sqrt(n)
    rule = "margin must be so wide that 10^18 people reach it in the clear"
    check.demand(survey.margin >= one / math.sqrt(MOST_PEOPLE), rule, margin)
    return _answer(survey, judging.ranked(survey))


def _questions(one_of: Any, numbers: Any) -> tuple[list[int], FloatArray]:
    """Return the numbers of answers, and the bounds of numbers, (n_numbers, 2)."""
    several = [] if _is_empty(one_of) else check.n_values(one_of, name="one_of", in_all=np.inf)
    if _is_empty(numbers):
        return several, np.zeros((0, 2))
    with check.naming("numbers", "pairs of public bounds, (low, high) of each number"):
        bounds = check.domain(numbers)
    ranges = np.ptp(bounds, axis=1)
    rule = f"numbers must be so that high - low is within {1 / _WIDEST:g} and {_WIDEST:g}"
    check.demand(((ranges > 1 / _WIDEST) & (ranges < _WIDEST)).all(), rule, numbers)
    return several, bounds


def _refuse(want: Want, top: Any, margin: Any, secret_class: bool, judged: list[int]) -> None:
    """Refuse what does not go with what is wanted."""
    rule = "secret_class goes with want='classifier'"
    check.demand(not secret_class or want == "classifier", rule, secret_class)
    check.demand((top is None) == (want != "top"), "top goes with want='top'", top)
    if top is not None:
        check.demand(top <= FOUND * judged[0], f"top must be at most {FOUND:g} of {judged[0]}", top)
    rule = "margin must be below 1, a share: .05 is five points"
    check.demand(margin is None or margin < 1 or want == "mean", rule, margin)


def _is_empty(given: Any) -> bool:
    return isinstance(given, list | tuple) and not given


def _in_words(want: Want, margin: float) -> str:
    """Return a margin as a reader says it: points of a share, a mean's own units."""
    return f"± {amount(margin)}" if want == "mean" else f"± {100 * margin:.3g} points"


def _answer(survey: Survey, rows: list[SchemeRow]) -> SchemeChoice:
    """Return the best scheme of those whose keeper is trusted, or none and why."""
    at = math.nan if survey.epsilon is None else survey.epsilon
    others = [replace(row, epsilon=at) for row in _BUT_FOR_DELTA[0 if survey.n_numbers else 1 :]]
    clear, trust = survey.z * float(survey.clear_error(survey.share)), survey.trust
    if survey.want == "table":
        best = others[-1]  # the private tree
        why = "" if trust == "curator" else "a table of whole records needs a curator"
    else:  # the rows are sorted, the best first
        mine = [row for row in rows if trust in ("curator", row.trust)]
        best = min(mine, key=lambda row: row.verdict == "none")
        why = _why_none(survey, best, clear) if best.verdict == "none" else ""
    after, odds = (math.nan, math.nan), _odds(best.epsilon)
    if best.scheme in judging.PROTOCOLS:
        one = best.epsilon / (best.asked + survey.everybody)
        _, p, q = judging.PROTOCOLS[best.scheme](survey.sizes[-1], one)
        reported = survey.share * p + (1 - survey.share) * q
        after = (survey.share * p / reported, survey.share * (1 - p) / (1 - reported))
    sentences = _sentences(survey, best, why, clear, odds, after)
    if why and trust == "nobody":
        sentences += [f"With a curator it can be done: {row.scheme}." for row in rows
                      if row.trust == "curator" and row.verdict == "yes"]  # fmt: skip
    if survey.times > 1:
        sentences.append(_AGAIN.format(times=survey.times))
    of_shares = survey.proportion is None and survey.want in ("proportion", "distribution")
    if of_shares and best.scheme in judging.PROTOCOLS:
        rare = np.array([0.1, 0.01])
        errors = judging.standard_error(
            survey, best.scheme, survey.n, best.epsilon, best.asked, rare)
        tenth, hundredth = (_in_words(survey.want, survey.z * float(error)) for error in errors)
        sentences.append(f"This is for a share of one half; of a tenth {tenth}, of a hundredth "
                         f"{hundredth}.")  # fmt: skip
    if survey.n_numbers and survey.want in ("proportion", "top"):
        sentences.append(_NUMBERS)
    sentences += [_NO_EPSILON, *([_BETWEEN] if trust == "nobody" else [])]
    return SchemeChoice(
        want=survey.want, scheme="none" if why else best.scheme, best=best, why=why,
        rows=(*rows, *others), margin=survey.margin, clear_margin=clear,
        odds=odds, after=after, sentences=tuple(sentences),
    )  # fmt: skip


def _why_none(survey: Survey, row: SchemeRow, clear: float) -> str:
    """Return the first reason that is true: too few people at all, or too few at this epsilon."""
    if survey.top:
        errors = survey.clear_error(judging.falling(survey.sizes[0]))
        n_found = judging.top_found(errors, survey.top)
        if n_found < FOUND * survey.top:
            return f"even answers in the clear find {n_found:.1f} of {survey.top}"
    elif clear > survey.margin:
        reached = _in_words(survey.want, clear)
        return f"even answers in the clear are {reached}, and wished is {_wished(survey)}"
    more = f"it takes {row.people:,.0f} people at epsilon {at_most(row.epsilon)}"
    if math.isnan(row.least_epsilon):
        return more
    odds, epsilon = at_most(_odds(row.least_epsilon)), at_most(row.least_epsilon)
    return f"{more}, or epsilon {epsilon} (odds of {odds}) with {survey.n:,}"


def _odds(epsilon: float) -> float:
    """Return e^epsilon, infinite where a float cannot hold it."""
    return math.inf if epsilon > 700 else math.exp(epsilon)


def _wished(survey: Survey) -> str:
    """Return the margin that is to be reached, and what for where nobody named one."""
    use = ", to be told from nobody and from everybody"
    if survey.want == "mean":
        use = ", nearer than the values' own spread"
    return _in_words(survey.want, survey.margin) + (use if survey.wished is None else "")


def _sentences(
    survey: Survey, row: SchemeRow, why: str, clear: float, odds: float, after: tuple[float, float]
) -> list[str]:
    """Return the answer in the order in which it is asked for."""
    n = f"{survey.n:,}"
    bounded = not math.isnan(row.epsilon)
    spent = f", epsilon {at_most(row.epsilon)} of the whole record" if bounded else ""
    head = f"{row.scheme}: {row.setting}{spent}."
    lines = [f"None: {why}. Nearest is {head}" if why else head[0].upper() + head[1:]]
    if row.verdict in ("simulate", "but for delta"):
        lines.append(_SIMULATE)
    elif survey.top:
        lines.append(f"At your n of {n}: {row.found:.1f} of the top {survey.top} are found, "
                     "if shares fall as 1/rank.")  # fmt: skip
        lines.append(f"For {FOUND * survey.top:g} of them: {row.people:,.0f} people.")
    else:
        smaller = f", in the smaller class ({100 * survey.part:.3g}% of them)"
        whose = smaller if survey.part < 1 else ""
        lines.append(f"At your n of {n}{whose}: {_in_words(survey.want, row.margin)}; in the clear "
                     f"{_in_words(survey.want, clear)}.")  # fmt: skip
        wished = f"{_NO_MARGIN} The least," if survey.wished is None else "For"
        lines.append(f"{wished} {_wished(survey)}: {row.people:,.0f} people.")
    if not math.isnan(row.least_epsilon):
        least = at_most(row.least_epsilon)
        lines.append(f"The smallest epsilon for that with {n} people: {least}.")
    elif row.verdict == "none":
        lines.append(f"No epsilon does that with {n} people.")
    if not math.isnan(odds):
        but = ", but for a probability of 1e-5" if row.verdict == "but for delta" else ""
        most = at_most(odds)
        lines.append(f"What is told of a record moves odds by a factor of {most} at most{but}.")
    if not math.isnan(after[0]):
        share, yes, other = (f"{100 * chance:.3g}%" for chance in (survey.share, *after))
        lines.append(f"A person is {share} likely to have an answer; after a report of it {yes}, "
                     f"after any other answer {other}.")  # fmt: skip
    return lines

"""The answer: which scheme, or why none, in sentences, and a row for each scheme."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from ppdm import _validation as check
from ppdm._support import Support
from ppdm.compare._errors import Scheme, Survey, amount, falling, top_found
from ppdm.typing import Trust, Want

if TYPE_CHECKING:
    import pandas as pd

#: Of those asked for, so many of the top values must be found.
FOUND = 0.9
_BETWEEN = (
    "Between nobody and a curator lie shuffling (Bittau et al. 2017) and secure aggregation "
    "(Bonawitz et al. 2017); ppdm has neither."
)
_NO_EPSILON = (
    "No epsilon bounds groups that share a coin, uniform noise or guided perturbation, whose "
    "reports rule something out; nor BSVD, SSVD or invented records, where something follows from "
    "the records without chance."
)
_SIMULATE = (
    "What it is worth depends on the data: ppdm.simulation.simulate_schemes tries it on a pilot."
)
_AGAIN = (
    "The same people are asked {times} times. Each answers some of the times only, in a rota; or "
    "keeps one report (MemoizedResponse), whose epsilon is spent once while the answer stays."
)


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


@dataclass(frozen=True, kw_only=True, repr=False)
class SchemeChoice:
    """What :func:`choose_scheme` found. Printed, it is an answer in sentences, and a table.

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
        this setting; ``least_epsilon`` that reaches it with these people, NaN where none does;
        and ``not_stopped``, attacks that it does not stop.
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

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table.

        Raises
        ------
        ImportError
            If pandas is missing.
        """
        pandas = check.import_optional("pandas", "to_frame")
        frame: pd.DataFrame = pandas.DataFrame([asdict(row) for row in self.rows])
        return frame

    def __repr__(self) -> str:
        top = self.want == "top"
        head = ["scheme", "trust", "verdict", "epsilon", "setting"]
        table = [[*head, "found" if top else "margin", "people"]]
        for row in self.rows:
            reached = f"{row.found:.1f}" if top else in_words(self.want, row.margin)
            table.append([row.scheme, row.trust, row.verdict, f"{row.epsilon:.3g}", row.setting,
                          reached, f"{row.people:,.0f}"])  # fmt: skip
        cells = [["" if "nan" in cell.split() else cell for cell in line] for line in table]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, line, wide)).rstrip() for line in cells]
        return "\n".join([*self.sentences, "", *lines])


def in_words(want: Want, margin: float) -> str:
    """Return a margin as a reader says it: points of a share, a mean's own units."""
    if want != "mean":
        return f"± {100 * margin:.3g} points"
    return f"± {amount(margin)}"


class Judged(NamedTuple):
    """A row, what it is sorted by, its scheme, and how likely its reports are."""

    row: SchemeRow
    order: float
    scheme: Scheme | None = None
    chances: Support | None = None


def answer(
    survey: Survey, judged: list[Judged], others: list[SchemeRow], trust: Trust, *,
    any_share: bool, times: int,
) -> SchemeChoice:
    """Return the best scheme of those whose keeper is trusted, or none and why."""
    clear = survey.z * float(survey.clear_error(survey.share))
    if survey.want == "table":
        best = Judged(others[-1], 0.0)  # the private tree
        why = "" if trust == "curator" else "a table of whole records needs a curator"
    else:
        mine = [each for each in judged if trust in ("curator", each.row.trust)]
        best = min(mine, key=lambda each: (each.row.verdict == "none", each.order))
        why = _why_none(survey, best.row, clear) if best.row.verdict == "none" else ""
    after = (math.nan, math.nan)
    if best.chances is not None:
        _, true, false = best.chances
        reported = survey.share * true + (1 - survey.share) * false
        after = (survey.share * true / reported, survey.share * (1 - true) / (1 - reported))
    odds = _odds(best.row.epsilon)
    sentences = _sentences(survey, best.row, why, clear, odds, after)
    if why and trust == "nobody":
        sentences += [f"With a curator it can be done: {each.row.scheme}." for each in judged
                      if each.row.trust == "curator" and each.row.verdict == "yes"]  # fmt: skip
    if times > 1:
        sentences.append(_AGAIN.format(times=times))
    if any_share and survey.want in ("proportion", "distribution") and best.chances is not None:
        sentences.append(_smaller_shares(survey, best))
    return SchemeChoice(
        want=survey.want, scheme="none" if why else best.row.scheme, best=best.row, why=why,
        rows=(*(each.row for each in judged), *others), margin=survey.margin, clear_margin=clear,
        odds=odds, after=after,
        sentences=(*sentences, _NO_EPSILON, *([_BETWEEN] if trust == "nobody" else [])),
    )  # fmt: skip


def _why_none(survey: Survey, row: SchemeRow, clear: float) -> str:
    """Return the first reason that is true: too few people at all, or too few at this epsilon."""
    if survey.top:
        found = top_found(survey.clear_error(falling(survey.sizes[0])), survey.top)
        if found < FOUND * survey.top:
            return f"even answers in the clear find {found:.1f} of {survey.top}"
    elif clear > survey.margin:
        told = in_words(survey.want, clear)
        return f"even answers in the clear are {told}, and wished is {_wished(survey)}"
    more = f"it takes {row.people:,.0f} people at epsilon {row.epsilon:.3g}"
    if math.isnan(row.least_epsilon):
        return more
    odds = amount(_odds(row.least_epsilon))
    return f"{more}, or epsilon {row.least_epsilon:.3g} (odds of {odds}) with {survey.n:,}"


def _odds(epsilon: float) -> float:
    """Return e^epsilon, infinite where a float cannot hold it."""
    return math.inf if epsilon > 700 else math.exp(epsilon)


def _wished(survey: Survey) -> str:
    """Return the margin that is to be reached, and what for where nobody named one."""
    margin = in_words(survey.want, survey.margin)
    if not survey.least:
        return margin
    if survey.want == "mean":
        return f"{margin}, nearer than the values' own spread"
    return f"{margin}, to be told from nobody and from everybody"


def _sentences(
    survey: Survey, row: SchemeRow, why: str, clear: float, odds: float, after: tuple[float, float]
) -> list[str]:
    """Return the answer in the order in which it is asked for."""
    n = f"{survey.n:,}"
    spent = "" if math.isnan(row.epsilon) else f", epsilon {row.epsilon:.3g} of the whole record"
    head = f"{row.scheme}: {row.setting}{spent}."
    lines = [f"None: {why}. Nearest is {head}" if why else head[0].upper() + head[1:]]
    if row.verdict in ("simulate", "but for delta"):
        lines.append(_SIMULATE)
    elif survey.top:
        lines.append(f"At your n of {n}: {row.found:.1f} of the top {survey.top} are found, "
                     "if shares fall as 1/rank.")  # fmt: skip
        lines.append(f"For {FOUND * survey.top:g} of them: {row.people:,.0f} people.")
    else:
        lines.append(f"At your n of {n}: {in_words(survey.want, row.margin)}; in the clear "
                     f"{in_words(survey.want, clear)}.")  # fmt: skip
        lines.append(f"For {_wished(survey)}: {row.people:,.0f} people.")
    if not math.isnan(row.least_epsilon):
        lines.append(f"The smallest epsilon for that with {n} people: {row.least_epsilon:.3g}.")
    elif row.verdict == "none":
        lines.append(f"No epsilon does that with {n} people.")
    if not math.isnan(odds):
        but = ", but for a probability of 1e-5" if row.verdict == "but for delta" else ""
        lines.append(f"What is told of a record moves odds by a factor of {odds:.3g} at most{but}.")
    if not math.isnan(after[0]):
        share, yes, other = (f"{100 * each:.3g}%" for each in (survey.share, *after))
        lines.append(f"A person is {share} likely to have an answer; after a report of it {yes}, "
                     f"after any other answer {other}.")  # fmt: skip
    return lines


def _smaller_shares(survey: Survey, best: Judged) -> str:
    """Return the margin where fewer people have the answer than one half."""
    assert best.scheme is not None
    setting = survey.n, best.row.epsilon, best.row.asked
    tenth, hundredth = (survey.z * float(best.scheme.error(*setting, at)) for at in (0.1, 0.01))
    rare = f"of a tenth {in_words(survey.want, tenth)}, of a hundredth "
    return f"This is for a share of one half; {rare}{in_words(survey.want, hundredth)}."

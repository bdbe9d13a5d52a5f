"""The coin's channel: whole parts of 2^32 for each question, what is drawn, and what is estimated.

A browser draws against whole numbers. No floating point lies between the public channel and the
report, so that the epsilon that follows from these numbers is the one that is spent.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import ceil, log
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator
from scipy.stats import norm

from ppdm.compare import choose_scheme
from ppdm.typing import Bits, FloatArray, IntArray
from ppdm_survey._errors import SurveyError, demand
from ppdm_survey._schema import Message, Name, Survey, Whole, ascending

#: All parts of a draw: a word of 32 bits.
WHOLE = 2**32

#: The most that one answer may spend: beyond, 2^32 parts are too coarse.
MOST_EPSILON = 20.0

#: The least of a record: nothing is learnt from less, and no parts would be left to tell it by.
LEAST_EPSILON = 0.0001

#: From odds of so many to one on a page says that a report is hardly a disguise (``coin.js``).
HARDLY = 20

#: People who must have been asked a question, for its shares to be shown of a group: of fewer the
#: interval is not known to hold, and too many would know whose reports these are.
FEWEST = 15

#: Standard errors of half the width of a 95% interval.
_Z = float(norm.ppf(0.975))

Parts = Annotated[int, Field(ge=0, le=WHOLE, strict=True)]
Answer = Whole | list[Whole] | None


class Column(Message):
    """How one question is told: the parts of 2^32 of a person's own value and of each other.

    By ``k-ary`` response one value is told, drawn once. By ``unary`` encoding each value has a bit
    of its own, and ``own`` and ``other`` say how often it is set. An ``open`` question's value is
    told as it is, always: it is no part of the lot and of epsilon.
    """

    name: Name
    kind: Literal["k-ary", "unary", "open"]
    n_values: Whole
    own: Parts
    other: Parts

    @model_validator(mode="after")
    def _whole(self) -> Self:
        lies = (self.n_values - 1) * self.other
        certain = self.own == WHOLE or not self.other
        if (self.own <= self.other or certain != (self.kind == "open")
                or (self.kind != "unary" and self.own + lies != WHOLE)):
            raise ValueError(f"parts of {self.name} must favour its own value, certain where it is "
                             "open alone, and, where one is told, add up to 2^32, "
                             f"got {self.own} and {self.other}")
        return self

    @property
    def chances(self) -> tuple[float, float]:
        """How often a report supports a value: of those who have it, and of others."""
        return self.own / WHOLE, self.other / WHOLE

    @property
    def epsilon(self) -> float:
        """What one answer spends, from the whole numbers; what is open has no part in it."""
        if self.kind == "open":
            return 0.0
        more = log((WHOLE - self.other) / (WHOLE - self.own)) if self.kind == "unary" else 0.0
        return log(self.own / self.other) + more

    @property
    def parts(self) -> IntArray:
        """The parts of each told value (rows) for each true one; of unary encoding for a bit."""
        if self.kind == "unary":
            return np.array([[WHOLE - self.other, WHOLE - self.own], [self.other, self.own]])
        k = self.n_values
        return np.full((k, k), self.other) + np.eye(k, dtype=np.int64) * (self.own - self.other)

    @property
    def n_draws(self) -> int:
        """How many words of 32 bits an answer takes."""
        return self.n_values if self.kind == "unary" else 1

    def tell(self, codes: IntArray, words: IntArray) -> Bits:
        """Return what is told of these values, (n, n_values), from (n, n_draws) words."""
        true = codes[:, np.newaxis] == np.arange(self.n_values)
        below = self.parts.cumsum(axis=0)[:-1]  # a word below the first bound tells the first
        if self.kind == "unary":
            return np.asarray(words >= below[0, true.astype(int)], dtype=np.int8)
        told = (words >= below[:, codes].T).sum(axis=1)
        return np.asarray(told[:, np.newaxis] == np.arange(self.n_values), dtype=np.int8)


class CoinChannel(Message):
    """What a record goes through: ``asked`` of its questions, drawn by lot, each by its column.

    Parameters
    ----------
    asked : int
        How many disguised questions a person answers, beside all that are open.
    columns : sequence of Column
        In the order of the survey's questions.
    epsilon, hash : float and str, optional
        Of the whole record, and its fingerprint; they follow from the others.

    Examples
    --------
    >>> from ppdm_survey import CoinChannel, voting_survey
    >>> channel = CoinChannel.choose(voting_survey(), 2.0, asked=1)
    >>> channel.columns[0].own, round(channel.epsilon, 8)
    (3782994644, 2.0)
    """

    asked: Whole
    columns: Annotated[Sequence[Column], AfterValidator(tuple)]
    epsilon: float = Field(default=0.0, description="Of the whole record.")
    hash: str = Field(default="", description="SHA-256 of all the numbers.")

    @model_validator(mode="after")
    def _follows(self) -> Self:
        _check_asked(self.asked, sum(self._disguised))
        most = sorted((one.epsilon for one in self.columns), reverse=True)[: self.asked]
        lines = [f"ppdm-coin-1\n{self.asked}\n"]
        lines += [f"{one.name} {one.kind} {one.n_values} {one.own} {one.other}\n"
                  for one in self.columns]
        object.__setattr__(self, "epsilon", sum(most))
        object.__setattr__(self, "hash", hashlib.sha256("".join(lines).encode()).hexdigest())
        return self

    @classmethod
    def choose(cls, survey: Survey, epsilon: float, *, asked: int | None = None,
               people: int | None = None) -> Self:
        """Return the channel of the least error at an epsilon of the whole record.

        Parameters
        ----------
        survey : Survey
        epsilon : float >= 0.0001
            The channel's own is this or a little less: its parts are whole numbers.
        asked : int, optional
            How many questions each person answers; else ``people`` says how many are best.
        people : int, optional
            How many are expected.

        Returns
        -------
        CoinChannel

        Raises
        ------
        ValueError, TypeError
            If an argument is out of its range, or neither asked nor people are given.
        """
        sizes = [one.n_values for one in survey.attributes if not one.open]
        demand(sizes, "attributes must have one that is disguised, not open", len(sizes))
        demand(epsilon >= LEAST_EPSILON, f"epsilon must be at least {LEAST_EPSILON}", epsilon)
        if asked is None:
            if people is None:
                raise ValueError("asked or people must be given (--asked, --people): how many "
                                 "questions a person answers, or how many people are expected")
            asked = choose_scheme(people, one_of=sizes, epsilon=epsilon).best.asked
        _check_asked(asked, len(sizes))
        each, most = epsilon / asked, MOST_EPSILON * asked
        demand(epsilon <= most, f"epsilon must be at most {most:g}", epsilon)
        return cls(asked=asked, columns=[
            _column(one.name, one.n_values, each, one.open) for one in survey.attributes])

    @property
    def _disguised(self) -> list[bool]:
        return [one.kind != "open" for one in self.columns]

    @property
    def options(self) -> str:
        """The options of the command that choose it again; each part is the least for so much."""
        # the last of these numbers are cut by less than is put on here
        eps = self.asked * max(one.epsilon for one in self.columns) * (1 + 1e-11)
        cut = (np.format_float_positional(eps, n, fractional=False, trim="-") for n in range(1, 18))
        shortest = next(epsilon for epsilon in cut if self.columns == tuple(
            _column(one.name, one.n_values, float(epsilon) / self.asked, one.kind == "open")
            for one in self.columns))
        return f"--asked {self.asked} --epsilon {shortest}"

    @cached_property
    def starts(self) -> IntArray:
        """Where each question's marks begin in a stored report: first whether it was asked."""
        return np.cumsum([0, *(one.n_values + 1 for one in self.columns)])

    @property
    def liar(self) -> float:
        """How many times a person's part of all people a made-up report moves a share, at most."""
        each = [max(1 - q, p) / (p - q) for p, q in (one.chances for one in self.columns)]
        return max(each) * self.false_answer

    @property
    def false_answer(self) -> float:
        """How many times a person's part of all people a false answer moves a share, at most.

        Whoever draws the lot again until it is her question counts for all who were not asked it.
        """
        return sum(self._disguised) / self.asked

    def people_for(self, margin: float, j: int) -> float:
        """Return how many people a margin of a disguised question wants, where it is widest."""
        p, q = self.columns[j].chances
        told = sorted((q, 0.5, p))[1]  # a share at which yes and no are told alike, or the next
        return _Z**2 * told * (1 - told) / ((p - q) * margin) ** 2 * self.false_answer

    @property
    def n_words(self) -> int:
        """How many words of 32 bits a report takes: one a question for the lot, then the draws."""
        return len(self.columns) + sum(one.n_draws for one in self.columns)

    def report(self, codes: IntArray, words: IntArray) -> Bits:
        """Return reports, (n, marks), of records (n, d), from (n, n_words) words below 2^32."""
        d = len(self.columns)
        order = np.where(self._disguised, words[:, :d], -1)  # what is open is always told
        asked = self.asked + d - sum(self._disguised)
        lot = order.argsort(axis=1, kind="stable").argsort(axis=1) < asked
        marks, at = [], d
        for j, one in enumerate(self.columns):
            told = one.tell(codes[:, j], words[:, at : at + one.n_draws])
            marks += [lot[:, j : j + 1], told * lot[:, j : j + 1]]
            at += one.n_draws
        return np.hstack(marks).astype(np.int8)

    def pack(self, answers: Sequence[Answer]) -> bytes:
        """Return a report as it is stored.

        Raises
        ------
        SurveyError
            If it is none that this channel gives.
        """
        marks, d = np.zeros(self.starts[-1], dtype=bool), len(self.columns)
        drawn = [one.kind != "open" and answer is not None
                 for answer, one in zip(answers, self.columns, strict=False)]
        rule = f"answers must be {d}, all open ones and {self.asked} others told, null for the rest"
        demand(len(answers) == d and sum(drawn) == self.asked, rule, len(answers), SurveyError)
        for at, answer, one in zip(self.starts[:-1], answers, self.columns, strict=True):
            if answer is None and one.kind != "open":
                continue
            values = answer if isinstance(answer, list) else [-1 if answer is None else answer]
            if (values is answer) != (one.kind == "unary") or not ascending(values, one.n_values):
                what = "ascending values" if one.kind == "unary" else "a value"
                raise SurveyError(f"answers must be {what} in [0, {one.n_values - 1}] of "
                                  f"{one.name}, or null")
            marks[[at, *(at + 1 + h for h in values)]] = True
        return np.packbits(marks).tobytes()

    def answers(self, marks: Bits) -> list[Answer]:
        """Return one report, (marks,), as its message has it."""
        report: list[Answer] = []
        for (start, end), column in zip(pairwise(self.starts), self.columns, strict=True):
            values = np.flatnonzero(marks[start + 1 : end]).tolist()
            told = values[0] if column.kind != "unary" and values else values
            report.append(told if marks[start] else None)
        return report


def _check_asked(asked: int, questions: int) -> None:
    demand(1 <= asked <= questions, f"asked must be in [1, {questions}]", asked)


def _column(name: str, k: int, epsilon: float, certain: bool) -> Column:
    """Return the column of the smaller error, where all values are alike frequent."""
    if certain:
        return Column(name=name, kind="open", n_values=k, own=WHOLE, other=0)
    best = choose_scheme(1_000, one_of=k, proportion=1 / k, epsilon=epsilon).best.scheme
    # rounded so that the epsilon is never more than was promised
    if best == "unary encoding":
        lie = ceil(WHOLE / (np.exp(epsilon) + 1))
        return Column(name=name, kind="unary", n_values=k, own=WHOLE // 2, other=lie)
    lie = ceil(WHOLE / (np.exp(epsilon) + k - 1))
    return Column(name=name, kind="k-ary", n_values=k, own=WHOLE - (k - 1) * lie, other=lie)


class Estimate(NamedTuple):
    """Shares, and the middle and half the width (the margin) of their 95% intervals."""

    n: int
    shares: FloatArray
    middles: FloatArray
    margins: FloatArray


class Tally:
    """Counts of reports, which add up: how often any two marks of a report stand together.

    Parameters
    ----------
    channel : CoinChannel
    """

    def __init__(self, channel: CoinChannel) -> None:
        self.channel = channel
        self.n_reports = 0
        self._joint = np.zeros((channel.starts[-1],) * 2)

    def add(self, marks: Bits) -> None:
        """Count reports, (n, marks)."""
        rows = marks.astype(np.float64)  # whole numbers: exact, and quicker than integers
        self._joint = self._joint + rows.T @ rows  # anew: others may be reading
        self.n_reports += len(marks)

    def question(self, j: int, among: int | None = None) -> Estimate:
        """Return the shares of one question among those who were asked it; ``among`` a mark's.

        Shares and intervals are those of ``ppdm.reconstruction.estimate_frequencies``: Wilson's of
        how many reports support a value, carried back. Where 15 people were asked at epsilon 1 to 4
        it holds the true share 95 to 96 times of 100, in the mean over shares of 0, .01, ..., 1.
        """
        counts = np.diag(self._joint) if among is None else self._joint[among]
        n, *told = counts[slice(*self.channel.starts[j : j + 2])]
        p, q = self.channel.columns[j].chances
        if n < 2:
            unknown = np.full(len(told), np.nan)
            return Estimate(int(n), unknown, unknown, unknown)
        seen, more = np.array(told) / n, _Z**2 / n
        middles = (seen + more / 2) / (1 + more)
        margins = np.sqrt(more * (seen * (1 - seen) + more / 4)) / (1 + more)
        return Estimate(int(n), (seen - q) / (p - q), (middles - q) / (p - q), margins / (p - q))


def left_out(asked: Sequence[int]) -> set[int]:
    """Return which groups are not shown: those of few, and the smallest others until they are many.

    Shares of all, less those of the groups shown, are what the ones left out say together.
    """
    hidden, together = set[int](), 0
    for group in np.argsort(asked, kind="stable"):
        if asked[group] >= FEWEST and (not together or together >= FEWEST):
            break
        hidden.add(int(group))
        together += asked[group]
    return hidden


def grouped(survey: Survey, tally: Tally, margin: float) -> dict[str, list[dict[str, Any]]]:
    """Return what is shown of each group, by the name and the values of the first open question.

    By one alone: groups of two questions can be subtracted from each other.
    """
    first = [(j, one) for j, one in enumerate(survey.attributes) if one.open][:1]
    groups = {f"{one.name}={value}":
              described(survey, tally, margin, among=int(tally.channel.starts[j]) + 1 + h)
              for j, one in first for h, value in enumerate(one.values)}
    hidden = [left_out([one["n"] for one in each]) for each in zip(*groups.values(), strict=True)]
    return {name: [one for one, few in zip(group, hidden, strict=True) if h not in few]
            for h, (name, group) in enumerate(groups.items())}


def described(survey: Survey, tally: Tally, margin: float, *, clear: bool = False,
              among: int | None = None) -> list[dict[str, Any]]:
    """Return what is published of each disguised question, ready for JSON; ``clear``: of all."""
    questions = []
    for j, asked in enumerate(survey.attributes):
        if asked.open and not clear:
            continue
        n, shares, middles, margins = tally.question(j, among)
        few = n < (FEWEST if asked.open else 2)  # two open answers would be read as they are
        numbers = {"share": shares, "from": middles - margins, "to": middles + margins}
        wanted = tally.n_reports * ((margins.max() / margin) ** 2 - 1)
        questions.append({
            "name": asked.name, "label": asked.label, "n": n,
            "margin": None if few else float(margins.max()),
            "more_people": None if few else max(0, ceil(wanted)),
            "values": [{"value": value, "label": asked.labels[h], **{
                key: None if few else float(each[h]) for key, each in numbers.items()}}
                       for h, value in enumerate(asked.values)]})
    return questions


def published(survey: Survey, tally: Tally, *, margin: float, batch_size: int,
              closed: bool = False) -> dict[str, Any]:
    """Return what is known of a survey, ready for JSON: the miner's page and an export have it.

    While it is open, two of these differ by a batch: what is open has no shares before its end, or
    whoever filled a batch but for one would read that one.
    """
    channel = tally.channel
    of_channel = ("epsilon", "asked", "hash", "liar", "false_answer")
    return {"title": survey.title, "n_reports": tally.n_reports, "batch_size": batch_size,
            "margin": margin, **{name: getattr(channel, name) for name in of_channel},
            "fingerprint": survey.fingerprint("coin", channel.hash),
            "questions": described(survey, tally, margin, clear=closed)}

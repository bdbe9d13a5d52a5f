"""Which scheme, and when none: what each can promise, and how far its estimates would be off.

:func:`compare_schemes` holds the schemes of this book against one wish: so many people, these
attributes, and a bound on how much a report may say about anybody.

All errors are standard errors of a share of one half, where a survey in the clear errs most,
estimated without bias. A provider's scheme is judged by the error from one person's report: that
of n people is smaller by sqrt(n).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ppdm import _validation as check
from ppdm._budget import theta_at
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.typing import FloatArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "SchemeRow", "compare_schemes"]

_LINKING = "averaging over repeated reports; guessing one answer from the others'"
_ANOTHER_LOT = "asking again with a new lot; guessing one answer from the others'"
_CURATOR = "whoever reads what the curator holds; counting again and again"
#: Noise on numbers is shown for so many intervals at most: its error takes a decomposition.
_MOST_INTERVALS = 64
#: For attributes that are numbers.
_NUMBERS = ("Square Wave", "Laplace noise")

#: Cells of an interval of true values where noise is looked at: enough to lose nothing, or hardly
#: anything of Square Wave, whose channel is bound to intervals that are as fine.
_CELLS, _WAVE_CELLS = 64, 16
#: A larger epsilon Square Wave does not take.
_WAVE_EPSILON = 20.0
#: The epsilon of one answer, of several by lot, at which a share is known best: sinh x = 2 x.
_ONE_ANSWER = 2.17732
#: Beyond this condition number of a channel nothing can be told from its reports.
_HOPELESS = 1e10
#: Schemes that promise no odds: whom they ask to trust, and why not.
_CANNOT_PROMISE = {
    "groups that share a coin": (
        "nobody",
        "a report is never that of a record which is neither it nor its complement",
        "complement decoding",
    ),
    "uniform noise": ("nobody", "a report rules out whatever is further away", "the posterior"),
    "Gaussian noise": (
        "nobody",
        "odds are bounded but for a probability delta, and only on a bounded range",
        "averaging over repeated reports; the posterior",
    ),
    "guided perturbation": (
        "nobody",
        "a projection above one is cut, and that bit is certain",
        "a miner that sends the guidance it likes; the posterior",
    ),
    "private tree": (
        "curator",
        "odds are bounded but for a probability delta",
        "whoever reads what the curator holds; releasing again and again",
    ),
    "BSVD and SSVD": (
        "curator",
        "nothing in the release is random",
        "leave one out, by whoever knows the other records",
    ),
    "invented records": (
        "curator",
        "their classes are those of classifiers that learned the records",
        "leave one out, by whoever knows the other records and learns the classifiers again",
    ),
}


@dataclass(frozen=True, kw_only=True)
class SchemeRow:
    """One scheme and what it comes to.

    Attributes
    ----------
    scheme : str
    trust : str
        Whom a provider must trust with the clear record: ``"nobody"`` or the ``"curator"``.
    verdict : str
        ``"yes"``, ``"none"`` (it errs by more than was asked) or ``"cannot promise"``.
    noise : str
        The setting at these odds; why there is none where it cannot promise.
    error : float
        Standard error of an attribute's share within the smaller class, of the attribute
        that is worst off; NaN where the scheme cannot promise.
    people : float
        From how many people on, the class included, the error is as asked for.
    not_stopped : str
        Attacks that the scheme does not stop.
    """

    scheme: str
    trust: str
    verdict: str
    noise: str
    error: float = math.nan
    people: float = math.nan
    not_stopped: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What :func:`compare_schemes` found.

    Attributes
    ----------
    rows : tuple of SchemeRow
        Those that can promise first, by their error.
    nobody, curator : str
        The scheme of the least error among those with the verdict yes, if the providers trust
        nobody, or a curator: its name, or ``"none"``.
    epsilon : float
        Of the record: the logarithm of the odds.
    """

    rows: tuple[SchemeRow, ...]
    nobody: str
    curator: str
    epsilon: float

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
        lines = [f"{'scheme':25}{'trust':9}{'verdict':16}{'error':>7}{'people':>11}  noise"]
        for row in self.rows:
            error = "" if math.isnan(row.error) else f"{row.error:.3f}"
            people = "" if math.isnan(row.people) else f"{row.people:,.0f}"
            lines.append(
                f"{row.scheme:25}{row.trust:9}{row.verdict:16}{error:>7}{people:>11}  {row.noise}"
            )
        return "\n".join([*lines, f"trusting nobody: {self.nobody}; a curator: {self.curator}"])


def compare_schemes(
    n_values: int | Sequence[int],
    n: int,
    odds: float,
    *,
    error: float = 0.05,
    smaller: float = 0.3,
) -> Comparison:
    r"""Say which scheme does what is asked for, and when none does.

    Asked for is the least that a classifier needs: each attribute's share within each class,
    the class being public. The smaller class is the harder one.

    Parameters
    ----------
    n_values : int or list of int
        How many values each attribute has, 2 or more: an int for a single attribute.
    n : int >= 1
        People, of both classes.
    odds : float > 1
        The largest factor by which a report may move anybody's odds of any two records. It
        is e^epsilon of the record; the attributes that a scheme without a curator asks for
        share it evenly.
    error : float in (0, 0.5), default=0.05
        The standard error wanted for a share within the smaller class.
    smaller : float in (0, 0.5], default=0.3
        The smaller class's part of all people. It must be assumed beforehand; 0.3 is near
        that of most data in this book (0.24 to 0.5).

    Returns
    -------
    Comparison
        A row for each scheme, and the best one with and without a curator.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range.

    Notes
    -----
    Errors are those of unbiased estimates of a share of one half, sampling included. With t
    and f the probabilities that a report names a value, of one who has it and of one who has
    not, the standard error from m people is

    .. math:: \frac{\sqrt{r (1 - r) / m}}{t - f}, \qquad r = \frac{t + f}{2}

    Where all attributes have two values, people may be asked some of them only, drawn by lot: as
    many as make the error least. Square Wave and Laplace noise are for attributes that are numbers,
    cut into as many equal intervals, at most 64; they are shown, and are never the best, since
    nothing here says that these are numbers. A curator's counts change by 1 for each attribute of
    two values when one record changes, and by 2 for each other one.

    Nothing here says how well a class is named: what the schemes reached on data sets, and what
    attacks got out of them, is measured in the book.

    Examples
    --------
    Sixteen yes-or-no answers of 1,000 people, and odds that move by no more than a hundred:

    >>> from ppdm.compare import compare_schemes
    >>> asked = compare_schemes([2] * 16, 1_000, odds=100)
    >>> asked.nobody, asked.curator
    ('none', 'central counts')
    >>> row = next(row for row in asked.rows if row.scheme == 'one coin an attribute')
    >>> row.scheme, row.noise, round(row.error, 3), f"{row.people:,.0f}"
    ('one coin an attribute', 'theta 0.571', 0.202, '16,318')

    Who asks each person two of the sixteen needs a quarter of the people:

    >>> best = compare_schemes([2] * 16, 16_318, odds=100)
    >>> best.nobody, best.rows[1].noise, f"{best.rows[1].people:,.0f}"
    ('some asked', 'ask 2 of 16, theta 0.909', '3,984')
    """
    sizes = check.sizes(n_values, "n_values", None, low=2)
    n = check.given("compare.n", n)
    epsilon = math.log(check.given("odds", odds))
    wanted = check.given("compare.error", error)
    part = check.given("smaller", smaller)
    able = []
    for scheme, noise, one, not_stopped in _reports(sizes, epsilon):
        reached, people = one / math.sqrt(part * n), (one / wanted) ** 2
        able.append((scheme, "nobody", noise, reached, people, not_stopped))
    moves = sum(1 if k == 2 else 2 for k in sizes)
    noise = f"scale {moves / epsilon:.3g} people on each count"
    reached = central_error(part * n, moves, epsilon)
    people = central_people(wanted, moves, epsilon)
    able.append(("central counts", "curator", noise, reached, people, _CURATOR))
    rows = [
        SchemeRow(
            scheme=scheme,
            trust=trust,
            verdict="yes" if reached < wanted else "none",
            noise=noise,
            error=reached,
            people=float(np.floor(people / part) + 1),  # the least whole number that is larger
            not_stopped=not_stopped,
        )
        for scheme, trust, noise, reached, people, not_stopped in sorted(able, key=lambda s: s[3])
    ]
    usable = [row for row in rows if row.verdict == "yes" and row.scheme not in _NUMBERS]
    rows += [
        SchemeRow(
            scheme=name, trust=trust, verdict="cannot promise", noise=why, not_stopped=attacks
        )
        for name, (trust, why, attacks) in _CANNOT_PROMISE.items()
    ]
    return Comparison(
        rows=tuple(rows),
        nobody=next((row.scheme for row in usable if row.trust == "nobody"), "none"),
        curator=usable[0].scheme if usable else "none",
        epsilon=epsilon,
    )


def _reports(sizes: list[int], epsilon: float) -> Iterator[tuple[str, str, float, str]]:
    """Yield each scheme without a curator whose reports move odds by a bounded factor.

    Its name, its setting, the error from one person's report about the attribute that is worst
    off, and the attacks that it does not stop.
    """
    d, different = len(sizes), sorted(set(sizes))
    each, only_bits = epsilon / d, different == [2]
    thetas = [f"{theta_at(each, k):.3g}" for k in different]
    theta = thetas[0]
    if len(different) > 1:
        theta = ", ".join(f"{t} of {k} values" for t, k in zip(thetas, different, strict=True))
    coin = "one coin an attribute" if only_bits else "k-ary response"
    one = max(kary_error(k, each) for k in different)
    yield coin, f"theta {theta}", one, _LINKING
    noise = f"epsilon {each:.3g} an attribute"
    yield "unary encoding", noise, unary_error(each), _LINKING
    if only_bits and d > 1:  # after the coin, which wins a tie
        s = most_useful(d, epsilon)
        asked = f"ask {s} of {d}, theta {theta_at(epsilon / s, 2):.3g}"
        yield "some asked", asked, asked_error(d, epsilon, s), _ANOTHER_LOT
    if different[-1] <= _MOST_INTERVALS:
        wave, laplace = (max(f(k, each) for k in different) for f in (wave_error, laplace_error))
        yield "Square Wave", f"{noise}, of numbers", wave, _LINKING
        yield "Laplace noise", f"scale {1 / each:.3g} ranges, of numbers", laplace, _LINKING


def kary_error(k: int, epsilon: float) -> float:
    """Return the error of a code kept with probability theta, else replaced by any other."""
    theta = theta_at(epsilon, k)
    return _of_reports(theta, (1 - theta) / (k - 1))


def asked_error(d: int, epsilon: float, asked: int) -> float:
    """Return the error of one of d bits where each person is asked ``asked`` of them, by lot.

    The epsilon is a record's, shared by those answers; there are d / asked times fewer of each. The
    estimate is that of the channel's inverse matrix, of which this is the error exactly.

    Examples
    --------
    >>> round(asked_error(16, 1.0, 16), 2), round(asked_error(16, 1.0, 1), 2)
    (16.01, 4.33)
    """
    return float(np.sqrt(d / asked)) * kary_error(2, epsilon / asked)


def most_useful(d: int, epsilon: float) -> int:
    """Return how many of d bits to ask each person: the number with the least error.

    Examples
    --------
    >>> [most_useful(16, epsilon) for epsilon in (1, 4, 8, 80)]
    [1, 2, 4, 16]
    """
    about = int(epsilon // _ONE_ANSWER)  # the error falls before it and rises after
    near = {min(max(asked, 1), d) for asked in (about, about + 1)}
    return min(near, key=lambda asked: asked_error(d, epsilon, asked))


def unary_error(epsilon: float) -> float:
    """Return the error of a value's own bit of unary encoding, whatever the number of values."""
    return _of_reports(0.5, float(expit(-epsilon)))


def _of_reports(true: float, false: float) -> float:
    """Return the error where a report says "has it" so often of those who do and do not.

    Of a share of one half the reports have share (true + false) / 2; what they miss by is
    stretched by 1 / (true - false).
    """
    reported = (true + false) / 2
    gap = true - false
    return float(np.sqrt(reported * (1 - reported)) / gap) if gap > 0 else float("inf")


def laplace_error(k: int, epsilon: float) -> float:
    """Return the least error of the middle one of k equal intervals, without bias, under noise.

    The noise has scale range / epsilon. Half of the people are in the middle interval, the
    others spread evenly over the other ones. The error is that of the best estimate that is
    linear in the counts of what was released (Gauss and Markov's, weighted by their spread).
    """
    return _best_linear(laplace_channel(k, epsilon))


def wave_error(k: int, epsilon: float) -> float:
    """Return that error under Square Wave. It may rise a little with epsilon.

    Its noise is of bounded width, and some widths suit the intervals better than others.
    """
    return _best_linear(wave_channel(k, epsilon))


def _best_linear(matrix: FloatArray) -> float:
    """Return the error of the middle interval, whose share is one half, from such reports."""
    k = matrix.shape[1]
    shares = middle_shares(k)
    reported = matrix @ shares
    weighted = matrix / np.sqrt(reported)[:, np.newaxis]
    if np.linalg.cond(weighted) > _HOPELESS:
        return float("inf")
    inverse = np.linalg.pinv(weighted)  # (W'W)^-1 = W+ W+'
    j = k // 2
    return float(np.sqrt(inverse[j] @ inverse[j] - shares[j] ** 2))


def middle_shares(k: int) -> FloatArray:
    """Return one half for the middle interval, the rest shared evenly by the others."""
    shares = np.full(k, 0.5 / (k - 1))
    shares[k // 2] = 0.5
    return shares


def laplace_channel(k: int, epsilon: float) -> FloatArray:
    """P[released cell | interval] for k equal intervals of a range of 1.

    Every report below the range says the same, and every one above: one cell each.
    """
    edges = np.linspace(0, 1, k + 1)
    cells = np.concatenate([[-1.0], np.linspace(0, 1, _CELLS * k + 1), [2.0]])
    noise = AdditiveNoise("laplace", scale=1 / epsilon)
    return noise.on(edges, cells=cells).channel_matrix()


def wave_channel(k: int, epsilon: float) -> FloatArray:
    """P[released cell | interval] for k equal intervals of a range of 1, values spread evenly."""
    wave = SquareWave(min(epsilon, _WAVE_EPSILON), domain=[[0, 1]])
    fine = wave.on(np.linspace(0, 1, _WAVE_CELLS * k + 1)).channel_matrix()
    return np.asarray(fine.reshape(len(fine), k, _WAVE_CELLS).mean(axis=2))


def central_error(n: float, moves: float, epsilon: float) -> float:
    """Return the error of a share of n people from a count with Laplace noise.

    ``moves`` is by how much one record changes all released counts together; the noise has
    scale moves / epsilon.
    """
    return float(np.sqrt(0.25 / n + 2 * (moves / (epsilon * n)) ** 2))


def central_people(error: float, moves: float, epsilon: float) -> float:
    """Return from how many people a curator's count has this error."""
    noise = 2 * (moves / epsilon) ** 2
    return float((0.25 + np.sqrt(0.0625 + 4 * error**2 * noise)) / (2 * error**2))

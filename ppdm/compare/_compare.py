"""Which scheme, and when none, for one wish."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm.compare import _errors
from ppdm.compare._measured import nearest
from ppdm.compare._result import Comparison, SchemeRow

_LINKING = "averaging over repeated reports; guessing one answer from the others'"
_ANOTHER_LOT = "asking again with a new lot; guessing one answer from the others'"
#: Noise on numbers is shown for so many intervals at most: its error takes a decomposition.
MOST_INTERVALS = 64
_CODES = ("one coin an attribute", "k-ary response")
#: For attributes that are numbers.
_NUMBERS = ("Square Wave", "Laplace noise")

#: Schemes that promise no odds: whom they ask to trust, and why not.
CANNOT_PROMISE = {
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
    ImportError
        If pandas is missing, which reads what was measured.

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

    Accuracy and attacks are what the table ``frontier`` has of the nearest data set; on other
    data they will differ.

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
    >>> row.dataset, round(row.accuracy, 2), round(row.larger_class, 2)
    ('voting', 0.89, 0.61)

    Who asks each person two of the sixteen needs a quarter of the people:

    >>> best = compare_schemes([2] * 16, 16_318, odds=100)
    >>> best.nobody, best.rows[1].noise, f"{best.rows[1].people:,.0f}"
    ('some asked', 'ask 2 of 16, theta 0.909', '3,984')
    """
    values = check.sizes(n_values, "n_values", None, low=2)
    people = check.integer(n, "n", low=1)
    epsilon = math.log(check.number(odds, "odds", low=1, inclusive="neither"))
    wanted = check.number(error, "error", low=0, high=0.5, inclusive="neither")
    part = check.number(smaller, "smaller", low=0, high=0.5, inclusive="high")
    asked = _Asked(values=values, n=people, epsilon=epsilon, error=wanted, smaller=part)
    able = sorted(_promising(asked), key=lambda row: row.error)
    unable = [
        SchemeRow(
            scheme=name, trust=trust, verdict="cannot promise", noise=why, not_stopped=attacks
        )
        for name, (trust, why, attacks) in CANNOT_PROMISE.items()
    ]
    usable = [row for row in able if row.verdict == "yes" and row.scheme not in _NUMBERS]
    alone = [row.scheme for row in usable if row.trust == "nobody"]
    return Comparison(
        rows=(*able, *unable),
        nobody=alone[0] if alone else "none",
        curator=usable[0].scheme if usable else "none",
        epsilon=epsilon,
    )


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A checked wish."""

    values: list[int]
    n: int
    epsilon: float
    error: float
    smaller: float


def _promising(asked: _Asked) -> list[SchemeRow]:
    """Return the rows of the schemes whose reports move odds by a bounded factor."""
    each = asked.epsilon / len(asked.values)
    sizes = sorted(set(asked.values))
    thetas = [f"{_errors.kary_theta(k, each):.3g}" for k in sizes]
    theta = thetas[0]
    if len(sizes) > 1:
        theta = ", ".join(f"{t} of {k} values" for t, k in zip(thetas, sizes, strict=True))
    code = _CODES[0] if sizes == [2] else _CODES[1]
    rows = [
        _of_each(asked, code, _CODES, f"theta {theta}", _errors.kary_error),
        _of_each(
            asked,
            "unary encoding",
            ("unary encoding",),
            f"epsilon {each:.3g} an attribute",
            lambda k, epsilon: _errors.unary_error(epsilon),
        ),
        _central(asked),
    ]
    if sizes == [2] and len(asked.values) > 1:  # after the coin, which wins a tie
        rows.append(_some_asked(asked))
    if sizes[-1] <= MOST_INTERVALS:
        noises = f"epsilon {each:.3g} an attribute", f"scale {1 / each:.3g} ranges"
        errors = _errors.wave_error, _errors.laplace_error
        for scheme, noise, error_of in zip(_NUMBERS, noises, errors, strict=True):
            rows.append(_of_each(asked, scheme, (scheme,), f"{noise}, of numbers", error_of))
    return rows


def _of_each(
    asked: _Asked,
    scheme: str,
    measured: tuple[str, ...],
    noise: str,
    error_of: Callable[[int, float], float],
) -> SchemeRow:
    """Return the row of a scheme that disguises each attribute by itself."""
    each = asked.epsilon / len(asked.values)
    one = max(error_of(k, each) for k in set(asked.values))
    seen = nearest(measured, asked.n, len(asked.values), each)
    return _of_people(asked, scheme, noise, one, seen, _LINKING)


def _some_asked(asked: _Asked) -> SchemeRow:
    """Return the row of coins for as many answers as make the error least, drawn by lot."""
    d = len(asked.values)
    s = _errors.most_useful(d, asked.epsilon)
    one = _errors.asked_error(d, asked.epsilon, s)
    theta = _errors.kary_theta(2, asked.epsilon / s)
    # with more than one the comparison has none
    seen = nearest(("one asked",), asked.n, d, asked.epsilon / d) if s == 1 else None
    noise = f"ask {s} of {d}, theta {theta:.3g}"
    return _of_people(asked, "some asked", noise, one, seen, _ANOTHER_LOT)


def _of_people(
    asked: _Asked, scheme: str, noise: str, one: float, seen: Any, not_stopped: str
) -> SchemeRow:
    """Return the row of a scheme without a curator, from the error of one person's report."""
    error = one / math.sqrt(asked.smaller * asked.n)
    needed = _more_than((one / asked.error) ** 2 / asked.smaller)
    return _row(asked, scheme, "nobody", noise, error, needed, seen, not_stopped)


def _central(asked: _Asked) -> SchemeRow:
    """Return the row of a curator who publishes counts with Laplace noise."""
    moves = sum(1 if k == 2 else 2 for k in asked.values)
    error = _errors.central_error(asked.smaller * asked.n, moves, asked.epsilon)
    needed = _errors.central_people(asked.error, moves, asked.epsilon) / asked.smaller
    d = len(asked.values)
    seen = nearest(("central counts",), asked.n, d, asked.epsilon / d)
    noise = f"scale {moves / asked.epsilon:.3g} people on each count"
    stop = "whoever reads what the curator holds; counting again and again"
    return _row(asked, "central counts", "curator", noise, error, _more_than(needed), seen, stop)


def _row(
    asked: _Asked,
    scheme: str,
    trust: str,
    noise: str,
    error: float,
    people: float,
    seen: Any,
    not_stopped: str,
) -> SchemeRow:
    names = ("dataset", "accuracy", "larger_class", "attack_gain")
    return SchemeRow(
        scheme=scheme,
        trust=trust,
        verdict="yes" if error < asked.error else "none",
        noise=noise,
        error=error,
        people=people,
        not_stopped=not_stopped,
        **({name: getattr(seen, name) for name in names} if seen else {}),
    )


def _more_than(people: float) -> float:
    """Return the least whole number of people that is larger."""
    return float(np.floor(people) + 1)

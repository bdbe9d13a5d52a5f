"""What a single report may say about its provider: epsilon, and odds before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._budget import epsilon_of
from ppdm.channel import Channel
from ppdm.privacy._information import channel_and_prior
from ppdm.typing import Changes, FloatArray


def local_epsilon(*channels: Any, changes: Changes = "record") -> float:
    """Return the epsilon of local differential privacy of what a provider releases.

    The largest logarithm of a ratio P[released | one truth] / P[released | another truth]:
    what a single report can say about its provider, to an adversary who knows anything else.
    Where some report is possible under one truth and impossible under another it is infinite.

    An epsilon is of something, and numbers for different things must not be compared: the two
    truths are records that differ in what ``changes``.

    Parameters
    ----------
    *channels : Channel or array-like of shape (n_released, n_true)
        Independent parts of one record. A matrix P[released | true], columns summing to one,
        is one part; a :class:`ppdm.channel.Channel` says itself what its parts are (its
        ``record_channels``).
    changes : {"record", "group", "attribute", "bit"}, default="record"
        "record": all attributes at once, and the class where it is disguised, too; the epsilons
        of the parts add up. "group": one
        part, that is the attributes that share a coin; the others stay. "attribute": one
        attribute, when all others stay and all that was released is seen. "bit": one
        released bit is all that is seen, or one code, and the truth behind it changes. This
        last is what schemes are advertised by, and it bounds none of the others.

    Returns
    -------
    float
        In [0, inf], in nats. 0 says that the reports do not depend on the truth.

    Raises
    ------
    ValueError
        If no channel is given, one has a negative entry, or a column that does not sum to
        one, or ``changes`` is none of these.

    See Also
    --------
    compose : Several releases of one record. gaussian_epsilon : Gaussian noise, which has none.
    audit_epsilon : A lower bound, from draws.

    Notes
    -----
    The related-question model has ``|ln(theta / (1 - theta))|`` for one attribute, and N times
    that for N attributes with a coin each. For a group of two or more attributes it is
    infinite at every theta, even 1/2: 01 may have come from 01 or 10, and never from 11. A class
    that is public is no part of the record. DZ03 (section 5.3) and ZCM04
    (section 4.3) judge by the single attribute, seen by itself.

    Examples
    --------
    >>> from ppdm.privacy import local_epsilon
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> round(local_epsilon([[0.7, 0.3], [0.3, 0.7]]), 4)
    0.8473
    >>> each = RandomizedResponse(0.7, groups=[[0], [1], [2]]).fit([[0, 1, 1]])
    >>> round(local_epsilon(each), 4), round(local_epsilon(each, changes="attribute"), 4)
    (2.5419, 0.8473)
    >>> shared = RandomizedResponse(0.7, groups=[[0, 1], [2]]).fit([[0, 1, 1]])
    >>> local_epsilon(shared, changes="attribute"), round(local_epsilon(shared, changes="bit"), 4)
    (inf, 0.8473)
    >>> local_epsilon(RandomizedResponse(0.7, class_group=0).fit([[0]]))
    inf
    """
    check.given("changes", changes)
    check.demand(channels, "local_epsilon needs at least one channel", channels)
    if changes == "record":
        return float(sum(
            channel.record_epsilon() if isinstance(channel, Channel) else _epsilon(channel)
            for channel in channels
        ))  # fmt: skip
    return max(_epsilon(part) for channel in channels for part in _parts(channel, changes))


def _parts(channel: Any, changes: str) -> list[Any]:
    """Return what shows the change; anything but a Channel is one part by itself."""
    if not isinstance(channel, Channel):
        return [channel]
    if changes == "attribute":
        return channel.attribute_channels()
    if changes != "bit":
        return channel.record_channels()
    if hasattr(channel, "bit_channel"):
        return [channel.bit_channel()]
    return Channel.record_channels(channel)  # each attribute's, whatever they share


def _epsilon(channel: Any) -> float:
    matrix = check.channel(channel)
    check.of_shape(matrix, (None, None), "channel must be one matrix (give several one by one)")
    return epsilon_of(matrix)


@dataclass(frozen=True, eq=False, kw_only=True)
class PosteriorOdds:
    """By how much each report moves an adversary's odds.

    Attributes
    ----------
    before : float
        The odds without a report.
    after : ndarray of shape (S,)
        The odds after each report; NaN where it is impossible either way.
    factor : ndarray of shape (S,)
        ``after / before``.
    largest : float
        The largest factor, up or down: at least 1, and at most e^epsilon.
    """

    before: float
    after: FloatArray
    factor: FloatArray
    largest: float


def posterior_odds(
    channel: Any, prior: ArrayLike, truths: int | Sequence[int], *, feature: int | str | None = None
) -> PosteriorOdds:
    """Return the odds of some true values against all others, before and after each report.

    Epsilon bounds the factor by which a report moves them, for every prior and every
    property. It does not bound where they end: odds of 1 to 1000 that rise tenfold are still
    small, and a property that nearly everybody has was no secret before.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        P[released | true]; columns sum to one.
    prior : array-like of shape (m,)
        The distribution of the true values as the adversary believes it.
    truths : int or sequence of int
        The true values of which the odds are asked: a property.
    feature : int or str, default=None
        The attribute of a Channel, by number or name; needed where its attributes differ.

    Returns
    -------
    PosteriorOdds

    Raises
    ------
    ValueError, TypeError
        If a column of the channel or the prior does not sum to one; if a value does not
        exist, or either side has probability zero: no report moves the odds of what is
        impossible.

    See Also
    --------
    local_epsilon : The logarithm of the largest factor over all properties and priors.

    Examples
    --------
    One in ten has the property, and says so with probability .7:

    >>> odds = posterior_odds([[0.7, 0.3], [0.3, 0.7]], [0.9, 0.1], truths=1)
    >>> round(odds.before, 3), odds.after.round(3), round(odds.largest, 3)
    (0.111, array([0.048, 0.259]), 2.333)
    """
    matrix, belief = channel_and_prior(channel, prior, feature)
    one = np.zeros(len(belief), dtype=np.bool_)
    for value in np.atleast_1d(check.plain(truths, "truths")):
        one[check.integer(value, "truths", low=0, high=len(belief) - 1)] = True
    for side, name in ((one, "truths"), (~one, "all others")):
        check.demand(belief[side].any(), f"prior must give {name} a probability above 0", 0)
    before = float(belief[one].sum() / belief[~one].sum())
    high, low = matrix[:, one] @ belief[one], matrix[:, ~one] @ belief[~one]
    with np.errstate(divide="ignore", invalid="ignore"):
        after = high / low
        factor = after / before
        largest = float(np.exp(np.nanmax(np.abs(np.log(factor)))))
    return PosteriorOdds(before=before, after=after, factor=factor, largest=largest)

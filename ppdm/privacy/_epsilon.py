"""Epsilon of local differential privacy, and what it is the epsilon of."""

from __future__ import annotations

from typing import Any

from ppdm import _validation as check
from ppdm._budget import epsilon_of
from ppdm.typing import Changes, FloatArray


def local_epsilon(
    *channels: Any, changes: Changes = "record"
) -> float:
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
        "record": all attributes at once; the epsilons of the parts add up. "group": one
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
    infinite at every theta, even 1/2: 01 may have come from 01 or 10, and never from 11. It
    is infinite for (record, class) where the class is public. DZ03 (section 5.3) and ZCM04
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
    >>> together = RandomizedResponse(0.7, class_group=0).fit([[0]])
    >>> round(local_epsilon(together), 4)
    0.8473
    >>> local_epsilon(*together.record_channels(with_class=True))
    inf
    """
    check.option(changes, "changes", tuple(_PARTS))
    if not channels:
        raise ValueError("local_epsilon needs at least one channel, got none")
    each = [_largest_ratio(part) for channel in channels for part in _parts(channel, changes)]
    return float(sum(each) if changes == "record" else max(each))


#: Whom to ask what may change: the first of these methods that a channel has.
_PARTS = {
    "record": ("record_channels",),
    "group": ("record_channels",),
    "attribute": ("attribute_channels", "record_channels"),
    "bit": ("bit_channel",),
}


def _parts(channel: Any, changes: str) -> list[Any]:
    for name in _PARTS[changes]:
        if hasattr(channel, name) and not isinstance(channel, type):
            found = getattr(channel, name)()
            return list(found) if isinstance(found, list) else [found]
    if changes == "bit" and hasattr(channel, "channel_matrix"):
        return [channel.channel_matrix(j) for j in range(getattr(channel, "n_features_in_", 1))]
    return [channel]


def _largest_ratio(channel: Any) -> float:
    matrix: FloatArray = check.channel(channel)
    if matrix.ndim != 2:
        raise ValueError(
            f"channel must be one matrix, got shape {matrix.shape}: give several one by one"
        )
    return epsilon_of(matrix)

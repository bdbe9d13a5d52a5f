"""Where reports meet their scheme: what was released of one attribute, and by whom.

What is given as a channel becomes one here, a matrix P[released | true] too. What comes after is
about one attribute, and carries no ``feature``.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from ppdm import _validation as check
from ppdm.channel._channel import Channel, _Attribute
from ppdm.typing import AnyArray, BoolArray, Codes, FloatArray


class _Matrices(Channel):
    """Plain matrices P[released | true], one for each attribute."""

    def __init__(self, matrices: list[FloatArray]) -> None:
        self.matrices, self.n_features_in_ = matrices, len(matrices)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        return check.of_feature(self.matrices, feature, self.n_features_in_)


class Answers(NamedTuple):
    """What was released of one attribute, by who answered it."""

    channel: Channel
    """The channel of the attribute alone, of who was asked it."""
    block: AnyArray
    """Its columns of the reports, of who answered, (n, w)."""
    answered: BoolArray
    """Who of all people did, (n_people,)."""
    called: str
    """What an error calls the attribute."""
    name: str
    """What it calls the reports."""

    def codes(self) -> Codes:
        """Return which row of the attribute's matrix each answer is, (n,)."""
        with self._naming():
            return self.channel.codes_of(self.block)

    def count_support(self, weight: FloatArray | None = None) -> AnyArray:
        """Count how many answers do not support each value, and how many do, (k, 2)."""
        with self._naming():
            return self.channel.count_support(self.block, weight=weight)

    def _naming(self) -> AbstractContextManager[None]:
        """Say of an error which attribute, of which reports, it is about."""
        what = f"what the channel of {self.called} releases"
        return check.naming_column(self.called, self.block, self.name, what, reports=True)

    def of(self, rows: BoolArray | None) -> Answers:
        """Return those of some of the people, all where None."""
        if rows is None:
            return self
        answered = self.answered & rows
        return self._replace(block=self.block[rows[self.answered]], answered=answered)


def open_reports(
    channel: Any,
    reports: Any,
    feature: Any = None,
    *,
    missing: str = "refuse",
    name: str = "reports",
    what: str = "channel",
) -> Answers:
    """Return what was released of one attribute: its own channel, its columns, and who answered.

    Here reports meet their scheme. A missing report (NaN) is what a lot asked nobody; where there
    is none, ``missing`` says what becomes of it: "drop" leaves the person out.
    """
    scheme = bound(channel, reports, name, what)
    d = scheme.n_features_in_
    place = check.given("feature", check.place_of(feature, scheme, range(d)), high=d - 1)
    called = check.called_by(place, getattr(scheme, "feature_names_in_", None))
    block = check.released_of(scheme, reports, place, name)
    answered = np.ones(len(block), dtype=np.bool_)
    if scheme.when_asked() is not scheme or missing == "drop":
        answered = check.answered(block)
        check.demand(answered.any(), f"{name} must hold answers of somebody to {called}", "none")
    own = block if answered.all() else block[answered]
    return Answers(scheme.attribute(place), own, answered, called, name)


def one_attribute(channel: Any, feature: Any = None, what: str = "channel") -> Channel:
    """Return the channel of one attribute of a ``Channel``, of one matrix or of a list of them.

    Without a ``feature`` any will do, if all have one matrix.
    """
    scheme = as_channel(channel, None, what)
    d = getattr(scheme, "n_features_in_", None)
    each = range(1) if d in (None, 1) else (scheme.channel_matrix(j) for j in range(d))
    place = check.given("feature", check.place_of(feature, scheme, each), high=d and d - 1)
    return scheme if d in (None, 1) and place == 0 else _Attribute(scheme, place)


def matrix_of(channel: Any, feature: Any = None, what: str = "channel") -> FloatArray:
    """Return P[released | true] of one attribute, as :func:`one_attribute` finds it."""
    return check.matrix(one_attribute(channel, feature, what).channel_matrix(), what)


def bound(channel: Any, reports: Any, name: str = "reports", what: str = "channel") -> Any:
    """Return a channel that knows how many attributes it has, by itself or from its reports.

    A matrix P[released | true] is the channel of all attributes of codes, a list has one each.
    """
    if isinstance(channel, Channel):
        return channel._bound(reports, name)
    return as_channel(channel, max(check.n_columns(reports, name), 1), what)


def as_channel(channel: Any, n_features: int | None = None, what: str = "channel") -> Channel:
    """Return a ``Channel`` as it is, and what is a matrix P[released | true] as one.

    One matrix is that of each of ``n_features`` attributes (of one, where None); a list has one
    for each.
    """
    if isinstance(channel, Channel):
        return channel
    if hasattr(channel, "channel_matrix") and not isinstance(channel, type):
        each = range(n_features or int(getattr(channel, "n_features_in_", 1)))
        return _Matrices([check.matrix(channel.channel_matrix(j), what) for j in each])
    remedy = ""
    if hasattr(channel, "get_params"):
        bind = "bind it to intervals by on(edges)" if hasattr(channel, "on") else "take its parts"
        if hasattr(channel, "transformers") or hasattr(channel, "steps"):
            bind = "MixedResponse({column: scheme, ...}) puts schemes side by side"
        remedy = f" ({bind})"
    rule = f"{what} must be a Channel, as RandomizedResponse(0.7) is, or a matrix "
    is_array = isinstance(channel, list | tuple) or np.ndim(channel)
    legal = is_array and not isinstance(channel, type) and not remedy
    check.demand(legal, f"{rule}P[released | true]{remedy}", channel, TypeError)
    several = isinstance(channel, list | tuple) or (n_features and np.ndim(channel) == 3)
    if not (several and len(channel) and np.ndim(channel[0]) == 2):
        return _Matrices([check.matrix(channel, what)] * (n_features or 1))
    rule = f"{what} must be one matrix or one for each of {n_features} attributes"
    check.demand(n_features in (None, len(channel)), rule, len(channel))
    return _Matrices([check.matrix(one, what) for one in channel])

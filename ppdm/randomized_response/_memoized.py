"""Memoised response: who is asked again repeats a kept answer, and does not disguise anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._support import Support, kary, kept, known_epsilon
from ppdm.channel import Channel
from ppdm.randomized_response._categorical import Kept
from ppdm.typing import AnyArray, ArrayLike, Codes, FloatArray, IntArray, RandomState


class MemoizedResponse(Channel):
    """What people keep, so that the same answer is never disguised twice.

    The first time a person has a value it is disguised by k-ary response, and what came out is
    kept for that value: the *permanent* response. Whenever she has the value again, the kept one
    goes out, as it is or through a second coin, the *instantaneous* response. So a thousand
    reports of one value never tell more of it than the permanent response does, whereas a
    thousand fresh disguises would be averaged and tell all.

    An object is what a browser keeps for one person, or, in a simulation, what many people keep.
    As a channel it is that of one report.

    Parameters
    ----------
    n_values : int >= 2
        How many values an attribute has. Labels are told by their codes, and numbers by the
        number of their interval, between public edges (``numpy.digitize``).
    permanent : float in (0, 20]
        The epsilon of the permanent response: what all reports of one value spend together.
    instantaneous : float in (0, 20], default=None
        The epsilon of the second coin against the kept response. None sends it as it is:
        then a changed report shows that the value has changed.
    random_state : None, int or numpy.random.Generator, default=None
        Of all draws of this object. Two browsers with the same int draw alike: right for tests
        alone.

    Attributes
    ----------
    n_features_in_ : int
        Number of attributes, known from the first report on.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not what is said above.

    See Also
    --------
    ppdm.privacy.Budget.report : Report, and charge what it adds.
    ppdm.reconstruction.estimate_frequencies : The shares of the true values at one time.

    Notes
    -----
    The epsilons compare two histories of answers that change *and come back* at the same times: in
    which the answers of any two times are the same in both or differ in both. That an answer has
    changed, and when, or that an old one has come back, is not protected by them. Answers 0, 1, 2
    and 0, 1, 0 change at the same times; but a third report that is not the first one tells them
    apart for certain where the kept response goes out as it is. Each new value spends again, see
    ``spent_``; an old one that returns goes on where it was. So an attribute spends at most
    ``n_values`` times ``permanent``, however often it is asked. The standard errors of one time are
    right. Those of several times are not independent, since what is kept stays: asking again
    averages the second coin away, and the first never. The book's page *Asking again* measures
    that, and compares keeping with a rota.

    References
    ----------
    Erlingsson, Pihur and Korolova (2014), RAPPOR: randomized aggregatable privacy-preserving
    ordinal response, CCS, sections 2 and 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import MemoizedResponse
    >>> memo = MemoizedResponse(3, permanent=2.0, instantaneous=1.0, random_state=0)
    >>> answers = np.zeros((4, 1), dtype=int)  # four people, one question
    >>> weeks = [memo.report(answers) for _ in range(52)]
    >>> [round(memo.epsilon(n), 3) for n in (1, 10, 52)]
    [0.687, 2.0, 2.0]
    >>> memo.spent_.round(3)
    array([2., 2., 2., 2.])
    >>> answers[0] = 2
    >>> _ = memo.report(answers)
    >>> memo.spent_.round(3)
    array([2.687, 2.   , 2.   , 2.   ])
    """

    def __init__(
        self,
        n_values: int,
        permanent: float,
        instantaneous: float | None = None,
        *,
        random_state: RandomState = None,
    ) -> None:
        self.n_values: int = check.integer(n_values, "n_values", low=2, most=check.MOST_BITS)
        with check.naming("permanent", "the epsilon of the kept response"):
            self.permanent: float = known_epsilon(permanent)
        self.instantaneous: float | None = None
        if instantaneous is not None:
            with check.naming("instantaneous", "None or the epsilon of the second coin"):
                self.instantaneous = known_epsilon(instantaneous)
        self._rng = check.stream(random_state, type(self).__name__)
        self._kept: IntArray = np.empty((0, 0, self.n_values), dtype=np.intp)
        self._told = self._kept

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept, with a child stream: a copy must not draw what this one draws."""
        return {**vars(self), "_rng": check.child_of(self._rng)}

    def report(self, X: ArrayLike) -> Codes:
        """Return what everybody reports this time, and keep what is new.

        Parameters
        ----------
        X : array-like of int, shape (n_people, n_attributes)
            Everybody's true codes now; the same people in the same rows each time. A frame's
            columns are found by the names of the first.

        Returns
        -------
        ndarray of int, shape (n_people, n_attributes)

        Raises
        ------
        ValueError, TypeError
            If X does not hold codes, or those of other people or attributes than before.
            Nothing is then reported or kept.
        """
        codes = check.codes(check.of_names(self, X, "X"), "X", self.n_values).astype(np.intp)
        if not self._kept.size:
            self.n_features_in_: int = codes.shape[1]
            names = check.names_of(X)
            if names is not None:
                self.feature_names_in_: AnyArray = names
            self._kept = np.full((*codes.shape, self.n_values), -1)
            self._told = np.zeros_like(self._kept)
        check.of_shape(codes, "X", self._kept.shape[:2], "the people and attributes of before")
        place = codes[:, :, np.newaxis]
        kept = np.take_along_axis(self._kept, place, axis=2)
        new = kept < 0
        kept[new] = self._answer(place[new], self.permanent)
        np.put_along_axis(self._kept, place, kept, axis=2)
        told = np.take_along_axis(self._told, place, axis=2)
        np.put_along_axis(self._told, place, told + 1, axis=2)
        response = kept[:, :, 0]
        if self.instantaneous is None:
            return response
        return self._answer(response.ravel(), self.instantaneous).reshape(response.shape)

    def epsilon(self, n_reports: ArrayLike = 1) -> Any:
        """Return what so many reports of one value spend together.

        Parameters
        ----------
        n_reports : int or array-like >= 0, default=1

        Returns
        -------
        float or ndarray
            At most ``permanent``, which they spend for ever. Exact: reached where all reports
            say the same.

        Raises
        ------
        ValueError, TypeError
            If ``n_reports`` is not a number, or negative.

        Notes
        -----
        With P, q the probabilities of the permanent response for the true and each other value,
        and r the odds of the second coin, n reports that all say x are
        (P r^n + (k - 1) q) / (q r^n + P + (k - 2) q) times as likely under x as under another.
        """
        n = check.numbers(n_reports, "n_reports", low=0)
        # r^-n; without a second coin one report tells all that is kept
        hidden = (n == 0) * 1.0 if self.instantaneous is None else np.exp(-n * self.instantaneous)
        k, p, q = kary(self.n_values, self.permanent)
        spent = np.log((p + (k - 1) * q * hidden) / (q + (p + (k - 2) * q) * hidden))
        return spent if spent.ndim else float(spent)

    @property
    def spent_(self) -> FloatArray:
        """What each person's reports have spent so far, a sum over her values, (n_people,).

        Against histories that change and come back at the same times as hers.
        """
        return np.asarray(self.epsilon(self._told).sum(axis=(1, 2)))

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[reported | true] of one report, (k, k), any attribute's."""
        return Kept(*self.support(feature)).matrix()

    def n_released(self, feature: int = 0) -> int:
        """Return the number of values."""
        return self.n_values

    def support(self, feature: int = 0) -> Support:
        """Return the chances of a report of the true and of another value; see ``Channel``."""
        n_features = getattr(self, "n_features_in_", None)
        check.of_feature([None] * (n_features or 1), feature, n_features)
        k, p, _ = kary(self.n_values, self.permanent)
        if self.instantaneous is not None:
            _, same, other = kary(self.n_values, self.instantaneous)
            p = p * same + (1 - p) * other
        return kept(k, float(p))

    def _answer(self, codes: Codes, epsilon: float) -> Codes:
        """Draw k-ary response of codes (n,)."""
        released = np.empty_like(codes)
        Kept(*kary(self.n_values, epsilon)).send(codes, check.at_home(self._rng), released)
        return released

"""The Bayes-optimal adversary: what is best believed about a record after its release.

It knows the channel, a pool of records that the target may be, how likely each is, perhaps
some attributes or the class of the target, and all that was released about it. No other
adversary with this knowledge guesses right more often. Each attack has two steps: a belief
before the release, and one after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from ppdm import _validation as check
from ppdm.attacks._leave_one_out import AttackResult, judge_hits, judge_shares
from ppdm.channel._opening import as_channel
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray

#: What is known of each target beside the release, and the same of each candidate.
Known = tuple[ArrayLike, ArrayLike]
#: Table entries (targets by candidates) worked on at a time.
_CHUNK = 2**21
#: Probabilities this close are equal but for rounding.
_TIE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class BayesGuess:
    """What the adversary believes about each target.

    Attributes
    ----------
    records : ndarray of shape (n, n_attributes)
        The likeliest value of each attribute, each for itself and in the channel's order; of
        equally likely ones the smallest.
    probabilities : ndarray of shape (n, n_attributes)
        How sure the adversary is of each. Their mean is the share that it expects to read
        right, and what it does read right, on average, if its prior is true.
    candidates : ndarray of int, shape (n,)
        The likeliest candidate, a row of the pool; of equally likely ones the first.
    candidate_probabilities : ndarray of shape (n,)
        How sure the adversary is of it.
    """

    records: AnyArray
    probabilities: FloatArray
    candidates: IntArray
    candidate_probabilities: FloatArray


def bayes_guess(
    channel: Any,
    disguised: ArrayLike,
    pool: ArrayLike,
    *,
    prior: ArrayLike | None = None,
    known: Known | None = None,
) -> BayesGuess:
    """Guess records from their releases so that no guess is right more often.

    Parameters
    ----------
    channel : Channel, matrix, list of matrices, or callable
        A channel of whole records; a matrix P[released | true] for all attributes, or a list
        with one each; or a function (released, candidates) that returns the logarithm of the
        likelihood, (n, m), as :meth:`ppdm.channel.Channel.log_likelihood` does.
    disguised : array-like of shape (n, n_released) or (r, n, n_released)
        What was released about n targets: once, or r times independently.
    pool : array-like of shape (m, n_attributes)
        The records that a target may be: people one knows of, or all that there are. In the
        clear, as the channel takes them: codes, or labels where it has categories, and numbers
        where it has ``edges``. A frame is read by the names of the channel's attributes.
    prior : array-like of shape (m,), optional
        How likely each candidate is; all alike for None. An empirical distribution is a pool
        of its records.
    known : tuple of two array-likes, of shape (n,) or (n, q) and (m,) or (m, q), optional
        What the adversary knows of each target beside the release, and the same of each
        candidate: a public class, ``(y, y_pool)``, or some attributes,
        ``(X[:, :3], pool[:, :3])``. It leaves the candidates who have the same.

    Returns
    -------
    BayesGuess

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, a column of the channel or the prior does not sum to one, or a
        target remains without a candidate: none has what is known of it, or the prior
        excludes all that can release what it released.

    Notes
    -----
    P[candidate | releases] is proportional to prior times the product of the likelihoods. A
    posterior is computed for each target and candidate, never a matrix of whole records.

    Examples
    --------
    Two answers share a coin. Nobody says yes to the second alone, so who reports this lied:

    >>> from ppdm.attacks import bayes_guess
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> coin = RandomizedResponse(0.7).fit([[0, 0]])
    >>> pool = [[0, 0], [1, 0], [1, 1]]
    >>> guess = bayes_guess(coin, [[0, 1], [1, 1]], pool, prior=[0.6, 0.3, 0.1])
    >>> guess.records.tolist(), guess.candidate_probabilities.round(2)
    ([[1, 0], [0, 0]], array([1.  , 0.72]))

    The class of the targets is public, and so is that of each candidate:

    >>> bayes_guess(coin, [[1, 1]], pool, known=(["b"], ["a", "a", "b"])).records.tolist()
    [[1, 1]]
    """
    case = _Case(channel, disguised, pool, prior, known)
    attributes = _Attributes(case.pool, case.pool)
    guessed = np.empty((case.n, len(attributes.values)), dtype=case.pool.dtype)
    sure = np.empty(guessed.shape)
    first, chance = np.empty(case.n, dtype=np.intp), np.empty(case.n)
    for rows, _, _, after in case.beliefs():
        first[rows], chance[rows] = _ties(after).argmax(axis=1), after.max(axis=1)
        for j, shares in enumerate(attributes.shares(after)):
            guessed[rows, j] = attributes.values[j][_ties(shares).argmax(axis=1)]
            sure[rows, j] = shares.max(axis=1)
    return BayesGuess(
        records=guessed, probabilities=sure, candidates=first, candidate_probabilities=chance
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class BayesResult(AttackResult):
    """How far the Bayes-optimal adversary came.

    Attributes
    ----------
    credits : ndarray of shape (n,)
        The part of each target that was a hit; their mean is ``success``.
    """

    credits: FloatArray = field(repr=False)


def recover_attributes(
    channel: Any,
    disguised: ArrayLike,
    true: ArrayLike,
    pool: ArrayLike,
    *,
    prior: ArrayLike | None = None,
    known: Known | None = None,
    attributes: ArrayLike | None = None,
) -> BayesResult:
    """Read the attributes of the targets, each for itself: the share that is guessed right.

    Parameters
    ----------
    channel, disguised, pool, prior, known
        As in :func:`bayes_guess`.
    true : array-like of shape (n, n_attributes)
        The targets' true records, of which the adversary sees nothing: they judge it.
    attributes : mask or columns, optional
        The attributes that count, by number or, where ``true`` is a DataFrame, by name; all for
        None. Leave out what is ``known``.

    Returns
    -------
    BayesResult
        ``success`` is the share of attributes read right; ``baseline`` what prior and
        ``known`` alone give. Of equally likely values one is guessed at random, which counts
        as its chance. The interval is normal, over targets: the attributes of one target are
        not independent.

    Raises
    ------
    ValueError, TypeError
        As :func:`bayes_guess`; if ``true`` has another shape, or no attribute counts.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.attacks import recover_attributes
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> votes = (rng.random((300, 8)) < 0.25).astype(int)
    >>> for groups in [[[0, 1, 2, 3], [4, 5, 6, 7]], [[j] for j in range(8)]]:
    ...     coins = RandomizedResponse(0.7, groups, random_state=rng).fit(votes)
    ...     read = recover_attributes(coins, coins.transform(votes), votes, pool=votes)
    ...     print(round(read.success, 2), round(read.baseline, 2))
    0.91 0.75
    0.74 0.75
    """
    check.in_step(disguised=disguised, true=true)
    case = _Case(channel, disguised, pool, prior, known)
    truth = case.clear(true, "true")
    check.of_shape(truth, "true", (case.n, case.pool.shape[1]), "a record of pool a target")
    counted = np.ones(truth.shape[1], dtype=np.bool_)
    if attributes is not None:
        names = check.names_of(check.of_names(channel, true, "true"))
        counted = check.columns(attributes, "attributes", truth.shape[1], names)
    check.demand(counted.any(), "attributes must name at least one", attributes)
    attributes_of, chosen = _Attributes(case.pool, truth), np.flatnonzero(counted)
    places = attributes_of.places
    blind, credits = np.zeros((2, case.n))
    for rows, kind, before, after in case.beliefs():
        was, now = attributes_of.shares(before), attributes_of.shares(after)
        for j in chosen:
            blind[rows] += _chance_of(was[j][kind], places[rows, j])
            credits[rows] += _chance_of(now[j], places[rows, j])
    credits /= chosen.size
    return BayesResult(**vars(judge_shares(credits, blind / chosen.size)), credits=credits)


def reidentify(
    channel: Any,
    disguised: ArrayLike,
    targets: ArrayLike,
    pool: ArrayLike,
    *,
    prior: ArrayLike | None = None,
    known: Known | None = None,
) -> BayesResult:
    """Say which candidate a release is about: re-identification, or linkage.

    Parameters
    ----------
    channel, disguised, pool, prior, known
        As in :func:`bayes_guess`.
    targets : array-like of int, shape (n,)
        The row of the pool that each target is. The adversary does not see it.

    Returns
    -------
    BayesResult
        ``success`` is the share of targets whose candidate is the likeliest one, those who tie
        having equal parts; ``baseline`` the same without the release: one of m, or the
        likeliest candidate's part. The interval is Clopper-Pearson's.

    Raises
    ------
    ValueError, TypeError
        As :func:`bayes_guess`; if ``targets`` are no rows of the pool, one for each release.

    Notes
    -----
    People with equal records tie whatever is released. To judge whether the record is guessed,
    whoever has it, give each record once, its frequency as the prior, and its row as the
    target: ``np.unique(people, axis=0, return_inverse=True, return_counts=True)``.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.attacks import reidentify
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> people = np.random.default_rng(0).integers(0, 2, (50, 20))
    >>> coins = RandomizedResponse(0.8, [[j] for j in range(20)], random_state=1).fit(people)
    >>> once = reidentify(coins, coins.transform(people), range(50), people)
    >>> round(once.success, 2), once.baseline
    (0.7, 0.02)
    """
    case = _Case(channel, disguised, pool, prior, known)
    rows_of = check.rows(targets, "targets", len(case.pool))
    check.of_shape(rows_of, "targets", (case.n,), "a row of pool a release")
    blind, credits = np.zeros((2, case.n))
    for rows, kind, before, after in case.beliefs():
        blind[rows] = _chance_of(before[kind], rows_of[rows])
        credits[rows] = _chance_of(after, rows_of[rows])
    return BayesResult(**vars(judge_hits(credits, blind)), credits=credits)


def _ties(table: FloatArray) -> BoolArray:
    """Return which entries are the largest of their row, but for rounding."""
    return np.asarray(table >= table.max(axis=1, keepdims=True) * (1 - _TIE))


def _chance_of(shares: FloatArray, place: IntArray) -> FloatArray:
    """Return how likely a guess of the likeliest column, ties at random, is the given one."""
    best = _ties(shares)
    return np.asarray(best[np.arange(len(best)), place] / best.sum(axis=1))


class _Attributes:
    """The values of each attribute that candidates or targets have, and which of them have which.

    A value that no candidate has is never likely.
    """

    def __init__(self, pool: AnyArray, true: AnyArray) -> None:
        coded = [_coded(("pool", "true"), of_both) for of_both in zip(pool.T, true.T, strict=True)]
        self.values = [values for values, _ in coded]
        self.places = np.array([of_true for _, (_, of_true) in coded]).T  #: (n, n_attributes)
        every, one = np.arange(len(pool)), np.ones(len(pool))
        self._has = [
            coo_array((one, (of_pool, every)), shape=(len(values), len(pool))).tocsr()
            for values, (of_pool, _) in coded
        ]

    def shares(self, belief: FloatArray) -> list[FloatArray]:
        """Return the probability of each value, (n, k), from those of the candidates, (n, m)."""
        return [np.asarray((has @ belief.T).T) for has in self._has]


class _Case:
    """One attack, checked: n targets, m candidates."""

    def __init__(
        self,
        channel: Any,
        disguised: ArrayLike,
        pool: ArrayLike,
        prior: ArrayLike | None,
        known: Known | None,
    ) -> None:
        check.demand(not isinstance(channel, type), "channel must be no class", channel, TypeError)
        # a channel says itself what it releases: NaN may be where nothing was asked
        disguised = check.chosen(channel, disguised, "disguised")
        says = hasattr(channel, "log_likelihood")
        self.channel = channel
        self.labels = says and check.known_categories(channel) is not None
        read = check.labelled if says else check.numbers
        said = read(disguised, "disguised", ndim=(2, 3))
        self.releases = said.reshape((-1, *said.shape[-2:]))  # (r, n, n_released)
        self.pool = self.clear(pool, "pool")  # (m, n_attributes)
        self.n = said.shape[-2]
        m, d = self.pool.shape
        self.prior = np.full(m, 1 / m) if prior is None else check.probabilities(prior, "prior", m)
        check.of_shape(self.prior, "prior", (m,), "one value for each candidate")
        self.likelihood = channel
        if says:
            self.likelihood = channel.log_likelihood
        elif not callable(channel):
            check.of_shape(self.releases, "disguised", (None, None, d), "the attributes of pool")
            self.likelihood = as_channel(channel, d).log_likelihood
        # numbers of what is known of targets and of candidates
        self.known = None if known is None else _number_known(known, self.n, m)

    def clear(self, given: Any, name: str) -> AnyArray:
        """Return clear records by the channel's attributes, of which none is missing."""
        records = check.of_names(self.channel, given, name)
        if not self.labels:
            return check.finite(records, name, ndim=2)
        table, names = check.labelled(records, name, ndim=2), check.names_of(records)
        for j, column in enumerate(table.T):
            check.refuse_missing(column, name, called=check.called_by(j, names))
        return table

    def beliefs(self) -> Iterator[tuple[slice, IntArray, FloatArray, FloatArray]]:
        """Yield what is believed before and after the release, for some targets at a time.

        These are the rows of the targets, the kind of each, the belief before (kinds, m): one
        row for those of whom the same is known, and the belief after, (targets, m).
        """
        step = max(1, _CHUNK // len(self.pool))
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            kind, before = self._before(rows)
            with np.errstate(divide="ignore"):
                joint = np.log(before)[kind]
            for release in self.releases:
                joint += self._log_likelihood(release[rows])
            top = joint.max(axis=1, keepdims=True)
            lost = np.flatnonzero(~np.isfinite(top[:, 0]))
            rule = "pool and prior must leave a candidate who can have released what targets "
            check.demand(not lost.size, f"{rule}{check.listed(start + lost)} did", "none")
            np.exp(joint - top, out=joint)
            yield rows, kind, before, joint / joint.sum(axis=1, keepdims=True)

    def _before(self, rows: slice) -> tuple[IntArray, FloatArray]:
        """Return the belief (kinds, m) of those of whom the same is known, and each one's kind."""
        if self.known is None:
            return np.zeros(rows.stop - rows.start, dtype=np.intp), self.prior[np.newaxis]
        numbers, kind = np.unique(self.known[0][rows], return_inverse=True)
        belief = self.prior * (numbers[:, np.newaxis] == self.known[1])
        sums = belief.sum(axis=1, keepdims=True)
        kind = kind.reshape(-1)
        lost = rows.start + np.flatnonzero(sums[kind, 0] == 0)
        rule = "known and prior must leave a candidate of whom the same is known as of targets "
        check.demand(not lost.size, f"{rule}{check.listed(lost)}", "none")
        return kind, belief / sums

    def _log_likelihood(self, release: AnyArray) -> FloatArray:
        with check.naming("disguised", "what channel releases of a record of pool"):
            logs = self.likelihood(release, self.pool)
        table = check.array(logs, "what channel returns")
        shape = len(release), len(self.pool)
        check.of_shape(table, "what channel returns", shape, "a row a target")
        endless = np.isnan(table) | (table == np.inf)
        check.refuse(endless, table, "channel must give log-likelihoods below infinity, never NaN")
        return table


def _number_known(known: Known, n: int, m: int) -> tuple[IntArray, IntArray]:
    legal = isinstance(known, tuple) and len(known) == 2
    check.demand(legal, "known must be a tuple (of targets, of candidates)", known)
    of_targets, of_pool = (check.plain(part, "known") for part in known)
    columns = of_targets.shape[1:2]
    check.of_shape(of_targets, "known", (n, *columns), "a row for each of the targets")
    check.of_shape(of_pool, "known", (m, *columns), "a row for each candidate, as for targets")
    numbers = np.zeros(n + m, dtype=np.intp)
    for of_both in zip(of_targets.reshape(n, -1).T, of_pool.reshape(m, -1).T, strict=True):
        codes = np.concatenate(_coded(("known", "known"), of_both)[1])
        numbers = np.unique(numbers * (n + m) + codes, return_inverse=True)[1].reshape(-1)
    return numbers[:n], numbers[n:]


def _coded(
    names: tuple[str, str], columns: tuple[AnyArray, AnyArray]
) -> tuple[AnyArray, list[IntArray]]:
    """Return the facts that differ in two columns, and the number of each person's in either."""
    one, other = (_facts(column, name) for column, name in zip(columns, names, strict=True))
    alike = (one.dtype.kind in "US") == (other.dtype.kind in "US")
    rule = f"{names[1]} must hold numbers of targets and candidates or texts of both"
    check.demand(alike, rule, (str(one.dtype), str(other.dtype)), TypeError)
    facts, codes = np.unique(np.concatenate([one, other]), return_inverse=True)
    return facts, np.split(codes.reshape(-1), [len(one)])


def _facts(column: AnyArray, name: str) -> AnyArray:
    """Return what is known of some people: numbers, of which none is missing, or texts."""
    if column.dtype.kind == "O" and all(isinstance(value, str) for value in column):
        column = column.astype(np.str_)
    return column if column.dtype.kind in "US" else check.finite(column, name)

"""From reports to the frequencies of the true values, with their errors and intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ppdm import _validation as check
from ppdm._statistics import Scored, made_legal
from ppdm._weighted import Sample, by_group, weighted_means
from ppdm.channel._opening import Answers, bound, open_reports
from ppdm.exceptions import NegativeEstimateWarning, warn
from ppdm.reconstruction._em import iterate
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray, Missing

if TYPE_CHECKING:
    import pandas as pd

#: EM goes on until a step moves less than this in total variation.
_STEP = 2e-5
_MOST_STEPS = 100_000

#: A frequency's table shows so many values at most.
_SHOWN = 20

@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FrequencyEstimate:
    """How frequent each true value is, by the reports.

    Attributes
    ----------
    frequencies : ndarray of shape (m,)
        The estimated shares of the true values.
    standard_errors : ndarray of shape (m,)
        Those of the raw frequencies, whatever the method: how far chance moves a cell before it
        is made legal, the respondents being a random sample. NaN where the channel cannot be
        inverted, and of a group of one person or one cluster.
    categories : ndarray of shape (m,)
        What the true values are called; codes 0, 1, ... where they have no labels.
    counts : ndarray of shape (S,)
        How often each value was released, of unary encoding how often each bit was set (but for
        EM: how often each vector of bits was released); counts of chunks add up.
    n : int
        Number of reports; where some attributes are asked, of answers to this one. Where it is zero
        the frequencies are NaN.
    method : str
        As asked for.
    weights : ndarray of shape (2, m)
        The least and the most that a report counts for each true value.
    effective_n : ndarray of shape (m,)
        Of how many people, drawn singly, each share would have its standard error: n, but where
        they were weighted or drawn in clusters; with strata it may be more than n. The interval
        takes it for n.
    degrees : float
        Clusters less strata, for Student's t, of those in which the group has anybody; infinite
        without clusters.
    """

    frequencies: FloatArray
    standard_errors: FloatArray
    categories: AnyArray
    counts: IntArray
    n: int
    method: str
    weights: FloatArray
    effective_n: FloatArray
    degrees: float = np.inf

    def interval(self, confidence: float = 0.95) -> FloatArray:
        """Return a confidence interval for the share of each true value in the population.

        Wilson's score interval of the reports, carried back through the channel: a share is kept
        if the estimate is as near to it as chance would have it at *that* share. It is exact
        but for the binomial's steps where a report counts one of two numbers for a value (a coin,
        k-ary response, unary encoding), and nearly so elsewhere. It may reach beyond 0 and 1,
        where no share is.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95

        Returns
        -------
        ndarray of shape (m, 2)
            Low and high; NaN where the standard error is.

        Raises
        ------
        ValueError
            If the method is not "raw", whose errors alone are known.

        Notes
        -----
        How often it covers the truth, nominally .95: the mean, and the least, over true shares
        0, .01, ..., 1 of a yes or no asked with a coin.

        =======  ============  ============  ============
        reports  theta .55     theta .7      theta .9
        =======  ============  ============  ============
        50       .951  .935    .951  .935    .951  .935
        500      .949  .946    .949  .945    .950  .944
        5,000    .951  .948    .950  .948    .950  .948
        =======  ============  ============  ============
        """
        rule = "interval needs the raw frequencies, whose errors are known: method='raw'"
        check.demand(self.method == "raw", rule, self.method)
        return self._scored.interval(confidence)

    @property
    def _scored(self) -> Scored:
        shares, errors, slope = self.frequencies, self.standard_errors, self.weights.sum(axis=0)
        return Scored(shares, errors, self.effective_n, slope, self.degrees)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of pandas: a row for each true value, its frequency and standard error.

        Raises
        ------
        ImportError
            If pandas is not installed: ``ppdm[data]``.
        """
        pandas = check.import_optional("pandas", "to_frame")
        columns = {"frequency": self.frequencies, "standard_error": self.standard_errors}
        index = pandas.Index(self.categories, name="value")
        frame: pd.DataFrame = pandas.DataFrame(columns, index=index)
        return frame

    def __repr__(self) -> str:
        rows = zip(self.categories.tolist(), self.frequencies, self.standard_errors, strict=True)
        lines = [f"{value!s:>12} {share:10.4f} {error:10.4f}" for value, share, error in rows]
        if len(lines) > _SHOWN:
            lines[_SHOWN // 2 : -_SHOWN // 2] = [f"{'...':>12}"]
        head = f"{self.n} reports, method {self.method!r}"
        return "\n".join([head, f"{'value':>12} {'frequency':>10} {'s.e.':>10}", *lines])


def estimate_frequencies(
    reports: ArrayLike,
    channel: Any,
    *,
    feature: int | str | None = None,
    method: Literal["raw", "clip", "simplex", "em"] = "raw",
    by: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    missing: Missing = "refuse",
) -> Any:
    """Estimate how frequent each true value of an attribute is, from what was released.

    Parameters
    ----------
    reports : array-like of shape (n,) or (n, n_columns)
        What was released: of one attribute, or of whole records.
    channel : Channel, array of shape (S, m) or a list of such
        What the reports came through. A matrix P[released | true] reads codes 0, ..., S - 1.
    feature : int, str or "all", default=None
        The attribute whose frequencies are wanted, by number or, where the channel has seen a
        frame, by name; needed where there are several. "all" wants all of them, even where one is
        called so.
    method : {"raw", "clip", "simplex", "em"}, default="raw"
        "raw": the inverse of the channel, unbiased; some frequencies may be negative. "clip":
        negative ones become zero and the others are scaled. "simplex": the nearest legal
        frequencies. "em": the likeliest, nearly.
    by : array-like of shape (n,) or (n, k), default=None
        A public label of each person, or several: each group is estimated by itself. None may
        be called "all", the key of the total.
    sample_weight : array-like of shape (n,), default=None
        Survey weights, of which only ratios count. With them, clusters or strata the reports are
        undone by the inverse of the channel, and not by "em".
    clusters, strata : array-like of shape (n,), default=None
        Who was drawn together, and from which part of the population.
    missing : {"refuse", "drop"}, default="refuse"
        What becomes of who has no report of an attribute (NaN): "drop" leaves her out there, and
        counts her for the others.

    Returns
    -------
    FrequencyEstimate, or dict of them
        For ``feature="all"`` one for each attribute, by its name, or its number where it has none.
        With ``by`` a dict of these: of ``"all"`` and of each label (tuples of several columns),
        None for a missing one.

    Raises
    ------
    ValueError, TypeError
        If something was released that the channel never releases, there is no such attribute,
        nobody was asked it, or the channel has dependent columns, unless the method is "em". If an
        attribute of unary encoding has more than 16 values and the method is "em".

    Warns
    -----
    NegativeEstimateWarning
        If the method is "raw" and a frequency is below zero.

    See Also
    --------
    invert, project, em : The steps from counts and all of their options.
    reconstruct_distribution : Nearer for numbers: its stop keeps neighbouring intervals alike.

    Notes
    -----
    Of a scheme that asks some attributes of each record (``asked``) an attribute's frequencies are
    those among who was asked it, which was drawn by lot: ``n`` of them answered. That errs less
    than :func:`invert`, which counts no answer, unless the values are alike frequent.

    Of a group in a designed sample the errors are as in
    :func:`ppdm.randomized_response.estimate_proportion`, whose notes have the factor.

    Of k-ary response and unary encoding each value is counted by itself, in the closed form of
    a pure protocol (Wang et al. 2017, section 3): the share r of the reports that support a value
    gives (r - q) / (p - q), p and q being the probabilities of a support by those who have the
    value and by those who have another. So the cost grows as the number of values, and no matrix
    is inverted.

    Reports that come in chunks: the raw estimate of all is the mean of the chunks' estimates, each
    weighted by its ``n``, and its variance is the sum of (n_i / n)^2 times theirs, as for strata.
    Counts of codes (:class:`ppdm.chunks.ReleasedCounts`) go to :func:`invert` and :func:`em`.

    Which method is right when. Raw frequencies are for what is computed from them further: sums and
    differences of cells stay unbiased, and only these have a standard error. Where a distribution
    is wanted, a legal one is nearer: with many values and a small epsilon the raw one is mostly
    noise. The squared error of the simplex, over all cells, is below that of the raw frequencies in
    every draw, since the truth is legal, too; of the others that cannot be said.

    A million reports of 200 values at epsilon 1, by how far the estimate is from the true shares in
    total variation (means of five draws, whose spread is .01 to .02):

    ==================  ====  ====  =======  ====
    true shares         raw   clip  simplex  em
    ==================  ====  ====  =======  ====
    as 1 / rank^1.2     .67   .37   .29      .22
    as .95^rank         .66   .36   .30      .33
    all alike           .67   .43   .49      .30
    ==================  ====  ====  =======  ====

    EM stops when a step moves less than 2e-5 in total variation, after some 8,000 steps there. The
    stop is part of the estimate: at steps below 1e-6 the last two rows of EM are .30 and .45.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import CategoricalRandomizedResponse
    >>> from ppdm.reconstruction import estimate_frequencies
    >>> answers = np.repeat([0, 1, 2], [500, 300, 200])[:, np.newaxis]
    >>> krr = CategoricalRandomizedResponse(3, epsilon=2.0, random_state=0)
    >>> reports = krr.fit_transform(answers)
    >>> estimate = estimate_frequencies(reports, krr)
    >>> estimate
    1000 reports, method 'raw'
           value  frequency       s.e.
               0     0.4857     0.0231
               1     0.3181     0.0217
               2     0.1962     0.0199
    >>> estimate.interval().round(3).tolist()
    [[0.441, 0.531], [0.277, 0.362], [0.159, 0.236]]

    By a public label of each person, such as her ward:

    >>> ward = np.where(np.arange(1000) % 2, "north", "south")
    >>> by_ward = estimate_frequencies(reports, krr, by=ward)
    >>> {name: own.frequencies.round(2).tolist() for name, own in by_ward.items()}
    {'all': [0.49, 0.32, 0.2], 'north': [0.48, 0.33, 0.19], 'south': [0.49, 0.3, 0.2]}
    """
    check.given("estimate_frequencies.method", method)
    check.given("missing", missing)
    scheme = bound(channel, reports)
    wanted: list[Any] = [feature]
    if isinstance(feature, str) and feature == "all":
        open_ = getattr(scheme, "open_", ())
        wanted = [j for j in range(scheme.n_features_in_) if j not in open_]
    answers = [open_reports(scheme, reports, one, missing=missing) for one in wanted]

    def estimate(rows: BoolArray | None, sample: Sample) -> list[FrequencyEstimate | None]:
        return [_of_people(one, rows, sample, method) for one in answers]

    drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
    groups = by_group(estimate, reports, scheme, by, **drawn)
    total: Any = groups["all"]
    known = {
        label: [one or _of_nobody(all_) for one, all_ in zip(group, total, strict=True)]
        for label, group in groups.items()
    }
    shares = np.concatenate([one.frequencies for group in known.values() for one in group])
    negative = np.count_nonzero(shares < -1e-12)
    if method == "raw" and negative:
        warn(
            f"{negative} of {shares.size} frequencies fell below zero and are kept as they are, "
            "for sums and differences of them to be unbiased; method='simplex' or 'em' is for "
            "a distribution",
            NegativeEstimateWarning,
        )
    names = getattr(scheme, "feature_names_in_", range(scheme.n_features_in_))
    estimates: dict[Any, Any] = {
        label: dict(zip([names[j] for j in wanted], group, strict=True))
        if feature == "all" else group[0]
        for label, group in known.items()
    }  # fmt: skip
    return estimates["all"] if by is None else estimates


def _of_people(
    answers: Answers, rows: BoolArray | None, sample: Sample, method: str
) -> FrequencyEstimate | None:
    """Return one attribute's frequencies among some people, None where nobody answered."""
    rule = "method must be 'raw', 'clip' or 'simplex' with weights, clusters or strata"
    check.demand(sample.simple or method != "em", rule, method)
    people = sample.of(answers.answered if rows is None else answers.answered[rows])
    if not people.n:
        return None
    answers = answers.of(rows)
    by_support = method != "em" and answers.channel.support() is not None
    scores = _by_support(answers) if by_support else _by_code(answers, needed=method != "em")
    shares, errors, effective_n = weighted_means(scores.sums, people)
    frequencies = shares * scores.slope + scores.start
    if method == "em":
        frequencies = _likeliest(answers.channel.channel_matrix(), scores.counts)
    elif method != "raw":
        frequencies = made_legal(frequencies, method, np.ones(()))
    return FrequencyEstimate(
        frequencies=frequencies,
        standard_errors=errors * abs(scores.slope),
        categories=check.labels_of(answers.channel, frequencies.size),
        counts=scores.counts,
        n=people.n,
        method=method,
        weights=scores.weights,
        effective_n=effective_n,
        degrees=people.degrees,
    )


def _of_nobody(total: FrequencyEstimate) -> FrequencyEstimate:
    """Return what is known of a group in which nobody answered: nothing."""
    unknown = np.full(total.frequencies.size, np.nan)
    return replace(total, frequencies=unknown, standard_errors=unknown, effective_n=unknown,
                   counts=0 * total.counts, n=0)  # fmt: skip


class _Scores(NamedTuple):
    """What each answer counts for each value: ``start`` and ``slope`` times its score."""

    counts: IntArray
    """How often each value was released or supported."""
    sums: Callable[[Any, FloatArray | None], tuple[FloatArray, FloatArray]]
    """The weighted sums of some answers' scores and of their squares, (m,) each; of all by None."""
    weights: FloatArray
    """The least and the most that an answer counts, (2, m)."""
    start: float = 0.0
    slope: float = 1.0


def _by_support(answers: Answers) -> _Scores:
    """Count for each value who supports it, in closed form: a score is one or zero."""
    channel: Any = answers.channel
    k, p, q = channel.support()

    counts = answers.count_support()[:, 1]

    def sums(rows: Any, weight: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        ones = counts
        if rows is not None:
            ones = channel.count_support(answers.block[rows], weight=weight)[:, 1]
        return ones, ones

    weights = np.repeat(np.array([[-q], [1 - q]]) / (p - q), k, axis=1)
    return _Scores(counts, sums, weights, -q / (p - q), 1 / (p - q))


def _by_code(answers: Answers, *, needed: bool) -> _Scores:
    """Count released values, undone by the inverse; NaN if there is none and none is needed."""
    codes, channel = answers.codes(), answers.channel
    size = channel.n_released()
    try:
        inverse = channel.inverse_matrix()
    except ValueError:
        if needed:
            raise
        inverse = np.full(channel.channel_matrix().T.shape, np.nan)

    counts = np.bincount(codes, minlength=size)

    def sums(rows: Any, weight: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        of_code = counts if rows is None else np.bincount(codes[rows], weight, size)
        return inverse @ of_code, inverse**2 @ of_code

    weights = np.stack([inverse.min(axis=1), inverse.max(axis=1)])
    return _Scores(counts, sums, weights)


def _likeliest(matrix: FloatArray, counts: IntArray) -> FloatArray:
    """Return the frequencies by EM."""
    never = (counts > 0) & (matrix.max(axis=1) <= 0)
    rule = "reports must be of values that the channel releases"
    check.demand(not never.any(), rule, np.flatnonzero(never).tolist())
    # the paper's rule stops at once where little gets through the channel
    stops: dict[str, Any] = {"stop": "tol", "tol": _STEP, "max_iter": _MOST_STEPS}
    counted = counts.astype(np.float64)
    return iterate(matrix, counted, None, keep_history=False, **stops).probabilities

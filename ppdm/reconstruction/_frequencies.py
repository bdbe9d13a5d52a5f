"""From reports to the frequencies of the true values, with their errors and intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._statistics import Scored, made_legal
from ppdm._weighted import Sample, by_group, some, weighted_mean
from ppdm.channel import bound
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.reconstruction._counts import undo_counts
from ppdm.reconstruction._em import iterate
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray, Missing

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
    >>> found = estimate_frequencies(reports, krr)
    >>> found
    1000 reports, method 'raw'
           value  frequency       s.e.
               0     0.4857     0.0231
               1     0.3181     0.0217
               2     0.1962     0.0199
    >>> found.interval().round(3).tolist()
    [[0.441, 0.531], [0.277, 0.362], [0.159, 0.236]]

    By a public label of each person, such as her ward:

    >>> ward = np.where(np.arange(1000) % 2, "north", "south")
    >>> each = estimate_frequencies(reports, krr, by=ward)
    >>> {name: found.frequencies.round(2).tolist() for name, found in each.items()}
    {'all': [0.49, 0.32, 0.2], 'north': [0.48, 0.33, 0.19], 'south': [0.49, 0.3, 0.2]}
    """
    option = check.given("estimate_frequencies.method", method)
    check.given("missing", missing)
    scheme = bound(channel, reports)
    chosen = _wanted(scheme, feature, scheme.n_features_in_)

    def estimate(rows: BoolArray | None, sample: Sample) -> dict[int, FrequencyEstimate | None]:
        own = some(reports, rows)
        return {j: _of_people(scheme, j, own, sample, option, missing) for j in chosen}

    drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
    by_people = by_group(estimate, reports, scheme, by, **drawn)
    total: Any = by_people["all"]
    for j in chosen:
        rule = f"reports must hold answers of somebody to attribute {j}"
        check.demand(total[j] is not None, rule, "none")
    groups = {
        group: {j: each or _of_nobody(total[j]) for j, each in own.items()}
        for group, own in by_people.items()
    }
    found = [each for of in groups.values() for each in of.values()]
    negative = sum(int((each.frequencies < -1e-12).sum()) for each in found)
    if option == "raw" and negative:
        n_values = sum(each.frequencies.size for each in found)
        warnings.warn(
            f"{negative} of {n_values} frequencies fell below zero and are kept as they are, "
            "for sums and differences of them to be unbiased; method='simplex' or 'em' is for "
            "a distribution",
            NegativeEstimateWarning,
            stacklevel=2,
        )
    names = getattr(scheme, "feature_names_in_", None)
    shown = {
        group: each[chosen[0]] if feature != "all"
        else {j if names is None else names[j]: one for j, one in each.items()}
        for group, each in groups.items()
    }  # fmt: skip
    return shown["all"] if by is None else shown


def _of_people(
    scheme: Any, feature: int, reports: Any, sample: Sample, method: str, missing: str
) -> FrequencyEstimate | None:
    """Return one attribute's frequencies among some people, None where nobody answered."""
    rule = "method must be 'raw', 'clip' or 'simplex' with weights, clusters or strata"
    check.demand(sample.simple or method != "em", rule, method)
    block, said = answered(scheme, reports, feature, "reports", drop=missing == "drop")
    if not said.any():
        return None
    found = _estimate(scheme, feature, _count(scheme, block, feature, method), method)
    if sample.simple:
        return found
    told, people = scheme.when_asked(), sample.of(said)
    codes = told.codes_of(block, feature)
    means = [weighted_mean(row[codes], people) for row in told.inverse_matrix(feature)]
    raw, errors, n = (np.array(each) for each in zip(*means, strict=True))
    return replace(
        found,
        frequencies=raw if method == "raw" else made_legal(raw, method, np.ones(())),
        standard_errors=errors,
        n=int(people.counted.sum()),
        effective_n=n,
        degrees=people.degrees,
    )


def _of_nobody(total: FrequencyEstimate) -> FrequencyEstimate:
    """Return what is known of a group in which nobody answered: nothing."""
    unknown = np.full(total.frequencies.size, np.nan)
    return replace(total, frequencies=unknown, standard_errors=unknown, effective_n=unknown,
                   counts=0 * total.counts, n=0)  # fmt: skip


def _wanted(scheme: Any, feature: Any, n_attributes: int) -> list[int]:
    """Return the numbers of the attributes that are asked for."""
    if isinstance(feature, str) and feature == "all":
        return [j for j in range(n_attributes) if j not in getattr(scheme, "open_", ())]
    place = check.place_of(feature, scheme, range(n_attributes))
    return [check.given("feature", place, high=n_attributes - 1)]


def answered(
    scheme: Any, reports: Any, feature: int, name: str, *, drop: bool = False
) -> tuple[AnyArray, BoolArray]:
    """Return what was released of one attribute by who answered it, (n, w), and who did."""
    block = check.released_of(scheme, reports, feature, name)
    said = np.ones(len(block), dtype=np.bool_)
    if scheme.when_asked() is not scheme or drop:
        said = np.asarray(~check.missing_values(block).all(axis=1))
    return block[said] if not said.all() else block, said


def _count(scheme: Any, block: AnyArray, feature: int, method: str) -> IntArray:
    """Return how often each value of one attribute was released, or supported, by who was asked."""
    told = scheme.when_asked()
    by_support = method != "em" and told.support(feature) is not None
    with check.naming("reports", "what the channel releases, (n,) or (n, n_columns)"):
        if by_support:
            return np.asarray(told.count_support(block, feature))
        return np.bincount(told.codes_of(block, feature), minlength=told.n_released(feature))


def _estimate(scheme: Any, feature: int, tally: IntArray, method: str) -> FrequencyEstimate:
    """Return one attribute's frequencies, from its counts: of codes (S,) or of supports (k, 2)."""
    told, by_support = scheme.when_asked(), tally.ndim == 2
    if by_support:
        ones, n = tally[:, 1], int(tally[0].sum())
        _, p, q = told.support(feature)
        raw, errors = _undo_support(ones / n, n, p, q)
        weights = np.repeat(np.array([[-q], [1 - q]]) / (p - q), len(ones), axis=1)
    else:
        ones, n = tally, int(tally.sum())
        matrix = check.channel(told, ndim=2, feature=feature)
        raw, errors, weights = _undo(told, matrix, ones, feature, needed=method != "em")
        if method == "em":
            raw = _likeliest(matrix, ones)
    if method in ("clip", "simplex"):
        raw = made_legal(raw, method, np.ones(()))
    known = check.known_categories(scheme)
    labels = None if known is None else known[feature]
    return FrequencyEstimate(
        frequencies=raw,
        standard_errors=errors,
        categories=np.arange(raw.size) if labels is None else labels,
        counts=ones,
        n=n,
        method=method,
        weights=weights,
        effective_n=np.full(raw.size, float(n)),
    )


def _undo_support(share: FloatArray, n: int, p: float, q: float) -> tuple[FloatArray, FloatArray]:
    """Return frequencies and standard errors from the share of reports that support each value."""
    spread = share * (1 - share) / (n - 1) if n > 1 else np.full(share.size, np.nan)
    return (share - q) / (p - q), np.sqrt(spread) / abs(p - q)


def _undo(
    scheme: Any, matrix: FloatArray, counts: IntArray, feature: int, *, needed: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return raw frequencies, standard errors and weights; NaN if it cannot and need not be."""
    try:
        inverse = scheme.inverse_matrix(feature)
    except ValueError:
        if needed:
            raise
        unknown = np.full((4, matrix.shape[1]), np.nan)
        return unknown[0], unknown[1], unknown[2:]
    undone = undo_counts(inverse, counts.astype(np.float64))
    weights = np.stack([inverse.min(axis=1), inverse.max(axis=1)])
    return undone.proportions, undone.standard_errors / counts.sum(), weights


def _likeliest(matrix: FloatArray, tally: IntArray) -> FloatArray:
    """Return the frequencies by EM."""
    never = (tally > 0) & (matrix.max(axis=1) <= 0)
    rule = "reports must be of values that the channel releases"
    check.demand(not never.any(), rule, np.flatnonzero(never).tolist())
    return iterate(
        matrix,
        tally.astype(np.float64),
        None,
        stop="tol",  # the paper's rule stops at once where little gets through the channel
        tol=_STEP,
        max_iter=_MOST_STEPS,
        keep_history=False,
    ).probabilities

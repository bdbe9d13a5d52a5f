"""An attack on a published table: who was in the data.

The adversary holds the release and nothing of the provider's but candidate records
(section 3 of LX14 measures privacy without asking what such a person can do).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import ks_2samp
from sklearn.neighbors import NearestNeighbors

from ppdm import _validation as check
from ppdm.typing import AnyArray, ArrayLike, FloatArray

Classes = tuple[ArrayLike, ArrayLike, ArrayLike]

#: Scores closer than this part of the largest coordinate are equal but for rounding.
_TIE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class MembershipInference:
    """What a membership inference attack achieved.

    Attributes
    ----------
    member_scores, non_member_scores : ndarray
        The adversary's scores; a larger one says "member".
    auc : float
        Probability that a random member scores above a random non-member (ties count
        one half). 0.5 is a guess, 1 is certainty.
    standard_error : float
        Standard error of ``auc`` over the drawing of both groups (DeLong's).
    advantage : float
        Largest true minus false positive rate over all thresholds, in [0, 1]. The
        threshold is chosen in hindsight, so it is positive by chance too: of a guess it is
        sqrt(pi/8 (1/n_members + 1/n_non_members)) on average, the mean of the one-sided
        Kolmogorov-Smirnov statistic in large groups.
    """

    member_scores: FloatArray
    non_member_scores: FloatArray
    auc: float
    standard_error: float
    advantage: float

    def true_positive_rate(self, false_positive_rate: float) -> float:
        """Share of members found at a threshold that accuses few non-members.

        Parameters
        ----------
        false_positive_rate : float in [0, 1]
            The largest share of non-members that may be taken for members.

        Returns
        -------
        float
            The share of members above the lowest such threshold, in [0, 1].
        """
        share = check.given("false_positive_rate", false_positive_rate)
        ordered = np.sort(self.non_member_scores)[::-1]
        n_accused = int(np.floor(share * ordered.size + 1e-9))
        if n_accused == ordered.size:
            return 1.0
        return float((self.member_scores > ordered[n_accused]).mean())


def membership_inference(
    released: ArrayLike,
    members: ArrayLike,
    non_members: ArrayLike,
    *,
    y: Classes | None = None,
    scale: bool = True,
    project: bool = False,
) -> MembershipInference:
    """Tell the records behind a release from others, by their nearest released record.

    Parameters
    ----------
    released : array-like of shape (n_released, n_features)
        The published records: all that the attack learns from.
    members : array-like of shape (n_members, n_features)
        Two or more records that the release was made from.
    non_members : array-like of shape (n_non_members, n_features)
        Two or more records of the same population that it was not made from.
    y : tuple of three array-likes, optional
        Classes of ``released``, ``members`` and ``non_members``. Without them a record
        scores by how near a released record lies (score: minus the distance). With
        them, by how much nearer one of its own class lies than one of another (score:
        distance to the other minus distance to the own), which finds classifiers that
        learned their training labels by heart.
    scale : bool, default=True
        Divide every attribute by its range in the release.
    project : bool, default=False
        Project the candidates on the row space of the release first. Where its rank
        is below the number of attributes, as after BSVD, this repeats what the
        provider did to the members; otherwise it changes nothing.

    Returns
    -------
    MembershipInference
        Scores, AUC with standard error, and the advantage.

    Raises
    ------
    ValueError
        If numbers of columns or of classes do not match, a group has fewer than two
        records, a value is missing, or the release lacks a class of ``y`` or
        holds that class alone.

    Notes
    -----
    The thresholds and the error rates are measured on the two groups themselves; the
    scores use no record of either. Scores that differ by no more than 1e-9 of the largest
    coordinate are equal: records that are equal tie, however a machine rounds.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> people = rng.normal(size=(400, 3))
    >>> members, others = people[:200], people[200:]
    >>> published = members + rng.normal(scale=0.1, size=members.shape)
    >>> round(membership_inference(published, members, others).auc, 3)
    0.894
    >>> invented = rng.normal(size=members.shape)
    >>> attack = membership_inference(invented, members, others)
    >>> abs(attack.auc - 0.5) < 3 * attack.standard_error
    True
    """
    table = check.numbers(released, "released", ndim=2)
    groups = [
        _people(check.alike_columns(group, released, name), name, table.shape[1])
        for group, name in ((members, "members"), (non_members, "non_members"))
    ]
    n_inside, people = len(groups[0]), np.concatenate(groups)
    if check.given("project", project):
        people = people @ (np.linalg.pinv(table, rcond=1e-9) @ table)
    if check.given("membership_inference.scale", scale):
        width = np.ptp(table, axis=0)
        width[width == 0] = 1.0
        table, people = table / width, people / width
    if y is None:
        scores = -_distance(table, people)
    else:
        scores = _margin(table, people, *_classes(y, len(table), n_inside, len(people) - n_inside))
    scores = _level(scores, _TIE * max(float(np.abs(part).max()) for part in (table, people)))
    return _judge(scores[:n_inside], scores[n_inside:])


def _people(values: ArrayLike, name: str, n_features: int) -> FloatArray:
    people = check.numbers(values, name, ndim=2)
    check.of_shape(people, name, (None, n_features), "the columns of released")
    check.demand(len(people) > 1, f"{name} must hold at least two records", len(people))
    return people


def _classes(y: Classes, *sizes: int) -> tuple[AnyArray, AnyArray]:
    """Return the classes of the release and of all candidates, of tables of so many records."""
    names = "released", "members", "non_members"
    given = check.sequence(y, "y", "arrays of classes", len(names))
    of_release, *of_people = (
        check.class_values(classes, f"y of {name}", size)
        for classes, name, size in zip(given, names, sizes, strict=True)
    )
    present, of_candidates = np.unique(of_release), np.concatenate(of_people)
    wanted = np.unique(of_candidates)
    rule = f"y of released must hold every class of the candidates, {check.listed(wanted)}, and two"
    legal = present.size > 1 and np.isin(wanted, present).all()
    check.demand(legal, rule, present.tolist())
    return of_release, of_candidates


def _distance(table: FloatArray, records: FloatArray) -> FloatArray:
    """Euclidean distance of every record to its nearest row of the table.

    Not by brute force, which takes roots of differences of squares: for equal records the
    eighth digit is noise.
    """
    near, _ = NearestNeighbors(n_neighbors=1, algorithm="kd_tree").fit(table).kneighbors(records)
    return np.asarray(near[:, 0], dtype=np.float64)


def _margin(table: FloatArray, records: FloatArray, classes: AnyArray, y: AnyArray) -> FloatArray:
    """Distance to the nearest row of another class minus that to one of the own class."""
    margin = np.empty(len(records))
    for c in np.unique(y):
        rows, own = y == c, classes == c
        margin[rows] = _distance(table[~own], records[rows]) - _distance(table[own], records[rows])
    return margin


def _level(scores: FloatArray, gap: float) -> FloatArray:
    """Make scores equal that rounding alone tells apart.

    Scores in a row whose neighbours differ by no more than the gap become the smallest of
    them. Otherwise equal records would rank as the machine rounds.
    """
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.diff(ordered, prepend=-np.inf) > gap
    levelled = np.empty_like(scores)
    levelled[order] = ordered[np.flatnonzero(first)[np.cumsum(first) - 1]]
    return levelled


def _judge(inside: FloatArray, outside: FloatArray) -> MembershipInference:
    above, below = _placements(inside, outside), 1 - _placements(outside, inside)
    sampling = above.var(ddof=1) / above.size + below.var(ddof=1) / below.size
    apart = ks_2samp(outside, inside, alternative="greater", method="asymp")
    return MembershipInference(
        member_scores=inside,
        non_member_scores=outside,
        auc=float(above.mean()),
        standard_error=float(np.sqrt(sampling)),
        advantage=float(apart.statistic),
    )


def _placements(scores: FloatArray, others: FloatArray) -> FloatArray:
    """Share of the others below each score, those equal to it counted half."""
    ordered = np.sort(others)
    left, right = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return (left + right) / (2 * ordered.size)

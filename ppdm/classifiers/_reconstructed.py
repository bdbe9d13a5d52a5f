"""Decision trees on values to which noise was added (AS00 section 4), by dealing records.

Section 4.2: of the values of a label, in their order, the lowest are dealt to the first interval,
the next ones to the second, as many as the reconstruction says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm._coding import locate
from ppdm._estimators import OfScheme
from ppdm.classifiers._intervals import bind, check_public_classes, lay
from ppdm.classifiers._tree_base import TreeWrapper
from ppdm.reconstruction._distribution import reconstruct
from ppdm.tree import CountTreeClassifier
from ppdm.tree._records import Records
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    BoolArray,
    Criterion,
    FloatArray,
    IntArray,
    Pruning,
    Stop,
    Strategy,
)


def deal(
    records: Records,
    columns: FloatArray,
    channels: list[Any],
    rule: dict[str, Any],
    label: IntArray,
    wanted: BoolArray,
) -> IntArray:
    """Reconstruct each attribute for each label, and give the records their intervals.

    Parameters
    ----------
    records : Records
        They are taken to their intervals.
    columns : ndarray of shape (n_features, n_samples)
        The disguised values.
    channels : list
        One bound channel an attribute.
    rule : dict
        When a reconstruction stops: ``stop``, ``tol`` and ``max_iter``.
    label : ndarray of int, shape (n_nodes, n_classes)
        The label of the records of a class at a node; -1 where they keep their intervals.
    wanted : ndarray of bool, shape (n_labels, n_features)
        Which attributes are dealt for each label.

    Returns
    -------
    ndarray of int, shape (n_features,)
        The most steps that a label's reconstruction of each attribute took.
    """
    labels = label[records.node, records.label]
    codes, steps = records.codes.copy(), np.zeros(len(channels), dtype=np.intp)
    for feature in np.flatnonzero(wanted.any(axis=0)).tolist():
        which = np.flatnonzero(np.append(wanted[:, feature], False)[labels])
        values, own = columns[feature][records.row[which]], labels[which]
        tally = channels[feature].count(values, labels=own, n_labels=len(wanted))
        estimate = reconstruct(channels[feature], tally, keep_history=False, **rule)
        steps[feature] = estimate.n_iter.max()
        counts = largest_remainder(estimate.probabilities, tally.sum(axis=1))
        # label by label, the lowest values come first
        intervals = np.tile(np.arange(counts.shape[1]), len(wanted))
        codes[feature, which[np.lexsort((values, own))]] = np.repeat(intervals, counts.ravel())
    records.codes = codes
    return steps


def largest_remainder(shares: FloatArray, totals: NDArray[np.integer]) -> IntArray:
    """Round ``totals`` times ``shares`` to whole counts that add up exactly.

    Each count is rounded down; what is missing goes, one each, to those that lost most,
    the first ones among equals.

    Parameters
    ----------
    shares : ndarray of shape (..., m)
        Not negative, each row summing to one.
    totals : ndarray of int, shape (...)
        What each row of counts adds up to.

    Returns
    -------
    ndarray of int, shape (..., m)

    Examples
    --------
    >>> largest_remainder(np.array([0.5, 0.3, 0.2]), np.array(11)).tolist()
    [6, 3, 2]
    """
    exact = shares * totals[..., None]
    counts = np.floor(exact).astype(np.intp)
    missing = totals - counts.sum(axis=-1)
    lost = np.argsort(counts - exact, axis=-1, kind="stable")
    place = np.argsort(lost, axis=-1)
    counts += place < missing[..., None]
    return counts


@dataclass(eq=False, repr=False)
class ReconstructedTreeClassifier(OfScheme, TreeWrapper):
    """Decision tree from records with added noise, by reconstruction (AS00 section 4).

    The miner gets disguised values and knows the noise. He reconstructs how the true values
    are distributed over intervals, deals the records, in the order of their disguised
    values, to the intervals, and grows a tree on these. The tree is applied to clear
    records.

    Parameters
    ----------
    scheme : AdditiveNoise, or another noise
        The noise that was added, as far as it is public: with its ``domain`` or ``scale``
        given, or fitted. (scikit-learn's ``clone``, and so cross-validation, forgets what
        was learned in ``fit``; give the domain there.) Another noise needs
        ``on(edges, feature=...)``, which gives a :class:`ppdm.channel.Channel` with these
        ``edges``, and takes ``whole=True`` for ``integer_features``; where it has bounds they
        are its ``domain_`` after ``fit`` or its ``domain``, of shape (n_features, 2).
    strategy : {"none", "randomized", "global", "byclass", "local"}, default="byclass"
        ``"none"`` fits clear records: the paper's Original. ``"randomized"`` fits disguised
        values as if they were true, on intervals over their whole range. ``"global"``
        reconstructs each attribute once, over all classes; ``"byclass"`` once for each
        class; ``"local"`` for each class again at each node that is large enough.
    integer_features : array of bool (n_features,), of int or of str, optional
        The attributes that hold whole numbers, as a mask, as columns, or by the names that the
        columns of a DataFrame have. Their intervals are
        their values. An attribute with over 100 values is cut like any other.
    n_intervals : int >= 2, optional
        Into how many intervals of equal width the domain of every other attribute is cut.
        None takes one for every 100 training records, at least 10 and at most 100; with
        ``"none"`` it cuts midway between any two distinct values, which only clear values
        allow (AS00 section 4.2).
    classes : array, optional
        The public set of classes; None takes those that occur.
    criterion, max_depth, min_samples_leaf, min_impurity_decrease
        As in :class:`ppdm.tree.CountTreeClassifier`.
    pruning : {"sliq", "stochastic", None}, default="sliq"
        As there.
    min_node_records, min_class_records : int, default=2000, 200
        ``"local"`` reconstructs at a node with at least so many records, and so many of
        every class. Below, the last assignment holds on.
    keep_split : bool, default=True
        ``"local"`` leaves the assignment of an attribute as it is below a node that splits
        on it. There the split has selected records by their *noise* too, so that the noise
        has no longer the distribution that the reconstruction takes for granted; False
        reconstructs all the same, and shows what comes of it.
    stop, tol, max_iter
        When a reconstruction stops, as in :func:`ppdm.reconstruction.em`. The default is
        the paper's rule.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    edges_ : list of ndarray
        Edges of each attribute's intervals.
    estimator_ : CountTreeClassifier
        The tree.
    n_iter_ : ndarray of int, shape (n_features,)
        The most steps that a class's reconstruction of each attribute took, of all records;
        0 where the strategy reconstructs nothing.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.noise import AdditiveNoise
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, (5000, 1))
    >>> y = X[:, 0] < 4
    >>> noise = AdditiveNoise("uniform", privacy=0.5, domain=[[0, 10]], random_state=rng)
    >>> tree = ReconstructedTreeClassifier(noise).fit(*noise.disguise(X, y))
    >>> print(tree.estimator_.export_text(["x"]))
    x < 4: True (63, 1942)
    x >= 4: False (2931, 64)
    >>> tree.predict([[1.5], [8.5]])
    array([ True, False])
    """

    classes_: AnyArray = field(init=False)

    scheme: Any = None
    strategy: Strategy = "byclass"
    _: KW_ONLY
    integer_features: ArrayLike | None = None
    n_intervals: int | None = None
    classes: ArrayLike | None = None
    criterion: Criterion = "gini"
    max_depth: int | None = None
    min_samples_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    pruning: Pruning = "sliq"
    min_node_records: int = 2000
    min_class_records: int = 200
    keep_split: bool = True
    stop: Stop = "chi2"
    tol: float | None = None
    max_iter: int = 10_000

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Reconstruct as the strategy says and grow the tree.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Disguised records; clear ones where ``strategy`` is ``"none"``.
        y : array of shape (n_samples,)
            Their classes, in the clear.

        Returns
        -------
        ReconstructedTreeClassifier

        Raises
        ------
        TypeError
            If ``scheme`` has no ``on``.
        ValueError
            If a parameter is not allowed, a value is missing, an attribute is constant,
            ``scheme`` belongs to other attributes or does not know its scale, a label is not
            among ``classes`` or a class has no record; with ``"none"``, if a value lies
            outside the noise's domain.

        Warns
        -----
        ConvergenceWarning
            If a reconstruction did not meet its stop rule within ``max_iter`` steps.
        UnexplainedValueWarning
            If bounded noise cannot explain a disguised value.
        """
        check.parameters(self)
        values = self._records(X, reset=True)
        self.classes_, label = check.classes(y, len(values))
        check_public_classes(self.classes_, self.classes)
        edges, whole = lay(self, values)
        self.edges_: list[FloatArray] = edges
        self.n_iter_: IntArray = np.zeros(len(edges), dtype=np.intp)
        columns = np.ascontiguousarray(values.T)
        if self.strategy in ("none", "randomized"):  # the values as they are
            codes = np.stack([locate(*pair) for pair in zip(columns, edges, strict=True)])
            self.estimator_ = self._grow(Records(codes, label), edges)
            return self
        records = Records(np.zeros(columns.shape, dtype=np.int32), label)  # still to be dealt
        rule = {"stop": self.stop, "tol": self.tol, "max_iter": self.max_iter}
        again = partial(deal, records, columns, bind(self.scheme, edges, whole), rule)
        together = np.arange(self.classes_.size)[np.newaxis]
        if self.strategy == "global":
            together = np.zeros_like(together)
        self.n_iter_ = again(together, np.ones((together.max() + 1, len(edges)), dtype=np.bool_))
        recode = partial(self._deal_at_nodes, again) if self.strategy == "local" else None
        self.estimator_: CountTreeClassifier = self._grow(records, edges, recode)
        return self

    def _deal_at_nodes(
        self, again: Callable[..., IntArray], depth: int, counts: FloatArray, used: BoolArray
    ) -> None:
        """Reconstruct at the nodes of a level that are large enough, and deal their records."""
        large = counts.sum(axis=1) >= self.min_node_records
        large &= counts.min(axis=1) >= self.min_class_records
        wanted = ~used if self.keep_split else np.ones_like(used)
        large &= wanted.any(axis=1)
        if depth == 0 or not large.any():  # the root's were dealt at the start
            return
        n_classes = counts.shape[1]
        label = np.full(counts.shape, -1, dtype=np.intp)
        label[large] = np.arange(large.sum() * n_classes).reshape(-1, n_classes)
        again(label, np.repeat(wanted[large], n_classes, axis=0))

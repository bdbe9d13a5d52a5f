"""A decision tree grown from counts; it knows nothing of privacy.

Whoever can estimate how many records of each class have each value of an attribute can grow
a decision tree, without ever seeing a record (AS00 section 4, DZ03 section 4.2). So the tree
here takes records with signed weights, whose sums are such estimates, and integer codes that
someone else may have assigned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self

import numpy as np

from ppdm import _validation as check
from ppdm._coding import Grid, given_grid, learn_grid, with_labels
from ppdm._estimators import BaseEstimator, ClassifierMixin
from ppdm.exceptions import PPDMWarning, warn
from ppdm.tree._grow import Recode, grow, prune
from ppdm.tree._nodes import Tree, branch_text, tree_text
from ppdm.tree._records import Records, weighed
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Categories,
    Criterion,
    FloatArray,
    GivenCategories,
    IntArray,
    Pruning,
    Split,
)

#: Where the middle half of an attribute lies is looked up in so many rows.
_ROWS = 2048



@dataclass(eq=False, repr=False)
class CountTreeClassifier(ClassifierMixin, BaseEstimator):
    """Decision tree on coded attributes, from counts that may be signed.

    The tree is grown level by level. At each node every attribute's values are counted by
    class, and the split that lowers the node's impurity most is made, even where it lowers
    it by nothing. A tie goes to the attribute, then the cut, of lowest index; a tied leaf to
    the lowest class. The counts are sums of weights. A sum up to 1e-6 is zero and gains that
    differ by up to 1e-9 are equal, so that estimated counts and exact ones give one tree. Weights
    above one are repeated records. Those that average less have no unit: a record weighs
    ``sum w^2 / sum |w|``, which is what it does where all weigh the same.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default="gini"
        The impurity of a node with class shares p: 1 - sum p^2 (AS00 section 4.1), or
        - sum p log2 p in bits (DZ03 Eq. 1). The gain of a split is the node's impurity less
        the mean of its children's, weighted by their size (DZ03 Eq. 2).
    split : {"threshold", "multiway"}, default="threshold"
        ``"threshold"`` asks whether a value lies below a cut between two intervals.
        ``"multiway"`` makes a child for each value and uses an attribute once on a path; with
        ``criterion="entropy"`` this is ID3.
    n_intervals : int or None, default=100
        How many intervals of equal width an attribute of floats is cut into. An outlier or a
        long tail makes them too wide for the other values, which is warned of. None cuts
        midway between the distinct values. An integer ``X`` is its own code: each whole
        number is an interval.
    max_depth : int, optional
        No split is made at this depth; the root's is 0.
    min_samples_leaf : float, default=0
        The least number of records, by weight, on both sides of a threshold; of at least two
        children in a multiway split. 0 asks for more than none.
    min_impurity_decrease : float, default=0
        A node whose best split lowers its *own* impurity by less is not split. (Unlike
        scikit-learn's argument of this name, the decrease is not multiplied by the node's
        share of the records.)
    pruning : {None, "sliq", "stochastic"}, default=None
        Cut back a subtree where a leaf's description is no longer than its own.
        ``"sliq"``: a leaf costs 1 + its errors, a split 2 + its children, as in SLIQ and
        SPRINT. ``"stochastic"``: a leaf costs 1 bit + the stochastic complexity of its
        classes, a split 1 bit + log2(attributes) + log2(cuts of its attribute) + its
        children.
    categories : list of array-like or None, default=None
        The labels of each attribute, in the order of their codes; None for one of numbers. By
        default those of a pandas Categorical; texts are learnt from the records. A threshold cuts
        them in their order, so it takes those given here, or those of an ordered Categorical.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of ndarray, or None where all hold numbers
    edges_ : list of ndarray
        Where each attribute is cut: interval k is [edges_[j][k], edges_[j][k + 1]); of one that
        has categories, it is the label of code k.
    tree_ : Tree
        The nodes, as arrays.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Notes
    -----
    **Signed weights.** DZ03 estimates counts by inverting the randomisation. The estimate is
    a sum of positive and negative weights, so a count may come out negative. Sums are clipped
    at zero where an impurity, a size or a share is taken, never before. The root's total
    weight must be positive; below it a node whose total is not is a leaf with its parent's
    majority, and so is a multiway child without records.

    **Long tails.** Equal widths are the papers'. Of an attribute whose
    middle half spans less than two hundredths of its range a tree learns little by them: from
    4,000 records of which one is 1e6 accuracy falls from .83 to .73, after exp(3x) to .54. Then
    ``fit`` raises a :class:`ppdm.exceptions.PPDMWarning`.

    **Labels.** Each is a value, and a branch of a multiway split whether or not it occurs. A label
    that is none of its attribute's is refused, in ``predict`` too. Nothing is disguised here, so
    texts may be learnt from the records, as classes are.

    Examples
    --------
    >>> X = [[23, 20], [25, 50], [32, 70], [43, 40], [50, 30], [68, 50]]
    >>> risk = ["high", "low", "low", "high", "low", "low"]
    >>> tree = CountTreeClassifier().fit(X, risk)
    >>> print(tree.export_text(["age", "salary"]))
    salary <= 45
    |   age <= 46: high (2, 0)
    |   age > 46: low (0, 1)
    salary > 45: low (0, 3)
    >>> votes, party = [[0, 1], [1, 1], [1, 0], [0, 0]], [0, 1, 1, 0]
    >>> id3 = CountTreeClassifier(criterion="entropy", split="multiway").fit(votes, party)
    >>> id3.tree_.feature, id3.tree_.counts.tolist()
    (array([ 0, -1, -1]), [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    >>> cars = [["van", 40], ["sports", 50], ["van", 68], ["sports", 20]]
    >>> print(CountTreeClassifier(split="multiway").fit(cars, [0, 1, 0, 1]).export_text())
    x0 = sports: 1 (0, 2)
    x0 = van: 0 (2, 0)
    """

    classes_: AnyArray = field(init=False)
    categories_: Categories | None = field(init=False)
    edges_: list[FloatArray] = field(init=False)
    tree_: Tree = field(init=False)
    n_features_in_: int = field(init=False)

    _: KW_ONLY
    criterion: Criterion = "gini"
    split: Split = "threshold"
    n_intervals: int | None = 100
    max_depth: int | None = None
    min_samples_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    pruning: Pruning = None
    categories: GivenCategories = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Lay the grid over the records and grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, or labels.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Signed weights; records of weight 0 are left out altogether.

        Returns
        -------
        CountTreeClassifier

        Raises
        ------
        ValueError, TypeError
            If a parameter is not allowed, a value is missing, labels come without the order that
            a threshold needs, or the weights' total is not positive.
        """
        check.parameters(self)
        table, classes, label, weight, unit = weighed(self._table(X, reset=True), y, sample_weight)
        grid = learn_grid(table, self.n_intervals, closed=self.split == "multiway")
        grid = with_labels(grid, self.categories_)
        self._warn_of_crowds(grid, table)
        records = Records(grid.encode(table), label, weight, unit)
        return self._grow(records, classes, grid)

    def fit_codes(
        self,
        codes: ArrayLike,
        y: ArrayLike,
        edges: Sequence[ArrayLike],
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Grow the tree from codes that someone else has assigned.

        ``predict`` then takes values and codes them by the edges. ``n_intervals`` and
        ``categories`` are not used.

        Parameters
        ----------
        codes : array-like of int, shape (n_samples, n_features)
            The interval of each value, 0, ..., len(edges[j]) - 2 for attribute j.
        y : array-like of shape (n_samples,)
        edges : sequence of n_features array-likes
            The ascending edges of each attribute's intervals.
        sample_weight : array-like of shape (n_samples,), optional
            Signed weights.

        Returns
        -------
        CountTreeClassifier

        Raises
        ------
        ValueError
            If a code has no interval, edges are out of order, or the weights' total is not
            positive.

        Examples
        --------
        >>> from ppdm.tree import CountTreeClassifier
        >>> codes = [[0], [0], [1], [2], [2]]
        >>> tree = CountTreeClassifier().fit_codes(codes, [0, 0, 0, 1, 1], [[20, 40, 60, 80]])
        >>> print(tree.export_text(["age"]))
        age < 60: 0 (3, 0)
        age >= 60: 1 (0, 2)
        >>> tree.predict([[59.9], [60.0]])
        array([0, 1])
        """
        table = check.codes(codes, "codes")
        grid = given_grid(edges, table.shape[1])
        check.codes(table, "codes", grid.n_values)
        table, classes, label, weight, unit = weighed(table, y, sample_weight)
        by_feature = np.ascontiguousarray(table.T, dtype=np.int32)
        records = Records(by_feature, label, weight, unit)
        return self._grow_coded(records, classes, grid)

    def predict(self, X: ArrayLike) -> AnyArray:
        """Return the class of each record's leaf, shape (n_samples,)."""
        leaf = self.apply(X)  # refuses an unfitted tree
        return np.asarray(self.classes_[self.tree_.label[leaf]])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the shares of the classes in each record's leaf, (n_samples, n_classes)."""
        leaf = self.apply(X)
        return self.tree_.proba[leaf]

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the number of each record's leaf, shape (n_samples,)."""
        check.fitted(self)
        return self._leaves(self._table(X, reset=False))

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf; a tree that is one leaf has depth 0."""
        check.fitted(self)
        return int(self.tree_.depth[-1])

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check.fitted(self)
        return int(self.tree_.is_leaf.sum())

    def export_text(self, feature_names: Sequence[str] | None = None) -> str:
        """Return the tree as text, one line a branch; a leaf shows its class and counts.

        Parameters
        ----------
        feature_names : sequence of str, optional
            The names of the columns of ``X`` by default, or x0, x1, ...
        """
        check.fitted(self)
        names = self._feature_names(feature_names)
        return tree_text(self.tree_, self._grid, names, list(self.classes_))

    def branch_text(self, node: int, feature_names: Sequence[str] | None = None) -> str:
        """Return the condition that leads from a node's parent to it, as ``age < 40``."""
        check.fitted(self)
        check.given("node", node, high=self.tree_.n_nodes - 1)
        return branch_text(self.tree_, self._grid, self._feature_names(feature_names), node)

    def _feature_names(self, names: Sequence[str] | None) -> list[Any]:
        if names is not None:
            return check.sequence(names, "feature_names", "names", self.n_features_in_)
        numbered = [f"x{j}" for j in range(self.n_features_in_)]
        return list(getattr(self, "feature_names_in_", numbered))

    def _table(self, X: ArrayLike, *, reset: bool) -> AnyArray:
        """Return the records as numbers, labels as codes."""
        ordered = self.split == "threshold"
        return check.mixed_table(self, X, reset=reset, ordered=ordered)

    def _warn_of_crowds(self, grid: Grid, table: AnyArray) -> None:
        """Warn the caller's caller of floats of which most lie within two intervals."""
        if self.n_intervals is None or grid.whole:
            return
        some = np.sort(table[:: len(table) // _ROWS + 1], axis=0)
        middle_half = some[3 * len(some) // 4] - some[len(some) // 4]
        share = middle_half / [np.ptp(edges) or 1.0 for edges in grid.edges]
        for j in np.flatnonzero((share > 0) & (share < 2 / max(self.n_intervals, 100))):
            if grid.labels is None or grid.labels[j] is None:
                said = f"half of the values of attribute {self._feature_names(None)[j]} lie within "
                said += f"{share[j]:.2g} of its range, which n_intervals={self.n_intervals} cuts "
                said += "evenly, so that the tree hardly tells them apart: give n_intervals=None "
                said += "to cut between all values, or take logarithms or cap what lies far out"
                warn(said, PPDMWarning)

    def _leaves(self, values: AnyArray) -> IntArray:
        """Return the number of each record's leaf, of records that are known to be right."""
        tree, grid = self.tree_, self._grid
        if self.split == "multiway":
            return tree.apply(grid.encode(values))
        cut = np.zeros(tree.n_nodes)
        for j in np.unique(tree.feature[~tree.is_leaf]):
            here = tree.feature == j
            cut[here] = grid.edges[j][tree.threshold[here] + 1]
        return tree.lead(values, cut)

    def _grow_coded(
        self, records: Records, classes: AnyArray, grid: Grid, recode: Recode | None = None
    ) -> Self:
        """Grow the tree from codes that someone else has assigned, and is trusted with."""
        check.parameters(self)
        self.n_features_in_, self.categories_ = len(grid.edges), None
        return self._grow(records, classes, grid, recode)

    def _grow(
        self, records: Records, classes: AnyArray, grid: Grid, recode: Recode | None = None
    ) -> Self:
        tree = grow(records, grid.n_values, classes.size, self, recode)
        if self.pruning is not None:
            tree = prune(tree, self.pruning, grid.n_values)
        self.classes_, self._grid, self.edges_ = classes, grid, list(grid.edges)
        self.tree_ = replace(tree, counts=tree.counts * records.unit)
        return self

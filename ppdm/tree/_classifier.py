"""A decision tree grown from counts; it knows nothing of privacy.

Whoever can estimate how many records of each class have each value of an attribute can grow
a decision tree, without ever seeing a record (AS00 section 4, DZ03 section 4.2). So the tree
here takes records with signed weights, whose sums are such estimates, and integer codes that
someone else may have assigned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._coding import Grid, learn_grid, with_labels
from ppdm._estimators import BaseEstimator, ClassifierMixin
from ppdm.tree._from_chunks import FromChunks
from ppdm.tree._grow import grow, prune, weigh
from ppdm.tree._members import ChunkedMembers, Members
from ppdm.tree._nodes import Tree, TreeText
from ppdm.tree._split import Rules
from ppdm.typing import (
    AnyArray,
    Categories,
    Criterion,
    FloatArray,
    GivenCategories,
    IntArray,
    Pruning,
    Split,
)


class CountTreeClassifier(FromChunks, TreeText, ClassifierMixin, BaseEstimator):
    """Decision tree on coded attributes, from counts that may be signed.

    The tree is grown level by level. At each node every attribute's values are counted by
    class, and the split that lowers the node's impurity most is made, even where it lowers
    it by nothing. A tie goes to the attribute, then the cut, of lowest index; a tied leaf to
    the lowest class. The counts are sums of weights. A sum up to 1e-6 is zero and gains that
    differ by up to 1e-9 are equal, so that estimated counts and exact ones give one tree.

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
        How many intervals of equal width an attribute of floats is cut into. None cuts
        midway between the distinct values. An integer ``X`` is its own code: each whole
        number is an interval.
    domain : array-like of shape (n_features, 2), optional
        The public bounds of each attribute; a value outside is refused. None takes the range
        of the training records, and lets the outer intervals run on.
    max_depth : int, optional
        No split is made at this depth; the root's is 0.
    min_samples_leaf : float, default=0
        The least total weight (the number of records, where weights are 1) on both sides of
        a threshold; of at least two children in a multiway split. 0 asks for more than none.
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

    classes_: AnyArray
    categories_: Categories | None
    edges_: list[FloatArray]
    tree_: Tree
    n_features_in_: int

    def __init__(
        self,
        *,
        criterion: Criterion = "gini",
        split: Split = "threshold",
        n_intervals: int | None = 100,
        domain: ArrayLike | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        pruning: Pruning = None,
        categories: GivenCategories = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.n_intervals = n_intervals
        self.domain = domain
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.pruning = pruning
        self.categories = categories

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
            If a parameter is not allowed, a value is missing or outside ``domain``, labels come
            without the order that a threshold needs, or the weights' total is not positive.
        """
        rules = self._rules()
        table = self._table(X, reset=True)
        self.classes_, label = check.classes(y, len(table))
        weight, table, label = weigh(sample_weight, table, label)
        grid = self._lay(table)
        return self._grow_from(grid.encode(table), label, weight, grid, rules)

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
        check_is_fitted(self)
        values = self._table(X, reset=False)
        asked = np.unique(self.tree_.feature[~self.tree_.is_leaf])
        return self.tree_.apply(self._grid.encode(values, asked.tolist()))

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf; a tree that is one leaf has depth 0."""
        check_is_fitted(self)
        return int(self.tree_.depth[-1])

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return int(self.tree_.is_leaf.sum())

    def _rules(self) -> Rules:
        check.option(self.pruning, "pruning", (None, "sliq", "stochastic"))
        if self.n_intervals is not None:
            check.integer(self.n_intervals, "n_intervals", low=1, most=check.MOST_VALUES)
        if self.max_depth is not None:
            check.integer(self.max_depth, "max_depth", low=0)
        return Rules(
            check.option(self.criterion, "criterion", ("gini", "entropy")),
            check.option(self.split, "split", ("threshold", "multiway")),
            self.max_depth,
            check.number(self.min_samples_leaf, "min_samples_leaf", low=0),
            check.number(self.min_impurity_decrease, "min_impurity_decrease", low=0),
        )

    def _table(self, X: ArrayLike, *, reset: bool, learn: bool = True) -> AnyArray:
        """Return the records as numbers, labels as codes."""
        ordered = self.split == "threshold"
        return check.mixed_table(self, X, reset=reset, ordered=ordered, learn=learn)

    def _lay(self, values: AnyArray) -> Grid:
        """Lay the grid over the range of the records."""
        closed = self.split == "multiway"
        grid = learn_grid(values, self.n_intervals, self.domain, categories=closed)
        return with_labels(grid, self.categories_, self.domain)

    def _grow(
        self,
        members: Members | ChunkedMembers,
        grid: Grid,
        rules: Rules,
        recode: Callable[..., Any] | None = None,
    ) -> Self:
        tree = grow(members, grid.n_values, self.classes_.size, rules, recode)
        self._grid = grid
        self.edges_ = list(grid.edges)
        self.tree_ = tree if self.pruning is None else prune(tree, self.pruning, grid.n_values)
        return self

"""ID3 on randomised responses: signed records, then an ordinary tree."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._readings import Chunk, Readings, numbers_of
from ppdm.classifiers._tree_base import BitTreeWrapper, learn_bits, read_bits
from ppdm.randomized_response._coins import Coins
from ppdm.randomized_response._signed import read_reports, signed_counts
from ppdm.tree import ChunkedMembers, CountTreeClassifier, Kinds, Members
from ppdm.typing import AnyArray, ClassGroup, Groups, IntArray


class RandomizedResponseTreeClassifier(Coins, BitTreeWrapper):
    """ID3 learnt from randomised responses.

    ID3 needs counts only, and signed records give unbiased estimates of all of them. So this
    is ID3 on signed records. It splits on the attribute of highest information gain, also
    where that is zero, until a node has one class or no attribute is left; ties go to the
    lowest attribute, and to the lowest class in a leaf; a child without records takes its
    parent's class. Counts below zero are taken as zero after they are summed, never before.

    Parameters
    ----------
    theta : float in [0, 1], not 1/2, default=None
        The probability with which each provider told the truth; this or ``epsilon`` is given.
    groups, class_group : default=None
        Who shared a coin, as in :class:`ppdm.randomized_response.RandomizedResponse`.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what each answer spent, as in
        :class:`ppdm.randomized_response.RandomizedResponse`.
    max_depth : int, optional
        No split is made at this depth; the root's is 0.

    Attributes
    ----------
    theta_, epsilon_ : float
        Both, whichever was given, as in :class:`ppdm.randomized_response.RandomizedResponse`.
    classes_ : ndarray of shape (n_classes,)
    estimator_ : CountTreeClassifier
        The tree; its ``export_text`` prints it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    See Also
    --------
    ppdm.randomized_response.signed_records : What the tree is grown from.
    ppdm.utility.disguised_accuracy : How good it is, from disguised test records.

    References
    ----------
    DZ03, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.classifiers import RandomizedResponseTreeClassifier
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (4000, 3))
    >>> y = X[:, 1] & X[:, 2]
    >>> R, y_reported = RandomizedResponse(0.7, random_state=rng).disguise(X, y)
    >>> tree = RandomizedResponseTreeClassifier(theta=0.7).fit(R, y_reported)
    >>> tree.predict([[0, 1, 1], [1, 1, 0]])
    array([1, 0])
    """

    estimator_: CountTreeClassifier
    classes_: AnyArray

    def __init__(
        self,
        theta: float | None = None,
        groups: Groups = None,
        class_group: ClassGroup = None,
        *,
        epsilon: float | None = None,
        max_depth: int | None = None,
    ) -> None:
        self.theta = theta
        self.groups = groups
        self.class_group: ClassGroup = class_group
        self.epsilon = epsilon
        self.max_depth = max_depth

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the tree from disguised records.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Disguised bits.
        y : array-like of shape (n_samples,)
            The disguised classes; two, unless the class is public.

        Returns
        -------
        RandomizedResponseTreeClassifier

        Raises
        ------
        ValueError
            If not exactly one of theta and epsilon is given, theta is outside [0, 1] or equals
            1/2, epsilon is outside (0, 20] or answers share a coin; if ``X`` has a missing value
            or anything but 0 and 1; if groups overlap, leave an attribute out or ``class_group``
            is none of them; if the class is disguised and there are not two.
        """
        bits = check.bit_table(self, X, reset=True)
        self.classes_, label = check.classes(y, len(bits))
        check.two_classes(self.classes_, self.class_group)
        members = _undo(bits, label, self._coins(), len(bits))
        self.estimator_ = self._grow_on_members(members, self.classes_, bits.shape[1])
        return self

    def fit_chunks(
        self, chunks: Iterable[tuple[Any, ...]], *, classes: ArrayLike | None = None
    ) -> Self:
        """Grow the tree that :meth:`fit` grows, from reports that are read chunk by chunk.

        No report is kept: at each level the chunks are read twice. The weights of signed records
        are added up without rounding, so that no chunk and no order changes a sum.

        Parameters
        ----------
        chunks : iterable of (X, y)
            Read again and again, as in :meth:`ppdm.tree.CountTreeClassifier.fit_chunks`.
        classes : array-like, optional
            The public set of classes, in which each label has to be. None takes those that occur.

        Returns
        -------
        RandomizedResponseTreeClassifier
            The same, bit for bit, as from all reports at once.

        Raises
        ------
        TypeError, ValueError
            As :meth:`fit`; if ``chunks`` cannot be read again or change, have weights, or
            disagree in their columns or kinds, or a label is not among ``classes``.

        Examples
        --------
        >>> chunks = [([[0, 1], [1, 1]], [1, 1]), ([[0, 0]], [0])]
        >>> tree = RandomizedResponseTreeClassifier(theta=0.9).fit_chunks(chunks)
        >>> tree.predict([[1, 0], [1, 1]])
        array([0, 1])
        """
        readings = Readings.of(chunks)
        facts = learn_bits(self, readings, classes)
        self.classes_ = facts.classes
        check.two_classes(self.classes_, self.class_group)
        coins = self._coins()
        kinds = _undo(facts.ends[:1], np.zeros(1, dtype=np.intp), coins, facts.n).kinds
        read = partial(_read, self, self.classes_, coins, facts.n)
        members = ChunkedMembers(readings, read, kinds)
        self.estimator_ = self._grow_on_members(members, self.classes_, self.n_features_in_)
        return self

    def _coins(self) -> dict[str, Any]:
        groups, names = self.groups, getattr(self, "feature_names_in_", None)
        if groups is not None and names is not None:  # reports come as arrays, without names
            groups = [group.tolist() for group in check.groups(groups, names.size, names)]
        return {
            "theta": self.theta,
            "groups": groups,
            "class_group": self.class_group,
            "epsilon": self.epsilon,
        }


def _undo(bits: AnyArray, label: IntArray, coins: dict[str, Any], n: int) -> Members:
    """Return the signed records of reports, some of ``n`` in all; their weights are in parts."""
    signed = signed_counts(*read_reports(bits, y=label, **coins))
    most = signed.counts.sum(axis=1).max() / len(bits) * n
    kinds = Kinds.of(signed.worth, most)
    codes = np.ascontiguousarray(signed.X.T, dtype=np.int32)
    labels = np.asarray(signed.y, dtype=np.intp)
    return Members.at_root(codes, labels, kinds.pack(signed.counts), kinds)


def _read(tree: Any, classes: AnyArray, coins: dict[str, Any], n: int, chunk: Chunk) -> Members:
    bits, labels = read_bits(tree, chunk, False)
    return _undo(bits, numbers_of(labels, classes), coins, n)

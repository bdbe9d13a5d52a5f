"""ID3 on randomised responses: signed records, then an ordinary tree."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ppdm import _validation as check
from ppdm.classifiers._tree_base import BitTreeWrapper
from ppdm.randomized_response._coins import Coins, read_reports
from ppdm.randomized_response._signed import signed_counts
from ppdm.tree._records import Members
from ppdm.typing import Bits, ClassGroup, FloatArray, Groups, IntArray


@dataclass(eq=False, repr=False)
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

    Raises
    ------
    ValueError
        In ``fit``, if not exactly one of theta and epsilon is given, theta is outside [0, 1] or
        equals 1/2, epsilon is outside (0, 20] or answers share a coin; if groups overlap, leave an
        attribute out or ``class_group`` is none of them; if the class is disguised and there are
        not two.

    Notes
    -----
    From chunks, signed records are counted by what they weigh, in whole numbers, so that no chunk
    and no order changes a sum.

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
    >>> chunks = [([[0, 1], [1, 1]], [1, 1]), ([[0, 0]], [0])]
    >>> RandomizedResponseTreeClassifier(theta=0.9).fit_chunks(chunks).predict([[1, 0], [1, 1]])
    array([0, 1])
    """

    theta: float | None = None
    groups: Groups = None
    class_group: ClassGroup = None
    _: KW_ONLY
    epsilon: float | None = None
    max_depth: int | None = None

    def _undo(self, bits: Bits, label: IntArray) -> tuple[Members, FloatArray | None]:
        """Return signed records: how many there are of each kind, and what a kind weighs."""
        check.two_classes(self.classes_, self.class_group)
        coin = {name: getattr(self, name) for name in ("theta", "epsilon", "groups", "class_group")}
        names = getattr(self, "feature_names_in_", None)
        X, y, counts, worth = signed_counts(*read_reports(bits, y=label, names=names, **coin))
        codes = np.ascontiguousarray(X.T, dtype=np.int32)
        return Members.at_root(codes, np.asarray(y, dtype=np.intp), counts), worth

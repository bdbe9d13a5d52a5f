"""ID3 on randomised responses: signed records, then an ordinary tree."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._estimators import OfScheme
from ppdm.classifiers._tree_base import BitTreeWrapper
from ppdm.randomized_response._channel import coin_of, read_reports
from ppdm.randomized_response._signed import undo_records
from ppdm.tree._records import Records
from ppdm.typing import Bits, FloatArray, IntArray


@dataclass(eq=False, repr=False)
class RandomizedResponseTreeClassifier(OfScheme, BitTreeWrapper):
    """ID3 learnt from randomised responses.

    ID3 needs counts only, and signed records give unbiased estimates of all of them. So this
    is ID3 on signed records. It splits on the attribute of highest information gain, also
    where that is zero, until a node has one class or no attribute is left; ties go to the
    lowest attribute, and to the lowest class in a leaf; a child without records takes its
    parent's class. Counts below zero are taken as zero after they are summed, never before.

    Parameters
    ----------
    scheme : RandomizedResponse
        The coins that disguised the records, and the class where it was disguised.
    max_depth : int, optional
        No split is made at this depth; the root's is 0.

    Attributes
    ----------
    scheme_ : RandomizedResponse
        The coins as they were in ``fit``.
    classes_ : ndarray of shape (n_classes,)
    estimator_ : CountTreeClassifier
        The tree; its ``export_text`` prints it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if scheme is no RandomizedResponse, its theta is 1/2, the reports lack a column
        of its or hold anything but 0 and 1; if the class is disguised and there are not two.

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
    >>> coin = RandomizedResponse(0.7, random_state=rng)
    >>> tree = RandomizedResponseTreeClassifier(coin).fit(*coin.disguise(X, y))
    >>> tree.predict([[0, 1, 1], [1, 1, 0]])
    array([1, 0])
    """

    scheme: Any = None
    _: KW_ONLY
    max_depth: int | None = None

    def _records(self, X: ArrayLike, *, reset: bool) -> Bits:
        """Return records as bits: reports in ``fit``, whose columns are those of the scheme."""
        if not reset:
            return super()._records(X, reset=reset)
        coin = coin_of(self.scheme, X, "X")
        self.scheme_: Any = check.snapshot(coin)
        return super()._records(check.chosen(coin, X, "X"), reset=reset)

    def _undo(self, bits: Bits, label: IntArray, weight: FloatArray | None) -> Records:
        check.two_classes(self.classes_, self.scheme_.class_group)
        found = undo_records(*read_reports(bits, self.scheme_, label, "X"), weight)
        codes = np.ascontiguousarray(found.X.T, dtype=np.int32)
        return Records(codes, np.asarray(found.y, dtype=np.intp), found.weight)

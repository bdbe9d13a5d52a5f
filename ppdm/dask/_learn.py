"""Count and learn block by block."""

from __future__ import annotations

from copy import deepcopy
from operator import add
from typing import Any

from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.chunks import ReleasedCounts
from ppdm.dask._blocks import BlockReadings, blocks_of, need, total


def count(
    channel: Any, released: Any, *, labels: Any = None, n_labels: int | None = None
) -> ReleasedCounts:
    """Count how often each value was released, block by block.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        What the reports came through.
    released : dask.array.Array, dask.dataframe.DataFrame or Series
        The reports, of one attribute or of all.
    labels : dask.array.Array or dask.dataframe.Series, optional
        A code 0, 1, ... for each record, in the same blocks.
    n_labels : int, optional
        How many labels there are.

    Returns
    -------
    ReleasedCounts
        What ``ReleasedCounts.of`` returns for all reports in one piece.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError, TypeError
        As :meth:`ppdm.chunks.ReleasedCounts.of`; if something is nothing of Dask's, blocks differ,
        or there is no report.

    Examples
    --------
    >>> import dask.array as da
    >>> from ppdm import dask as far
    >>> channel = [[0.8, 0.2], [0.2, 0.8]]
    >>> far.count(channel, da.from_array([0, 1, 1, 0, 1], chunks=2)).counts
    array([2, 3])
    """
    blocks = blocks_of(released, labels, "released", "labels")
    later = need("dask").delayed
    parts = [later(_count)(channel, *block, n_labels) for block in blocks]
    found: ReleasedCounts = total(parts, add, "released")
    return found


def fit(learner: Any, X: Any, y: Any, *, classes: ArrayLike | None = None) -> Any:
    """Learn from counts of all blocks.

    Naive Bayes and a Guidance need one look at the records, a tree some two a level: where the
    workers have room for them, ``X.persist()`` and ``y.persist()`` save reading them each time.

    Parameters
    ----------
    learner : classifier or Guidance
        Whatever has ``partial_fit``, or ``update``, and ``+``: CountNB, RandomizedResponseNB,
        CategoricalRandomizedResponseNB, GuidedNB and Guidance; or ``fit_chunks``, as all trees.
        It is not changed. A Guidance goes on from what it has seen.
    X : dask.array.Array or dask.dataframe.DataFrame
        Disguised records.
    y : dask.array.Array or dask.dataframe.Series
        Their classes, in the same blocks.
    classes : array-like of shape (n_classes,), optional
        All classes there are. A tree may find them itself, and one on reconstructed values has
        them as its own parameter; a Guidance knows its two; the others need them, since a block
        may lack some.

    Returns
    -------
    object
        A fitted learner, the same as from all records in one piece.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError, TypeError
        As ``partial_fit`` or ``fit_chunks``, if classes are missing, if X or y is nothing of
        Dask's, their blocks differ, there is no record, or a tree sees other records when a block
        is computed again.

    Examples
    --------
    >>> import dask.array as da
    >>> from ppdm import dask as far
    >>> from ppdm.naive_bayes import CountNB
    >>> from ppdm.tree import CountTreeClassifier
    >>> X = da.from_array([[0, 2], [0, 1], [1, 1], [1, 0]], chunks=(3, 2))
    >>> y = da.from_array(["no", "no", "yes", "yes"], chunks=3)
    >>> far.fit(CountNB(n_values=[2, 3]), X, y, classes=["no", "yes"]).class_count_
    array([2., 2.])
    >>> far.fit(CountTreeClassifier(), X, y).predict([[0, 0], [1, 1]])
    array(['no', 'yes'], dtype='<U3')
    """
    later = need("dask").delayed
    if hasattr(learner, "fit_chunks"):
        return _fit_tree(learner, BlockReadings(X, y), classes)
    check.having(learner, "learner", "__add__")
    if hasattr(learner, "update"):  # a Guidance: counts from zero go on from what it has seen
        check.goes_with(classes, "classes", "a learner that has partial_fit or fit_chunks")
        blank = type(learner)(learner.n_bits, learner.order)
        return learner + total([later(_update)(blank, *b) for b in blocks_of(X, y)], add, "X")
    check.having(learner, "learner", "partial_fit")
    if classes is None:
        raise ValueError("classes must name all classes, since a block may lack some, got None")
    known, blank = check.class_values(classes, "classes"), _blank(learner)
    return total([later(_partial_fit)(blank, *b, known) for b in blocks_of(X, y)], add, "X")


def _fit_tree(tree: Any, readings: BlockReadings, classes: ArrayLike | None) -> Any:
    if classes is None:
        return _blank(tree).fit_chunks(readings)
    if hasattr(tree, "classes"):
        raise ValueError(
            f"classes must be given to the learner, {type(tree).__name__}(classes=...), which "
            "has them as its own parameter, and not to fit"
        )
    return _blank(tree).fit_chunks(readings, classes=classes)


def _blank(learner: Any) -> Any:
    """Return an unfitted learner with the same parameters; a channel in it stays fitted."""
    return type(learner)(**learner.get_params(deep=False))


def _count(channel: Any, released: Any, labels: Any, n_labels: int | None) -> Any:
    if len(released) == 0:
        return None
    return ReleasedCounts.of(channel, released, labels=labels, n_labels=n_labels)


def _partial_fit(blank: Any, X: Any, y: Any, classes: Any) -> Any:
    return None if len(X) == 0 else deepcopy(blank).partial_fit(X, y, classes=classes)


def _update(blank: Any, R: Any, y: Any) -> Any:
    return None if len(R) == 0 else deepcopy(blank).update(R, y)

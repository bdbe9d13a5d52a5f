"""Value-class membership: release the class of a partition that holds the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm._coding import locate
from ppdm.noise._intervals import BoundNoise, NumberScheme
from ppdm.typing import ArrayLike, FloatArray


class ClassChannel(BoundNoise):
    """Value classes between intervals, as :meth:`ValueClassMembership.on` gives them.

    Attributes
    ----------
    edges : ndarray of shape (m + 1,)
        Edges of the true intervals.
    cells : ndarray of shape (S + 1,)
        Edges of the classes. What is released is the number of a class.
    n_features_in_ : int
        One.
    """

    def __init__(
        self, noise: ValueClassMembership, feature: int, edges: FloatArray, cells: FloatArray
    ) -> None:
        super().__init__(noise, feature, edges)
        self.cells: FloatArray = cells
        slack, ends = 1e-9 * (cells[-1] - cells[0]), cells[[0, -1]].tolist()
        inside = edges[0] >= ends[0] - slack and edges[-1] <= ends[1] + slack
        rule = f"edges must lie inside the classes, {ends}"
        check.demand(inside, rule, edges[[0, -1]].tolist())

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[class | true interval], with the value spread evenly over its interval.

        Parameters
        ----------
        feature : int, default=0
            The one attribute.

        Returns
        -------
        ndarray of shape (S, m)
            The part of each interval that each class covers; columns sum to one.
        """
        check.given("feature", feature, high=0)
        edges, cells = self.edges, self.cells
        overlap = np.minimum(edges[1:], cells[1:, None]) - np.maximum(edges[:-1], cells[:-1, None])
        return np.asarray(np.maximum(overlap, 0) / np.diff(edges))


@dataclass(eq=False, repr=False)
class ValueClassMembership(NumberScheme):
    """Release only the class that a value lies in (AS00, section 2: discretisation).

    The domain of each attribute is cut into disjoint classes of equal width W. All values
    of a class give the same release, so privacy at confidence c is c W and no noise is
    drawn.

    Parameters
    ----------
    n_intervals : int >= 2, optional
        Number of classes of each attribute. 10 where ``width`` is not given either.
    width : float or array of shape (n_features,), optional
        W in units of the attribute, instead of ``n_intervals``. The last class may reach
        beyond the domain.
    domain : array of shape (n_features, 2), optional
        The lowest and highest value that each attribute may take; None learns them in
        ``fit``. A value outside belongs to no class and is refused.

    Attributes
    ----------
    edges_ : list of ndarray
        Edges of the classes of each attribute.
    n_features_in_ : int
        Number of attributes seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where ``fit`` got a data frame.

    Notes
    -----
    Where ``domain`` is given nothing is to be learned, and ``transform`` and ``on`` work without
    ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> classes = ValueClassMembership(width=10_000, domain=[[20_000, 150_000]])
    >>> classes.transform(np.array([[52_000], [71_500], [33_000]]))
    array([[3],
           [5],
           [1]])
    """

    n_intervals: int | None = None
    width: float | ArrayLike | None = None
    domain: ArrayLike | None = None

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Set the edges of the classes.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Records in the clear. Their values are used only where ``domain`` is None.
        y : ignored

        Returns
        -------
        ValueClassMembership
            The fitted transformer.

        Raises
        ------
        ValueError
            If both ``n_intervals`` and ``width`` are given, one is out of its range, or a
            value lies outside ``domain``.
        """
        domain = check.learn_domain(self.domain, check.records(self, X, reset=True))
        self.edges_: list[FloatArray] = self._edges_on(domain)
        self.domain_ = domain
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the number of the class of each value, from 0.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Records in the clear.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Class numbers. A value on an edge belongs to the class above it, but for the
            upper end of the domain.

        Raises
        ------
        ValueError
            If a value is missing or lies outside the domain.
        """
        domain = check.known_domain(self)
        edges, values = self._edges_on(domain), check.records(self, X)
        check.inside(values, check.domain(domain, values.shape[1]))
        columns = [locate(column, cuts) for cuts, column in zip(edges, values.T, strict=True)]
        return np.stack(columns, axis=1).astype(np.int64)

    def on(self, edges: ArrayLike, *, feature: int | str | None = None) -> ClassChannel:
        """Bind intervals: the channel from an attribute's intervals to its classes.

        Parameters
        ----------
        edges : array of shape (m + 1,)
            Edges of the true intervals, inside the classes.
        feature : int or str, default=None
            The attribute that they belong to, by number or name; needed where attributes differ.

        Returns
        -------
        ClassChannel

        Raises
        ------
        ValueError
            If the intervals reach beyond the classes.

        Examples
        --------
        >>> classes = ValueClassMembership(2, domain=[[0, 1]])
        >>> classes.on([0, 0.25, 0.75, 1]).channel_matrix()
        array([[1. , 0.5, 0. ],
               [0. , 0.5, 1. ]])
        """
        classes = self._edges_on(check.known_domain(self))
        intervals = check.edges(edges, ndim=1)
        place = check.of_edges(feature, self, classes, high=len(classes) - 1)
        return ClassChannel(self, place, intervals, classes[place])

    def _edges_on(self, domain: FloatArray) -> list[FloatArray]:
        if self.width is None:
            wanted = 10 if self.n_intervals is None else self.n_intervals
            n_intervals = check.given("n_intervals", wanted)
            return [np.linspace(low, high, n_intervals + 1) for low, high in domain]
        rule = f"n_intervals must be None beside width={self.width!r}"
        check.demand(self.n_intervals is None, rule, self.n_intervals)
        width = check.numbers(self.width, "width", ndim=(0, 1))
        legal = width.min() > 0 and width.size in (1, len(domain))
        rule = f"width must be > 0, one number or one for each of the {len(domain)} attribute(s)"
        check.demand(legal, rule, self.width)
        widths = np.broadcast_to(width, (len(domain),))
        counts = np.maximum(np.ceil((domain[:, 1] - domain[:, 0]) / widths - 1e-9), 1).astype(int)
        return [
            low + step * np.arange(count + 1)
            for (low, _), step, count in zip(domain, widths, counts, strict=True)
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # class numbers are integers
        return tags

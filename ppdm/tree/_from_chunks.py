"""How a tree learns from records that come in chunks, or that someone else has laid out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._coding import Grid, given_grid
from ppdm._readings import Chunk, Facts, Readings, learn, numbers_of, weights_of
from ppdm.tree._grow import Recode, weigh
from ppdm.tree._members import ChunkedMembers, Members
from ppdm.tree._split import Rules
from ppdm.typing import AnyArray, Categories, Codes, FloatArray, IntArray


class FromChunks(ABC):
    """What a tree does with chunks, and with records that someone else has laid out."""

    classes_: AnyArray
    categories_: Categories | None
    n_features_in_: int

    @abstractmethod
    def _rules(self) -> Rules: ...

    @abstractmethod
    def _grow(
        self,
        members: Members | ChunkedMembers,
        grid: Grid,
        rules: Rules,
        recode: Callable[..., Any] | None = None,
    ) -> Self: ...

    def fit_chunks(
        self, chunks: Iterable[tuple[Any, ...]], *, classes: ArrayLike | None = None
    ) -> Self:
        """Grow the tree that :meth:`fit` grows, from records that are read chunk by chunk.

        No record is kept: at each level the chunks are read twice, and each record's node is
        found again. Memory grows with the tree and with a chunk, not with the chunks' number.

        Parameters
        ----------
        chunks : iterable of (X, y) or (X, y, sample_weight)
            Read from its beginning 2 + 2 depth times or so, each time with the same records: a
            list, or an object whose ``__iter__`` begins anew; a generator is refused. Weights
            are whole numbers. Texts are labels of ``categories``, since a chunk may lack some; a
            pandas Categorical's own categories, in the first chunk, will do.
        classes : array-like, optional
            The public set of classes, in which each label has to be. None takes those that occur.

        Returns
        -------
        CountTreeClassifier
            The same, bit for bit, as from all records at once.

        Raises
        ------
        TypeError, ValueError
            As :meth:`fit`; if ``chunks`` cannot be read again or change, if chunks disagree in
            their columns or kinds, a class is not among ``classes`` or a label not among the
            ``categories``, or cuts are to lie between all distinct values (floats without
            ``n_intervals``).

        Examples
        --------
        >>> from ppdm.tree import CountTreeClassifier
        >>> chunks = [([[23.0], [25]], [1, 1]), ([[32.0], [43], [68]], [0, 0, 0])]
        >>> tree = CountTreeClassifier(domain=[[18, 90]]).fit_chunks(chunks)
        >>> tree.predict([[20], [50]])
        array([1, 0])
        """
        rules = self._rules()
        members, self.classes_, grid = _members_of(self, chunks, classes)
        return self._grow(members, grid, rules)

    def fit_codes(
        self,
        codes: ArrayLike,
        y: ArrayLike,
        edges: Sequence[ArrayLike],
        *,
        sample_weight: ArrayLike | None = None,
        recode: Recode | None = None,
        check_input: bool = True,
    ) -> Self:
        """Grow the tree from codes that someone else has assigned.

        ``predict`` then takes values and codes them by the edges. ``n_intervals``,
        ``domain`` and ``categories`` are not used.

        Parameters
        ----------
        codes : array-like of int, shape (n_samples, n_features)
            The interval of each value, 0, ..., len(edges[j]) - 2 for attribute j.
        y : array-like of shape (n_samples,)
        edges : sequence of n_features array-likes
            The ascending edges of each attribute's intervals.
        sample_weight : array-like of shape (n_samples,), optional
            Signed weights.
        recode : callable, optional
            Called before each level is split, the root's first, with a :class:`Level`: the
            nodes to be split and their records. It returns integer codes of the shape of
            ``level.codes``, which the records keep from there down, or None to leave them.
        check_input : bool, default=True
            False takes ``codes``, ``y`` and weights for arrays known to be right.

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
        rules = self._rules()
        check.flag(check_input, "check_input")
        if recode is not None:
            check.function(recode, "recode")
        table = check.plain(codes, "codes")
        if check_input:
            if table.dtype.kind not in "iu":
                raise TypeError(f"codes must be integers, got values of type {table.dtype}")
            grid = given_grid(edges, table.shape[-1] if table.ndim == 2 else len(edges))
            check.codes(table, "codes", grid.n_values)
            self.classes_, label = check.classes(y, len(table))
        else:
            grid = Grid(tuple(np.asarray(e, dtype=np.float64) for e in edges))
            self.classes_, label = check.encode_classes(np.asarray(y))
        weight, table, label = weigh(sample_weight, table, label)
        self.n_features_in_, self.categories_ = table.shape[1], None
        by_feature = np.ascontiguousarray(table.T, dtype=np.int32)
        return self._grow_from(by_feature, label, weight, grid, rules, recode)

    def fit_members(
        self,
        members: Members | ChunkedMembers,
        classes: ArrayLike,
        edges: Sequence[ArrayLike],
        *,
        recode: Callable[..., Any] | None = None,
    ) -> Self:
        """Grow the tree from records that someone else has laid out, and is trusted with.

        Parameters
        ----------
        members : Members or ChunkedMembers
            The records, at the root.
        classes : array-like of shape (n_classes,)
            What their labels stand for.
        edges : sequence of n_features array-likes
            As in :meth:`fit_codes`.
        recode : callable, optional
            As in :meth:`fit_codes`. For chunks it is called with the level's
            :class:`ChunkedMembers`, depth, ``counts`` and ``used`` (as in :class:`Level`), and
            returns these members, or those with new codes.

        Returns
        -------
        CountTreeClassifier
        """
        rules = self._rules()
        grid = Grid(tuple(np.asarray(each, dtype=np.float64) for each in edges))
        self.classes_, self.n_features_in_ = np.asarray(classes), len(grid.edges)
        self.categories_ = None
        return self._grow(members, grid, rules, recode)

    def _grow_from(
        self,
        codes: Codes,
        label: IntArray,
        weight: FloatArray | None,
        grid: Grid,
        rules: Rules,
        recode: Recode | None = None,
    ) -> Self:
        # a class whose records weigh nothing is none
        occurring, label = check.encode_classes(label)
        self.classes_ = self.classes_[occurring]
        return self._grow(Members.at_root(codes, label, weight), grid, rules, recode)


def _members_of(
    tree: Any, chunks: Any, classes: ArrayLike | None
) -> tuple[ChunkedMembers, AnyArray, Grid]:
    """Return the records at the root, the classes and the grid; one reading."""
    readings = Readings.of(chunks)
    facts = learn(readings, partial(_table, tree), classes)
    grid = _grid_of(tree, facts)
    read = partial(_read, tree, facts.classes, grid, facts.plain)
    return ChunkedMembers(readings, read), facts.classes, grid


def _grid_of(tree: Any, facts: Facts) -> Grid:
    """Lay the grid over the range of the records; it needs no record."""
    if tree.n_intervals is None and facts.low.dtype.kind == "f":
        raise ValueError(
            "n_intervals must be a number where floats are read in chunks, got None: cuts between "
            "all distinct values need all records at once"
        )
    grid: Grid = tree._lay(facts.ends)
    if facts.low.dtype.kind != "f" and not grid.whole:
        raise ValueError(
            "X must hold whole numbers that span at most 2^20 in chunks, or floats, got "
            f"{facts.low.min()} to {facts.high.max()}"
        )
    return grid


def _table(tree: Any, chunk: Chunk, reset: bool) -> tuple[AnyArray, AnyArray]:
    table = tree._table(chunk.X, reset=reset, learn=False)
    classes, code = check.classes(chunk.y, len(table))
    return table, classes[code]


def _read(tree: Any, classes: AnyArray, grid: Grid, plain: bool, chunk: Chunk) -> Members:
    """Code a chunk; records of weight 0 are left out."""
    table, labels = _table(tree, chunk, False)
    weight = weights_of(chunk)
    if weight is not None and not weight.all():
        some = weight != 0
        table, labels, weight = table[some], labels[some], weight[some]
    if weight is None and not plain:
        weight = np.ones(len(table))
    label = numbers_of(labels, classes)
    return Members.at_root(grid.encode(table), label, None if plain else weight)

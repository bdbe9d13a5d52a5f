"""How the trees on reconstructed values learn from records that they do not hold."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._coding import locate
from ppdm._readings import Chunk, Readings, learn, numbers_of
from ppdm.classifiers._cutting import deal_chunks
from ppdm.classifiers._dealing import bind, check_public_classes
from ppdm.classifiers._order import Dealt
from ppdm.classifiers._tree_base import TreeWrapper
from ppdm.tree import ChunkedMembers, CountTreeClassifier, Members
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray


class FromChunks(TreeWrapper):
    """What ``ReconstructedTreeClassifier`` does with chunks."""

    noise: Any
    strategy: str
    classes: ArrayLike | None
    n_intervals: int | None
    n_iter_: IntArray
    edges_: list[FloatArray]
    estimator_: CountTreeClassifier
    classes_: AnyArray

    @abstractmethod
    def _check_parameters(self) -> dict[str, Any]: ...

    @abstractmethod
    def _intervals(
        self, X: FloatArray, n_samples: int | None = None
    ) -> tuple[list[FloatArray], BoolArray]: ...

    @abstractmethod
    def _large(self, counts: FloatArray, used: BoolArray) -> tuple[BoolArray, BoolArray]: ...

    def fit_chunks(self, chunks: Iterable[tuple[Any, ...]]) -> Self:
        """Grow the tree that :meth:`fit` grows, from records that are read chunk by chunk.

        No record is kept: the chunks are read once to learn their range, some four times to
        deal them to intervals, and twice at each level; with ``"local"``, four times more at
        each level that has a large node.

        Parameters
        ----------
        chunks : iterable of (X, y)
            Read again and again, as in :meth:`ppdm.tree.CountTreeClassifier.fit_chunks`.

        Returns
        -------
        ReconstructedTreeClassifier
            The same, bit for bit, as from all records at once.

        Raises
        ------
        TypeError, ValueError
            As :meth:`fit`; if ``chunks`` cannot be read again or change, have weights or
            disagree in their columns or kinds; with ``"none"``, if ``n_intervals`` is None.

        Warns
        -----
        ConvergenceWarning, UnexplainedValueWarning
            As :meth:`fit`.
        """
        rule = self._check_parameters()
        readings = Readings.of(chunks)
        facts = learn(readings, partial(_table, self), self.classes)
        check_public_classes(facts.classes, self.classes)
        if self.strategy == "none" and self.n_intervals is None:
            raise ValueError(
                "n_intervals must be a number where clear records are read in chunks, got None: "
                "cuts between all distinct values need all records at once"
            )
        edges, whole = self._intervals(facts.ends, facts.n)
        self.edges_, n_features = edges, facts.low.size
        plain = self.strategy in ("none", "randomized")
        members = ChunkedMembers(
            readings, partial(_read, self, facts.classes, edges if plain else None)
        )
        self.n_iter_, recode = np.zeros(n_features, dtype=np.intp), None
        if not plain:
            channels = bind(self.noise, edges, whole)
            label = np.arange(facts.classes.size)[None]
            if self.strategy == "global":
                label = np.zeros_like(label)
            dealt = Dealt(label, np.ones((label.max() + 1, n_features), dtype=np.bool_))
            deal = partial(deal_chunks, channels=channels, rule=rule, ends=facts.ends)
            members, self.n_iter_ = deal(members, dealt)
            recode = partial(self._in_chunks, deal) if self.strategy == "local" else None
        tree = self._new_tree()
        self.estimator_ = tree.fit_members(members, facts.classes, edges, recode=recode)
        self.classes_ = facts.classes
        return self

    def _in_chunks(
        self,
        deal: Callable[..., Any],
        members: ChunkedMembers,
        depth: int,
        counts: FloatArray,
        used: BoolArray,
    ) -> ChunkedMembers:
        """Reconstruct at the large nodes of a level, as :meth:`_at_nodes` does."""
        large, wanted = self._large(counts, used)
        if depth == 0 or not large.any():
            return members
        n_classes = counts.shape[1]
        label = np.full(counts.shape, -1, dtype=np.intp)
        label[large] = np.arange(large.sum() * n_classes).reshape(-1, n_classes)
        dealt = Dealt(label, np.repeat(wanted[large], n_classes, axis=0))
        return cast(ChunkedMembers, deal(members, dealt)[0])


def _table(tree: Any, chunk: Chunk, reset: bool) -> tuple[FloatArray, AnyArray]:
    if chunk.weight is not None:
        raise ValueError("chunks must be pairs (X, y) for reconstruction, got a sample_weight")
    values, labels = check.labelled_table(tree, chunk.X, chunk.y, reset=reset, dtype=np.float64)
    check.classes(labels, len(values))
    return values, np.asarray(labels)


def _read(
    tree: Any, classes: AnyArray, edges: list[FloatArray] | None, chunk: Chunk
) -> Members:
    """Return a chunk's records at the root; their codes are found by the edges, or later."""
    values, labels = _table(tree, chunk, False)
    codes = np.zeros(values.shape[::-1], dtype=np.int32)
    if edges is not None:
        codes = np.stack([locate(*pair) for pair in zip(values.T, edges, strict=True)])
    members = Members.at_root(codes, numbers_of(labels, classes))
    return members._replace(values=values)

"""Grow a decision tree level by level.

All nodes of a level are split at once: each feature is counted once a level, however many
nodes there are, and no loop runs over records or nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._types import AnyArray, BoolArray, Codes, FloatArray, IntArray
from ppdm.tree._nodes import LEAF, ZERO_COUNT, Tree, child_of, majority
from ppdm.tree._split import Members, Rules, best_splits


@dataclass(frozen=True, eq=False)
class Level:
    """What a ``recode`` callback sees: the nodes about to be split and their records.

    Attributes
    ----------
    depth : int
        Distance from the root, whose level is 0.
    records : ndarray of int, shape (n_records,)
        The rows of the training set at this level, ascending; a record that has come to a
        leaf is no longer among them.
    nodes : ndarray of int, shape (n_records,)
        The node of each of these records, as a position 0, ..., n_nodes - 1 in this level.
    codes : ndarray of int, shape (n_records, n_features)
        The codes these records have now (read-only; copy them to change them).
    counts : ndarray of float, shape (n_nodes, n_classes)
        The total weight of each class at each node.
    used : ndarray of bool, shape (n_nodes, n_features)
        Whether a feature has been split on above the node.
    """

    depth: int
    records: IntArray
    nodes: IntArray
    codes: Codes
    counts: FloatArray
    used: BoolArray


#: Called before each level is split, the root's first. It returns codes of the shape of
#: ``level.codes``, which the records keep from then on, or None to leave them as they are.
Recode = Callable[[Level], Codes | None]


def grow(
    codes: Codes,
    label: IntArray,
    n_values: IntArray,
    n_classes: int,
    rules: Rules,
    weight: FloatArray | None = None,
    recode: Recode | None = None,
) -> Tree:
    """Grow a tree from coded records.

    Parameters
    ----------
    codes : ndarray of int, shape (n_features, n_samples)
        Codes 0, ..., n_values[j] - 1 of feature j.
    label : ndarray of int, shape (n_samples,)
        Classes 0, ..., n_classes - 1.
    n_values : ndarray of int, shape (n_features,)
    n_classes : int
    rules : Rules
    weight : ndarray of float, shape (n_samples,), optional
        Signed weights, of a positive total. None counts records.
    recode : callable, optional
        See :data:`Recode`.

    Returns
    -------
    Tree
    """
    root = np.zeros(label.size, dtype=np.intp)
    members = Members(np.arange(label.size), codes, root, label, weight)
    layer = _root(_class_counts(root, members, 1, n_classes))
    layers = [layer]
    used = np.zeros((len(codes), 1), dtype=np.bool_)
    n_nodes = 1
    alive = _divisible(layer.counts, used, rules)
    while alive.any() and (rules.max_depth is None or len(layers) <= rules.max_depth):
        # the nodes to split: ``spots`` of the layer, numbered anew from 0
        members, used = _keep(members, used, alive)
        spots = np.flatnonzero(alive)
        totals = np.ascontiguousarray(layer.counts[spots].T)
        if recode is not None:
            members = _recoded(recode, members, len(layers) - 1, totals, used, n_values)
        feature, threshold, gain = best_splits(members, totals, n_values, rules, used)
        split = feature != LEAF
        members, used = _keep(members, used, split)
        spots, feature, threshold = spots[split], feature[split], threshold[split]

        # their children, side by side, are the next layer
        n_children = np.where(threshold == LEAF, n_values[feature], 2)
        first = np.cumsum(n_children) - n_children
        _write(
            layer,
            spots,
            feature=feature,
            threshold=threshold,
            first_child=first + n_nodes,
            n_children=n_children,
            gain=gain[split],
        )
        members = members._replace(node=_descend(members, feature, threshold, first))
        above = np.repeat(np.arange(spots.size), n_children)
        used = used[:, above]
        used[feature[above], np.arange(above.size)] = True
        counts = _class_counts(members.node, members, above.size, n_classes)
        layer = _children(counts, layer, spots[above], n_nodes - layer.n_nodes)
        layers.append(layer)
        n_nodes += above.size
        alive = _divisible(counts, used, rules)
    parts = {f.name: [getattr(layer, f.name) for layer in layers] for f in fields(Tree)}
    return Tree(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


def weigh(
    sample_weight: ArrayLike | None, table: AnyArray, label: IntArray
) -> tuple[FloatArray | None, AnyArray, IntArray]:
    """Return the weights and the records whose weight is not zero; None where all are 1."""
    if sample_weight is None:
        return None, table, label
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != label.shape:
        raise ValueError(f"sample_weight must have shape {label.shape}, got {weight.shape}")
    if not np.isfinite(weight).all():
        raise ValueError("sample_weight must be finite, got NaN or infinity")
    if weight.sum() <= ZERO_COUNT:
        raise ValueError(
            f"sample_weight must have a total above zero, got {weight.sum():g}: "
            "the root of the tree would stand for no record"
        )
    if (weight == 1.0).all():
        return None, table, label
    some = weight != 0
    return (weight, table, label) if some.all() else (weight[some], table[some], label[some])


def _divisible(counts: FloatArray, used: BoolArray, rules: Rules) -> BoolArray:
    """Say which nodes may be split: positive weight, two classes, room for two leaves."""
    total = counts.sum(axis=1)
    positive = np.maximum(counts, 0.0)
    mixed = positive.sum(axis=1) - positive.max(axis=1) > ZERO_COUNT
    if rules.split == "multiway":
        room = ~used.all(axis=0)
    else:
        room = total >= 2 * rules.min_leaf - ZERO_COUNT
    alive: BoolArray = room & mixed & (total > ZERO_COUNT)
    return alive


def _keep(members: Members, used: BoolArray, nodes: BoolArray) -> tuple[Members, BoolArray]:
    """Drop the other nodes of a level and their records, and number the nodes anew."""
    if nodes.all():
        return members, used
    number = np.cumsum(nodes) - 1
    rest = members.take(np.flatnonzero(nodes[members.node]))
    return rest._replace(node=number[rest.node]), used[:, nodes]


def _descend(members: Members, feature: IntArray, threshold: IntArray, first: IntArray) -> IntArray:
    """Return each record's node in the next level."""
    here = members.node
    code = members.codes[feature[here], np.arange(here.size)]
    return child_of(code, threshold[here], first[here])


def _class_counts(node: IntArray, members: Members, n_nodes: int, n_classes: int) -> FloatArray:
    key = node * n_classes + members.label
    counts = np.bincount(key, members.weight, n_nodes * n_classes)
    return counts.astype(np.float64).reshape(n_nodes, n_classes)


def _recoded(
    recode: Recode,
    members: Members,
    depth: int,
    totals: FloatArray,
    used: BoolArray,
    n_values: IntArray,
) -> Members:
    """Ask the callback for new codes, and check them."""
    shown = members.codes.T
    shown.flags.writeable = False
    level = Level(depth, members.record, members.node, shown, totals.T, used.T)
    answer = recode(level)
    if answer is None:
        return members
    codes = np.asarray(answer)
    if codes.shape != shown.shape or codes.dtype.kind not in "iu":
        raise ValueError(
            f"recode must return None or integer codes of shape {shown.shape}, "
            f"got {codes.dtype} of shape {codes.shape}"
        )
    check.codes(codes, "the answer of recode", n_values)
    kept = np.ascontiguousarray(codes.T, dtype=members.codes.dtype)
    return members._replace(codes=kept)


def _root(counts: FloatArray) -> Tree:
    """Return the tree that is one leaf."""
    nothing = np.full((1, counts.shape[1]), np.nan)
    return _leaves(counts, np.array([LEAF]), 0, nothing, np.array([0]))


def _children(counts: FloatArray, above: Tree, spots: IntArray, offset: int) -> Tree:
    """Return a level of leaves below the nodes ``spots`` of the level above."""
    parent, depth = spots + offset, int(above.depth[0]) + 1
    return _leaves(counts, parent, depth, above.proba[spots], above.label[spots])


def _leaves(
    counts: FloatArray, parent: IntArray, depth: int, proba: FloatArray, label: IntArray
) -> Tree:
    """Return leaves; one without positive weight takes the given shares and label."""
    n = len(counts)
    known = counts.sum(axis=1) > ZERO_COUNT
    positive = np.maximum(counts[known], 0.0)
    proba[known] = positive / positive.sum(axis=1, keepdims=True)
    label[known] = majority(counts[known])
    feature, threshold, first_child = np.full((3, n), LEAF, dtype=np.intp)
    return Tree(
        feature=feature,
        threshold=threshold,
        first_child=first_child,
        n_children=np.zeros(n, dtype=np.intp),
        parent=parent,
        depth=np.full(n, depth, dtype=np.intp),
        counts=counts,
        proba=proba,
        label=label,
        gain=np.zeros(n),
    )


def _write(layer: Tree, spots: IntArray, **split: AnyArray) -> None:
    """Turn some leaves of a level into inner nodes."""
    for name, values in split.items():
        getattr(layer, name)[spots] = values

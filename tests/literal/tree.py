"""A decision tree grown and pruned the slow way, record by record, to compare with.

It follows the same rules as ``ppdm.tree`` and shares no code with it: recursion over nodes,
Python loops over attributes, cuts and records.
"""

import math
from itertools import pairwise

COUNT, GAIN = 1e-6, 1e-9


def tally(rows, n_classes):
    counts = [0.0] * n_classes
    for _, label, weight in rows:
        counts[label] += weight
    return counts


def weight_times_impurity(counts, criterion):
    clipped = [max(c, 0.0) for c in counts]
    n = sum(clipped)
    if n == 0:
        return 0.0
    shares = [c / n for c in clipped]
    if criterion == "gini":
        return n * (1 - sum(p * p for p in shares))
    return -n * sum(p * math.log2(p) for p in shares if p > 0)


def majority(counts):
    return next(k for k, c in enumerate(counts) if c >= max(counts) - COUNT)


def thresholds(rows, feature, n_classes):
    """Yield every cut between neighbouring codes that hold weight."""
    held = []
    for code in sorted({codes[feature] for codes, _, _ in rows}):
        at = tally([r for r in rows if r[0][feature] == code], n_classes)
        if any(abs(c) > COUNT for c in at):
            held.append(code)
    for a, b in pairwise(held):
        yield (a + b) // 2


def candidates(rows, used, n_values, n_classes, split, min_leaf):
    """Yield (feature, threshold, parts) for every split allowed, in order."""
    for feature, k in enumerate(n_values):
        if split == "multiway":
            if feature in used:
                continue
            parts = [[r for r in rows if r[0][feature] == v] for v in range(k)]
            sizes = [sum(tally(p, n_classes)) for p in parts]
            if min_leaf == 0 or sum(s >= min_leaf - COUNT for s in sizes) >= 2:
                yield feature, -1, parts
            continue
        for cut in thresholds(rows, feature, n_classes):
            parts = [
                [r for r in rows if r[0][feature] <= cut],
                [r for r in rows if r[0][feature] > cut],
            ]
            sizes = [sum(tally(p, n_classes)) for p in parts]
            if min(sizes) > COUNT and min(sizes) >= min_leaf - COUNT:
                yield feature, cut, parts


RULES = {
    "criterion": "gini", "split": "threshold", "min_leaf": 0, "min_decrease": 0, "max_depth": None,
}  # fmt: skip


def grow(rows, n_values, n_classes, *, parent_label=0, used=frozenset(), depth=0, **rules):
    """Return nested (label, None) leaves and (label, (feature, threshold, children))."""
    criterion, split, min_leaf, min_decrease, max_depth = (RULES | rules).values()
    counts = tally(rows, n_classes)
    if sum(counts) <= COUNT:
        return parent_label, counts, None
    label = majority(counts)
    clipped = [max(c, 0.0) for c in counts]
    if sum(clipped) - max(clipped) <= COUNT or depth == max_depth:
        return label, counts, None
    node = weight_times_impurity(counts, criterion)
    found = []
    for feature, cut, parts in candidates(rows, used, n_values, n_classes, split, min_leaf):
        below = sum(weight_times_impurity(tally(p, n_classes), criterion) for p in parts)
        found.append(((node - below) / sum(clipped), feature, cut, parts))
    if not found:
        return label, counts, None
    best = max(gain for gain, *_ in found)
    if min_decrease > 0 and best < min_decrease - GAIN:
        return label, counts, None
    _, feature, cut, parts = next(f for f in found if f[0] >= best - GAIN)
    children = [
        grow(part, n_values, n_classes, parent_label=label, used=used | {feature},
             depth=depth + 1, **rules)
        for part in parts
    ]  # fmt: skip
    return label, counts, (feature, cut, children)


def nested(tree, node=0):
    """Turn the arrays of a ``Tree`` into the same nested form."""
    label, counts = int(tree.label[node]), tree.counts[node].tolist()
    if tree.feature[node] < 0:
        return label, counts, None
    children = [nested(tree, int(c)) for c in tree.children(node)]
    return label, counts, (int(tree.feature[node]), int(tree.threshold[node]), children)


def same(a, b):
    """Say whether two nested trees agree, counts up to rounding."""
    if a[0] != b[0] or any(abs(x - y) > 1e-7 for x, y in zip(a[1], b[1], strict=True)):
        return False
    if a[2] is None or b[2] is None:
        return a[2] is b[2]
    if a[2][:2] != b[2][:2] or len(a[2][2]) != len(b[2][2]):
        return False
    return all(same(x, y) for x, y in zip(a[2][2], b[2][2], strict=True))


def leaf_cost(counts, method):
    clipped = [max(c, 0.0) for c in counts] if sum(counts) > 0 else [0.0] * len(counts)
    n, k = sum(clipped), len(clipped)
    if method == "sliq":
        return 1 + n - max(clipped)
    if n == 0:
        return 1.0
    bits = sum(c * math.log2(n / c) for c in clipped if c > 0)
    bits += (k - 1) / 2 * math.log2(n / 2) + math.log2(math.pi ** (k / 2) / math.gamma(k / 2))
    return 1 + max(bits, 0.0)


def prune(node, n_values, method):
    """Return (pruned nested tree, its cost)."""
    label, counts, rule = node
    alone = leaf_cost(counts, method)
    if rule is None:
        return node, alone
    feature, cut, children = rule
    done = [prune(child, n_values, method) for child in children]
    if method == "sliq":
        cost = 2 + sum(c for _, c in done)
    else:
        cuts = n_values[feature] - 1 if cut >= 0 else 1
        cost = 1 + math.log2(len(n_values)) + math.log2(cuts) + sum(c for _, c in done)
    if alone <= cost:
        return (label, counts, None), alone
    return (label, counts, (feature, cut, [t for t, _ in done])), cost

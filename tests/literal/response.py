"""The papers' equations solved word for word, slowly: what the fast code must equal.

Nothing here is taken from the package. A record is a list of bits, an expression a dict of
literals, the class the key "class"; a public class has no group.
"""

import math
from itertools import product

import numpy as np

ZERO_COUNT, ZERO_GAIN = 1e-6, 1e-9


def groups_with_class(n_attributes, groups, class_group):
    """Lists of keys that share a coin; the class among them unless it is public."""
    found = [list(group) for group in (groups or [range(n_attributes)])]
    if class_group == "own":
        found.append(["class"])
    elif class_group is not None:
        found[class_group].append("class")
    return found


def tosses(record, coins, theta):
    """Yield all that a record, its class last, may be told as, each with its chance."""
    for lies in product([0, 1], repeat=len(coins)):
        told = list(record)
        for lie, coin in zip(lies, coins, strict=True):
            for key in coin:
                told[-1 if key == "class" else key] ^= lie
        yield told, math.prod(1 - theta if lie else theta for lie in lies)


def share(records, expression):
    """P*(E): the share of reported records that satisfy the expression."""
    hits = sum(all(record[key] == value for key, value in expression.items()) for record in records)
    return hits / len(records)


def true_share(records, groups, expression, theta):
    """P(E) from Eq. 3 of DZ03, Eqs. 2 and 4 of ZCM04: one unknown for each choice of opposites."""
    touched = [group for group in groups if any(key in expression for key in group)]
    choices = list(product([0, 1], repeat=len(touched)))
    reported = []
    for choice in choices:
        opposite = {key for group, flip in zip(touched, choice, strict=True) if flip
                    for key in group}
        variant = {key: 1 - value if key in opposite else value
                   for key, value in expression.items()}
        reported.append(share(records, variant))
    matrix = [[math.prod(theta if a == b else 1 - theta for a, b in zip(row, column, strict=True))
               for column in choices] for row in choices]
    return float(np.linalg.solve(matrix, reported)[0])


def table(X, y):
    return [
        {**dict(enumerate(map(int, bits))), "class": label}
        for bits, label in zip(X, y, strict=True)
    ]


def id3(X, y, theta, groups=None, class_group=None):
    """DZ03 4.2: nested tuples (attribute, child for 0, child for 1), or the class of a leaf."""
    records = table(X, y)
    coins = groups_with_class(X.shape[1], groups, class_group)
    classes = sorted(set(y.tolist()))

    def count(expression):
        return len(records) * true_share(records, coins, expression, theta)

    def class_counts(path):
        return [count({**path, "class": label}) for label in classes]

    def entropy(counts):
        positive = [max(c, 0.0) for c in counts]
        total = sum(positive)
        return -sum(c / total * math.log2(c / total) for c in positive if c > 0) if total else 0.0

    def gain(path, attribute, size, before):
        after = 0.0
        for value in (0, 1):
            counts = class_counts({**path, attribute: value})
            after += max(sum(counts), 0.0) / size * entropy(counts)
        return before - after

    def grow(path, free, inherited):
        counts = class_counts(path)
        size = sum(counts)
        if size <= ZERO_COUNT:
            return inherited
        label = classes[next(i for i, c in enumerate(counts) if c >= max(counts) - ZERO_COUNT)]
        positive = [max(c, 0.0) for c in counts]
        if sum(positive) - max(positive) <= ZERO_COUNT or not free:
            return label
        gains = [gain(path, attribute, size, entropy(counts)) for attribute in free]
        best = free[next(i for i, g in enumerate(gains) if g >= max(gains) - ZERO_GAIN)]
        rest = [attribute for attribute in free if attribute != best]
        return (best, *(grow({**path, best: value}, rest, label) for value in (0, 1)))

    return grow({}, list(range(X.shape[1])), classes[0])


def as_nested(tree, classes, node=0):
    """The package's tree in the form of :func:`id3`."""
    if tree.feature[node] < 0:
        return classes[tree.label[node]].item()
    children = tree.children(node).tolist()
    return (int(tree.feature[node]), *(as_nested(tree, classes, child) for child in children))


def naive_bayes(X, y, theta, groups=None, class_group=None):
    """ZCM04 3.4: a function from a record to its score in each class."""
    records = table(X, y)
    coins = groups_with_class(X.shape[1], groups, class_group)
    classes = sorted(set(y.tolist()))
    n = len(records)

    def legal(p):
        return min(p, 1.0) if p > 1e-6 / n else 1 / (2 * n)

    prior = [legal(true_share(records, coins, {"class": c}, theta)) for c in classes]
    joint = {(j, v, c): true_share(records, coins, {j: v, "class": c}, theta)
             for j in range(X.shape[1]) for v in (0, 1) for c in classes}

    def scores(record):
        return [math.log(p) + sum(math.log(legal(joint[j, int(v), c] / p))
                                  for j, v in enumerate(record))
                for c, p in zip(classes, prior, strict=True)]

    return scores

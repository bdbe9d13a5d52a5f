"""What tests of trees from chunks and from blocks have in common."""

from dataclasses import fields

import numpy as np

from ppdm.tree import Tree


def same_trees(one, other):
    """Say whether two classifiers, or the ones inside them, grew the same tree, bit for bit."""
    one, other = (getattr(each, "estimator_", each).tree_ for each in (one, other))
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(Tree))


def cut_up(rng, *arrays):
    """Cut arrays at the same random places, some chunks being empty."""
    cuts = np.sort(rng.integers(0, len(arrays[0]) + 1, rng.integers(0, 6)))
    return list(zip(*(np.split(each, cuts) for each in arrays), strict=True))

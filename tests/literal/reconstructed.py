"""The strategies word by word: one attribute, one group, one record after another."""

import numpy as np
from scipy.stats import laplace, norm, uniform

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import em, reconstruct_distribution
from ppdm.tree import CountTreeClassifier


def agrawal(n, function, distribution, privacy, seed=0):
    """Clear and disguised training records with their classes, and the noise."""
    rng = np.random.default_rng(seed)
    X, y = make_agrawal(n, function, random_state=rng)
    noise = AdditiveNoise(distribution, privacy, domain=AGRAWAL_DOMAIN, random_state=rng).fit(X)
    return X, noise.transform(X), y, noise


def tree_of(noise, strategy, **options):
    return ReconstructedTreeClassifier(noise, strategy, integer_features=AGRAWAL_INTEGER, **options)


def literal_shares(values, noise, edges, feature, whole):
    """Reconstruct one attribute of one group."""
    if not whole:
        found = reconstruct_distribution(values, noise, edges, feature=feature)
        return found.probabilities
    numbers = (edges[1:] + edges[:-1]) / 2
    scale = noise.scale_[feature]
    finer = int(np.clip(np.ceil(10 / scale), 1, 10))  # the intervals are one wide
    fine = np.linspace(edges[0], edges[-1], len(numbers) * finer + 1)
    cells = noise.on(fine, feature=feature).cells
    ends = np.concatenate([[-np.inf], cells[1:-1], [np.inf]])
    law = {"gaussian": norm(), "laplace": laplace(), "uniform": uniform(-1, 2)}
    cdf = law[noise.distribution].cdf((ends[:, None] - numbers) / scale)
    counts = np.histogram(np.clip(values, cells[0], cells[-1]), cells)[0]
    channel = np.diff(cdf, axis=0)
    reached = channel.any(axis=1)
    assert counts[~reached].sum() == 0
    return em(channel[reached], counts[reached]).probabilities


def literal_deal(values, shares):
    """Sort the values and give the lowest ones to the first interval, and so on."""
    exact = shares * len(values)
    counts = [int(e) for e in exact]
    while sum(counts) < len(values):
        counts[int(np.argmax(exact - counts))] += 1
    codes = np.empty(len(values), dtype=int)
    position = 0
    order = np.argsort(values, kind="stable")  # of equal ones, the first record first
    for interval, count in enumerate(counts):
        for record in order[position : position + count]:
            codes[record] = interval
        position += count
    return codes


def literal_codes(Z, groups, noise, edges, codes, features):
    codes = codes.copy()
    for g in np.unique(groups):
        rows = np.flatnonzero(groups == g)
        for j in features:
            shares = literal_shares(Z[rows, j], noise, edges[j], j, AGRAWAL_INTEGER[j])
            codes[rows, j] = literal_deal(Z[rows, j], shares)
    return codes


def literal_local(Z, y, noise, edges, codes, used, depth, max_depth):
    """Grow Local by recursion: a list of (depth, feature, threshold, records below)."""
    if depth and len(y) >= 2000 and np.bincount(y, minlength=2).min() >= 200:
        features = [j for j in range(Z.shape[1]) if j not in used]
        codes = literal_codes(Z, y, noise, edges, codes, features)
    if depth == max_depth or len(np.unique(y)) < 2:
        return []
    stump = CountTreeClassifier(max_depth=1).fit_codes(codes, y, edges).tree_
    if stump.n_nodes == 1:
        return []
    feature, threshold = int(stump.feature[0]), int(stump.threshold[0])
    left = codes[:, feature] <= threshold
    nodes = [(depth, feature, threshold, len(y))]
    for side in (left, ~left):
        nodes += literal_local(
            Z[side], y[side], noise, edges, codes[side], used | {feature}, depth + 1, max_depth
        )
    return nodes



"""Some answers a person, written out: every choice of questions, every answer to each.

Nothing here is taken from the package. A channel is a table, ``channel[answer][truth]``; a record
holds true codes, and a release is a tuple with None where nothing was asked.
"""

from itertools import combinations, product
from math import inf, log

import numpy as np


def coin(theta):
    """The channel of one bit."""
    return [[theta, 1 - theta], [1 - theta, theta]]


def kary(k, epsilon):
    """The channel of k values: the truth and any other one are told at e^epsilon to 1."""
    return np.where(np.eye(k) == 1, np.exp(epsilon), 1) / (np.exp(epsilon) + k - 1)


def of_bits(k, p, q):
    """The channel of k bits, of which a value's own is set with p and any other with q."""
    chance = np.where(np.eye(k) == 1, p, q)
    return np.array([
        np.prod([c if bit else 1 - c for c, bit in zip(chance, bits, strict=True)], axis=0)
        for bits in product([0, 1], repeat=k)
    ])  # fmt: skip


def releases(record, channels, asked):
    """What a record may release, with the probability of each."""
    choices = list(combinations(range(len(record)), asked))
    found = {}
    for choice in choices:
        for answers in product(*[range(len(channels[j])) for j in choice]):
            said, chance = [None] * len(record), 1
            for j, answer in zip(choice, answers, strict=True):
                said[j] = answer
                chance *= channels[j][answer][record[j]]
            found[tuple(said)] = found.get(tuple(said), 0) + chance / len(choices)
    return found


def epsilon(records, channels, asked):
    """The largest logarithm of a ratio over all pairs of records and all releases."""
    tables = [releases(record, channels, asked) for record in records]
    worst = 0.0
    for one in tables:
        for other in tables:
            for said, chance in one.items():
                if chance:
                    against = other.get(said, 0)
                    worst = max(worst, log(chance / against) if against else inf)
    return worst


def pair_count(reports, y, label, attribute, value, inverse):
    """The estimated records of a class with a value: the shares of those asked, undone.

    ``inverse[value][answer]`` is what an answer counts for a value.
    """
    of_class = [report for report, c in zip(reports, y, strict=True) if c == label]
    said = [report[attribute] for report in of_class if report[attribute] is not None]
    if not said:
        return len(of_class) / len(inverse)
    return len(of_class) * sum(inverse[value][answer] for answer in said) / len(said)

"""Some answers a person, written out: every choice of questions, every toss of the coins.

Nothing here is taken from the package. A release is a tuple with None where nothing was asked.
"""

from fractions import Fraction
from itertools import combinations, product
from math import inf, log


def releases(record, theta, asked):
    """What a record may release, with the probability of each."""
    choices = list(combinations(range(len(record)), asked))
    found = {}
    for choice in choices:
        for kept in product([True, False], repeat=asked):
            said = [None] * len(record)
            chance = Fraction(1, len(choices))
            for place, truth in zip(choice, kept, strict=True):
                said[place] = record[place] if truth else 1 - record[place]
                chance *= theta if truth else 1 - theta
            found[tuple(said)] = found.get(tuple(said), 0) + chance
    return found


def epsilon(records, theta, asked):
    """The largest logarithm of a ratio over all pairs of records and all releases."""
    tables = [releases(record, theta, asked) for record in records]
    worst = 0.0
    for one in tables:
        for other in tables:
            for said, chance in one.items():
                if chance:
                    against = other.get(said, 0)
                    worst = max(worst, log(chance / against) if against else inf)
    return worst


def pair_count(reports, y, label, attribute, value, theta):
    """The estimated records of a class with a value: the share of those asked, undone."""
    of_class = [report for report, c in zip(reports, y, strict=True) if c == label]
    said = [report[attribute] for report in of_class if report[attribute] is not None]
    if not said:
        return len(of_class) / 2
    share = sum(answer == value for answer in said) / len(said)
    return len(of_class) * (share - (1 - theta)) / (2 * theta - 1)

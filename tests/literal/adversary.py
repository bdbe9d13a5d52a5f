"""The Bayes-optimal adversary by enumeration, one record, one release, one bit after another.

Nothing here is taken from the package. A record is a tuple of bits; what is believed is a
dict from records to probabilities.
"""

from itertools import product

TIE = 1e-12


def every_record(n_bits):
    return list(product([0, 1], repeat=n_bits))


def chance(released, record, theta, groups):
    """P[released | record] where the bits of a group are kept or reversed together."""
    total = 1.0
    for group in groups:
        kept = all(released[j] == record[j] for j in group)
        lied = all(released[j] != record[j] for j in group)
        total *= theta if kept else 1 - theta if lied else 0.0
    return total


def believe(releases, prior, likelihood, allowed=lambda record: True):
    """P[record | releases] by Bayes' rule; None where no record can have released them."""
    joint = {}
    for record, before in prior.items():
        joint[record] = before if allowed(record) else 0.0
        for released in releases:
            joint[record] *= likelihood(released, record)
    total = sum(joint.values())
    return None if total == 0 else {record: p / total for record, p in joint.items()}


def share_of(belief, j, value):
    return sum(p for record, p in belief.items() if record[j] == value)


def credit_of_bit(belief, j, true):
    """How often a guess of the likelier value is right, a tie being a fair coin."""
    own, other = share_of(belief, j, true), share_of(belief, j, 1 - true)
    return 0.5 if abs(own - other) <= TIE else float(own > other)


def credit_of_record(belief, true):
    best = [record for record, p in belief.items() if p >= max(belief.values()) - TIE]
    return (true in best) / len(best)


def expected_success(prior, likelihood, every_release, credit, kind=lambda record: 0):
    """Sum over true records and releases of their probability and the credit.

    ``kind`` is what the adversary knows of a record before it sees any release.
    """
    total = 0.0
    for true, before in prior.items():
        for releases in every_release:
            p = before
            for released in releases:
                p *= likelihood(released, true)
            if p > 0:
                known = kind(true)
                belief = believe(
                    releases, prior, likelihood, lambda record, known=known: kind(record) == known
                )
                total += p * credit(belief, true)
    return total

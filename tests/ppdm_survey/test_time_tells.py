"""What the time still tells the operator of who is invited: a simulation, not the system."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import lognorm

FILL = lognorm(0.5, scale=3)  # minutes from the first answer to the last


def joined(an_hour, hold, n=200, runs=10, seed=0):
    """Return the share of people whom the likeliest joining of exchanges and answers names."""
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(runs):
        exchanged = np.cumsum(rng.exponential(60 / an_hour, n))
        sent = exchanged + FILL.rvs(n, random_state=rng) + rng.uniform(0, hold, n)
        order = rng.permutation(n)
        gap = sent[order] - exchanged[:, None]
        density = FILL.pdf(gap) if not hold else (FILL.cdf(gap) - FILL.cdf(gap - hold)) / hold
        rows, columns = linear_sum_assignment(-np.log(np.maximum(density, 1e-300)))
        shares.append((order[columns] == rows).mean())
    return float(np.mean(shares))


@pytest.mark.parametrize(("an_hour", "hold", "share"), [
    (1, 0, 0.97), (6, 0, 0.84), (60, 0, 0.26), (240, 0, 0.06),
    (6, 10, 0.71), (6, 60, 0.22), (60, 60, 0.02), (1, 480, 0.15),
])  # fmt: skip
def test_time_tells_much_where_few_answer(an_hour, hold, share):
    # 2,000 people: the share is known to .011, at most; 4 of these, for both numbers' error
    assert joined(an_hour, hold) == pytest.approx(share, abs=0.045)

"""What the time tells whoever watches the requests of those invited: simulated, not the system."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import lognorm, uniform

from ppdm_survey._app import HOLD, LEAST_HOLD

FILL = lognorm(0.5, scale=3)  # minutes from Begin to the press that sends


#: How many work where, with how many nights, for how many years: open answers, independent.
LAWS = [[0.2, 0.25, 0.12, 0.13, 0.1, 0.2], [0.3, 0.45, 0.25], [0.25, 0.4, 0.35]]


def joined(an_hour, hold, least=LEAST_HOLD, n=200, runs=10, seed=0, laws=()):
    """Return the share of people whom the likeliest joining of exchanges and answers names."""
    rng = np.random.default_rng(seed)
    shares, wait = [], uniform(least, hold - least) if hold else uniform(0, 1e-9)
    for _ in range(runs):
        exchanged = np.cumsum(rng.exponential(60 / an_hour, n))
        filled, waited = (one.rvs(n, random_state=rng) for one in (FILL, wait))
        sent = exchanged + np.maximum(filled, waited)  # the wait is counted from Begin
        order = rng.permutation(n)
        gap = sent[order] - exchanged[:, None]
        density = FILL.pdf(gap) * wait.cdf(gap) + FILL.cdf(gap) * wait.pdf(gap)
        for law in laws:  # of her staff list, and of the report
            told = rng.choice(len(law), n, p=law)
            density *= told[:, np.newaxis] == told[order]
        rows, columns = linear_sum_assignment(-np.log(np.maximum(density, 1e-300)))
        shares.append((order[columns] == rows).mean())
    return float(np.mean(shares))


@pytest.mark.parametrize(("an_hour", "nothing_open", "three_open"), [
    (3, 0.88, 1.00), (30, 0.34, 0.96), (300, 0.04, 0.76)])
def test_open_answers_tell_whose_report_it_is(an_hour, nothing_open, three_open):
    """Whoever knows them joins nearly everybody: epsilon alone then bounds what a report adds."""
    for laws, share in (((), nothing_open), (LAWS, three_open)):
        named = joined(an_hour, HOLD, n=300, laws=laws)
        assert named == pytest.approx(share, abs=0.045)  # as below


@pytest.mark.parametrize(("people", "alone"), [(100, 15), (300, 3.5), (900, 0.1)])
def test_how_many_are_alone_with_their_open_answers(people, alone):
    rng, counts = np.random.default_rng(0), []
    for _ in range(200):
        told = np.column_stack([rng.choice(len(law), people, p=law) for law in LAWS])
        counts.append((np.unique(told, axis=0, return_counts=True)[1] == 1).sum())
    assert np.mean(counts) == pytest.approx(alone, abs=0.8)


@pytest.mark.parametrize(("an_hour", "hold", "share"), [
    (1, 0, 0.97), (6, 0, 0.84), (60, 0, 0.26), (240, 0, 0.06),
    (1, HOLD, 0.96), (3, HOLD, 0.89), (30, HOLD, 0.35), (6, 60, 0.22), (60, 60, 0.02),
    (1, 480, 0.15),
])  # fmt: skip
def test_time_tells_much_where_few_answer(an_hour, hold, share):
    # 2,000 people: the share is known to .011, at most; 4 of these, for both numbers' error
    assert joined(an_hour, hold) == pytest.approx(share, abs=0.045)

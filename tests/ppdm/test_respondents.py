"""How many people a coin needs."""

import numpy as np

from ppdm.compare import respondents_needed


def test_respondents_needed_is_the_smallest_n():
    thetas = np.array([0.0, 0.1, 0.45, 0.6, 0.7, 0.9, 1.0])[:, np.newaxis]
    errors = np.array([0.005, 0.01, 0.033, 0.1])
    for share in (0.5, 0.1):
        n = respondents_needed(thetas, errors, proportion=share)
        r = share * thetas + (1 - share) * (1 - thetas)
        variance_of_one = r * (1 - r) / (2 * thetas - 1) ** 2
        assert (variance_of_one / n <= errors**2 * (1 + 1e-9)).all()
        assert (variance_of_one / np.maximum(n - 1, 1e-9) > errors**2 * (1 - 1e-9)).all()


def test_respondents_needed_by_hand():
    # .25 / (.4^2 * .01^2) = 15,625 exactly, where floats say 15625.000000000004
    assert respondents_needed(0.7, 0.01) == 15_625
    assert respondents_needed(0.3, 0.01) == 15_625
    assert respondents_needed(1.0, 0.01) == 2_500


def test_respondents_needed_counts_every_share_even_zero():
    assert respondents_needed(1.0, 0.1, proportion=0.0) == 1

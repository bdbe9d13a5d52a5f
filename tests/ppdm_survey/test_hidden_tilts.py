"""A family of hidden questions: what the client's measure sees of them, and what it does not."""

import numpy as np
import pytest
from hidden_tilts import READ, family, one_column

from ppdm.guidance import answers_read, check_guidance, one_hot

VOTES = [2] * 16


def unseen(n_values, seed):
    """Yield what is read by each of a family that the measure lets pass, drawn at length."""
    rng = np.random.default_rng(seed)
    for name, V, _ in family(n_values, rng):
        check_guidance(V, V.shape[1], sum(n_values))
        if answers_read(V, n_values, random_state=rng).max() < READ:
            yield name, answers_read(V, n_values, n_draws=60_000, random_state=rng).max()


@pytest.mark.parametrize("n_values", [VOTES, [3] * 8 + [2] * 4])
def test_no_tilt_that_reads_three_in_four_passes_unseen(n_values):
    found = dict(unseen(n_values, 1))
    # a share of 8,000 draws is off by .005, so what reads .75 passes one time in forty:
    # four of these above READ = .74
    assert max(found.values(), default=0) < READ + 0.02, found


def test_most_of_the_family_is_seen():
    # the weak ones, and those that lie near an honest guidance, read less
    names = [name for name, *_ in family(VOTES, np.random.default_rng(1))]
    assert len(dict(unseen(VOTES, 1))) < len(names) / 4


def test_a_tilt_along_a_record_is_seen_by_those_it_reads():
    rng = np.random.default_rng(3)
    typical, turn = rng.integers(0, 2, 16), rng.permutation(16)
    V = one_column(VOTES, 2, tilt=0, record=one_hot([typical], VOTES)[0], rng=rng)
    # with no vote turned, one, and half of them; at 60 seeds they read .80 to .82, .76 to .82,
    # and .53 to .54
    share = [
        answers_read(V, VOTES, record=one_hot([votes], VOTES)[0], random_state=0).max()
        for votes in (np.where(turn < n, 1 - typical, typical) for n in (0, 1, 8))
    ]
    assert min(share[:2]) > READ > share[2]
    assert answers_read(V, VOTES, random_state=0).max() < 0.56

"""The family of hidden questions at length, on surveys of several shapes and levels."""

import numpy as np
import pytest
from hidden_tilts import READ, family

from ppdm.guidance import answers_read, one_hot

pytestmark = pytest.mark.long(part="survey")

SHAPES = {"votes": [2] * 16, "mixed": [2] * 6 + [3] * 4 + [5] * 2, "wide": [4] * 12,
          "small": [2, 2, 2, 3, 6]}


@pytest.mark.parametrize("name", SHAPES)
def test_no_tilt_that_reads_three_in_four_passes_unseen(name):
    n_values, n_seen, n_all = SHAPES[name], 0, 0
    for seed in range(10):
        rng = np.random.default_rng([seed, 7])
        for kind, V, _ in family(n_values, rng):
            person = one_hot([rng.integers(0, n_values)], n_values)[0]
            shares = [answers_read(V, n_values, record=record, random_state=rng).max()
                      for record in (None, person)]
            n_all += 1
            n_seen += max(shares) >= READ
            if max(shares) < READ:
                at_length = answers_read(V, n_values, n_draws=60_000, random_state=rng).max()
                assert at_length < 0.75, (kind, seed)
    print(f"{name}: {n_seen} of {n_all} seen")
    assert n_seen > n_all / 2

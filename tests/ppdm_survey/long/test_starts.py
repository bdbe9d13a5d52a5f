"""What each start of a collection costs, on the House: the numbers that the operator is told."""

import re

import numpy as np
import pytest

from ppdm.classifiers import GuidedNB
from ppdm.datasets import load_voting
from ppdm.guidance import one_hot
from ppdm.protocol import DataMiner, collect, draw_levels
from ppdm_survey.__main__ import _parser

pytestmark = pytest.mark.long(part="survey")

VALUES = (2,) * 16


def collection(seed, start):
    """Return who was served in the first round, the accuracy, and records taken as they are."""
    house = load_voting(random_state=0)
    T, y = one_hot(house.data, VALUES), house.target
    rng = np.random.default_rng([32, seed])
    order = rng.permutation(435)
    levels = draw_levels(435, 32, random_state=rng)
    miner = DataMiner(VALUES, mu=0.15, batch_size=100)
    if start:
        miner.bootstrap_random(start, random_state=seed)
    done = collect(miner, T[order], y[order], levels, random_state=rng)
    R, c = miner.training_set()
    soon = np.flatnonzero((done.epoch >= 0) & (levels < 32) & (done.n_inquiries == 1))
    k = np.array([now.k for now in miner.history])
    clear = int((k[done.epoch[done.epoch >= 0]] == 32).sum())
    return soon[0] if len(soon) else 435, GuidedNB(VALUES).fit(R, c).score(T, y), clear


@pytest.mark.fixed_seed("the numbers that --help prints are of these seeds")
def test_help_says_what_each_start_costs():
    said = " ".join(_parser().format_help().split())
    for start in (0, 16, 100):
        came, right, clear = np.array([collection(seed, start) for seed in range(40)]).T
        wanted = (rf"from {start} (?:the classifier is right )?for {100 * right.mean():.0f} "
                  rf"(?:of 100 )?\(worst {100 * right.min():.0f}\)")
        assert re.search(wanted, said), wanted
        if start:
            assert not clear.any()
        else:
            assert np.median(clear) == 100
        people = np.median(came)  # to two digits, or to one that counts people
        people = np.ceil(people) if people < 10 else float(f"{people:.2g}")
        assert re.search(rf"\b{people:.0f} people", said), people

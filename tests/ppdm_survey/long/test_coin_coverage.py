"""The coin at length, through the collector: everybody is served, margins hold the truth."""

import math

import pytest
from coin_coverage import FILES, PEOPLE, coverage

pytestmark = pytest.mark.long(part="survey")

RUNS = 50


@pytest.mark.parametrize("name", FILES)
def test_everybody_is_served_and_the_margins_hold(name):
    channel, served, inside, gap = coverage(FILES[name], RUNS, seed=3)
    assert served == PEOPLE
    assert gap < 1e-6  # the chooser's margins
    # what RUNS surveys show of 95%: four standard errors, as if each question were one draw (the
    # answers to one question lean on each other; those to different ones do not)
    error = 4 * math.sqrt(0.95 * 0.05 / (RUNS * len(channel.columns)))
    assert 0.935 - error < inside < 0.965 + error

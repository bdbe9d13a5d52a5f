"""What ``check`` says of four files under both schemes, beside surveys that are really begun."""

import math

import pytest
from forecasts import FILES, compared

from ppdm_survey._check import SURVEYS

pytestmark = pytest.mark.long(part="survey")

BEGUN = 100


@pytest.mark.parametrize("scheme", ["coin", "guided"])
@pytest.mark.parametrize("name", FILES)
def test_what_check_says_is_what_surveys_give(name, scheme):
    for key, (said, mean, error) in compared(name, scheme, BEGUN).items():
        # a mean of SURVEYS less one of BEGUN, whose standard error is given: four of theirs
        bound = 4 * error * math.sqrt(1 + BEGUN / SURVEYS)
        assert abs(said - mean) <= bound + 1e-9, (key, said, mean, error)

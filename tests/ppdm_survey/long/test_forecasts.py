"""What ``check`` says of four files under both schemes, beside surveys that are really begun."""

import math

import pytest
from forecasts import FILES, compared

pytestmark = pytest.mark.long(part="survey")

BEGUN = 50


@pytest.mark.parametrize("scheme", ["coin", "guided"])
@pytest.mark.parametrize("name", FILES)
def test_what_check_says_is_what_surveys_give(name, scheme):
    for key, (said, its, mean, error) in compared(name, scheme, BEGUN).items():
        # both are means over surveys: within four standard errors of their difference
        bound = 4 * math.hypot(its, error)
        assert abs(said - mean) <= bound + 1e-9, (key, said, its, mean, error)

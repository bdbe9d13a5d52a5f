"""The calculator of *Which scheme, and when none*: its arithmetic is the package's, its form is usable."""

import json
from pathlib import Path

import numpy as np
import pytest
from explorables import SAID
from headless import CHROMIUM_MARKS, LONG, in_book, marked, running, serious

from ppdm.compare import choose_scheme
from ppdm.randomized_response import respondents_needed

SCRIPT = Path(__file__).parent.parent.parent / "book" / "_static" / "explore" / "explore.js"
PAGE = "book/which_scheme.html"
NAMES = {"coin": "kary", "k-ary response": "kary", "unary encoding": "unary"}


def surveys(rng, how_many):
    """Draw surveys: half of yes-or-no questions, people and margins on scales of ratios."""
    for i in range(how_many):
        yield {
            "n": int(10 ** rng.uniform(1, 7)),
            "share": round(rng.uniform(0.005, 0.995), 3),
            "questions": int(rng.choice([1, 2, 4, 16, 40, 100])),
            "values": 2 if i % 2 else int(rng.choice([3, 4, 10, 100, 1000])),
            "epsilon": round(10 ** rng.uniform(-1, 1.5), 3),
            "confidence": int(rng.choice([90, 95, 99])),
            "margin": round(10 ** rng.uniform(-2.5, -0.5), 4),
        }


@marked([*CHROMIUM_MARKS, LONG])
def test_the_calculator_says_what_the_chooser_says(chromium, tmp_path):
    given = list(surveys(np.random.default_rng(0), 300))
    with running(chromium, tmp_path, SCRIPT) as run:
        plans = run("""(all) => all.map((one) => { const plan = explore.calculator.plan(one);
            return { ...plan, epsilon: String(plan.epsilon) }; })""", given)  # fmt: skip
    for survey, plan in zip(given, plans, strict=True):
        k, d, confidence = survey["values"], survey["questions"], survey["confidence"] / 100
        asked = {"yes_no": d} if k == 2 else {"one_of": [k] * d}
        wish = {"margin": survey["margin"], "proportion": survey["share"]}
        choice = choose_scheme(
            survey["n"], **asked, **wish, epsilon=survey["epsilon"], confidence=confidence
        )
        best = choice.best
        assert (plan["scheme"], plan["asked"]) == (NAMES[best.scheme], best.asked), survey
        clear = respondents_needed(1.0, **wish, confidence=confidence)
        found = [plan["margin"], plan["clearMargin"], *plan["after"], plan["odds"], plan["people"],
                 plan["clearPeople"]]  # fmt: skip
        expected = [best.margin, choice.clear_margin, *choice.after, choice.odds, best.people,
                    clear]  # fmt: skip
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=str(survey))
        # each finds a root of its own
        np.testing.assert_allclose(float(plan["epsilon"].replace("NaN", "nan")),
                                   best.least_epsilon, rtol=1e-9, err_msg=str(survey))

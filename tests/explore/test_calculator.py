"""The calculator of *Which scheme, and when none* says what the package says, and can be used."""

from pathlib import Path

import numpy as np
import pytest
from explorables import SAID, fits
from headless import CHROMIUM_MARKS, LONG, in_book, marked, running

from ppdm.compare import choose_scheme, respondents_needed

expect = pytest.importorskip("playwright.sync_api").expect

SCRIPT = Path(__file__).parent.parent.parent / "book" / "_static" / "explore" / "explore.js"
PAGE = "book/which_scheme.html"
NAMES = {"coin": "kary", "k-ary response": "kary", "unary encoding": "unary",
         "Hadamard response": "hadamard"}


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
        # what is left of one minus a chance near one has the digits of the one
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15, err_msg=str(survey))
        # each finds a root of its own
        np.testing.assert_allclose(float(plan["epsilon"].replace("NaN", "nan")),
                                   best.least_epsilon, rtol=1e-9, err_msg=str(survey))


def typed(page, text):
    """Write a number over that of the field in focus."""
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


@in_book
def test_a_survey_is_judged_by_keyboard_alone(visit):
    page = visit(PAGE)
    page.wait_for_function(SAID, arg="calculator")
    section = page.locator("#explore-calculator")
    said = section.locator(".explore-said")
    assert "1.96" in said.inner_text()  # the nurses' own epsilon
    section.get_by_role("button", name="150 people").focus()
    page.keyboard.press("Enter")
    assert said.inner_text().startswith("None: even answers in the clear")
    assert "381 people in the clear, and 35,748 at epsilon 1" in said.inner_text()
    page.keyboard.press("Tab")
    typed(page, "35748")
    expect(said).to_contain_text("Yes.")  # it waits a moment before it speaks
    typed(page, "35747")
    expect(said).to_contain_text("None at epsilon 1")
    typed(page, "0")
    expect(said).to_have_text("People who will answer: a whole number from 1 to 1,000,000,000.")
    assert page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
    typed(page, "1000000")
    expect(said).to_contain_text("95 times")
    for _ in range(6):
        page.keyboard.press("Tab")
    before = said.inner_text()
    page.keyboard.press("ArrowRight")
    expect(said).not_to_contain_text("95 times")
    assert before.replace("95 times", "99 times") != said.inner_text() != before


@in_book
def test_the_calculator_fits_a_phone_and_a_page_without_it_says_so(visit):
    page = visit(PAGE)
    page.wait_for_function(SAID, arg="calculator")
    fits(page, "calculator", 360, 1400)
    page = visit(PAGE, java_script_enabled=False)
    assert page.locator("#explore-calculator").count() == 0
    assert page.get_by_text("The calculator needs JavaScript").is_visible()
    assert page.get_by_role("heading", name="Few people").is_visible()

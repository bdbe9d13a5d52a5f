"""The book's page on which a reader disguises a record: offline, and right."""

import json
from pathlib import Path

import numpy as np
import pytest
from by_path import load
from headless import in_book

from ppdm.datasets import load_voting
from ppdm.guidance import Guidance, bit_probabilities, one_hot

ROOT = Path(__file__).parent.parent.parent
STORED = ROOT / "book" / "_static" / "survey_guidance.js"
VALUES = [2] * 16


def stored():
    text = STORED.read_text(encoding="utf-8")
    return json.loads(text[text.index("{") : text.rindex("}") + 1])


@pytest.mark.fixed_seed("the stored guidance is that of one filling of the missing votes")
def test_stored_guidance_is_that_of_the_clear_records():
    house = load_voting(random_state=0)
    guidance = Guidance(32).update(one_hot(house.data, VALUES), house.target)
    V = np.array(stored()["V"])
    assert V.shape == (32, 17)
    for k in range(1, 18):
        # the sign of a column is free, so compare the projectors; V has twelve decimals,
        # so an entry of VV' is off by at most 2 * 17 * 5e-13 besides the eigenvectors' own error
        expected = guidance.vectors(k) @ guidance.vectors(k).T
        assert np.abs(V[:, :k] @ V[:, :k].T - expected).max() < 1e-9


@pytest.mark.fixed_seed("the stored records are drawn")
def test_what_is_stored_is_what_its_script_makes():
    made, kept = load("book/_make/explore_data.py").guidance(), stored()
    assert made["schema"] == kept["schema"]
    assert made["typical"] == kept["typical"]


@pytest.fixture
def demo(visit):
    page = visit("book/survey_demo.html")
    page.wait_for_selector("#demo-draw")
    return page


def record(page):
    votes = [
        page.locator(f'#survey-demo input[name="{attribute["name"]}"]:checked').input_value()
        for attribute in stored()["schema"]["attributes"]
    ]
    return np.array([vote == "y" for vote in votes], dtype=int)


def numbers(page, attribute):
    return [float(text) for text in page.locator(f"#survey-demo [{attribute}]").all_inner_texts()]


def set_level(page, k):
    page.locator("#demo-k").evaluate(
        f"(n) => {{ n.value = {k}; n.dispatchEvent(new Event('input', {{bubbles: true}})); }}"
    )


def marks(page):
    texts = page.locator("#survey-demo [data-mark]").all_inner_texts()
    return np.array([text.endswith("1") for text in texts], dtype=int)


def beliefs(draws, V):
    """P(yes) of each vote, literally: all records, equal weights, Bayes."""
    every = (np.arange(2**16)[:, None] >> np.arange(16)) & 1
    P = np.clip(bit_probabilities(one_hot(every, VALUES), V), 1e-300, 1)
    log = np.log(P) @ draws.sum(axis=0)
    log += np.log(np.maximum(1 - P, 1e-300)) @ (1 - draws).sum(axis=0)
    weights = np.exp(log - log.max())
    return weights @ every / weights.sum()


@in_book
@pytest.mark.parametrize("k", [1, 2, 6])
def test_bars_marks_message_and_beliefs(demo, k):
    set_level(demo, k)
    demo.locator('#survey-demo input[name="crime"][value="y"]').check()
    V = np.array(stored()["V"])[:, :k]
    t = one_hot([record(demo)], VALUES)
    shown = numbers(demo, "data-bit")
    np.testing.assert_allclose(shown, bit_probabilities(t, V)[0], atol=0.00501)

    demo.click("#demo-draw")
    draws = [marks(demo)]
    sent = json.loads(demo.inner_text("#demo-sent"))
    assert sent["ones"] == np.flatnonzero(draws[0]).tolist()
    assert set(sent) == {"token", "epoch", "class", "ones"}
    expected = beliefs(np.array(draws), V)
    np.testing.assert_allclose(numbers(demo, "data-yes"), expected, atol=0.00501)

    demo.click("#demo-draw")
    draws.append(marks(demo))
    expected = beliefs(np.array(draws), V)
    np.testing.assert_allclose(numbers(demo, "data-yes"), expected, atol=0.00501)
    right = int(((expected > 0.5) == record(demo)).sum())
    assert f"right in {right} of 16" in demo.inner_text("#demo-said")

def test_one_direction_reads_the_typical_and_not_the_others():
    # what the page's second task says; 20 draws, 40 records, seeds fixed
    V, rng = np.array(stored()["V"])[:, :1], np.random.default_rng(5)

    def guessed(votes):
        draw = rng.random(32) < bit_probabilities(one_hot([votes], VALUES), V)[0]
        return int(((beliefs(draw[None].astype(int), V) > 0.5) == votes).sum())

    assert all(guessed(np.array(stored()["typical"][0])) == 16 for _ in range(20))
    # a record at random: seen 9.6 with a standard deviation of 2 a record, so 10 is far enough
    # above the mean of 40 (standard error .3) and six votes stay unknown
    assert np.mean([guessed(rng.integers(0, 2, 16)) for _ in range(40)]) < 10.5


@in_book
def test_a_change_forgets_the_draws(demo):
    demo.click("#demo-draw")
    assert demo.inner_text("#demo-sent").startswith("{")
    demo.click("#demo-fill-1")
    assert demo.inner_text("#demo-sent") == "nothing yet"
    assert record(demo).tolist() == stored()["typical"][1]


@in_book
def test_all_directions_read_everything(demo):
    set_level(demo, 17)
    assert "everything is read" in demo.inner_text("#demo-warned")
    demo.click("#demo-draw")
    np.testing.assert_array_equal(marks(demo), one_hot([record(demo)], VALUES)[0])

"""The README's first screen: its figure is what its script draws, a row for each paper."""

import re

import pytest
from by_path import ROOT, load

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.fixed_seed("the stored figure was drawn with this seed")
def test_figure_is_what_its_script_draws():
    script = load("book/_make/one_coin.py")
    assert (ROOT / "book/_static/one_coin.svg").read_text(encoding="utf-8") == script.svg()


@pytest.mark.fixed_seed("the stored figure was drawn with this seed")
def test_the_figure_is_centred_on_the_truth():
    truth, _, undone = load("book/_make/one_coin.py").shares()
    # centred on the truth: 2,000 evenings, so four standard errors are under half a point
    assert abs(undone.mean() - truth) < 4 * undone.std() / len(undone) ** 0.5


def test_every_paper_has_its_line():
    papers = re.findall(r"^\| ([A-Z]+\d\d): ", README, re.MULTILINE)
    assert papers == ["AS00", "DZ03", "ZCM04", "ZWZ05", "LX14"]

"""Each number of the pages is tied to where it comes from, as the chapters' are."""

import re
import tomllib

import pytest
from by_path import ROOT, load
from prose_numbers import Chapter, Page, check, check_text, misjudged

jupytext = pytest.importorskip("jupytext")

BOOK = ROOT / "book"
TOP = [ROOT / "README.md", ROOT / "paper.md"]
PAGES = [*TOP, *sorted(BOOK.glob("[a-z]*.md")), BOOK / "api" / "survey.md"]
SHEETS = sorted((ROOT / "notebooks" / "assignments").glob("*.md"))
#: Rows that are compared as a whole: the minutes of the syllabi by test_teach.py, the rows that the
#: bench missed by test_bench.py. No test has a survey's starts but as `--help` rounds them.
COMPARED = {
    "bench": re.findall(r"^\| .* \| \*\*.*", (BOOK / "bench.md").read_text(), re.MULTILINE),
    "teach": re.findall(r"^\| .* \| \d+ \|$", (BOOK / "teach.md").read_text(), re.MULTILINE),
    "own_survey": re.findall(r"^\| .*(?:\d |tuples |are )\|.*\)? \| \w+ \|$|^\| `--random.*",
                             (BOOK / "own_survey.md").read_text(), re.MULTILINE),
}  # fmt: skip


def test_a_heading_of_a_slide_has_the_verdict_of_its_claim():
    decks = (BOOK / "_course" / "decks.toml").read_text(encoding="utf-8")
    headings = re.findall(r'^  \["(.*?)", ".*"\],(?:  # (.*))?$', decks, re.MULTILINE)
    assert len(headings) == decks.count('  ["')
    for heading, claim in headings:
        assert claim or not re.search(r"\bholds?\b", heading)
        assert not misjudged(Page("decks", ""), f"{heading}<!--{claim}-->")


def named(path):
    return path.stem


def test_the_lines_behind_a_prompt_run_with_the_tests():
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    prompted = {path.relative_to(ROOT).as_posix() for path in PAGES
                if re.search(r"^ *>>>", path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert prompted - set(asked["testpaths"]) == set()
    globs = {f"--doctest-glob={path.rpartition('/')[2]}" for path in prompted}
    assert globs - set(asked["addopts"]) == set()


@pytest.mark.fixed_seed("the README quotes its stored figure")
@pytest.mark.parametrize("path", PAGES, ids=named)
def test_each_number_of_a_page_is_the_one_that_it_is_tied_to(path):
    text = path.read_text(encoding="utf-8")
    for part in COMPARED.get(path.stem, ()):
        assert f"\n{part}\n" in text
        text = text.replace(part, "")
    wrong = check_text(Page(path.stem, text), text)
    assert not [line for line in wrong if "needs PPDM_DATA" not in line]


@pytest.mark.fixed_seed("the stored figure was drawn with this seed")
@pytest.mark.parametrize(
    ("figure", "page"),
    [("epsilon_curve", "cross_validate"), ("asking_again", "asking_again"),
     ("people_needed", "which_scheme"), ("one_coin", None)],
)
def test_a_curve_is_what_its_script_draws_and_its_alt_text_says_so(figure, page):
    script = load(f"book/_make/{figure}.py")
    drawn = script.svg()
    assert (BOOK / "_static" / f"{figure}.svg").read_text(encoding="utf-8") == drawn
    assert figure in load("book/_make/draw.py").PICTURES
    if page:  # the README's is described there
        said = re.search(r"<desc.*?>(.*)</desc>", drawn)[1]
        assert f"\n:alt: {said}\n" in (BOOK / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.fixed_seed("the stored figure was drawn with this seed")
def test_the_readmes_figure_is_centred_on_the_truth_and_each_paper_has_its_line():
    truth, _, undone = load("book/_make/one_coin.py").shares()
    # 2,000 evenings, so four standard errors are under half a point
    assert abs(undone.mean() - truth) < 4 * undone.std() / len(undone) ** 0.5
    papers = re.findall(r"^\| ([A-Z]+\d\d): ", TOP[0].read_text(encoding="utf-8"), re.MULTILINE)
    assert papers == ["AS00", "DZ03", "ZCM04", "ZWZ05", "LX14"]


@pytest.mark.parametrize("path", SHEETS, ids=named)
def test_each_number_of_an_assignment_is_in_its_code_and_its_points_are_those_of_its_cells(path):
    text = path.read_text(encoding="utf-8")
    sections, worth = re.split(r"^## ", text, flags=re.MULTILINE)[1:], {"test": 0, "by-hand": 0}
    for section in sections:
        points = 0
        for kind, number in re.findall(r'(test|by-hand)"?, "?points-(\d+)', section):
            worth[kind] += int(number)
            points += int(number)
        said = re.match(r".* \((\d+) points", section)
        assert points == (int(said[1]) if said else 0), section[:60]
    tests, by_hand = worth.values()
    head = f"{tests + by_hand}, of which {tests} are computed and {by_hand} given by a reader."
    assert f" minutes. **Points**: {head} " in text
    text = re.sub(r"^\*\*Time\*\*.*", "", text, flags=re.MULTILINE)
    assert not check(Chapter(path.stem, jupytext.reads(text, fmt="md:myst")))

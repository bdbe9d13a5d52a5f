"""What a movement of an explorable does, counted: nothing is done again that has not changed."""

import pytest
from explorables import DRAWN, FRAMES, PAGES, opened
from headless import BOOK_MARKS, LONG

pytestmark = [*BOOK_MARKS, LONG]

#: Count the calls of a function of Math; only one place of the scripts calls each of these two.
COUNT = """(name) => {
  const original = Math[name];
  globalThis.calls = 0;
  Math[name] = (...given) => { calls += 1; return original(...given); };
}"""
IMUL = 2  # calls of Math.imul a uniform number
#: Move a slider; return how many calls were made before the page could breathe.
MOVE = """(node, to) => {
  const before = calls;
  node.value = to;
  node.dispatchEvent(new Event("input", { bubbles: true }));
  return calls - before;
}"""


@pytest.fixture
def begin(visit):
    def go(name, **settings):
        page = visit(PAGES[name][0], **settings)
        return page, opened(page, name)

    return go


def every_stop(slider):
    return [slider.evaluate(MOVE, stop) for stop in range(int(slider.get_attribute("max")), -1, -1)]


def until_calls(page, expected):
    page.wait_for_timeout(300)  # whatever is still to come
    page.wait_for_function("(expected) => calls >= expected", arg=expected)
    assert page.evaluate("calls") == expected


@pytest.mark.parametrize(
    ("name", "people", "stops", "a_person"),
    [("coin", "explore-coin-people", (424, 5_000), 2),
     ("reconstruction", "explore-n", (1_000, 50_000), 4)],
)
def test_a_number_is_drawn_once(begin, name, people, stops, a_person):
    page, section = begin(name)
    page.evaluate(COUNT, "imul")
    for slider in section.locator("input[type=range]").all():
        if slider.get_attribute("id") != people:
            assert not any(every_stop(slider))
    until_calls(page, 0)
    first, most = stops
    of_people = section.locator(f"#{people}")
    of_people.evaluate(MOVE, of_people.get_attribute("max"))
    # who was there keeps the numbers
    until_calls(page, IMUL * a_person * (most - first))
    every_stop(of_people)
    until_calls(page, IMUL * a_person * (most - first))
    of_people.evaluate(MOVE, of_people.get_attribute("max"))
    section.get_by_role("button", name="New").click()
    until_calls(page, IMUL * a_person * (2 * most - first))


def test_many_people_are_drawn_and_counted_in_steps(begin):
    page, section = begin("reconstruction")
    page.evaluate(COUNT, "imul")
    of_people = section.locator("#explore-n")
    assert of_people.evaluate(MOVE, of_people.get_attribute("max")) == 0
    until_calls(page, IMUL * 4 * 49_000)


def test_only_a_dot_that_changes_is_touched(begin):
    page, section = begin("coin")
    page.evaluate(FRAMES)
    page.evaluate("""() => {
      globalThis.calls = 0;
      globalThis.touched = new Set();
      const see = (changes) => changes.forEach(({ target }) => touched.add(target));
      new MutationObserver(see).observe(document.getElementById("explore-coin"),
        { subtree: true, attributes: true, attributeFilter: ["class", "cx", "cy", "r"] });
    }""")
    circles = "[...touched].filter((node) => node.tagName === 'circle').length"
    section.locator("input[name=explore-coin-you]").first.check()
    page.wait_for_function(DRAWN)
    assert page.evaluate(circles) == 0
    section.locator("#explore-coin-share").evaluate(MOVE, 5)  # from 40% to 50%
    page.wait_for_function(DRAWN)
    some = page.evaluate(circles)
    assert 0 < some <= 400
    section.locator("#explore-coin-share").evaluate(MOVE, 5)
    page.wait_for_function(DRAWN)
    assert page.evaluate(circles) == some


def test_a_level_reads_the_directions_that_are_there(begin):
    page, section = begin("vote")
    page.evaluate(COUNT, "hypot")  # of Jacobi's rotations
    others = section.locator("p.explore-own")
    others.filter(has_text="VV").wait_for()
    page.evaluate("calls = 0")
    assert not any(every_stop(section.locator("#explore-vote-k")))
    section.locator("#explore-vote-k").evaluate(MOVE, 16)
    others.filter(has_text="all is read").wait_for()
    assert page.evaluate("calls") == 0
    section.locator("summary").click()
    section.locator("#explore-vote-3").click()  # another vote, another V: in steps
    assert "at work" in others.inner_text()
    page.wait_for_function("calls > 0")


@pytest.mark.parametrize("name", PAGES)
def test_the_theme_does_not_search_the_page_at_a_click(begin, name):
    page, section = begin(name)
    page.evaluate("""() => {
      globalThis.calls = 0;
      document.querySelectorAll = (selector) => {
        calls += 1;
        return Document.prototype.querySelectorAll.call(document, selector);
      };
    }""")
    click = "(node) => { const before = calls; node.click(); return calls - before; }"
    assert page.locator("h1").first.evaluate(click) > 0
    for node in section.locator("input:not([type=range]), .explore-row button").all():
        assert node.evaluate(click) == 0
    # but a menu that is open closes, wherever one clicks
    menu = page.locator(".dropdown-download-buttons .dropdown-menu")
    page.locator(".dropdown-download-buttons > button").click()
    assert menu.is_visible()
    section.locator(".explore-said").first.click()
    assert not menu.is_visible()


@pytest.mark.parametrize("name", ["coin", "reconstruction", "vote", "frontier"])
def test_charts_follow_the_width(begin, name):
    page, section = begin(name, viewport={"width": 1400, "height": 900})
    chart = section.locator("svg").first
    slider = section.locator("input[type=range]").first
    before = slider.input_value() if name != "frontier" else None
    for width in (390, 1000, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "(name) => { const root = document.getElementById(`explore-${name}`);"
            " const drawn = root.querySelector('svg').viewBox.baseVal.width;"
            " return drawn === Math.min(680, Math.max(300, root.clientWidth - 24)); }", arg=name)
        # a unit of the drawing is about a pixel, so that its type keeps its size
        drawn = chart.evaluate("node => node.viewBox.baseVal.width")
        assert 0.9 < chart.bounding_box()["width"] / drawn < 1.2
    assert before is None or slider.input_value() == before


def test_each_column_of_the_votes_has_its_name(begin):
    page, section = begin("vote")
    names = page.evaluate("exploreMembers.names")
    columns = section.locator("svg g[role=img]")
    assert columns.locator("text").all_text_contents() == names
    for name, told in zip(names, columns.locator("title").all_text_contents(), strict=True):
        assert told.startswith(f"{name}: you voted ")

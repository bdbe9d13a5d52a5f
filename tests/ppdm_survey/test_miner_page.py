"""The miner's page in a real browser: what it draws, says, asks for and survives."""

import functools
import json
import re
import time

import numpy as np
import pytest
from collecting import send
from fastapi import FastAPI
from headless import MARKS, serious
from serving import serve

from ppdm.guidance import perturb
from ppdm_survey import Attribute, Collector, Survey, create_app, simulate, voting_survey

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = MARKS

PARTS = ["collection", "levels", "classifier", "accuracy", "hashes"]
LONG = "A question that does not stop where others would and goes on without a comma"
#: Many values, long names, markup in texts.
ODD = Survey(
    title="1 < 2 <script>alert(1)</script> & a <b>bold</b> title",
    attributes=[
        Attribute(name="a", label=f"{LONG} <img src=x onerror=alert(1)>",
                  values=[f"{LONG} {i}" for i in range(9)]),
        Attribute(name="b", label="Unbreakable" * 9, values=[str(i) for i in range(40)]),
    ],
    question=Attribute(name="c", label="Class", values=[LONG, "Unbreakable" * 9]),
)  # fmt: skip
TABLE = """table => [...table.tBodies[0].rows].map(row => [...row.cells].map(c => c.textContent))"""


@pytest.fixture
def visit(person):
    """Open a page; at the end no word on the console, and no request but to the server."""
    visitors = []

    def go(url, script=None, **options):
        visitor = person(**options)
        visitors.append(visitor)
        if script:
            visitor.context.add_init_script(script)
        return visitor.open(url)

    yield go
    asked = [request.url for visitor in visitors for request in visitor.requests]
    assert all(url.startswith(("http://127.0.0.1:", "data:")) for url in asked)


class Run:
    """A survey on a real server, under a path, and members of Congress to answer it."""

    def __init__(self, collector, url):
        self.collector, self.url = collector, url
        people = simulate.draw_people(voting_survey().to_dict(), 240, random_state=1)
        self.members = iter(zip(*people, strict=True))
        self.rng = np.random.default_rng(2)

    def receive(self, n):
        for _ in range(n):
            t, label = next(self.members)
            guide, token = self.collector.ready(self.collector.guidance.epoch)
            ones = np.flatnonzero(perturb(t, guide.V, random_state=self.rng)).tolist()
            self.collector.submit(token, guide.epoch, int(label), ones).result()
        return self.results()

    def results(self):
        return json.loads(json.dumps(self.collector.results()))


@pytest.fixture
def run():
    site = FastAPI()
    with Collector(voting_survey(), batch_size=50) as collector:
        site.mount("/a/survey", create_app(collector))
        with serve(site) as url:
            yield Run(collector, f"{url}/a/survey/miner/")


@pytest.fixture(scope="module")
def finished():
    """The results of a whole run, and the page without one."""
    with Collector(voting_survey(), batch_size=50) as collector:
        yield Run(collector, "").receive(230)


@pytest.fixture(scope="module")
def anywhere():
    """A server's address, for tests that draw results of their own."""
    with Collector(ODD) as collector, serve(create_app(collector)) as url:
        yield f"{url}/miner/"


def draw(page, results):
    """Draw other results than the server's, into a place that it leaves alone; give the page."""
    page.wait_for_selector("#hashes")
    page.evaluate("""results => {
      const main = document.querySelector("main");
      main.replaceChildren(document.createElement("div"));
      ppdmMiner.render(main.firstChild, results);
    }""", results)
    return page


def table(page, part):
    return page.locator(f"#{part} table").evaluate(TABLE)


def received(page, n):
    expect(page.locator(".tiles dd").first).to_have_text(str(n))


def check_tables(page, results):
    """Each number in a table is the results' own."""
    n = {row[0]: row[1] for row in table(page, "collection")}
    assert n["Tuples of whole epochs"] == str(results["n_received"])
    assert n["Tuples of an epoch"] == str(results["batch_size"])
    assert (n["k*"], n["mu"]) == (str(results["k"]), str(results["mu"]))
    for part, keys in (("levels", ("epoch", "n_received", "k")), ("hashes", ("epoch", "k", "hash")),
                       ("accuracy", ("epoch", "n_tuples", "correct", "majority"))):
        told = results["accuracy"] if part == "accuracy" else results["history"]
        assert table(page, part) == [[str(entry[key]) for key in keys] for entry in told]
    learnt = results["classifier"]
    names = [f"{one['label']}: {value}" for one in results["attributes"] for value in one["labels"]]
    rows = table(page, "classifier")
    assert sorted(row[0] for row in rows) == sorted(names)
    strength = [abs(learnt["log_odds"][names.index(row[0])]) for row in rows]
    assert strength == sorted(strength, reverse=True)
    for name, odds, error, zero, one in rows:
        i = names.index(name)
        assert float(odds) == pytest.approx(learnt["log_odds"][i], abs=0.005)
        assert [int(zero), int(one)] == [counts[i] for counts in learnt["bit_count"]]
        assert float(error) == pytest.approx(standard_error(results, i), abs=0.005)


def standard_error(results, bit):
    """Var log p is (1 - p) / (p m) for a share p of m set bits, Laplace's ones among them."""
    sizes = [len(one["labels"]) for one in results["attributes"]]
    group = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.array(results["classifier"]["bit_count"]) + 1.0
    m = counts[:, group == group[bit]].sum(axis=1)
    p = counts[:, bit] / m
    return np.sqrt(((1 - p) / (p * m)).sum())


def test_the_page_follows_a_collection(visit, run):
    page = visit(run.url)
    received(page, 0)
    empty = page.locator("#results").inner_text()
    assert "No epoch is complete yet" in empty
    assert "asks for all 32 bits: only people who accept every level can answer" in empty
    assert "The classifier is learnt when the first epoch is complete, of 50 tuples" in empty
    assert page.get_by_role("img").count() == 1  # k*: there is no more to draw
    assert page.locator("#status").inner_text().startswith("Live")

    page.get_by_text("The numbers").nth(1).click()
    run.receive(130)
    received(page, 100)  # 30 more are stored
    expect(page.locator("#accuracy svg")).to_be_visible()
    assert page.locator("#levels details").get_attribute("open") is not None  # it stayed open
    assert page.get_by_role("img").count() == 3
    assert "No epoch is complete" not in page.locator("#results").inner_text()
    assert "Epoch 2 is under way" in page.locator("#collection").inner_text()

    page.locator("#hashes code").first.evaluate("code => { code.selected = true; }")
    before = page.locator("#results").inner_html()
    run.receive(19)  # all but one of the epoch: nothing is to be seen of them
    page.wait_for_timeout(1500)
    assert page.locator("#results").inner_html() == before
    # what has not changed is not drawn again: a selection there stays
    assert page.locator("#hashes code").first.evaluate("code => code.selected")

    results = run.receive(81)
    received(page, 200)
    expect(page.locator("#hashes tbody tr")).to_have_count(5)
    check_tables(page, results)
    correct = sum(entry["correct"] for entry in results["accuracy"])
    words = page.locator("#accuracy").inner_text()
    assert f"{correct} of 150 tuples ({correct / 1.5:.0f}%)" in words
    assert "An estimate on disguised data" in words
    # the first epoch of this run asks for every bit: what it got is no disguise
    assert "no clear tuples" not in words
    learnt = page.locator("#classifier").inner_text()
    assert "50 of them are undisguised, 150 disguised" in learnt


def test_every_plot_has_a_name_with_numbers_and_a_table(visit, anywhere, finished):
    page = draw(visit(anywhere), finished)
    for part in PARTS[1:4]:
        name = page.locator(f"#{part} svg").get_attribute("aria-label")
        assert page.locator(f"#{part}").get_by_role("img", name=name, exact=True).count() == 1
        assert re.search(r"\d", name)
        page.locator(f"#{part} summary").press("Enter")
        assert page.locator(f"#{part} table caption").is_visible()
    last = finished["accuracy"][-1]
    assert f"epoch {last['epoch']} {last['correct'] / last['n_tuples']:.0%}" in page.locator(
        "#accuracy svg").get_attribute("aria-label")  # fmt: skip
    assert page.locator("section h2").count() == len(PARTS)


def test_bars_have_the_length_and_the_side_of_the_log_odds(visit, anywhere, finished):
    page = draw(visit(anywhere), finished)
    bars = page.locator("#classifier rect").evaluate_all(
        "all => all.map(r => [r.getAttribute('class'), +r.getAttribute('x'), "
        "+r.getAttribute('width'), +r.parentNode.querySelector('line.axis').getAttribute('x1')])")
    odds = np.array(sorted(finished["classifier"]["log_odds"], key=lambda v: -abs(v)))
    side, x, width, middle = (np.array(column) for column in zip(*bars, strict=True))
    assert side.tolist() == ["fill1" if one > 0 else "fill0" for one in odds]
    np.testing.assert_allclose(width / width[0], abs(odds) / abs(odds[0]), atol=1e-6)
    # class 1, named at the right end, is to the right of the middle
    np.testing.assert_allclose(np.where(odds > 0, x, x + width), middle, atol=1e-6)


def test_steps_stand_where_k_and_n_are(visit, anywhere, finished):
    ks, at = [32, 8, 2, 16], [0, 50, 100, 150]
    history = [{"epoch": e, "n_received": n, "k": k, "hash": "0" * 64}
               for e, (n, k) in enumerate(zip(at, ks, strict=True))]  # fmt: skip
    now = {"history": history, "epoch": 3, "k": 16, "n_received": 180}
    page = draw(visit(anywhere), finished | now)
    points = np.array(page.locator("#levels circle").evaluate_all(
        "all => all.map(c => [+c.getAttribute('cx'), +c.getAttribute('cy')])"))  # fmt: skip
    # equal steps to the right for 50 tuples each; half as many directions, one step down
    np.testing.assert_allclose(np.diff(points[:, 0]), points[1, 0] - points[0, 0])
    assert points[1, 0] > points[0, 0]
    np.testing.assert_allclose(np.diff(points[:, 1]) / (points[1, 1] - points[0, 1]), [1, 1, -1.5])
    assert points[1, 1] > points[0, 1]
    path = page.locator("#levels path").get_attribute("d")
    assert path.startswith(f"M{points[0, 0]:g} {points[0, 1]:g}H")
    assert "now 16" in page.locator("#levels svg").text_content()
    # the ticks name what stands at them: 8 directions asked for from the 50th tuple on
    ticks = page.locator("#levels text.tick").evaluate_all(
        "all => all.map(t => [t.textContent, +t.getAttribute('x'), +t.getAttribute('y')])")
    n_bits = len(finished["classifier"]["log_odds"])
    powers = [str(2**i) for i in range(n_bits.bit_length())]
    assert [name for name, _, _ in ticks] == [*powers, "0", "50", "100", "150"]
    np.testing.assert_allclose(ticks[3][2], points[1, 1] + 4)
    np.testing.assert_allclose(ticks[-3][1], points[1, 0])


def test_dots_stand_where_the_accuracy_is(visit, anywhere, finished):
    rows = [{"epoch": e, "n_tuples": 40, "correct": c, "majority": 20}
            for e, c in enumerate((40, 30, 20), start=1)]  # fmt: skip
    page = draw(visit(anywhere), finished | {"accuracy": rows})
    heights = page.locator("#accuracy polyline").get_attribute("points").split()
    y = np.array([float(point.split(",")[1]) for point in heights])
    np.testing.assert_allclose(y[1] - y[0], y[2] - y[1])
    majority = page.locator("#accuracy line.majority").first.get_attribute("y1")
    assert float(majority) == pytest.approx(y[2])  # half of them, as in the last epoch
    whiskers = page.locator("#accuracy line.whisker").evaluate_all(
        "all => all.map(w => w.getBBox().height)")
    # all right in 40 is no certainty; Agresti and Coull: (42/44) - 2 sqrt(.9545 * .0455 / 44)
    unit = (y[2] - y[0]) / 0.5
    assert whiskers[0] == pytest.approx(unit * (1 - (42 / 44 - 2 * np.sqrt(42 * 2 / 44**3))))


# --- shapes -------------------------------------------------------------------------------

@functools.cache
def odd_results(n_epochs):
    """Return the results of an odd survey after as many epochs as asked for."""
    rng = np.random.default_rng(0)
    with Collector(ODD, batch_size=3, random_start=9, random_state=0) as collector:
        for _ in range(3 * n_epochs):
            ones = np.flatnonzero(rng.integers(0, 2, 49)).tolist()
            send(collector, rng.integers(2), ones)
        return json.loads(json.dumps(collector.results()))


@pytest.mark.parametrize(("width", "scheme"), [
    (320, "dark"), (375, "light"), (768, "light"), (1280, "light")])
def test_nothing_sticks_out_at_any_width_or_stands_in_the_way(
        visit, anywhere, finished, width, scheme):
    page = visit(anywhere, viewport={"width": width, "height": 700}, color_scheme=scheme)
    for results in (finished, *map(odd_results, (0, 1, 60))):
        draw(page, results)
        assert serious(page) == {}
        page.locator("details").evaluate_all("all => all.forEach(d => { d.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.locator("svg text").evaluate_all(
            """all => all.filter(t => {
              const a = t.getBoundingClientRect();
              const b = t.closest("section").getBoundingClientRect();
              return a.left < b.left || a.right > b.right || a.bottom > b.bottom;
            }).map(t => t.textContent)""")
        assert not outside
        # however long the question, each bar says its value
        labels = page.locator("#classifier text.label").all_text_contents()
        assert all(re.search(r": \S+", label) for label in labels)


def test_texts_are_texts(visit, anywhere):
    page = visit(anywhere)
    assert page.locator("h1").inner_text() == ODD.title
    assert page.title().startswith(ODD.title)
    draw(page, odd_results(1))
    assert page.locator("section img, section b").count() == 0
    titles = page.locator("#classifier svg title").all_text_contents()
    assert any("<img src=x onerror=alert(1)>" in title for title in titles)


def test_a_wider_window_is_drawn_anew(visit, run):
    page = visit(run.url, viewport={"width": 400, "height": 700})
    received(page, 0)
    page.set_viewport_size({"width": 1000, "height": 700})
    expect(page.locator("#levels svg")).to_have_attribute("width", re.compile(r"^[89]\d\d$"))


# --- the network --------------------------------------------------------------------------


def test_it_says_that_the_server_is_gone_and_comes_back(visit, run):
    page = visit(run.url)
    run.receive(50)
    received(page, 50)
    page.route("**/api/results", lambda route: route.abort())
    page.wait_for_selector("#status.bad")
    words = page.locator("#status").inner_text()
    assert "not reachable" in words
    assert "What you see is the last that it said" in words
    assert page.locator(".tiles dd").first.inner_text() == "50"  # the drawing stays
    page.unroute("**/api/results")
    page.route("**/api/results", lambda route: route.fulfill(status=502, body="no"))
    expect(page.get_by_role("status")).to_contain_text("(it answered 502)")
    page.unroute("**/api/results")
    page.wait_for_selector("#status:not(.bad)")
    assert page.get_by_role("status").inner_text().startswith("Live")


@pytest.mark.parametrize(("hidden", "failing", "low", "high"), [
    (False, False, 45, 62), (True, False, 4, 6), (False, True, 4, 7), (True, True, 3, 6)])
def test_it_asks_once_a_second_and_less_often_when_hidden_or_failing(
    visit, run, hidden, failing, low, high
):
    # a minute of the page's clock
    script = f"Object.defineProperty(document, 'hidden', {{ get: () => {str(hidden).lower()} }});"
    page = visit("about:blank", script)
    asked = []

    def answer(route):
        asked.append(route.request.url)
        route.abort() if failing else route.fulfill(json=run.results())

    page.route("**/api/results", answer)
    page.clock.install()
    page.goto(run.url)
    for _ in range(60):
        page.clock.run_for(1000)
        time.sleep(0.01)
        page.evaluate("0")
    assert low <= len(asked) <= high


def test_it_shows_where_the_numbers_are_without_javascript(visit, run):
    page = visit(run.url, java_script_enabled=False)
    assert "api/results" in page.locator("noscript").inner_text()

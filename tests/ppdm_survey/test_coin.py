"""The coin's channel and its estimates: epsilon, margins, what is open, what an attacker gets."""

import json
import math
import re

import httpx
import numpy as np
import pytest
from coin_site import (
    CODES,
    FIVE,
    HALF,
    MIXED,
    OWN,
    TEN,
    TWENTY,
    WARDS,
    channel_of,
    coin_site,
    question,
    send_all,
    tallied,
    words,
)
from refusals import refusals
from scipy.stats import binom, norm
from survey_site import refused

from ppdm.compare import choose_scheme
from ppdm.datasets import load_voting
from ppdm.privacy import local_epsilon
from ppdm.reconstruction import estimate_frequencies
from ppdm_survey import CoinChannel, CoinCollector, Column, Survey, simulate, voting_survey
from ppdm_survey.__main__ import _parser
from ppdm_survey._check import check_coin
from ppdm_survey._coin import FEWEST, WHOLE, Tally, described, grouped, left_out
from ppdm_survey._errors import DatabaseInUseError, SurveyError

# The channel

@pytest.mark.parametrize("survey", [MIXED, FIVE, TEN, voting_survey("coin")])
@pytest.mark.parametrize(("epsilon", "asked"), [(0.5, 1), (2.0, 2), (8.0, 4)])
def test_epsilon_follows_from_the_whole_numbers_and_is_never_more(survey, epsilon, asked):
    channel = CoinChannel.choose(survey, epsilon, asked=asked)
    for one in channel.columns:
        matrix = one.parts / WHOLE
        np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-15)
        bits = 2 if one.kind == "unary" else 1
        # a bit at its worst spends what both do who set and who do not
        assert one.epsilon <= bits * local_epsilon(matrix) + 1e-9
        if one.kind == "k-ary":
            assert one.epsilon == pytest.approx(local_epsilon(matrix), abs=1e-12)
    assert epsilon - 1e-6 * asked < channel.epsilon <= epsilon


@pytest.mark.parametrize("epsilon", [2.0, 30.0])
def test_the_chooser_says_how_many_are_asked(epsilon):
    best = choose_scheme(300, yes_no=5, epsilon=epsilon).best
    assert CoinChannel.choose(FIVE, epsilon, people=300).asked == best.asked


test_what_is_no_column_is_refused = refusals(
    ({"own": WHOLE - 1, "other": 2}, "parts of a"),
    ({"own": 1, "other": WHOLE - 1}, "parts of a"), ({"other": 0, "own": WHOLE}, "open alone"),
    ({"own": 3.5}, "valid integer"), ({"kind": "other"}, "k-ary"),
    *(({"n_values": 4, "kind": kind, "own": own, "other": other}, "open alone")
      for kind, own, other in (("open", WHOLE - 3, 1), ("k-ary", WHOLE, 0), ("unary", WHOLE, 1),
                               ("unary", 2**31, 0))),
    by=lambda change: Column.model_validate({
        "name": "a", "kind": "k-ary", "n_values": 2, "own": WHOLE - 5, "other": 5} | change),
)
test_what_is_no_choice_is_refused = refusals(
    ({}, "asked or people must be given"), ({"asked": 0}, "asked must be"),
    ({"asked": 5}, "asked must be"), ({"asked": 1, "epsilon": 0}, "epsilon must be"),
    ({"asked": 1, "epsilon": 25.0}, "epsilon must be"),
    ({"survey": Survey(title="x", attributes=[WARDS.attributes[1]]), "asked": 1},
     "one that is disguised"),
    by=lambda options: CoinChannel.choose(**{"survey": MIXED, "epsilon": 1.0} | options),
)
test_what_the_channel_never_gives_is_refused = refusals(
    *((channel_of(), answers, "answers must be", SurveyError) for answers in (
        [], [1, 2, 1], [1, 2, 1, None], [2, 2, 1, []], [-1, 2, 1, []], [1, 2, 1, [7, 7]],
        [1, 2, 1, [8, 7]], [1, 2, 1, [40]], [1, [2], 1, []], [1, 2, 1, 7])),
    # of a question that is open nobody is silent, and of two others one is asked
    *((channel_of(WARDS, 2.0, 1), answers, "answers must be", SurveyError) for answers in (
        [1, None, None], [1, 2, 0], [None, 2, None], [1, [2], None])),
    by=CoinChannel.pack,
)


def test_reports_have_the_channel_s_chances():
    channel, n = channel_of(), 200_000
    marks = channel.report(np.tile(CODES, (n, 1)), words(channel, n, 0))
    for start, one, code in zip(channel.starts, channel.columns, CODES, strict=False):
        p, q = one.chances
        chances = np.where(np.arange(one.n_values) == code, p, q)
        told = marks[:, start + 1 : start + 1 + one.n_values].mean(axis=0)
        # 49 shares, each within five standard errors
        assert (np.abs(told - chances) < 5 * np.sqrt(chances * (1 - chances) / n)).all()


# Estimates

FILES = {"worked": OWN, "five": FIVE, "ten": TEN, "twenty": TWENTY, "votes": voting_survey("coin")}


def drawer(survey):
    """Return the true shares of a survey's answers, and what draws people's codes by them."""
    if survey == voting_survey("coin"):  # the members themselves, with replacement
        votes = load_voting(fill="mode")
        members = np.column_stack([votes.data, votes.target]).astype(int)
        shares = [np.bincount(column, minlength=2) / len(members) for column in members.T]
        return shares, lambda rng, n: members[rng.integers(0, len(members), n)]
    shares = [np.random.default_rng([j, 5]).dirichlet(np.full(k, 5.0))
              for j, k in enumerate(survey.n_values)]
    return shares, lambda rng, n: np.column_stack(
        [rng.choice(len(each), n, p=each) for each in shares])


@pytest.mark.parametrize("name", FILES)
def test_margins_hold_the_truth_as_often_as_they_say(name):
    # so few people a question as the documents' own command has: 15 of 300 where 20 are asked
    survey, runs = FILES[name], 100
    its, (shares, draw) = CoinChannel.choose(survey, 2.0, people=300), drawer(survey)
    inside = []
    for run in range(runs):
        tally = tallied(its, draw(np.random.default_rng([1, run]), 300), [run, 2])
        for one, true in zip(described(survey, tally, 0.05), shares, strict=True):
            low, high = ([value[end] for value in one["values"]] for end in ("from", "to"))
            inside.append(np.mean((low <= true) & (true <= high)))
    # 93.5 to 96.5%, and four standard errors of what 100 surveys show: where each person answers
    # one question, different questions are independent
    error = 4 * np.std(inside) / math.sqrt(len(inside))
    assert 0.935 - error < np.mean(inside) < 0.965 + error


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("n", [15, 300])
def test_the_interval_is_the_library_s(n):
    channel = channel_of(MIXED, 8.0)
    marks = channel.report(np.random.default_rng(2).integers(0, MIXED.n_values, (n, 4)),
                         words(channel, n, 4))
    tally = Tally(channel)
    tally.add(marks)
    for one, column, start in zip(described(MIXED, tally, 0.05), channel.columns, channel.starts,
                                  strict=False):
        for h, value in enumerate(one["values"], start + 1):
            p, q = column.chances
            library = estimate_frequencies(marks[:, h], [[1 - q, 1 - p], [q, p]])
            assert value["share"] == pytest.approx(library.frequencies[1])
            assert [value["from"], value["to"]] == pytest.approx(library.interval()[1])


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("k", [2, 5, 12])
def test_of_fifteen_people_an_interval_holds_the_share_as_often_as_the_page_says(k, epsilon):
    """Computed, not simulated, over all shares; of a margin about the share it is .91 at worst."""
    survey = Survey(title="A", attributes=[question("a", k)])
    channel = CoinChannel.choose(survey, epsilon, asked=1)
    (column,), n, shares = channel.columns, 15, np.linspace(0, 1, 101)[:, np.newaxis]
    low, high = [], []
    for told in range(n + 1):  # so many support the first value
        marks = np.zeros((n, channel.starts[-1]), dtype=np.int8)
        marks[:, 0], marks[:told, 1] = 1, 1
        tally = Tally(channel)
        tally.add(marks)
        first = described(survey, tally, 0.05)[0]["values"][0]
        low.append(first["from"])
        high.append(first["to"])
    p, q = column.chances
    chance = binom.pmf(np.arange(n + 1), n, q + shares * (p - q))
    holds = (chance * ((np.array(low) <= shares) & (shares <= np.array(high)))).sum(axis=1)
    assert 0.95 < holds.mean() < 0.965
    assert holds.min() > 0.89


Z = norm.ppf(0.975)


def chooser_gap(channel, question):
    """Return by how much margins differ from ``choose_scheme``'s, as a part of them.

    The chooser's m is Wald's, z sqrt(r (1 - r) / n) / (p - q) of a share r of reports; Wilson's is
    sqrt(n^2 m^2 + z^4 / (4 (p - q)^2)) / (n + z^2).
    """
    (column,) = [one for one in channel.columns if one.name == question["name"]]
    k, n, gaps = column.n_values, question["n"], []
    kind = "coin" if k == 2 else {"k-ary": "k-ary response", "unary": "unary encoding"}[column.kind]
    p, q = column.chances
    for one in question["values"]:
        share = one["share"]
        if not 0 < share < 1:
            continue  # the chooser takes no other share
        rows = choose_scheme(n, yes_no=int(k == 2), one_of=() if k == 2 else k,
                             epsilon=column.epsilon, proportion=share).rows
        (row,) = [row for row in rows if row.scheme == kind]
        wilson = math.hypot(n * row.margin, Z**2 / 2 / (p - q)) / (n + Z**2)
        gaps.append(abs((one["to"] - one["from"]) / 2 / wilson - 1))
    return max(gaps, default=0.0)


@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("survey", [FIVE, MIXED])
def test_margins_are_the_chooser_s_at_the_same_share_and_people(n, survey):
    channel = CoinChannel.choose(survey, 2.0, asked=1)
    codes = np.random.default_rng(0).integers(0, survey.n_values, (n, len(survey.n_values)))
    for one in described(survey, tallied(channel, codes, 3), 0.05):
        assert chooser_gap(channel, one) < 1e-6


def test_more_people_reach_the_margin():
    channel, rng = CoinChannel.choose(FIVE, 2.0, asked=1), np.random.default_rng(7)
    tally = tallied(channel, drawer(FIVE)[1](rng, 500), 8)
    more = max(one["more_people"] for one in described(FIVE, tally, 0.05))
    tally.add(channel.report(drawer(FIVE)[1](rng, more), words(channel, more, 9)))
    worst = max(tally.question(j).margins.max() for j in range(5))
    # of 500 people 100 were asked each, standard deviation 9: four of them move a margin by 18%
    assert worst == pytest.approx(0.05, rel=0.18)


# What an attacker gets

def test_one_s_own_made_up_reports_move_a_share_by_what_is_said():
    channel, n, liars = CoinChannel.choose(FIVE, 2.0, asked=1), 10_000, 200
    codes = np.random.default_rng(10).integers(0, 2, (n, 5))
    honest = channel.report(codes, words(channel, n, 11))
    forged = honest.copy()
    forged[:liars] = np.unpackbits(np.frombuffer(
        channel.pack([1, None, None, None, None]), np.uint8), count=int(channel.starts[-1]))
    shares = []
    for marks in (honest, forged):
        tally = Tally(channel)
        tally.add(marks)
        shares.append(tally.question(0).shares[1])
    moved = shares[1] - shares[0]
    # at most, up to what chance and the larger number of answers add: a tenth of it
    most = channel.liar * liars / n
    assert 0.3 * most < moved < 1.1 * most


# The server

def test_published_shares_change_with_a_whole_batch_only(database):
    channel = channel_of(MIXED, 4.0, 4)
    with CoinCollector(MIXED, database, channel=channel, batch_size=10) as collector:
        before = collector.results(), collector.metrics()
        send_all(collector, np.tile(CODES, (9, 1)), 0)
        assert collector.n_received == 9
        assert (collector.results(), collector.metrics()) == before
        send_all(collector, np.tile(CODES, (4, 1)), 1)
        whole = collector.results()
        assert whole["n_reports"] == 10
        assert {one["n"] for one in whole["questions"]} == {10}
    # a replay gives the same
    with CoinCollector(MIXED, database, channel=channel, batch_size=10) as collector:
        assert collector.results() == whole
        assert collector.n_received == 13


@pytest.mark.parametrize(("epsilon", "questions"), [
    (0.01, 1), (1.0, 1), (2.0, 3), (4.0, 4), (math.log(7), 2), (9.0, 4), (55.5, 3), (20.0, 1),
    (1.9999999, 1), (0.0001, 4)])
def test_a_channel_stays_and_the_refusal_names_what_chooses_it(database, epsilon, questions):
    channel = channel_of(MIXED, epsilon, questions)
    with CoinCollector(MIXED, database, channel=channel, batch_size=10) as collector:
        send_all(collector, CODES[np.newaxis], 0)
    with pytest.raises(DatabaseInUseError, match="begun with --asked") as refused:
        CoinCollector(MIXED, database, channel=channel_of(MIXED, 3.0), batch_size=10)
    named = str(refused.value).partition("begun with ")[2].partition(": start with that")[0]
    options = _parser().parse_args(named.split())
    assert CoinChannel.choose(MIXED, options.epsilon, asked=options.asked) == channel
    # of 2 it was 1.99999999929: nobody is shown more digits than were typed
    assert len(named.split()[-1]) <= len(np.format_float_positional(epsilon, trim="-"))


@pytest.mark.parametrize(("change", "said"), [
    ({"title": "Mended"}, '(places that differ: 1) title "Mixed", not "Mended"'),
    ({"purpose": "To count."}, '(places that differ: 1) purpose "", not "To count."'),
    ({"attributes": [{}, {"label": "Which party?"}, {}, {}]},
     '(places that differ: 1) attributes.1.label "Question party?", not "Which party?"'),
    ({"attributes": [{"labels": ["no", "yes"]}, {}, {"edges": [2, 12]}, {}]},
     '(places that differ: 3) attributes.0.labels.0 "n", not "no"; '
     'attributes.0.labels.1 "y", not "yes"; '
     "attributes.2.edges.1 10.0, not 12.0"),
    ({"attributes": [{}, {}, {}, {"values": [f"w{h}" for h in range(40)]}]},
     "(places that differ: 40) "),  # of many the first three, with how many there are
    ({"attributes": [{}, {}, {}]}, ', not nothing; '),
])
def test_a_survey_that_was_changed_is_told_where(database, change, said):
    """The refusal printed all that was stored, 17 lines for one sentence."""
    with CoinCollector(MIXED, database, channel=channel_of(), batch_size=10) as collector:
        send_all(collector, CODES[np.newaxis], 0)
    old = MIXED.to_dict("coin")
    parts = zip(old["attributes"], change.get("attributes", [{}] * 4), strict=False)
    changed = old | change | {"attributes": [was | more for was, more in parts]}
    del changed["n_bits"]
    survey = Survey.from_dict(changed, scheme="coin")
    with pytest.raises(DatabaseInUseError, match="begun with --survey FILE, and in ") as refused:
        CoinCollector(survey, database, channel=channel_of(survey), batch_size=10)
    text = str(refused.value)
    assert said in text
    assert text.count(", not ") == min(3, int(re.search(r"differ: (\d+)", text)[1]))
    assert len(text.splitlines()) == 1
    with CoinCollector(MIXED, database, channel=channel_of(), batch_size=10) as again:
        assert again.n_received == 1


def test_a_channel_of_other_questions_is_refused():
    with pytest.raises(ValueError, match="channel must be of the survey's questions"):
        CoinCollector(MIXED, channel=channel_of(FIVE))


@pytest.mark.parametrize(("change", "status", "error"), [
    ({"answers": [2, 2, 1, []]}, 422, "invalid"),
    ({"answers": [1, None, 1, []]}, 422, "invalid"),
    ({"answers": [1, 2, 1, [0.5]]}, 422, "invalid"),
    ({"answers": [True, 2, 1, []]}, 422, "invalid"),
    ({"channel": "0" * 64}, 409, "another_channel"),
    ({"channel": "x"}, 422, "invalid"),
    ({"token": "A" * 43}, 403, "bad_token"),
    ({"more": 1}, 422, "invalid"),
])
def test_what_is_no_report_is_refused(change, status, error):
    with coin_site() as (collector, url):
        mine = collector.channel.hash
        body = {"token": collector.ready(mine), "channel": mine, "answers": [1, 2, 1, [7]]}
        refused(httpx.post(f"{url}api/submit", json=body | change), status, error)
        assert collector.n_received == 0
        for _ in range(2):  # the same again is the same, and is stored once
            assert httpx.post(f"{url}api/submit", json=body).status_code == 204
        other = httpx.post(f"{url}api/submit", json=body | {"answers": [0, 2, 1, [7]]})
        refused(other, 409, "token_used")
        assert collector.n_received == 1


def test_the_miner_s_page_shows_shares_margins_and_two_questions():
    with coin_site(batch_size=50) as (collector, url):
        text = httpx.get(f"{url}miner/").text
        assert "The first shares come with the first batch." in text
        send_all(collector, np.tile(CODES, (50, 1)), 0)
        text = httpx.get(f"{url}miner/").text
        results = httpx.get(f"{url}miner/api/results").json()
        for one in results["questions"]:
            assert one["label"] in text
            for value in one["values"]:
                assert f"<td>{100 * value['share']:.1f}</td>" in text
                for end in ("from", "to"):
                    assert f"<td>{100 * value[end]:.1f}</td>" in text
        assert f"{results['questions'][0]['more_people']} more people are wanted" in text
        assert "reports_of_whole_batches 50" in httpx.get(f"{url}miner/metrics").text


def test_what_is_published_has_no_class():
    with coin_site() as (_, url):
        schema = httpx.get(f"{url}api/schema").json()
        assert "class" not in schema
        assert all("open" not in one for one in schema["attributes"])  # as before some were open
        assert Survey.from_dict(json.loads(json.dumps(schema)), scheme="coin") == MIXED
    assert [one.name for one in voting_survey("coin").attributes][-1] == "party"


def test_what_is_open_is_always_told_and_has_no_part_in_lot_and_epsilon():
    channel = channel_of(WARDS, 2.0, 1)
    rest = Survey(title="x", attributes=[WARDS.attributes[j] for j in (0, 2)])
    assert channel.epsilon == channel_of(rest, 2.0, 1).epsilon
    assert channel.false_answer == 2.0
    codes = np.random.default_rng(0).integers(0, [2, 4, 2], (500, 3))
    for marks, code in zip(channel.report(codes, words(channel, 500, 1)), codes, strict=True):
        told = channel.answers(marks)
        assert told[1] == code[1]
        assert (told[0] is None) != (told[2] is None)
    # and none in the forecast
    forecast = check_coin(WARDS, channel, 200, 0.05, surveys=20)
    assert forecast.numbers["read"] == channel.columns[0].chances[0]  # an open one is read always


@pytest.mark.parametrize(("asked", "hidden"), [
    ([40, 15, 30, 20], set()), ([40, 0, 30, 20], {1}), ([40, 1, 30, 20], {1, 3}),
    ([40, 14, 1, 20], {1, 2}), ([40, 9, 5, 20], {1, 2, 3}), ([16, 14], {0, 1})])
def test_groups_of_few_are_left_out_and_others_until_they_are_many(asked, hidden):
    assert left_out(asked) == hidden


def test_no_subtraction_is_of_few_and_nothing_is_shown_by_a_second_open_question():
    """Shares of all times n, less those of the groups shown, were one nurse's report."""
    survey = Survey(title="Two", attributes=[*WARDS.attributes, question("nights", 3, open=True)])
    channel, rng = channel_of(survey, 2.0, 1), np.random.default_rng(5)
    seen = 0
    for _ in range(200):
        n = int(rng.integers(60, 400))
        ward = rng.choice(4, n, p=[0.5, 0.35, 0.12, 0.03])
        codes = np.column_stack([rng.integers(0, 2, n), ward, rng.integers(0, 2, n),
                                 ward % 3])  # nights follow wards
        tally = tallied(channel, codes, rng)
        groups = grouped(survey, tally, 0.05)
        assert list(groups) == [f"ward=v{h}" for h in range(4)]
        for total in described(survey, tally, 0.05):
            shown = [one["n"] for group in groups.values() for one in group
                     if one["name"] == total["name"]]
            rest = total["n"] - sum(shown)
            assert rest == 0 or rest >= FEWEST
            assert all(one >= FEWEST for one in shown)
            seen += rest > 0
    assert seen > 300  # of 400: or nothing was tried


def test_a_tally_by_group_is_that_of_the_group_s_reports(database):
    channel = channel_of(WARDS, 2.0, 1)
    codes = np.random.default_rng(3).integers(0, [2, 4, 2], (400, 3))
    with CoinCollector(WARDS, database, channel=channel, batch_size=100) as collector:
        sent = send_all(collector, codes, 4)
        group = grouped(WARDS, collector._tally, 0.05)["ward=v2"][0]
        live = collector.results()["questions"]
    told = [one[0] for one in sent if one[1] == 2 and one[0] is not None]
    p, q = channel.columns[0].chances
    assert group["n"] == len(told)
    assert group["values"][1]["share"] == pytest.approx((np.mean(told) - q) / (p - q))
    # who fills all of a batch but one would read that one's open answer
    assert [one["name"] for one in live] == ["error", "drinks"]


@pytest.mark.parametrize(("survey", "asked"), [(MIXED, 4), (HALF, 2)])
def test_simulated_people_answer_what_is_open(survey, asked):
    with coin_site(survey, channel_of(survey, 4.0, asked)) as (collector, url):
        assert simulate.answer(url, 20) == "20 of 20 reported."
        assert collector.results()["n_reports"] == 20
        n = [tally["n"] for tally in described(survey, collector._tally, 0.05, clear=True)]
        assert n == [20] * 4


def test_shares_of_what_is_open_are_of_fifteen_people_or_none():
    """Of two people the export's shares were their answers, as they are."""
    channel = channel_of(WARDS, 2.0, 1)
    for n in (2, FEWEST - 1, FEWEST):
        tally = tallied(channel, np.zeros((n, 3), dtype=int), 0)
        ward = described(WARDS, tally, 0.05, clear=True)[1]
        assert (ward["values"][0]["share"] is None) == (n < FEWEST)


def test_the_bound_is_for_somebody_who_knows_the_open_answers():
    """Where wards differ in errors, whoever did not know the ward moves by more than the factor."""
    channel = channel_of(Survey(title="One", attributes=WARDS.attributes[:2]), 2.0, 1)
    p, q = channel.columns[0].chances
    error = np.array([0.05, 0.05, 0.05, 0.6])  # by ward, all of a size
    told = np.array([[1 - q, q], [1 - p, p]])  # rows: no, yes; what is told
    prior = error.mean() / (1 - error.mean())
    known = [(p / q), (1 - q) / (1 - p)]  # of the odds of a yes, in whichever ward
    assert max(known) <= np.exp(channel.epsilon) * (1 + 1e-12)
    joint = np.array([(1 - error)[:, None] * told[0], error[:, None] * told[1]]) / 4
    odds = joint[1] / joint[0]  # by ward and what is told
    assert np.allclose(odds / (error / (1 - error))[:, None], told[1] / told[0])
    assert odds[3, 1] / prior > 4 * np.exp(2)  # the ward itself told the rest

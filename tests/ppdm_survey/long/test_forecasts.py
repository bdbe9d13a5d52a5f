"""What ``check`` says of four files under both schemes, beside surveys that are really begun."""

import math

import numpy as np
import pytest
from coin_site import FILE, FIVE, OWN, TEN, TWENTY, send_all

from ppdm.guidance import answers_read, one_hot
from ppdm.protocol import GuidanceMessage, collect, draw_levels
from ppdm_survey import CoinChannel, CoinCollector, Collector, Survey
from ppdm_survey._check import check_coin, check_guided, start_seed

pytestmark = pytest.mark.long(part="survey")

FILES = {"worked": Survey.from_json(FILE), "five": FIVE, "ten": TEN, "twenty": TWENTY}
PEOPLE, EPSILON, MU, BATCH, LARGER = 300, 2.0, 0.15, 100, 0.6
BEGUN = 50


def shares(rng, survey):
    return [rng.dirichlet(np.full(k, 5.0)) for k in survey.n_values]


def answers(rng, of, n):
    return np.column_stack([rng.choice(len(each), n, p=each) for each in of])


def coin(survey, seed):
    """Return the widest margin's question by question, and how often one told answer is true."""
    channel = CoinChannel.choose(survey, EPSILON, people=PEOPLE)
    rng = np.random.default_rng([seed, 8])
    codes = answers(rng, shares(rng, survey), PEOPLE)
    with CoinCollector(survey, channel=channel, batch_size=PEOPLE) as collector:
        sent = send_all(collector, codes, [seed, 9])
        questions = collector.results()["questions"]
        assert collector.n_received == PEOPLE
    widths = [one["margin"] for one in questions]
    read = np.full((PEOPLE, len(widths)), np.nan)
    for i, report in enumerate(sent):
        for j, told in enumerate(report):
            if told is not None:
                guess = told if isinstance(told, int) else rng.choice(
                    told or range(survey.n_values[j]))
                read[i, j] = guess == codes[i, j]
    return widths, np.nanmean(read, axis=0)


class Door:
    """A collector as ``collect`` knows a miner."""

    def __init__(self, collector):
        self.collector, self.n_bits = collector, collector.survey.n_bits

    @property
    def room(self):
        return BATCH - self.collector.n_received % BATCH

    def inquire(self):
        return self.collector.inquire()

    def ready(self, epoch):
        self.epoch = epoch
        guidance, _ = self.collector.ready(epoch)
        return GuidanceMessage(epoch, guidance.k, guidance.V)

    def receive(self, R, y):
        tokens = [self.collector.ready(self.epoch)[1] for _ in R]
        rows = zip(tokens, R, y, strict=True)
        for done in [self.collector.submit(token, self.epoch, int(label),
                                           np.flatnonzero(r).tolist()) for token, r, label in rows]:
            done.result(60)


def guided(survey, seed):
    """Return the numbers that ``check_guided`` has, of one survey."""
    rng = np.random.default_rng([seed, 10])
    start = len(survey.attributes)
    of = [shares(rng, survey) for _ in range(2)]
    y = (rng.random(PEOPLE + 1000) >= LARGER).astype(int)
    codes = np.where(y[:, None] == 1, answers(rng, of[1], len(y)), answers(rng, of[0], len(y)))
    T = one_hot(codes, survey.n_values)
    begun = start_seed(survey, start, mu=MU, batch_size=BATCH, seed=int(rng.integers(2**31)))
    with Collector(survey, mu=MU, batch_size=BATCH, random_start=start,
                   random_state=begun) as collector:
        first = collector.guidance
        result = collect(Door(collector), T[:PEOPLE], y[:PEOPLE],
                         draw_levels(PEOPLE, survey.n_bits, random_state=rng), random_state=rng)
        learnt = collector.results()["classifier"]
    accuracy = LARGER
    if learnt:
        odds = T[PEOPLE:] @ learnt["log_odds"] + learnt["prior_log_odds"]
        accuracy = ((odds > 0) == y[PEOPLE:]).mean()
    return {"served": (result.epoch >= 0).mean(), "level": first.k, "accuracy": accuracy,
            "read": answers_read(first.V, survey.n_values, random_state=rng).max()}


def compared(name, scheme, surveys):
    """Return for each number what was said and the mean of surveys, each with its standard error.

    What was said is a mean over simulated surveys, too: held against the other's error alone it
    misses by two of them more often than it should.
    """
    survey = FILES[name]
    if scheme == "coin":
        survey = OWN if name == "worked" else survey
        channel = CoinChannel.choose(survey, EPSILON, people=PEOPLE)
        said = check_coin(survey, channel, PEOPLE, 0.05)
        widths, read = (np.array(each) for each in zip(
            *(coin(survey, seed) for seed in range(surveys)), strict=True))
        widest = widths.mean(axis=0).argmax()
        best = np.argmax(read.mean(axis=0) - 1 / np.array(survey.n_values))
        measured = {"margin": widths[:, widest], "read": read[:, best]}
    else:
        said = check_guided(survey, PEOPLE, mu=MU, batch_size=BATCH, start=len(survey.attributes))
        each = [guided(survey, seed) for seed in range(surveys)]
        measured = {key: np.array([one[key] for one in each]) for key in said.numbers}
    return {key: (said.numbers[key], said.errors[key],
                  measured[key].mean(), measured[key].std() / np.sqrt(surveys)) for key in measured}


@pytest.mark.parametrize("scheme", ["coin", "guided"])
@pytest.mark.parametrize("name", FILES)
def test_what_check_says_is_what_surveys_give(name, scheme):
    for key, (said, its, mean, error) in compared(name, scheme, BEGUN).items():
        # both are means over surveys: within four standard errors of their difference
        bound = 4 * math.hypot(its, error)
        assert abs(said - mean) <= bound + 1e-9, (key, said, its, mean, error)

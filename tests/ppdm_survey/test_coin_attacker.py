"""Who has the coin survey's database, log, mail list and pages, of one survey and of five."""

import json
import logging
import math

import httpx
import numpy as np
import pytest
from blinding import Invited
from coin_site import MIXED, channel_of
from collecting import asked
from serving import serve

from ppdm_survey import CoinCollector, create_app

WHOLE = 2**32
PEOPLE = 40


def survey(folder, codes, channel, seed):
    """Let invited people answer over HTTP; return what an attacker has who sees everything.

    Of each person, in the order of the mail list, the row of the database: whoever logs times in
    front of the server joins the two. Then all pages, and the file's bytes.
    """
    file = folder / f"{seed}.sqlite"
    words = np.random.default_rng(seed).integers(0, WHOLE, (len(codes), channel.n_words))
    with CoinCollector(MIXED, f"sqlite:///{file}", channel=channel, access="invitation",
                       batch_size=len(codes)) as collector:
        mails = collector.invite(len(codes))
        with serve(create_app(collector)) as url, httpx.Client() as client:
            for mail, marks in zip(mails, channel.report(codes, words), strict=True):
                Invited(url, client, invitation=mail).report(channel, channel.answers(marks))
            pages = {path: client.get(f"{url}/{path}").text for path in (
                "miner/api/results", "miner/", "miner/metrics", "api/channel", "")}
    return file, mails, pages


def likelihoods(file):
    """Read the database as it is; return each person's log likelihood of each answer, a question.

    A second implementation: the report's bits and the parts of 2^32, as they stand in the file.
    """
    [(settings,)] = asked(file, "SELECT settings FROM survey")
    published = json.loads(settings)["channel"]
    people = []
    for (packed,) in asked(file, "SELECT bits FROM submission ORDER BY position"):
        bits = [byte >> (7 - i) & 1 for byte in packed for i in range(8)]
        person = []
        for column in published["columns"]:
            k, own, other = column["n_values"], column["own"], column["other"]
            told, bits = bits[: k + 1], bits[k + 1 :]
            log = np.zeros(k)
            for value in range(k if told[0] else 0):
                for bit, mark in enumerate(told[1:]):
                    parts = own if bit == value else other
                    if column["kind"] == "unary":
                        log[value] += math.log((parts if mark else WHOLE - parts) / WHOLE)
                    elif mark:
                        log[value] += math.log(parts / WHOLE)
            person.append(log)
        people.append(person)
    return people, published["epsilon"]


def moved(person):
    """How far the report moves the odds of any two records at most, as a logarithm."""
    return sum(log.max() - log.min() for log in person)


@pytest.mark.parametrize("questions", [1, 4])
def test_everything_stored_moves_odds_by_epsilon_and_of_five_surveys_by_five(tmp_path, questions):
    channel = channel_of(MIXED, 4.0, questions)
    codes = np.random.default_rng(3).integers(0, MIXED.n_values, (PEOPLE, 4))
    told = []
    for seed in range(5):
        file, _, pages = survey(tmp_path, codes, channel, seed)
        people, epsilon = likelihoods(file)
        # what every browser shows is what the stored numbers come to
        assert json.loads(pages["api/channel"])["epsilon"] == epsilon <= 4
        told.append([moved(person) for person in people])
    told = np.array(told)
    assert told.max() <= epsilon + 1e-9
    assert told.max() > 0.99 * epsilon  # an attack that learns nothing would show nothing
    five = told.sum(axis=0)
    assert five.max() <= 5 * epsilon + 1e-9
    assert five.max() > 0.9 * 5 * epsilon


def test_beside_the_report_nothing_stored_or_shown_depends_on_the_answers(tmp_path, caplog):
    channel, n = channel_of(MIXED, 4.0, 4), PEOPLE
    codes = np.random.default_rng(4).integers(0, MIXED.n_values, (n, 4))
    with caplog.at_level(logging.DEBUG, logger="ppdm_survey"):
        file, mails, pages = survey(tmp_path, codes, channel, 9)
    assert "answers" not in caplog.text
    # the pages follow from the reports: whoever has these needs no page
    with CoinCollector(MIXED, channel=channel, batch_size=n) as again:
        for (packed,) in asked(file, "SELECT bits FROM submission"):
            bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=int(channel.starts[-1]))
            again.submit(again.ready(channel.hash), channel.hash, channel.answers(bits)).result(30)
        assert json.loads(pages["miner/api/results"]) == again.results()
    # the rest is random: no byte of it goes with an answer by more than chance
    codes_of = dict(asked(file, "SELECT code, blinded FROM invitation"))
    tokens = [token for (token,) in asked(file, "SELECT token FROM submission ORDER BY position")]
    columns = [np.frombuffer(b"".join(each), np.uint8).reshape(n, -1) for each in (
        tokens, list(codes_of), list(codes_of.values()), [mail.encode() for mail in mails])]
    beside = np.hstack([*columns, np.arange(n)[:, None]]).astype(float)
    beside = beside[:, beside.std(axis=0) > 0]
    z = np.corrcoef(beside.T, codes.T)[: beside.shape[1], -4:] * math.sqrt(n)
    assert np.abs(z).max() < 5  # four hundred correlations, each a standard normal number nearly


# One question in several words, and several surveys: how often an answer is read right


def read_right(asked_of, n_alike, surveys, people=4000):
    """How often who has every report guesses a yes or no that n of the questions ask, of sixteen.

    Each person answers so many of the sixteen, by lot, at epsilon 2 of the record.
    """
    theta = 1 / (1 + math.exp(-2.0 / asked_of))
    rng = np.random.default_rng([asked_of, n_alike, surveys])
    truth, score = rng.integers(0, 2, people), np.zeros(people)
    for _ in range(surveys):
        lot = rng.random((people, 16)).argsort(axis=1)[:, :asked_of] < n_alike
        yes = rng.random((people, asked_of)) < np.where(truth == 1, theta, 1 - theta)[:, None]
        score += np.where(lot, np.where(yes, 1, -1), 0).sum(axis=1)
    guess = np.where(score == 0, rng.integers(0, 2, people), score > 0)
    return (guess == truth).mean()


@pytest.mark.parametrize("asked_of", [1, 4, 16])
@pytest.mark.parametrize(("n_alike", "surveys"), [(1, 1), (3, 1), (8, 1), (16, 1), (1, 5), (16, 5)])
def test_words_and_surveys_read_no_more_than_their_epsilons_allow(asked_of, n_alike, surveys):
    right = read_right(asked_of, n_alike, surveys)
    bound = 1 / (1 + math.exp(-2.0 * surveys))
    assert right <= bound + 4 * math.sqrt(0.25 / 4000)  # four standard errors of 4,000 people

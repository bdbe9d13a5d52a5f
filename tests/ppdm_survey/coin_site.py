"""What the tests of the coin share: a survey of each kind of question, and people who answer it."""

import math
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from serving import serve

from ppdm_survey import Attribute, CoinChannel, CoinCollector, Survey, create_app
from ppdm_survey._coin import Tally
from ppdm_survey._store import unpack


def question(name, k, **more):
    values = ["n", "y"] if k == 2 else [f"v{h}" for h in range(k)]
    return Attribute(name=name, label=f"Question {name}?", values=values, **more)


#: A yes or no, one of four, a number in intervals, and so many that unary encoding is better.
MIXED = Survey(title="Mixed", attributes=[
    question("smokes", 2), question("party", 4), question("km", 3, edges=[2, 10]),
    question("town", 40)])
#: The same, of which the second and the last question are open.
HALF = Survey(title="Half", attributes=[
    one.model_copy(update={"open": j % 2 == 1}) for j, one in enumerate(MIXED.attributes)])
#: One of three questions is open.
WARDS = Survey(title="Wards", attributes=[
    question("error", 2), question("ward", 4, open=True), question("drinks", 2)])
FIVE = Survey(title="Five", attributes=[question(f"a{j}", 2) for j in range(5)])
TEN = Survey(title="Ten", attributes=[question(f"a{j}", 4) for j in range(10)])
TWENTY = Survey(title="Twenty", attributes=[
    question(f"a{j}", k) for j, k in enumerate([2] * 8 + [3] * 6 + [4] * 5 + [8])])
FILE = Path(__file__).parents[2] / "book" / "_static" / "own_survey.json"
#: The worked file of the book.
OWN = Survey.from_json(FILE, scheme="coin")
#: What is said as "at most": epsilons, and what they let odds move by.
BOUNDS = [number for epsilon in (
    1e-4, 0.1, 0.5, 0.847, 1.0, 1.96, 2.0, 2.0000000000001, 2.005, 2.995837, 3.0, 5.5, 6.0, 6.9077,
    9.21, 12.0, 20.0, 27.63, 27.64, 60.0, 320.0) for number in (epsilon, math.exp(epsilon))]
ANSWERS = {"smokes": "y", "party": "v2", "km": "5", "town": "v7"}
CODES = np.array([1, 2, 1, 7])


def channel_of(survey=MIXED, epsilon=4.0, asked=None):
    return CoinChannel.choose(survey, epsilon, asked=asked or len(survey.attributes))


def spoken(language, survey=MIXED, **more):
    """Return a survey in a language, with what else it is told."""
    return Survey.from_dict({**survey.to_dict("coin"), "language": language, **more}, scheme="coin")


def words(channel, n, seed):
    return np.random.default_rng(seed).integers(0, 2**32, (n, channel.n_words))


def tallied(channel, codes, seed):
    """Return the tally of what people report, each by words of her own."""
    tally = Tally(channel)
    tally.add(channel.report(codes, words(channel, len(codes), seed)))
    return tally


def send_all(collector, codes, seed):
    """Let people answer, in this process; return their reports."""
    channel = collector.channel
    marks = channel.report(codes, words(channel, len(codes), seed))
    sent = [channel.answers(row) for row in marks]
    waiting = [collector.submit(collector.ready(channel.hash), channel.hash, one) for one in sent]
    for one in waiting:
        one.result(30)
    return sent


def stored(collector):
    """Return what was stored, as it was sent."""
    channel = collector.channel
    rows = [row for part in collector._store.pages(99) for row in part]
    return [channel.answers(row) for row in unpack(rows, int(channel.starts[-1]))[0]]


def collector_of(survey=MIXED, channel=None, **options):
    options = {"batch_size": 1} | options
    return CoinCollector(survey, channel=channel or channel_of(survey), **options)


@contextmanager
def coin_site(survey=MIXED, channel=None, **options):
    """Serve a coin survey; give collector and address."""
    with (collector_of(survey, channel, **options) as collector,
          serve(create_app(collector)) as url):
        yield collector, f"{url}/"

"""What the pages' numbers are tied to beside the chapters: ``435<!--voting.1-->`` in prose.

Each function is a fact of that name; the numbers that it returns count from 1, in order.
"""

import functools
import itertools
import json
import os
import re
import warnings

import bench
import numpy as np
import raw_adult
from by_path import ROOT, load
from scipy.stats import binom
from sklearn.model_selection import train_test_split

from ppdm.classifiers import DisguisedClassifier
from ppdm.compare import respondents_needed
from ppdm.datasets import load_adult_binary, load_pima, load_voting
from ppdm.datasets import load_breast_cancer_wisconsin as load_wisconsin
from ppdm.randomized_response import MemoizedResponse, RandomizedResponse, unrelated_question
from ppdm.reconstruction import estimate_frequencies
from ppdm.utility import disguised_accuracy
from ppdm_book.experiments import load_table, pages
from ppdm_survey import _app, _serve

LACKING = "workclass", "occupation", "native_country"


def voting():
    """People, votes, classes; gaps: of cells, people without and with, lacking all."""
    house = load_voting(fill=None)
    gaps, rows = house.missing, np.nan_to_num(house.data, nan=2)
    late = [100 * gaps[house.target == c, -1].mean() for c in (0, 1)]
    alone = (np.unique(rows, axis=0, return_counts=True)[1] == 1).sum()
    return [*rows.shape, *np.bincount(house.target), gaps.sum(), gaps.size,
            (~gaps.any(axis=1)).sum(), gaps.any(axis=1).sum(), gaps.all(axis=1).sum(), *late,
            gaps[:, -1].sum(), len(np.unique(rows, axis=0)), alone]  # fmt: skip


def wisconsin():
    """Rows, scores, classes; rows with a gap, benign ones; the mode; numbers; shared; the cut."""
    cells = load_wisconsin()
    gaps = cells.missing.any(axis=1)
    lines = (ROOT / "ppdm/datasets/data/breast-cancer-wisconsin.csv").read_text().splitlines()
    at = lines[0].split(",").index("Id") if "Id" in lines[0] else 0
    numbers = np.unique([line.split(",")[at] for line in lines[1:]], return_counts=True)[1]
    mode = load_wisconsin(fill="mode").data
    middle = (mode.min(axis=0) + mode.max(axis=0)) / 2
    mitoses = load_wisconsin(fill="mode", binary=True).data[:, -1].sum()
    return [*cells.data.shape, *np.bincount(cells.target), gaps.sum(),
            (cells.target[gaps] == 0).sum(), *np.unique(mode[cells.missing]), len(numbers),
            numbers[numbers > 1].sum(), *np.unique(middle), mitoses]  # fmt: skip


def pima():
    """Rows, measures, classes; ages; zeros by column; rows with one, without; not pregnant."""
    women = load_pima()
    zeros = women.data == 0
    some = zeros[:, 1:6].any(axis=1).sum()
    return [*women.data.shape, *np.bincount(women.target), women.data[:, 7].min(),
            women.data[:, 7].max(), *zeros[:, 1:6].sum(axis=0), some, len(zeros) - some,
            zeros[:, 0].sum()]  # fmt: skip


def adult_bits():
    """Records, bits, classes; train and class 1, test and class 1; always 0; patterns; alone."""
    every, train, test = (load_adult_binary(part) for part in ("all", "train", "test"))
    found = [*every.data.shape, *np.bincount(every.target), len(train.data), train.target.sum(),
             len(test.data), test.target.sum(), 100 * (test.target == 0).mean()]  # fmt: skip
    patterns = np.unique(np.c_[every.data, every.target], axis=0, return_counts=True)[1]
    return [*found, len(patterns), (patterns == 1).sum()]


def adult_ones():
    """Ones of each bit."""
    return list(load_adult_binary("all").data.sum(axis=0))


def adult_median():
    """Ones of fnlwgt; patterns of bits and class, of bits; people alone."""
    every = load_adult_binary("all", cut="median")
    patterns = np.unique(np.c_[every.data, every.target], axis=0, return_counts=True)[1]
    seen = load_table("frontier").groupby(["scheme", "dataset"]).accuracy.mean()
    ahead = [100 * (seen["clear", name] - seen["larger class", name])
             for name in ("adult_median", "adult_midrange")]  # fmt: skip
    return [every.data[:, 2].sum(), len(patterns), len(np.unique(every.data, axis=0)),
            (patterns == 1).sum(), *ahead]  # fmt: skip


def raw():
    """UCI's files, where they are: records, attributes, classes; gaps; the cuts of the rule."""
    if "PPDM_DATA" not in os.environ:
        return None
    (train, rich, values), (test, also, _) = map(raw_adult.read, ("adult.data", "adult.test"))
    gaps, names = np.isnan(train), list(values)
    columns = [names.index(name) for name in LACKING]
    classes = np.bincount(rich) + np.bincount(also)
    first = train[:10_000]
    middle = (np.nanmin(first, axis=0) + np.nanmax(first, axis=0)) / 2
    rows = np.c_[np.nan_to_num(train, nan=-1), rich]
    repeated = len(train) - len(np.unique(rows, axis=0))
    return [classes.sum(), train.shape[1], *classes, len(train),
            100 * rich.mean(), len(test), *gaps[:, columns].sum(axis=0),
            gaps.any(axis=1).sum(), repeated, *gaps[:10_000, columns].sum(axis=0),
            *middle, *np.nanmax(first, axis=0)]  # fmt: skip


def survey():
    """Bytes of a body, seconds of a request, connections; minutes of a hold, at least, usual."""
    return [_serve.LIMIT, _serve.PATIENCE, _serve.MOST, _app.LEAST_HOLD, _app.HOLD]


def python():
    """The oldest Python."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return [re.search(r'requires-python = ">=([\d.]+)"', text)[1]]


SHEETS = [path.read_text() for path in sorted((ROOT / "notebooks/assignments").glob("*.md"))]


def assignments():
    """How many; points in all, by tests, by a reader."""
    worth = {tuple(sum(int(n) for n in re.findall(rf"{tag}\"?, \"?points-(\d+)", text))
                   for tag in ("test", "by-hand")) for text in SHEETS}  # fmt: skip
    ((tests, by_hand),) = worth  # the same for all
    return [len(SHEETS), tests + by_hand, tests, by_hand]


def minutes():
    """From and to, for each assignment."""
    return [n for text in SHEETS for n in re.search(r"Time\*\*: (\d+) to (\d+)", text).groups()]


def figure():
    """Evenings, the naive mean, the truth, of the README's picture."""
    truth, naive, _ = load("book/_make/one_coin.py").shares()
    return [len(naive), naive.mean(), truth]


def epsilons():
    """Runs; of them, won by the largest epsilon."""
    script = load("book/_make/epsilon_curve.py")
    _, best, _ = script.measured()
    return [len(best), (best == max(script.EPSILONS)).sum()]


def one_coin():
    """Runs; accuracy on clear records, estimated, of the reports as they are; spread of error."""
    X, y = load_voting(random_state=0, return_X_y=True)
    found = []
    for seed in range(100):
        parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        train, test, y_train, y_test = parts
        coin = RandomizedResponse(0.7, random_state=np.random.default_rng(seed))
        model = DisguisedClassifier(coin).fit(train, y_train)
        reports, classes = coin.disguise(test, y_test)
        estimate = disguised_accuracy(model, reports, classes, coin).proportion
        found.append([model.score(test, y_test), estimate, model.score(reports, classes)])
    clear, estimated, counted = np.array(found).T
    return [len(found), clear.mean(), estimated.mean(), counted.mean(),
            (estimated - clear).std(ddof=1)]  # fmt: skip


def _again():
    return load("book/_make/asking_again.py")


@functools.cache
def _asked():
    return _again().measured()


def asked():
    """Week, year, rise, missed, spread: naive; all; rotas of 1, 4; kept, in a rota; surveys."""
    rows = []
    for way in ("naive", "all", "rota of 1", "rota of 4", "kept", "kept in a rota of 4"):
        found = _asked()[way]
        missed = found[:, -3]
        rows += [*np.sqrt((found[:, :3] ** 2).mean(axis=0)), missed.mean(), missed.std(ddof=1)]
    return [*rows, len(found)]


def asked_cost():
    """Epsilon of a year: naive, all weekly, rotas of 1, of 4; kept in it, weekly: least, most."""
    costs = [sum([each] * turns) for each, turns in ((1, 52), (4 / 52, 52), (4, 1), (1, 4))]
    for weeks in (4, 52):
        memo = MemoizedResponse(4, permanent=1)
        for week in range(weeks):  # one whose interval never changes, one who visits all
            memo.report([[0], [week % 4]])
        costs += [*memo.spent_]
    return costs


def missed():
    """Mean, spread: one report, average, guess, line; kept: 1, last; two coins: 1, last."""
    found = _asked()
    naive, kept, two = (found[way] for way in ("naive", "kept", "two coins"))
    columns = (naive[:, -2], naive[:, -1], found["guess"][:, 0], naive[:, -3],
               kept[:, 3], kept[:, -3], two[:, 3], two[:, -3])  # fmt: skip
    return [number for one in columns for number in (one.mean(), one.std(ddof=1))]


def panel():
    """People, weeks; highest income ever; the rise; the middles' error, least, most."""
    script, (rise, middles) = _again(), _asked()["truth"].T
    drawn = [script.panel(np.random.default_rng(seed)).max() for seed in script.SURVEYS]
    return [script.PEOPLE, script.WEEKS, max(drawn), rise.mean(), middles.mean(), middles.min(),
            middles.max()]  # fmt: skip


SURVEYS, ASKED, DISOBEY = 2_000, 500, 0.05
COINS = 0.6, 0.7, 0.8, 0.9


def _coin(theta):
    return lambda truth, toss: RandomizedResponse(theta, random_state=toss).fit_transform(truth)


def _birthday(truth, toss):
    return (truth != (toss.random(truth.shape) < 0.25)).astype(int)


def _other_question(truth, toss):
    return unrelated_question(1 / 3, prevalence=0.25, random_state=toss).fit_transform(truth)


def _missed(ask, low, high, share, act):
    """Return five means of 2,000 surveys' misses, in points; 5% of their 500 people disobey."""
    means = []
    for seed in range(5):
        toss = np.random.default_rng(seed)
        truth = (toss.random((SURVEYS * ASKED, 1)) < share).astype(int)
        obeyed, off = ask(truth, toss), toss.random(truth.shape) < DISOBEY
        own = {"no": 0, "coin": toss.integers(2, size=truth.shape)}[act]
        yes = np.where(off, own, obeyed).reshape(SURVEYS, ASKED).mean(axis=1)
        means.append(100 * ((yes - low) / (high - low) - share).mean())
    return [np.mean(means), np.std(means, ddof=1)]


def always_no():
    """Points; shares .1 and .3, four thetas: bias, five means, errors at 500, 5,000; people.

    Then in how many rows the bias exceeds the error at 500, and the least ratio at 5,000.
    """
    rows, ratios = [], []
    for share in (0.1, 0.3):
        for theta in COINS:
            bias = DISOBEY * (share + (1 - theta) / (2 * theta - 1))
            yes = share * theta + (1 - share) * (1 - theta)
            errors = [100 * (yes * (1 - yes) / n) ** 0.5 / (2 * theta - 1) for n in (500, 5_000)]
            rows += [-100 * bias, *_missed(_coin(theta), 1 - theta, theta, share, "no"), *errors,
                     respondents_needed(theta, bias, proportion=share)]  # fmt: skip
            ratios.append([100 * bias / error for error in errors])
    few, many = np.transpose(ratios)
    return [*rows, (few > 1).sum(), many.min()]


def fair_coin():
    """Points: mean at share .1, theta .7; people there."""
    return [_missed(_coin(0.7), 0.3, 0.7, 0.1, "coin")[0],
            respondents_needed(0.7, DISOBEY * 0.4, proportion=0.1)]  # fmt: skip


def designs():
    """Share .1: odds of either answer, people, five means of safe answers, of a fair coin."""
    rows = []
    for ask, low, high in ((_coin(1.0), 0, 1), (_coin(0.75), 0.25, 0.75),
                           (_birthday, 0.25, 0.75), (_other_question, 1 / 6, 1 / 2)):  # fmt: skip
        yes = 0.1 * high + 0.9 * low
        people = np.ceil(yes * (1 - yes) / (0.02 * (high - low)) ** 2 - 1e-9)
        rows += [high / low if low else 0, (1 - high) / (1 - low), people]
        rows += [v for act in ("no", "coin") for v in _missed(ask, low, high, 0.1, act)]
    return rows


def safe_answers():
    """Points, share .1, odds 3: bias of 5%; birthday .24 for .25; share of no at theta .75.

    Then of theta .7 the part of the bias that is of those whose true answer is no.
    """
    wrong = (0.1 * 0.76 + 0.9 * 0.24 - 0.25) / 0.5 - 0.1
    return [-100 * DISOBEY * (0.1 + 1 / (3 - 1)), 100 * wrong, 1 - (1 - DISOBEY) * 0.3,
            -100 * DISOBEY * 0.9 * 0.3 / 0.4]  # fmt: skip


def pilots():
    """2,000 pilots of two hundred, thetas .6, .9: mean, spread (points); alarms at 5%, at none."""
    theta, found = np.array([0.6, 0.9]), []
    weights = np.linalg.solve([theta, 1 - theta], [1, 1])
    for share in (DISOBEY, 0):
        toss = np.random.default_rng(0)
        people = (toss.random((2, SURVEYS * 100, 1)) < 0.1).astype(int)
        said = np.array([_coin(at)(half, toss) for at, half in zip(theta, people, strict=True)])
        said[toss.random(said.shape) < share] = 0
        yes = said.reshape(2, SURVEYS, 100).mean(axis=2)
        estimate = 1 - weights @ yes
        error = np.sqrt(weights**2 @ (yes * (1 - yes) / 100))
        found.append([100 * estimate.mean(), 100 * estimate.std(ddof=1),
                      (estimate > 2 * error).mean()])  # fmt: skip
    return [SURVEYS, *found[0], found[1][-1]]


def shown_first():
    """Percent, epsilon 2, share .2, 1,000 people: of leavers at a yes 0 and .1 the mean, holds."""
    theta, found = 1 / (1 + np.exp(-2)), []
    for leave in (0, 0.1):
        toss = np.random.default_rng(0)
        yes = toss.binomial(1_000, 0.2 * theta + 0.8 * (1 - theta), SURVEYS)
        stay = yes - toss.binomial(yes, leave)
        n = 1_000 - yes + stay
        told = stay / n
        share = (told - (1 - theta)) / (2 * theta - 1)
        error = np.sqrt(told * (1 - told) / n) / (2 * theta - 1)
        found += [100 * share.mean(), 100 * (np.abs(share - 0.2) <= 1.96 * error).mean()]
    return found


def fifteen():
    """How often the interval of 15 people holds the share, over shares 0, .01, ..., 1.

    Of a hundred, for 2, 5 and 12 answers at epsilon 1, 2 and 4: the least mean, and how often at
    the share of all where it is seldomest.
    """
    n, shares, held = 15, np.linspace(0, 1, 101)[:, np.newaxis], []
    for k, spent in itertools.product((2, 5, 12), (1, 2, 4)):
        p, q = np.exp([spent, 0]) / (np.exp(spent) + k - 1)
        with warnings.catch_warnings(action="ignore"):
            low, high = np.transpose([
                estimate_frequencies(np.arange(n) < told, [[1 - q, 1 - p], [q, p]])
                .interval()[1] for told in range(n + 1)])
        chance = binom.pmf(np.arange(n + 1), n, q + shares * (p - q))
        held.append(100 * (chance * ((low <= shares) & (shares <= high))).sum(axis=1))
    return [np.mean(held, axis=1).min(), np.min(held)]


def copies():
    """Joined of 20,000 people by hourly copies and the mail list, at 1, 3 and 30 an hour."""
    toss, n, found = np.random.default_rng(0), 20_000, []
    for rate in (1, 3, 30):
        begun = np.cumsum(toss.exponential(1 / rate, n))
        sent = begun + toss.uniform(_app.LEAST_HOLD, _app.HOLD, n) / 60
        # a copy tells the hour; within it, who came first is a guess
        orders = [np.lexsort([toss.random(n), np.floor(at)]) for at in (begun, sent)]
        found.append((orders[0] == orders[1]).mean())
    return found


RATIOS = {name: row["ratio"]
          for name, row in json.loads(bench.STORED.read_text(encoding="utf-8"))["rows"].items()}


def _ratios(*parts):
    return [ratio for name, ratio in RATIOS.items() if any(part in name for part in parts)]


def mixture():
    """Ratios to ByClass: the mixture's fast form, Local."""
    return [*_ratios("mixture, ")[:1], *_ratios("Local, ")[:1]]


def learners():
    """Least and largest ratio of a learner from reports to scikit-learn's from clear records."""
    names = ("naive Bayes from 32 bits", "ID3, ", "tree from 32 bits", "ByClass", "logistic")
    ratios = [ratio for name, ratio in RATIOS.items()
              if name.startswith(names) and not name.endswith("a batch")]  # fmt: skip
    return [min(ratios), max(ratios)]


def predicting():
    """Least and largest ratio of predictions to scikit-learn's."""
    ratios = _ratios("predicts")
    return [min(ratios), max(ratios)]


def beside():
    """Least and largest ratio to clients and estimates of other packages; EM's, by the step."""
    ours = _ratios(", beside ")
    return [min(ours), max(ours), *_ratios("steps of EM")]


def needed():
    """People for three points at epsilon 1: of 1, 4, 16, 40 questions; in the clear."""
    script = load("book/_make/people_needed.py")
    return [*(script.people(d, 1) for d in script.QUESTIONS), script.clear()]


def _of_seeds(name):
    """Return the means of a stored table's columns, then their spreads; its rows."""
    table = load_table(name).drop(columns="seed")
    return [*table.mean(), *table.std(), len(table)]


FACTS = {name: value for name, value in globals().items() if name[0] != "_"
         and callable(value) and getattr(value, "__module__", "") == __name__}  # fmt: skip
FACTS |= {table.compute.__name__: functools.partial(_of_seeds, table.name)
          for table in pages.TABLES}  # fmt: skip

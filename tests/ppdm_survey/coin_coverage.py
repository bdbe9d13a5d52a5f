"""Simulated coin surveys: how often the true shares lie within the margins that are published.

``python tests/ppdm_survey/coin_coverage.py RUNS`` prints a row for each file of questions.
"""

import math
import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

from ppdm.compare import choose_scheme
from ppdm.datasets import load_voting
from ppdm_survey import CoinChannel, CoinCollector, Survey, voting_survey

sys.path.append(str(Path(__file__).parent))
from coin_site import FIVE, TEN, TWENTY, send_all

FILE = Path(__file__).parents[2] / "book" / "_static" / "own_survey.json"
PEOPLE, EPSILON = 300, 2.0
Z = norm.ppf(0.975)


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


FILES = {"worked": Survey.from_json(FILE, scheme="coin"), "five": FIVE, "ten": TEN,
         "twenty": TWENTY, "votes": voting_survey("coin")}


def coverage(survey, runs, seed, asked=None):
    """Run surveys by the collector itself.

    Returns the least number served, the share of true shares within their margins, and the widest
    relative gap between a margin and the chooser's at the same share and number of people.
    """
    channel = CoinChannel.choose(survey, EPSILON, asked=asked, people=PEOPLE)
    shares, draw = drawer(survey)
    inside, served, gap = [], PEOPLE, 0.0
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        with CoinCollector(survey, channel=channel, batch_size=PEOPLE) as collector:
            send_all(collector, draw(rng, PEOPLE), [seed, run, 1])
            results = collector.results()
        served = min(served, results["n_reports"])
        for one, true in zip(results["questions"], shares, strict=True):
            low, high = (np.array([each[end] for each in one["values"]]) for end in ("from", "to"))
            inside.append((low <= true) & (true <= high))
            if not run:
                gap = max(gap, chooser_gap(channel, one))
    return channel, served, float(np.concatenate(inside).mean()), gap


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


def main():
    """Print the table."""
    runs = int(sys.argv[1])
    for name, survey in FILES.items():
        channel, served, inside, gap = coverage(survey, runs, 0)
        print(f"{name:8} asked {channel.asked:2} of {len(channel.columns):2}, {runs} runs: served "
              f"{served} of {PEOPLE}; within {100 * inside:.2f}%; margins' gap {gap:.1e}",
              flush=True)


if __name__ == "__main__":
    main()

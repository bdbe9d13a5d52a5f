"""The submission that the miner's page shows: found when asked for, and the same for all."""

import numpy as np
import pytest

from ppdm.survey import Collector, _results, voting_survey
from ppdm.survey._results import LATELY, Whole, example

#: One column of coins, from which no answer is read: else no example is shown.
SETTINGS = {"mu": 0.9, "batch_size": 3, "random_start": 400, "random_state": 0}


def fill(collector, n_epochs):
    rng = np.random.default_rng(len(collector.epochs))
    for _ in range(3 * n_epochs):
        epoch = collector.inquire().epoch
        _, token = collector.ready(epoch)
        ones = np.flatnonzero(rng.random(32) < 0.4).tolist()
        collector.submit(token, epoch, int(rng.integers(2)), ones).result()


@pytest.fixture
def asked(monkeypatch):
    """Count how often the slow question is asked."""
    calls = []

    def counted(V, *arguments, **options):
        calls.append(V.shape)
        return answers_read(V, *arguments, **options)

    answers_read = _results.answers_read
    monkeypatch.setattr(_results, "answers_read", counted)
    return calls


def test_nobody_who_submits_waits_for_the_example(asked):
    """It took as long as four submissions, before the last one of an epoch was acknowledged."""
    with Collector(voting_survey(), **SETTINGS) as collector:
        fill(collector, 3)
        assert asked == []
        first = collector.results()["example"]
        assert first["epoch"] == 2
        assert len(asked) == 2  # the epoch, and the one before, of which some may have come late
        assert collector.results()["example"] == first
        assert len(asked) == 2


def test_the_example_stays_within_an_epoch_and_over_a_restart(tmp_path):
    url = f"sqlite:///{tmp_path}/survey.sqlite"
    with Collector(voting_survey(), url, **SETTINGS) as collector:
        fill(collector, 2)
        shown = collector.results()["example"]
        epoch = collector.inquire().epoch
        _, token = collector.ready(epoch)
        collector.submit(token, epoch, 0, [1]).result()
        assert collector.results()["example"] == shown
    with Collector(voting_survey(), url, **SETTINGS) as collector:
        assert collector.results()["example"] == shown


def wholes(plain):
    """Return epochs of which some give answers away: an identity does, four coins do not."""
    V = {True: np.eye(4), False: np.full((4, 1), 0.5)}
    return [None, *(Whole(V=V[one], n_values=[2, 2], shown={"epoch": epoch})
                    for epoch, one in enumerate(plain))]


@pytest.mark.parametrize(("plain", "epoch"), [
    ("", None), ("1", None), ("0", 0), ("10", None), ("100", 2), ("001", 1), ("0110", 0),
    ("11111", None), ("010", 0),
])
def test_no_epoch_that_gives_answers_away_has_an_example_nor_the_next(plain, epoch):
    shown = example(wholes([one == "1" for one in plain]))
    assert shown == (None if epoch is None else {"epoch": epoch})


def test_what_is_kept_for_the_example_does_not_grow():
    with Collector(voting_survey(), **SETTINGS) as collector:
        fill(collector, LATELY + 3)
        assert len(collector._journal.snapshot.lately) == LATELY + 1
        assert collector.results()["example"]["epoch"] == LATELY + 2

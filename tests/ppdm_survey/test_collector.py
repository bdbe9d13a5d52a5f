"""The collector is the DataMiner of the package, and what it stores is what it knows."""

import json
import sqlite3
import threading
from contextlib import closing

import collecting
import numpy as np
import pytest

from ppdm.classifiers import GuidedNB
from ppdm.exceptions import EpochOverError
from ppdm.protocol import DataMiner
from ppdm_survey import (
    BadTokenError,
    BusyError,
    Collector,
    DatabaseInUseError,
    SurveyError,
    TokenUsedError,
    UnknownEpochError,
    guidance_hash,
    voting_survey,
)

SURVEY = voting_survey()


def records(n, seed=0):
    """Bits that depend on the class, so that k* and the classifier have something to find."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return (rng.random((n, 32)) < np.where(y, 0.6, 0.2)[:, None]).astype(np.int8), y


def send(collector, bits, label):
    return collecting.send(collector, label, np.flatnonzero(bits).tolist())


def guidance_of(collector):
    miner = collector._journal.miner
    return miner.guidance.A0, miner.guidance.A1, miner.guidance.n_tuples


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path / 'survey.sqlite'}"


@pytest.mark.parametrize("start", [0, 40])
def test_is_the_miner_of_the_package(start):
    R, y = records(50)
    miner = DataMiner(SURVEY.n_values, batch_size=20)
    if start:
        miner.bootstrap_random(start, random_state=7)
    miner.inquire()
    with Collector(SURVEY, batch_size=20, random_start=start, random_state=7) as collector:
        for bits, label in zip(R, y, strict=True):
            send(collector, bits, label)
            miner.receive(bits, label)
        assert [(e["epoch"], e["n_received"], e["k"]) for e in collector.epochs] == miner.history
        for got, wanted in zip(guidance_of(collector),
                               (miner.guidance.A0, miner.guidance.A1, miner.guidance.n_tuples),
                               strict=True):
            np.testing.assert_array_equal(got, wanted)
        guide, _ = collector.ready(2)
        np.testing.assert_array_equal(guide.V, miner.ready(2).V)
        assert collector.epochs[2]["hash"] == guidance_hash(2, guide.V)
        # ten more are stored; that somebody came is told when the epoch ends
        assert collector.n_received == 50
        assert collector.status() == {"n_received": 40, "epoch": 2, "k": guide.k,
                                      "batch_size": 20}


@pytest.mark.parametrize("start", [0, 40])
def test_a_restart_changes_nothing(database, start):
    R, y = records(57)
    options = {"batch_size": 20, "random_start": start}
    with Collector(SURVEY, database, random_state=1, **options) as before:
        sent = [send(before, *one) for one in zip(R, y, strict=True)]
        kept, results, guide = guidance_of(before), before.results(), before.guidance
        _, token = before.ready(2)
    # another random start is not drawn: the one of the beginning counts
    with Collector(SURVEY, database, random_state=2, **options) as after:
        for got, wanted in zip(guidance_of(after), kept, strict=True):
            np.testing.assert_array_equal(got, wanted)
        assert after.results() == results
        np.testing.assert_array_equal(after.guidance.V, guide.V)
        after.submit(*sent[0]).result(timeout=30)
        assert after.n_received == 57
        after.submit(token, 2, 1, [0]).result(timeout=30)
        assert after.n_received == 58


def test_guidance_that_was_handed_out_is_kept_over_a_restart(database, monkeypatch):
    # another machine's LAPACK may turn V; what has been published must stay
    R, y = records(25)
    with Collector(SURVEY, database, batch_size=20) as before:
        for one in zip(R, y, strict=True):
            send(before, *one)
        published = before.epochs
        V = before.guidance.V
    monkeypatch.setattr("ppdm.guidance.Guidance.vectors",
                        lambda self, k: np.eye(32)[:, ::-1][:, :k].copy())
    with Collector(SURVEY, database, batch_size=20) as after:
        assert after.epochs == published
        np.testing.assert_array_equal(after.ready(1)[0].V, V)


def test_repetition_is_stored_once_and_another_body_is_refused():
    with Collector(SURVEY, batch_size=3) as collector:
        sent = send(collector, np.eye(32)[4], 1)
        collector.submit(*sent).result(timeout=30)
        token = sent[0]
        for label, ones in ((0, [4]), (1, [5]), (1, []), (1, [4, 5])):
            with pytest.raises(TokenUsedError, match="token has been used"):
                collector.submit(token, 0, label, ones).result(timeout=30)
        assert collector.n_received == 1
        for label in (0, 0):  # the epoch ends, and the token's repetition still gets its answer
            send(collector, np.eye(32)[1], label)
        assert collector.inquire().epoch == 1
        collector.submit(*sent).result(timeout=30)
        assert collector.n_received == 3


@pytest.mark.parametrize(("epoch", "label", "ones", "error", "message"), [
    (5, 0, [], UnknownEpochError, r"epoch must be in \[0, 1\], got 5"),
    (-1, 0, [], UnknownEpochError, r"epoch must be in \[0, 1\], got -1"),
    (1, 0, [], BadTokenError, "handed out for epoch 1"),
    (0, 2, [], SurveyError, "class must be 0 or 1, got 2"),
    (0, 0, [32], SurveyError, r"ascending and in \[0, 31\]"),
    (0, 0, [-1], SurveyError, r"in \[0, 31\]"),
    (0, 0, [3, 3], SurveyError, "distinct"),
    (0, 0, [3, 2], SurveyError, "ascending"),
    (0, 0, [1.5], SurveyError, "whole numbers"),
    (0, 0, [10**30], SurveyError, "whole numbers"),
])
def test_bad_submission_is_refused_and_changes_nothing(epoch, label, ones, error, message):
    with Collector(SURVEY, batch_size=2) as collector:
        _, token = collector.ready(0)
        for one in (0, 1):
            send(collector, np.eye(32)[one], one)
        before = collector.results()
        with pytest.raises(error, match=message):
            collector.submit(token, epoch, label, ones)
        assert collector.results() == before
        collector.submit(token, 0, 0, [1]).result(timeout=30)  # the token was not spent


def test_token_cannot_be_made_up_or_respelt():
    with Collector(SURVEY) as one, Collector(SURVEY) as other:
        _, token = one.ready(0)
        # the last of 43 characters carries four unused-bit spellings of the same bytes
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        respelt = token[:-1] + alphabet[alphabet.index(token[-1]) ^ 1]
        flipped = ("A" if token[0] != "A" else "B") + token[1:]
        for wrong in (respelt, flipped, token[:-1], token + "A", "", "é" * 43, "\ud800" * 43):
            with pytest.raises(BadTokenError, match="token must be one that was handed out"):
                one.submit(wrong, 0, 0, [])
        with pytest.raises(BadTokenError):
            other.submit(token, 0, 0, [])


def test_many_at_once_are_all_stored_once(database):
    R, y = records(120)
    with Collector(SURVEY, database, batch_size=10) as collector:
        def work(part):
            for i in part:
                while True:
                    try:
                        send(collector, R[i], y[i])
                        break
                    except EpochOverError:
                        pass

        threads = [threading.Thread(target=work, args=(range(i, 120, 8),)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # whatever the order, the sums are those of all tuples
        bits = R.astype(np.int64)
        A0, A1, n = guidance_of(collector)
        np.testing.assert_array_equal(A0, bits[y == 0].T @ bits[y == 0])
        np.testing.assert_array_equal(A1, bits[y == 1].T @ bits[y == 1])
        np.testing.assert_array_equal(n, np.bincount(y))
        assert [epoch["n_received"] for epoch in collector.epochs] == list(range(0, 121, 10))


def test_results_are_naive_bayes_on_whole_epochs():
    R, y = records(50)
    with Collector(SURVEY, batch_size=20) as collector:
        assert collector.results()["classifier"] is None
        for one in zip(R, y, strict=True):
            send(collector, *one)
        results = collector.results()
    classifier = GuidedNB(SURVEY.n_values).fit(R[:40], y[:40])  # ten are of an unfinished epoch
    learnt = results["classifier"]
    assert learnt["n_tuples"] == 40
    assert learnt["class_count"] == np.bincount(y[:40]).tolist()
    # the log odds, by the rule in words: set bits plus one, over the attribute's
    counts = np.array([R[:40][y[:40] == c].sum(axis=0) for c in (0, 1)]) + 1.0
    shares = counts / np.repeat(counts.reshape(2, 16, 2).sum(axis=2), 2, axis=1)
    np.testing.assert_allclose(learnt["log_odds"], np.log(shares[1] / shares[0]), atol=1e-12)
    n0, n1 = learnt["class_count"]
    assert learnt["prior_log_odds"] == pytest.approx(np.log(n1 / n0))
    # they are the whole classifier: scoring with them gives its answers
    score = R @ np.array(learnt["log_odds"]) + learnt["prior_log_odds"]
    np.testing.assert_array_equal((score > 0).astype(int), classifier.predict(R))
    first = GuidedNB(SURVEY.n_values).fit(R[:20], y[:20])
    larger = int(np.bincount(y[:20])[1] > np.bincount(y[:20])[0])
    assert results["accuracy"] == [{
        "epoch": 1, "n_tuples": 20,
        "correct": int((first.predict(R[20:40]) == y[20:40]).sum()),
        "majority": int((y[20:40] == larger).sum()),
    }]


def test_second_server_and_other_survey_are_refused(database):
    with (Collector(SURVEY, database),
          pytest.raises(DatabaseInUseError, match="in use by another server")):
        Collector(SURVEY, database)
    with Collector(SURVEY, database) as collector:
        send(collector, *(one[0] for one in records(1)))
    with pytest.raises(DatabaseInUseError, match="answers to a survey with another settings"):
        Collector(SURVEY, database, batch_size=7)
    Collector(SURVEY, database).close()  # a refused one has let go of the database


def test_a_typo_can_be_mended_before_anybody_has_answered(database):
    with Collector(SURVEY, database) as before:
        _, token = before.ready(0)
    corrected = SURVEY.model_copy(update={"title": "Sixteen votes, mended"})
    with Collector(corrected, database, random_start=16, random_state=1) as collector:
        assert collector.inquire().k < 32
        # what somebody was about to send was drawn for the questions as they stood
        with pytest.raises(BadTokenError):
            collector.submit(token, 0, 0, [1])
        send(collector, *(one[0] for one in records(1)))
    with pytest.raises(DatabaseInUseError, match="answers to a survey with another schema"):
        Collector(SURVEY, database, random_start=16)
    with Collector(corrected, database, random_start=16) as again:
        assert again.n_received == 1


@pytest.mark.parametrize("start", [0, 40])
def test_a_database_goes_on_whatever_the_order_of_its_keys(database, start):
    # and the random start is there as plain counts
    R, y = records(25)
    options = {"batch_size": 20, "random_start": start, "random_state": 3}
    with Collector(SURVEY, database, **options) as before:
        for one in zip(R, y, strict=True):
            send(before, *one)
        kept, published = guidance_of(before), before.epochs
    schema = SURVEY.to_dict()
    begun = DataMiner(SURVEY.n_values)
    if start:
        begun.bootstrap_random(start, random_state=3)
    sums = begun.guidance
    counts = np.concatenate([sums.A0.ravel(), sums.A1.ravel(), sums.n_tuples]).astype("<i8")
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as file, file:
        assert file.execute("select start from survey").fetchone() == (counts.tobytes(),)
        text = json.dumps({key: schema[key] for key in reversed(schema)})
        assert file.execute("select schema from survey").fetchone() != (text,)
        file.execute("update survey set schema = ?", (text,))
    with Collector(SURVEY, database, **options) as after:
        assert after.epochs == published
        for got, wanted in zip(guidance_of(after), kept, strict=True):
            np.testing.assert_array_equal(got, wanted)
    with pytest.raises(DatabaseInUseError, match="answers to a survey with another schema"):
        Collector(SURVEY.model_copy(update={"title": "Another"}), database, **options)


def test_closed_collector_says_so():
    with Collector(SURVEY) as collector:
        _, token = collector.ready(0)
    with pytest.raises(BusyError, match="closing"):
        collector.submit(token, 0, 0, [])


@pytest.mark.parametrize(("options", "message"), [
    ({"mu": 0}, "mu must be"),
    ({"mu": 1.0}, "mu must be"),
    ({"batch_size": 0}, "batch_size must be"),
    ({"random_start": -1}, "random_start == -1, must be >= 0"),
])
def test_bad_options_are_refused_before_anything_is_stored(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        Collector(SURVEY, f"sqlite:///{tmp_path / 'never.sqlite'}", **options)
    assert not list(tmp_path.iterdir())

"""The collector is the DataMiner of the package, and what it stores is what it knows."""

import hashlib
import json
import struct

import collecting
import numpy as np
import pytest
from pydantic import ValidationError
from refusals import refusals

from ppdm.classifiers import GuidedNB
from ppdm.protocol import DataMiner
from ppdm_survey import (
    BadTokenError,
    BusyError,
    Collector,
    DatabaseInUseError,
    PublishedGuidance,
    SurveyError,
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


@pytest.mark.parametrize("start", [0, 40])
def test_a_restart_changes_nothing(database, tmp_path, start):
    # whatever the order of the schema's keys
    R, y = records(57)
    options = {"batch_size": 20, "random_start": start}
    with Collector(SURVEY, database, random_state=1, **options) as before:
        sent = [send(before, *one) for one in zip(R, y, strict=True)]
        kept, results, guide = before._miner.guidance, before.results(), before.guidance
        _, token = before.ready(2)
    # the random start is there as plain counts
    begun = DataMiner(SURVEY.n_values)
    if start:
        begun.bootstrap_random(start, random_state=1)
    sums = begun.guidance
    counts = np.concatenate([sums.A0.ravel(), sums.A1.ravel(), sums.n_tuples]).astype("<i8")
    file, schema = tmp_path / "survey.sqlite", SURVEY.to_dict()
    text = json.dumps({key: schema[key] for key in reversed(schema)})
    [stored] = collecting.asked(file, "select start, schema from survey")
    assert stored[0] == counts.tobytes()
    assert stored[1] != text
    collecting.asked(file, "update survey set schema = ?", text)
    # another random start is not drawn: the one of the beginning counts
    with Collector(SURVEY, database, random_state=2, **options) as after:
        assert after._miner.guidance.to_bytes() == kept.to_bytes()
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


@pytest.mark.parametrize(("epoch", "label", "ones", "error", "message"), [
    (5, 0, [], UnknownEpochError, r"epoch must be in \[0, 1\], got 5"),
    (-1, 0, [], UnknownEpochError, r"epoch must be in \[0, 1\], got -1"),
    (1, 0, [], BadTokenError, "handed out for epoch 1"),
    (0, 2, [], SurveyError, "class must be 0 or 1, got 2"),
    (0, 0, [3, 2], SurveyError, r"distinct, ascending and in \[0, 31\]"),
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


def test_token_cannot_be_made_up():
    with Collector(SURVEY) as one, Collector(SURVEY) as other:
        for wrong in (other.ready(0)[1], "", "é" * 43, "\ud800" * 43):
            with pytest.raises(BadTokenError, match="token must be one that was handed out"):
                one.submit(wrong, 0, 0, [])


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
    with pytest.raises(DatabaseInUseError, match=r"begun with --survey FILE.*mended"):
        Collector(SURVEY, database, random_start=16)
    with Collector(corrected, database, random_start=16) as again:
        assert again.n_received == 1


def test_closed_collector_says_so():
    with Collector(SURVEY) as collector:
        _, token = collector.ready(0)
    with pytest.raises(BusyError, match="closing"):
        collector.submit(token, 0, 0, [])


# What an epoch's guidance says of itself: its level, its hash, and the messages made of it

V = np.array([[0.6, -0.0], [0.8, 0.0], [0.0, 1.0]])


def published(**changes):
    return PublishedGuidance(**{"epoch": 3, "n_received": 200, "V": V, **changes})


def test_hash_is_that_of_the_words():
    head = b"ppdm-guidance-1\n3\n3\n2\n"
    doubles = struct.pack("<6d", 0.6, 0.0, 0.8, 0.0, 0.0, 1.0)
    wanted = hashlib.sha256(head + doubles).hexdigest()
    assert published().hash == guidance_hash(3, V + 0.0) == wanted
    assert guidance_hash(4, V + 0.0) != wanted


def test_messages_are_these_bytes():
    guidance = published()
    assert guidance.k == 2
    assert guidance.to_dict() == {"epoch": 3, "k": 2, "n_received": 200, "hash": guidance.hash}
    for token in ("first", "second"):
        assert guidance.message(token) == (
            f'{{"epoch":3,"k":2,"token":"{token}","hash":"{guidance.hash}",'
            '"V":[[0.6,0.0],[0.8,0.0],[0.0,1.0]]}'
        )


def test_message_has_what_the_description_says():
    described = PublishedGuidance.model_json_schema(mode="serialization")
    message = json.loads(published().message("token"))
    assert set(described["required"]) == set(described["properties"]) == set(message)


def test_guidance_does_not_change_and_is_itself_alone():
    guidance = published()
    with pytest.raises(ValidationError, match=r"epoch\n.*frozen"):
        guidance.epoch = 4
    assert guidance == guidance
    assert guidance != published()
    assert len({guidance, published()}) == 2


test_bad_guidance_is_refused_by_name = refusals(
    ({"epoch": -1}, r"epoch\n.*greater than or equal to 0.*input_value=-1"),
    ({"epoch": 2**31}, r"epoch\n.*less than or equal to 2147483647"),
    ({"n_received": 1.5}, r"n_received\n.*valid integer.*input_value=1.5"),
    ({"V": [[1.0], [0.0, 1.0]]}, r"V\n"),
    ({"V": [["high"]]}, r"V\n.*could not convert string to float"),
    by=lambda change: published(**change),
)

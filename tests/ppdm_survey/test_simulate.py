"""The members of Congress over HTTP: the same miner, bit for bit, as without a network."""

from types import SimpleNamespace

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from refusals import refusals
from serving import serve

from ppdm.datasets import load_voting
from ppdm.guidance import one_hot
from ppdm.protocol import Announcement, DataMiner, GuidanceMessage, collect, draw_levels
from ppdm_survey import Attribute, Collector, Survey, create_app, simulate, voting_survey
from ppdm_survey._store import unpack

VOTES = [2] * 16
SMALL = Survey(
    title="Small", attributes=[
        Attribute(name="colour", label="Colour", values=["r", "g", "b"]),
        Attribute(name="age", label="Age", values=["young", "middle", "old"], edges=[30, 50])],
)  # fmt: skip


def members(seed):
    """Return everybody and the Generator, drawn as the command draws them."""
    rng = np.random.default_rng(seed)
    T, y = simulate.draw_people(voting_survey().to_dict(), random_state=rng)
    return T, y, draw_levels(435, 32, random_state=rng), rng


class Listener:
    """Stands for the server: one vector, by which each bit is sent as 1 with probability 1/4."""

    n_bits = 8_000

    def inquire(self):
        return Announcement(0, 1)

    def ready(self, epoch):
        return GuidanceMessage(epoch, 1, np.full((self.n_bits, 1), self.n_bits**-0.5))

    def submit(self, message):
        self.R = message.R


@pytest.mark.parametrize("seed", [0, 1, 12_345])
def test_an_int_shares_no_draw_with_data_of_the_same_int(monkeypatch, seed):
    miner = Listener()
    monkeypatch.setattr(simulate, "HttpMiner", lambda *_, **__: miner)
    simulate.simulate("http://nobody", np.arange(miner.n_bits)[None] % 2, [0], 1, random_state=seed)
    for data in (np.random.default_rng(seed).random, np.random.default_rng(seed).standard_normal):
        # five standard errors of a correlation of nothing; shared draws have one of .7
        assert abs(np.corrcoef(miner.R, data(miner.n_bits))[0, 1]) < 5 * miner.n_bits**-0.5


def told_all(collector):
    """Return the miner of a collector, told of the epoch that is not over, too."""
    if collector._rows:
        collector._miner.receive(*unpack(collector._rows, 32))
    return collector._miner


def test_the_435_members_leave_the_same_miner_as_in_process():
    # with a random start; the command below has none
    batch_size, options = 25, {"batch_size": 25, "mu": 0.05}
    T, y, levels, rng = members(1)
    miner = DataMiner(VOTES, **options)
    miner.bootstrap_random(32, random_state=7)
    expected = collect(miner, T, y, levels, random_state=rng)
    with (Collector(voting_survey(), **options, random_start=32, random_state=7) as collector,
          serve(create_app(collector)) as url):
        T, y, levels, rng = members(1)
        result = simulate.simulate(url, T, y, levels, random_state=rng)
        np.testing.assert_equal(vars(result), vars(expected))
        running = told_all(collector)
        assert running.guidance.to_bytes() == miner.guidance.to_bytes()
        assert running.history == miner.history
        # an equality of miners to whom nobody came shows nothing; at least 89 came in 300 draws
        assert miner.n_received > 2 * batch_size
        published = [(e["epoch"], e["n_received"], e["k"]) for e in collector.epochs]
        assert published == miner.history
        whole = miner.n_received // batch_size * batch_size
        assert collector.status() == {"n_received": whole, "epoch": whole // batch_size,
                                      "k": miner.history[-1].k, "batch_size": batch_size}


def test_it_works_under_a_path_with_given_connections_and_keeps_the_rate(monkeypatch):
    pauses = []
    monkeypatch.setattr(simulate, "time", SimpleNamespace(sleep=pauses.append))
    T, y = simulate.draw_people(SMALL.to_dict(), 7, random_state=0)
    site = FastAPI()
    with Collector(SMALL, batch_size=5) as collector:
        site.mount("/a/survey", create_app(collector))
        with serve(site) as url, httpx.Client(base_url=f"{url}/a/survey") as client:
            result = simulate.simulate(client, T, y, 6, random_state=0, rate=4.0)
            assert not client.is_closed
        assert collector.n_received == 7
    assert result.epoch.tolist() == [0] * 5 + [1] * 2
    assert pauses == [0.25] * 7


def test_members_are_the_file_s_with_coins_for_missing_votes():
    T, y = simulate.draw_people(voting_survey().to_dict(), random_state=np.random.default_rng(3))
    votes = load_voting(random_state=3)
    np.testing.assert_array_equal(T, one_hot(votes.data, VOTES))
    np.testing.assert_array_equal(y, votes.target)


def test_more_members_are_drawn_with_replacement():
    T, y = simulate.draw_people(voting_survey().to_dict(), 2000, random_state=0)
    assert T.shape == (2000, 32)
    # the share of class 1 is 168 / 435 = .386, its sd sqrt(.386 * .614 / 2000) = .011
    assert abs(y.mean() - 168 / 435) < 5 * 0.011
    votes = load_voting(random_state=np.random.default_rng(0))
    known = {(*row, c) for row, c in zip(votes.data.tolist(), votes.target, strict=True)}
    assert {(*row, c) for row, c in zip(T[:, 1::2].tolist(), y, strict=True)} <= known


@pytest.mark.parametrize("change", [
    lambda schema: schema["class"]["values"].reverse(),  # class 0 would be the republicans
    lambda schema: schema["attributes"][3]["values"].reverse(),
    lambda schema: schema["attributes"][3].update(name="fees")])
def test_a_survey_that_is_almost_the_votes_gets_no_votes(change):
    schema = voting_survey().to_dict()
    change(schema)
    T, _ = simulate.draw_people(schema, random_state=0)
    assert T.shape == (100, 32)


def test_others_have_independent_values_all_equally_probable():
    T, y = simulate.draw_people(SMALL.to_dict(), 9000, random_state=0)
    assert (T.reshape(-1, 2, 3).sum(axis=2) == 1).all()
    # the sd of a share is at most sqrt(1/4 / 9000) = .0053; five of them
    np.testing.assert_allclose(T.mean(axis=0), 1 / 3, atol=5 * 0.0053)
    assert abs(y.mean() - 0.5) < 5 * 0.0053
    assert abs((T[:, 0] * T[:, 3]).mean() - 1 / 9) < 5 * 0.0053


# --- whatever survey is there


def test_it_reports_in_one_line_and_repeats_the_function(capsys):
    T, y, levels, rng = members(4)
    miner = DataMiner(VOTES)
    expected = collect(miner, T, y, levels, random_state=rng)
    with Collector(voting_survey()) as collector, serve(create_app(collector)) as url:
        out = simulate.answer(url, seed=4)
        np.testing.assert_array_equal(told_all(collector).guidance.A, miner.guidance.A)
    err = capsys.readouterr().err
    ends, counts = np.unique(levels[expected.epoch < 0], return_counts=True)
    waiting = ", ".join(f"{level} ({n})" for level, n in zip(ends, counts, strict=True))
    assert out == (
        f"{miner.n_received} of 435 submitted; {counts.sum()} still wait for "
        f"k* = {miner.history[-1].k} to fall, at level {waiting}."
    )
    assert f"{miner.n_received}/435" in err  # the bar


@pytest.mark.fixed_seed("of this seed the one person allows all that is asked for")
def test_it_says_when_all_have_submitted():
    with Collector(SMALL, batch_size=2) as collector, serve(create_app(collector)) as url:
        assert simulate.answer(url, 1, seed=2) == "1 of 1 submitted."


def test_it_says_that_no_server_is_there(monkeypatch):
    monkeypatch.setattr("ppdm_survey._client.time.sleep", lambda seconds: None)
    with pytest.raises(ConnectionError, match=r"127.0.0.1:9/api/schema failed 4 time\(s\)"):
        simulate.answer("http://127.0.0.1:9")


test_bad_arguments_are_named_before_anything_is_sent = refusals(
    ({"rate": 0}, "rate must be a number > 0, got 0"),
    ({"T": [[0, 2]]}, "t must hold only 0 and 1, got 2"),
    ({"T": [0]}, r"t must have 1 dimension\(s\)"),
    ({"max_levels": 3}, r"max_level must be a whole number in \[1, 2\], got 3"),
    ({"y": [0, 1]}, "y must have one label for each of 1, got 2"),
    by=lambda change: simulate.simulate(
        "http://127.0.0.1:9", **{"T": [[0, 1]], "y": [0], "max_levels": 1, **change}),
)


def test_draw_people_refuses_a_number():
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        simulate.draw_people(SMALL.to_dict(), 0)

"""The audit's bound: never above epsilon but for its risk, close to it where draws are many."""

import numpy as np
import pytest
from refusals import refusals
from scipy.stats import binom

from ppdm.channel._opening import as_channel
from ppdm.privacy import audit_epsilon, gaussian_epsilon, local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm_book.experiments import load_table

#: At the default .99 a right bound exceeds epsilon in one draw of a hundred; here 4.75 errors.
SURE = 1 - 1e-6


def client_of(scheme):
    def client(record, n, rng):
        return scheme.set_params(random_state=rng).transform(np.tile(record, (n, 1)))

    return client


def from_column(channel):
    """A client that releases one code, drawn from a column of the channel."""
    return lambda truth, n, rng: rng.choice(len(channel), size=n, p=channel[:, truth])


def keep_or_other(k, epsilon):
    theta = np.exp(epsilon) / (np.exp(epsilon) + k - 1)
    return CategoricalRandomizedResponse(k, theta).channel_matrix()


@pytest.mark.parametrize(
    ("channel", "delta"),
    [
        (keep_or_other(2, 1.0), 0.0),
        (keep_or_other(8, 0.4), 0.0),
        (np.full((6, 2), 1 / 6), 0.0),
        (np.array([[0.05, 0.0], [0.6, 0.31], [0.35, 0.69]]), 0.05),
    ],
    ids=["two values", "eight values", "nothing", "delta"],
)
def test_the_bound_exceeds_epsilon_in_one_of_a_hundred_at_most(channel, delta):
    """1,000 audits. Binomial(1000, .01) exceeds the limit, 20, once in a thousand.

    Catches an event that is judged on the draws that chose it, a bound on the wrong side,
    or a risk that is spent twice. With delta, epsilon is the least number at which no event's
    one probability exceeds e^epsilon times the other by more.
    """
    one, other = channel[:, 0], channel[:, -1]
    grid = np.linspace(0, 3, 3001)[:, None]
    beyond = np.maximum(
        np.maximum(one - np.exp(grid) * other, 0).sum(axis=1),
        np.maximum(other - np.exp(grid) * one, 0).sum(axis=1),
    )
    exact = grid[np.argmax(beyond <= delta + 1e-12), 0]
    rng = np.random.default_rng(8)
    bounds = [
        audit_epsilon(
            from_column(channel), 0, channel.shape[1] - 1, n_draws=300, delta=delta,
            batch=True, random_state=rng,
        ).lower_bound
        for _ in range(1000)
    ]  # fmt: skip
    limit = binom.ppf(0.999, 1000, 0.01)
    assert sum(bound > exact + 1e-3 for bound in bounds) <= limit


@pytest.mark.parametrize(
    ("scheme", "first", "second"),
    [
        (CategoricalRandomizedResponse(2, 1 / (1 + np.exp(-1))), [0], [1]),
        (CategoricalRandomizedResponse(4, np.e / (np.e + 3)), [1], [3]),
        (CategoricalRandomizedResponse(16, np.e / (np.e + 15)), [0], [9]),
        (UnaryEncoding(4, 1.0), [0], [3]),
        (UnaryEncoding(2, 0.5), [0, 0], [1, 1]),
        (RandomizedResponse(1 / (1 + np.exp(-0.25)), [[0], [1], [2], [3]]), [0] * 4, [1] * 4),
    ],
    ids=["bit", "four codes", "sixteen codes", "unary", "two unary bits", "four coins"],
)
def test_it_finds_nine_tenths_of_epsilon_one_in_60_000_draws(scheme, first, second):
    """The median of five audits.

    The rarest event has probability .097 under its input, so that 7,900 guesses are made: the
    log-odds have a standard error of .025, the bound lies 2.3 of these below 1, .94, and three of
    five fall below .9 once in some hundred.
    """
    scheme.fit([first])
    rng = np.random.default_rng(2)
    found = [
        audit_epsilon(
            client_of(scheme), first, second, n_draws=60_000, batch=True, channel=scheme,
            random_state=rng,
        )
        for _ in range(5)
    ]  # fmt: skip
    assert found[0].exact == pytest.approx(1) == pytest.approx(local_epsilon(scheme))
    assert np.median([audit.lower_bound for audit in found]) > 0.9


def test_over_claim_of_a_coin_for_all_attributes_is_found():
    """Its bits are advertised at .847 each; the record's epsilon is infinite."""
    scheme = RandomizedResponse(0.7).fit([[0, 0, 0]])
    found = audit_epsilon(
        client_of(scheme), [0, 0, 0], [0, 1, 1], n_draws=2000, batch=True, channel=scheme,
        random_state=0,
    )  # fmt: skip
    assert found.exact == np.inf
    assert found.wrong == 0
    assert found.lower_bound > 4 > 3 * local_epsilon(scheme, changes="bit")
    assert {tuple(row) for row in found.event[0]} == {(0, 0, 0), (1, 1, 1)}
    assert {tuple(row) for row in found.event[1]} == {(0, 1, 1), (1, 0, 0)}


def test_a_client_asked_one_at_a_time_and_many_at_once():
    def single(bit, rng):
        return bit if rng.random() < 0.75 else 1 - bit

    asked = {"n_draws": 4000, "confidence": SURE, "random_state": 1}
    as_number = audit_epsilon(single, 0, 1, **asked)
    as_pair = audit_epsilon(lambda bit, rng: (7, single(bit, rng)), 0, 1, **asked)
    assert as_number.lower_bound == as_pair.lower_bound
    # 4,000 guesses: an error of (4,000 * 3/16)^-1/2; the bound is 4.75 below the estimate
    assert np.log(3) - 9.25 * (4_000 * 3 / 16) ** -0.5 < as_number.lower_bound < np.log(3)
    assert as_pair.event[1].tolist() == [[7, 1]]
    made = as_number.right + as_number.wrong
    assert made == 4000  # two halves of two times 4,000 draws; no guess is held back
    assert abs(as_number.right / made - 0.75) < 4.5 * np.sqrt(0.75 * 0.25 / made)


def test_a_curator_that_adds_noise_to_a_count():
    """Laplace noise of scale 1 on a count: epsilon 1, found in bins of a continuous release."""

    def curator(table, n, rng):
        return np.sum(table) + rng.laplace(0, 1.0, n)

    asked = {"batch": True, "confidence": SURE, "random_state": 5}
    found = audit_epsilon(curator, [1, 0, 1], [1, 1, 1], n_draws=60_000, **asked)
    # 9,000 guesses at least, of which .73 are right: 4.75 + 4.5 errors of .024
    assert 1 - 9.25 * 0.024 < found.lower_bound < 1
    assert found.exact is None
    assert found.event[0].shape[1] == 2  # ends of bins
    half = audit_epsilon(
        lambda table, n, rng: curator(table, n, rng) // 0.5, [1, 0], [1, 1], n_draws=20_000, **asked
    )
    assert half.lower_bound < 1


def test_gaussian_noise_at_its_own_delta():
    """The bound stays below the exact epsilon at that delta, and is not empty."""
    exact = gaussian_epsilon(0.05, scale=1.0, sensitivity=1.5)

    def curator(x, n, rng):
        return x + rng.normal(size=(n, 1))

    asked = {"n_draws": 60_000, "batch": True, "confidence": SURE, "random_state": 3}
    found = audit_epsilon(curator, 0.0, 1.5, delta=0.05, **asked)
    # in sixty draws the bound spread by .055 and lay, at .99, .23 below: here .47, and 4.5 spreads
    assert exact - 0.47 - 4.5 * 0.055 < found.lower_bound < exact
    # without delta there is no limit but the bins': the outermost of 64 is chosen
    pure = audit_epsilon(curator, 0.0, 1.5, **asked)
    assert pure.lower_bound > found.lower_bound


def test_exact_of_two_records_is_no_more_than_that_of_the_worst():
    scheme = CategoricalRandomizedResponse(4, 0.4).fit([[0, 0, 0]])
    asked = {"n_draws": 100, "batch": True, "channel": scheme, "random_state": 0}
    one = audit_epsilon(client_of(scheme), [0, 0, 0], [0, 1, 0], **asked).exact
    three = audit_epsilon(client_of(scheme), [0, 0, 0], [3, 1, 2], **asked).exact
    assert one == pytest.approx(np.log(2)) == pytest.approx(three / 3)
    assert three == pytest.approx(local_epsilon(scheme))
    skewed = as_channel([[0.5, 0.25], [0.3, 0.25], [0.2, 0.5]], 1)
    for pair in ([0], [1]), ([1], [0]):
        # which of the two was drawn is guessed by chance: right too often once in 1e9
        sure = {"confidence": 1 - 1e-9, "random_state": 0}
        found = audit_epsilon(lambda *_: 0, *pair, n_draws=50, channel=skewed, **sure)
        assert found.exact == pytest.approx(np.log(2.5))
        assert found.lower_bound == 0


def test_stored_audit_of_the_peers_clients():
    """Two over-claims and no more; no bound above the exact value."""
    rows = load_table("audit_peers").to_dict("records")
    found = {(r["client"], int(r["n_attributes"]), r["changes"]): r for r in rows}
    assert len(found) == len(rows) == 11
    assert all(float(row["lower_bound"]) <= float(row["exact"]) for row in rows)
    refuted = {key for key, row in found.items() if float(row["lower_bound"]) > 1}
    assert refuted == {("RSpFD_GRR", 4, "record"), ("RSpFD_GRR", 8, "record")}
    for d, exact, least in ((4, 2.06, 1.97), (8, 2.69, 2.21)):
        row = found["RSpFD_GRR", d, "record"]
        assert float(row["lower_bound"]) >= least
        assert round(float(row["exact"]), 2) == exact == round(np.log(d * np.expm1(1) + 1), 2)


# ------------------------------------------------------------------ bad input


GIVEN = {"mechanism": lambda x, rng: x, "first": 0, "second": 1, "n_draws": 100, "random_state": 0}
test_bad_input_is_named = refusals(
    ({"mechanism": lambda x: x}, "mechanism must be a function of .* a Generator", TypeError),
    ({"mechanism": lambda x, rng: "ny"[x]}, "mechanism must release numbers .*<U1", TypeError),
    ({"mechanism": lambda x, rng: [0] * (2 + x)}, "as many numbers of both inputs"),
    ({"n_draws": 7}, "n_draws must be at least 8 for a bound above 0 at confidence 0.99"),
    ({"n_draws": 8, "delta": 0.5}, "n_draws must be at least 20"),
    by=lambda arguments: audit_epsilon(**GIVEN | arguments),
)


def test_the_fewest_draws_that_are_taken_can_bound_epsilon():
    for delta, n_draws in ((0.0, 8), (0.5, 20)):
        found = audit_epsilon(lambda x, rng: x, 0, 1, n_draws=n_draws, delta=delta, random_state=0)
        assert found.lower_bound > 0

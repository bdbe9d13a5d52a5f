"""The chooser: monotone, honest about its errors, and clear about bad input."""

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ppdm import compare
from ppdm._budget import theta_at
from ppdm._coding import count_pairs
from ppdm.compare import compare_schemes
from ppdm.noise import SquareWave
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

SURVEYS = 200


def yes(comparison):
    """Schemes that may be the best; Square Wave's error is not quite falling in epsilon."""
    rows = [row for row in comparison.rows if row.verdict == "yes"]
    return {row.scheme for row in rows} - {"Square Wave"}


def row_of(comparison, scheme):
    (row,) = [row for row in comparison.rows if row.scheme == scheme]
    return row


# --- the answer -----------------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(2, 6), min_size=1, max_size=5),
    n=st.integers(1, 10**7),
    more=st.integers(0, 10**7),
    epsilon=st.floats(1e-3, 30),
    further=st.floats(0, 10),
    error=st.floats(0.001, 0.4),
    smaller=st.floats(0.01, 0.5),
)
@settings(deadline=None, max_examples=60, phases=[Phase.generate])
def test_more_people_or_larger_odds_never_turn_a_yes_into_none(
    sizes, n, more, epsilon, further, error, smaller
):
    options = {"error": error, "smaller": smaller}
    before = compare_schemes(sizes, n, math.exp(epsilon), **options)
    for after in (
        compare_schemes(sizes, n + more, math.exp(epsilon), **options),
        compare_schemes(sizes, n, math.exp(epsilon + further), **options),
    ):
        assert yes(before) <= yes(after)
        for trust in ("nobody", "curator"):
            assert getattr(before, trust) == "none" or getattr(after, trust) != "none"


@pytest.mark.parametrize("sizes", [[2] * 16, [4] * 8, [2, 3, 5]])
def test_people_needed_are_those_from_whom_the_verdict_is_yes(sizes):
    asked = compare_schemes(sizes, 1_000, 100)
    for row in asked.rows:
        if row.verdict == "cannot promise":
            assert math.isnan(row.people)
            continue
        for n, verdict in ((row.people - 1, "none"), (row.people, "yes")):
            again = compare_schemes(sizes, int(n), 100)
            assert row_of(again, row.scheme).verdict == verdict


def test_none_where_nothing_fits_and_the_best_where_something_does():
    asked = compare_schemes([2] * 16, 1_000, 100)
    assert (asked.nobody, asked.curator) == ("none", "central counts")
    assert compare_schemes([2] * 16, 10, 1.1).curator == "none"
    rich = compare_schemes([2], 10**6, 10)
    assert rich.nobody == "one coin an attribute"  # of one bit the least error at any epsilon
    assert "some asked" not in {row.scheme for row in rich.rows}
    errors = [row.error for row in rich.rows if not math.isnan(row.error)]
    assert errors == sorted(errors)
    # of many values a value's own bit is better than a code that is kept
    assert compare_schemes([20], 10**6, 3).nobody == "unary encoding"


def test_schemes_that_promise_nothing_say_why_and_have_no_number():
    rows = [row for row in compare_schemes([2] * 4, 10**6, 1e6).rows if row.verdict[0] == "c"]
    assert {row.scheme for row in rows} == {
        "groups that share a coin", "uniform noise", "Gaussian noise", "guided perturbation",
        "BSVD and SSVD", "invented records", "private tree",
    }  # fmt: skip
    for row in rows:
        assert row.noise
        assert row.not_stopped
        assert math.isnan(row.error)
    assert {row.scheme for row in rows if row.trust == "curator"} == {
        "BSVD and SSVD", "invented records", "private tree",
    }  # fmt: skip


def test_noise_is_the_setting_at_these_odds():
    asked = compare_schemes([2, 2, 3], 1_000, math.exp(3.0))
    assert asked.epsilon == pytest.approx(3.0)
    e = math.e
    theta = f"theta {e / (e + 1):.3g} of 2 values, {e / (e + 2):.3g} of 3 values"
    assert row_of(asked, "k-ary response").noise == theta
    assert row_of(asked, "unary encoding").noise == "epsilon 1 an attribute"
    assert row_of(asked, "central counts").noise == "scale 1.33 people on each count"
    assert row_of(asked, "Square Wave").noise == "epsilon 1 an attribute, of numbers"
    bits = compare_schemes([2] * 4, 1_000, math.exp(4.4))
    assert row_of(bits, "some asked").noise == f"ask 2 of 4, theta {1 / (1 + math.exp(-2.2)):.3g}"


def test_some_are_asked_where_that_errs_less_and_all_where_it_does_not():
    sixteen = [compare_schemes([2] * 16, 10**6, math.exp(epsilon)) for epsilon in (1, 4, 80)]
    noises = [row_of(asked, "some asked").noise[:12] for asked in sixteen]
    assert noises == ["ask 1 of 16,", "ask 2 of 16,", "ask 16 of 16"]
    assert [asked.nobody for asked in sixteen] == [
        "some asked", "some asked", "one coin an attribute",  # the last is a tie: it is the same
    ]  # fmt: skip
    assert "some asked" not in {row.scheme for row in compare_schemes([2, 3], 100, 9).rows}


@given(d=st.integers(1, 40), epsilon=st.floats(1e-3, 200))
@settings(deadline=None, phases=[Phase.generate])
def test_so_many_are_asked_that_no_other_number_errs_less(d, epsilon):
    errors = [compare.asked_error(d, epsilon, asked) for asked in range(1, d + 1)]
    chosen = compare.asked_error(d, epsilon, compare.most_useful(d, epsilon))
    assert chosen == pytest.approx(min(errors), rel=1e-9)


# --- the errors -----------------------------------------------------------------------------


def surveys(n, k, seed):
    """SURVEYS drawings of n people, half of whom have value k // 2, the others any other."""
    rng = np.random.default_rng(seed)
    return rng, rng.choice(k, size=(SURVEYS, n), p=compare.middle_shares(k))


def best_weights(matrix, k):
    """What each cell counts in the estimate of least variance of the middle value's share."""
    weights = matrix / (matrix @ compare.middle_shares(k))[:, np.newaxis]
    return np.linalg.solve(matrix.T @ weights, weights.T)[k // 2]


def agrees(estimates, predicted):
    """Whether the spread of SURVEYS unbiased estimates of 1/2 is the predicted one.

    A standard deviation from 200 has a relative standard error of 1 / sqrt(2 * 199) = .050;
    four of them. The mean is within four of its own.
    """
    assert np.std(estimates, ddof=1) == pytest.approx(predicted, rel=4 * 0.050)
    assert abs(np.mean(estimates) - 0.5) < 4 * predicted / math.sqrt(SURVEYS)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.3), (2, 1.5), (5, 1.0)])
def test_error_of_a_kept_code_is_that_of_surveys(k, epsilon):
    n = 400
    rng, people = surveys(n, k, 10)
    scheme = CategoricalRandomizedResponse(k, theta_at(epsilon, k), random_state=rng)
    released = scheme.fit(people.reshape(-1, 1)).transform(people.reshape(-1, 1)).reshape(-1, n)
    counts = np.array([np.bincount(row, minlength=k) for row in released])
    agrees(counts @ scheme.inverse_matrix()[k // 2] / n, compare.kary_error(k, epsilon) / n**0.5)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.5), (4, 1.0), (9, 2.0)])
def test_error_of_a_values_own_bit_is_that_of_surveys(k, epsilon):
    n = 400
    rng, people = surveys(n, k, 11)
    scheme = UnaryEncoding(k, epsilon, random_state=rng)
    bits = scheme.fit_transform(people.reshape(-1, 1))[:, k // 2].reshape(-1, n)
    q = scheme.bit_channel()[1, 0]
    agrees((bits.mean(axis=1) - q) / (0.5 - q), compare.unary_error(epsilon) / n**0.5)


@pytest.mark.parametrize(("d", "asked", "epsilon"), [(4, 1, 1.0), (6, 3, 4.0)])
def test_error_where_some_are_asked_is_that_of_surveys(d, asked, epsilon):
    n = 400
    rng, people = surveys(n * d, 2, 14)
    theta = theta_at(epsilon / asked, 2)
    scheme = RandomizedResponse(theta, asked=asked, random_state=rng)
    bits = people.reshape(-1, d)  # SURVEYS times n records
    codes = scheme.codes(scheme.fit(bits).transform(bits))[:, 0].reshape(-1, n)
    counts = np.array([np.bincount(row, minlength=3) for row in codes])
    estimates = counts @ scheme.inverse_matrix()[1] / n
    agrees(estimates, compare.asked_error(d, epsilon, asked) / n**0.5)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.0), (4, 3.0), (3, 8.0)])
def test_error_under_square_wave_is_that_of_surveys(k, epsilon):
    n, cells = 2_000, 16 * k
    rng, people = surveys(n, k, 15)
    wave = SquareWave(epsilon, domain=[[0, 1]], random_state=rng)
    values = wave.transform(((people + rng.random(people.shape)) / k).reshape(-1, 1))
    codes = wave.on(np.linspace(0, 1, cells + 1)).codes(values[:, 0]).reshape(-1, n)
    best = best_weights(compare.wave_channel(k, epsilon), k)
    agrees(best[codes].mean(axis=1), compare.wave_error(k, epsilon) / n**0.5)


def test_square_wave_takes_no_larger_epsilon_than_its_largest():
    assert compare.wave_error(3, 1_000.0) == compare.wave_error(3, 20.0)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.0), (4, 3.0), (3, 8.0)])
def test_error_under_laplace_noise_is_that_of_surveys(k, epsilon):
    n = 2_000
    rng, people = surveys(n, k, 12)
    values = (people + rng.random(people.shape)) / k
    values += rng.laplace(scale=1 / epsilon, size=people.shape)
    matrix = compare.laplace_channel(k, epsilon)
    cells = np.clip(np.floor(values * 64 * k).astype(int) + 1, 0, len(matrix) - 1)
    best = best_weights(matrix, k)
    agrees(best[cells].mean(axis=1), compare.laplace_error(k, epsilon) / n**0.5)


def test_the_middle_interval_is_the_one_that_is_worst_off():
    matrix = compare.laplace_channel(5, 2.0)
    worst = []
    for j in range(5):
        shares = np.full(5, 0.125)
        shares[j] = 0.5
        weights = matrix / (matrix @ shares)[:, np.newaxis]
        worst.append(np.linalg.inv(matrix.T @ weights)[j, j] - 0.25)
    assert np.argmax(worst) == 2
    assert math.sqrt(max(worst)) == pytest.approx(compare.laplace_error(5, 2.0), rel=1e-6)


@pytest.mark.parametrize("sizes", [[2] * 6, [3] * 4])
def test_error_of_a_curators_counts_is_that_of_surveys(sizes):
    n, epsilon, k = 60, 1.0, sizes[0]
    rng, people = surveys(n, k, 13)
    moves = len(sizes) * (1 if k == 2 else 2)
    counts = (people == k // 2).sum(axis=1) + rng.laplace(scale=moves / epsilon, size=SURVEYS)
    predicted = compare.central_error(n, moves, epsilon)
    # of Laplace noise the fourth moment is 6: a relative standard error of at most .079
    assert np.std(counts / n, ddof=1) == pytest.approx(predicted, rel=4 * 0.079)
    noise = compare_schemes(sizes, 100, math.exp(epsilon), smaller=0.5).rows
    (row,) = [row for row in noise if row.scheme == "central counts"]
    assert row.error == pytest.approx(compare.central_error(50, moves, epsilon))


def test_one_record_moves_a_curators_counts_by_what_the_noise_is_for():
    for k, per_attribute in ((2, 1), (4, 2)):
        X = np.zeros((5, 3), dtype=int)
        changed = X.copy()
        changed[0] = k - 1
        y = np.zeros(5, dtype=int)
        released = slice(1, None) if k == 2 else slice(None)
        both = [count_pairs(table, y, None, 2, k)[:, :, released] for table in (X, changed)]
        assert np.abs(both[0] - both[1]).sum() == 3 * per_attribute


# --- form -----------------------------------------------------------------------------------


def test_frame_and_text_have_a_row_for_each_scheme():
    asked = compare_schemes([2, 4], 5_000, 50)
    frame = asked.to_frame()
    assert frame.scheme.tolist() == [row.scheme for row in asked.rows]
    lines = repr(asked).splitlines()
    assert len(lines) == len(asked.rows) + 2
    assert lines[-1] == f"trusting nobody: {asked.nobody}; a curator: {asked.curator}"
    assert "nan" not in repr(asked)


def test_noise_on_numbers_is_left_out_for_too_many_intervals():
    for k, shown in ((64, {"Square Wave", "Laplace noise"}), (65, set())):
        rows = compare_schemes([k], 100, 10).rows
        assert {row.scheme for row in rows} & {"Square Wave", "Laplace noise"} == shown

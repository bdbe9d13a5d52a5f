"""The attack on attributes that share a coin."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ppdm.attacks import complement_decoding
from ppdm.datasets import load_adult_binary
from ppdm.randomized_response import RandomizedResponse


def skewed(seed, n=2000, n_bits=12, share=0.12):
    return (np.random.default_rng(seed).random((n, n_bits)) < share).astype(np.int8)


def hit_rate(decoded, truth):
    return (decoded == truth).all(axis=1).mean()


def test_nearly_every_adult_record_is_decoded_near_one_half():
    """Twenty disguises at theta = .51 of 8,000 records.

    A run fails as a whole where fewer than half of 8,000 told the truth: probability .036.
    Of 20 runs more than 5 fail with probability below 1e-4. The others decode over 99%.
    """
    X, y = load_adult_binary("train", return_X_y=True)
    for records in (X, np.column_stack([X, y])):  # what the attack lives on: no complements
        patterns = {tuple(row) for row in records.tolist()}
        assert not any(tuple(1 - bit for bit in pattern) in patterns for pattern in patterns)
    scheme = RandomizedResponse(0.51, random_state=np.random.default_rng(0)).fit(X)
    rates = np.array(
        [hit_rate(complement_decoding(scheme.transform(X), scheme).records, X) for _ in range(20)]
    )
    assert np.median(rates) > 0.99
    assert (rates < 0.01).sum() <= 5
    assert ((rates > 0.99) | (rates < 0.01)).all()


def test_the_direction_is_the_majority_of_the_coins():
    """Right exactly where more than half told the truth, whatever theta > 1/2 promised."""
    X = skewed(1, n=401)
    rng = np.random.default_rng(2)
    # of 401 rows none to two lie on the other side (300 draws), so ten from the middle decide
    for n_lies in (150, 190, 211, 250):
        lies = np.zeros(401, dtype=np.int8)
        lies[rng.permutation(401)[:n_lies]] = 1
        decoded = complement_decoding(X ^ lies[:, None], RandomizedResponse(0.51)).records
        assert hit_rate(decoded, X) == pytest.approx(float(n_lies < 200.5), abs=0.05)


@settings(deadline=None, max_examples=25)
@given(theta=st.floats(0, 1), seed=st.integers(0, 99))
@example(theta=0.0, seed=3)
@example(theta=1.0, seed=3)
def test_what_comes_back_is_the_report_or_its_complement_group_by_group(theta, seed):
    X = skewed(seed, n=60, n_bits=5)
    groups = [[0, 3], [1, 2, 4]]
    scheme = RandomizedResponse(theta, groups, random_state=seed)
    R = scheme.fit_transform(X)
    reports = R.copy()
    decoded = complement_decoding(R, scheme)
    np.testing.assert_array_equal(R, reports)  # the input is left alone
    if theta in (0, 1):  # there is nothing to decode
        np.testing.assert_array_equal(decoded.records, X)
        np.testing.assert_array_equal(decoded.confidence, 1)
    for g, group in enumerate(groups):
        changed = decoded.records[:, group] != R[:, group]
        assert (changed.all(axis=1) | ~changed.any(axis=1)).all()
        assert (decoded.confidence[:, g] >= 0.5).all()
        assert (decoded.confidence[:, g] <= 1).all()


@settings(deadline=None, max_examples=20)
@given(theta=st.sampled_from([0.05, 0.3, 0.45, 0.6, 0.9]), seed=st.integers(0, 99))
def test_the_complement_of_the_reports_at_one_minus_theta_decodes_alike(theta, seed):
    R = RandomizedResponse(theta, random_state=seed).fit_transform(skewed(seed, n=300))
    one = complement_decoding(R, RandomizedResponse(theta))
    other = complement_decoding(1 - R, RandomizedResponse(1 - theta))
    np.testing.assert_array_equal(one.records, other.records)
    np.testing.assert_allclose(one.confidence, other.confidence, atol=1e-6)


def test_a_coin_for_each_bit_gives_the_channel_s_bayes_guess():
    """One bit alone: P[truth | report] by Bayes' rule from Warner's estimate of the share."""
    # a report 1 is likelier true than not while the share is above .3: five errors away
    truth = np.repeat([1, 0], [7000, 13_000])[:, np.newaxis]
    reported = RandomizedResponse(0.7, random_state=4).fit_transform(truth)
    share = (reported.mean() - 0.3) / 0.4
    decoded = complement_decoding(reported, RandomizedResponse(0.7))
    posterior = 0.7 * share / reported.mean()  # of a report 1
    one = reported[:, 0] == 1
    best = max(posterior, 1 - posterior)
    np.testing.assert_allclose(decoded.confidence[one, 0], best, atol=1e-3)
    np.testing.assert_array_equal(decoded.records, reported)


def test_records_and_as_many_complements_are_told_apart_by_their_axis():
    # each bit is 1 in half of the reports, so that their mean says nothing
    X = skewed(9)
    decoded = complement_decoding(np.vstack([X, 1 - X]), RandomizedResponse(0.5))
    rate = hit_rate(decoded.records, np.vstack([X, X]))
    assert rate > 0.98 or rate < 0.02
    assert np.median(decoded.confidence) > 0.99


def test_confidence_is_honest_where_the_model_holds():
    """Independent attributes, 20,000 records: among records decoded with confidence about c,
    a share c is right. Bins of at least 300 records: sd at most .029; five of them.
    """
    X = skewed(7, n=20_000, n_bits=4, share=0.35)
    R = RandomizedResponse(0.6, random_state=8).fit_transform(X)
    decoded = complement_decoding(R, RandomizedResponse(0.6))
    right = (decoded.records == X).all(axis=1)
    for low in np.arange(0.5, 1.0, 0.1):
        inside = (decoded.confidence[:, 0] >= low) & (decoded.confidence[:, 0] < low + 0.1)
        if inside.sum() >= 300:
            assert abs(right[inside].mean() - decoded.confidence[inside, 0].mean()) < 5 * 0.029


def test_decoded_records_are_judged_beside_the_commoner_values():
    rng = np.random.default_rng(0)
    truth = (rng.random((2000, 10)) < 0.15).astype(np.int8)
    scheme = RandomizedResponse(0.6, random_state=rng)
    decoded = complement_decoding(scheme.fit_transform(truth), scheme)
    result = decoded.against(truth)
    assert result.success == (decoded.records == truth).mean()
    assert result.baseline == pytest.approx(1 - truth.mean())  # 0 is the commoner value
    assert result.interval[0] < result.success < result.interval[1]

"""Membership inference and the attribute box; complements of records that share a coin."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.attacks import attribute_box, complement_decoding, membership_inference
from ppdm.datasets import load_adult_binary, load_pima
from ppdm.randomized_response import RandomizedResponse
from ppdm.svd import TruncatedSVDPerturbation


def literal_auc(members, others):
    return np.mean([[(a > b) + (a == b) / 2 for b in others] for a in members])


def literal_advantage(members, others):
    thresholds = [np.inf, *members, *others]
    return max(np.mean(members >= t) - np.mean(others >= t) for t in thresholds)


def groups(seed, n=30, d=2, decimals=1):
    """Rounded, so that distances tie."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, n, d)).round(decimals)


@given(st.integers(0, 2**32 - 1), st.integers(2, 25))
@settings(deadline=None, max_examples=40)
def test_scores_and_rates_are_the_literal_ones(seed, n):
    released, members, others = groups(seed, n)
    others = others[: max(2, n // 2)]
    attack = membership_inference(released, members, others, scale=False)
    scores = attack.member_scores, attack.non_member_scores
    for found, people in zip(scores, (members, others), strict=True):
        nearest = [-min(np.linalg.norm(row - person) for row in released) for person in people]
        np.testing.assert_allclose(found, nearest, atol=1e-12)
    assert attack.auc == pytest.approx(literal_auc(*scores))
    assert attack.advantage == pytest.approx(literal_advantage(*scores))
    above = [np.mean([(a > b) + (a == b) / 2 for b in scores[1]]) for a in scores[0]]
    below = [np.mean([(a > b) + (a == b) / 2 for a in scores[0]]) for b in scores[1]]
    variance = np.var(above, ddof=1) / len(members) + np.var(below, ddof=1) / len(others)
    assert attack.standard_error == pytest.approx(np.sqrt(variance))


@pytest.mark.parametrize("d", [4, 20])
def test_true_records_in_another_order_hide_nobody(d):
    """Of more than 15 attributes brute force would put equal records 1e-8 apart."""
    X = np.random.default_rng(0).random((300, d)) + 1000
    attack = membership_inference(X[:150][::-1], X[:150], X[150:], scale=False)
    assert (attack.member_scores == 0).all()
    assert (attack.auc, attack.standard_error, attack.advantage) == (1, 0, 1)
    assert attack.true_positive_rate(0) == 1


@pytest.mark.parametrize("share", [0, 0.1, 0.25, 0.5, 0.99, 1])
def test_true_positives_at_few_false_ones(share):
    attack = membership_inference(*groups(0, 40))
    members, others = attack.member_scores, attack.non_member_scores
    thresholds = [-np.inf, *members, *others]
    allowed = [t for t in thresholds if np.mean(others > t) <= share]
    assert attack.true_positive_rate(share) == max(np.mean(members > t) for t in allowed)


def test_scaling_lets_small_attributes_speak():
    rng = np.random.default_rng(0)
    # five attributes released as they are but for a thousandth, and a large one that is blurred
    people = rng.normal(size=(400, 6)) * [*[1] * 5, 1e6]
    blur = [*[0.001] * 5, 3e5]
    released = people[:200] + rng.normal(size=(200, 6)) * blur
    raw = membership_inference(released, people[:200], people[200:], scale=False)
    unit = np.ptp(released, axis=0)
    scaled = membership_inference(released, people[:200], people[200:])
    own = released / unit, people[:200] / unit, people[200:] / unit
    by_hand = membership_inference(*own, scale=False)
    np.testing.assert_allclose(scaled.member_scores, by_hand.member_scores)
    # Unscaled, the large one alone decides. 200 released values lie closer together than the blur
    # reaches, so a member is like anybody: one half, with a standard error of
    # sqrt((1 / 200 + 1 / 200) / 12) = .029. Scaled, the blur is a twentieth of the width, and no
    # stranger is as near in five attributes: over 60 seeds .996, the least .990.
    assert raw.auc == pytest.approx(0.5, abs=5 * 0.029)
    assert scaled.auc > 0.95
    # a constant column divides by 1, and its distance counts as it is
    flat = np.column_stack([released, np.full(200, 3.0)])
    same = [np.column_stack([p, np.full(200, 3.0)]) for p in (people[:200], people[200:])]
    assert membership_inference(flat, *same).auc == pytest.approx(scaled.auc)
    far = membership_inference([[3.0], [3.0]], [[3.0], [5.0]], [[4.0], [3.5]])
    assert far.member_scores.tolist() == [0, -2]


def test_margin_scores_are_the_literal_ones():
    released, members, others = groups(1, 25)
    labels = [np.random.default_rng(i).integers(0, 3, 25) for i in range(3)]
    attack = membership_inference(released, members, others, y=tuple(labels), scale=False)
    for scores, people, classes in (
        (attack.member_scores, members, labels[1]),
        (attack.non_member_scores, others, labels[2]),
    ):
        for score, person, label in zip(scores, people, classes, strict=True):
            gaps = np.linalg.norm(released - person, axis=1)
            own, other = gaps[labels[0] == label].min(), gaps[labels[0] != label].min()
            assert score == pytest.approx(other - own)


def test_a_release_of_low_rank_shows_where_to_look():
    """BSVD projects every member alike; who repeats the projection finds them all."""
    X = load_pima().data
    members, others = X[:600], X[600:]
    released = TruncatedSVDPerturbation(6).fit_transform(members)
    naive = membership_inference(released, members, others)
    knowing = membership_inference(released, members, others, project=True)
    assert naive.auc < 0.7
    assert knowing.auc == 1
    full = membership_inference(members + 1, members, others)
    same = membership_inference(members + 1, members, others, project=True)
    np.testing.assert_allclose(same.member_scores, full.member_scores, atol=1e-9)


@pytest.mark.parametrize("n", [5, 50])
def test_the_box_estimate_is_unbiased(n):
    rng = np.random.default_rng(0)
    low, high = np.array([-2.0, 10.0]), np.array([3.0, 10.5])
    boxes = np.array([attribute_box(rng.uniform(low, high, size=(n, 2))) for _ in range(4000)])
    spread = boxes.std(axis=0)
    # 5 standard errors of 4,000 trials; a step of 1/n would err by 12 of them at n = 5
    assert (np.abs(boxes.mean(axis=0) - np.c_[low, high]) < 5 * spread / np.sqrt(4000)).all()
    if n == 50:
        np.testing.assert_allclose(spread / (high - low)[:, None], 1 / n, rtol=0.1)


def test_the_box_of_two_equal_records_is_a_point():
    np.testing.assert_array_equal(attribute_box([[4.0], [4.0]]), [[4.0, 4.0]])
    with pytest.raises(ValueError, match="released must hold at least two records, got 1"):
        attribute_box([[1.0, 2.0]])


GOOD = {name: [[0.0, 1.0], [2.0, 3.0]] for name in ("released", "members", "non_members")}
test_bad_input = refusals(
    ({"members": [[1.0, 2.0]]}, "members must hold at least two records, got 1"),
    ({"y": ([0, 1], [0, 2], [0, 1])}, r"candidates, \[0, 1, 2\], and two, got \[0, 1\]"),
    ({"y": ([0, 0], [0, 0], [0, 0])}, r"and two, got \[0\]"),
    by=lambda arguments: membership_inference(**GOOD | arguments),
)


def test_equal_records_tie_however_they_are_rounded():
    """Rounding errors of the last digits, in every coordinate, change no rank."""
    rng = np.random.default_rng(0)
    grid = rng.integers(0, 4, (3, 60, 3)) / 10 + 1.0  # many records are equal
    attacks = []
    for seed in range(5):
        noise = np.random.default_rng(seed).uniform(-1, 1, grid.shape) * 4e-16
        attacks.append(membership_inference(*(grid * (1 + noise)), scale=False))
    assert len({attack.auc for attack in attacks}) == 1
    assert len({attack.advantage for attack in attacks}) == 1
    # and so do the same records as seen after a projection that changes nothing
    looked_up = membership_inference(*grid, scale=False, project=True)
    assert looked_up.auc == attacks[0].auc


# The attack on attributes that share a coin


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

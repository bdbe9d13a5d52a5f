"""Membership inference and the attribute box: literal versions, limits, calibration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.attacks import attribute_box, membership_inference
from ppdm.datasets import load_pima
from ppdm.generation import SampleGenerator
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


def test_the_standard_error_and_the_advantage_of_a_guess_are_calibrated():
    rng = np.random.default_rng(0)
    attacks = [membership_inference(*rng.normal(size=(3, 200, 2))) for _ in range(400)]
    aucs = np.array([attack.auc for attack in attacks])
    claimed = np.mean([attack.standard_error for attack in attacks])
    # 400 trials: the mean within 4 of its errors, a standard deviation to 1/sqrt(800) = 3.5%
    assert abs(aucs.mean() - 0.5) < 4 * claimed / 20
    assert aucs.std() == pytest.approx(claimed, rel=4 * 0.036)
    # the highest point of a random bridge of 2n steps is sqrt(pi n)/2 - 1/2 on average,
    # less the second term in large groups; its square's mean is n, so the variance of
    # the advantage is (1 - pi/4)/n
    advantages = [attack.advantage for attack in attacks]
    chance = np.sqrt(np.pi / 8 * (1 / 200 + 1 / 200))
    bound = 4 * np.sqrt((1 - np.pi / 4) / 200 / 400)
    assert abs(np.mean(advantages) - (chance - 1 / 400)) < bound


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


def test_the_box_of_a_release_is_the_box_of_the_people():
    X, y = load_pima(return_X_y=True)
    generator = SampleGenerator(n_samples=4 * len(X), random_state=0)
    released, _ = generator.fit_resample(X, y)
    error = np.abs(attribute_box(released) - generator.box_) / np.ptp(X, axis=0)[:, None]
    # range/n is 1/3072; the largest of 16 errors stays below ten of them
    assert error.max() < 10 / 3072
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

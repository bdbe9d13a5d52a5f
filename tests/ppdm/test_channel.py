"""A scheme of one's own, with no change to the package."""

import numpy as np
import pytest

from ppdm.attacks import bayes_posterior
from ppdm.channel import Channel
from ppdm.chunks import ReleasedCounts
from ppdm.classifiers import RandomizedResponseNB
from ppdm.privacy import local_epsilon, mutual_information
from ppdm.randomized_response import CategoricalRandomizedResponse
from ppdm.reconstruction import em, invert

# --- the whole scheme: a clock of six hours, told true or an hour or two late, or not at all


class LateClock(Channel):
    """P[0, 1, 2 hours late] = .5, .2, .1; with .2 the provider says nothing (code 6)."""

    def channel_matrix(self, feature=0):
        late = [np.roll(np.eye(6), hours, axis=0) for hours in range(3)]
        told = 0.5 * late[0] + 0.2 * late[1] + 0.1 * late[2]
        return np.vstack([told, np.full(6, 0.2)])

    def disguise(self, X, rng):
        steps = rng.choice(4, size=X.shape, p=[0.5, 0.2, 0.1, 0.2])
        return np.where(steps == 3, 6, (X + steps) % 6)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_a_scheme_of_ones_own():
    """60,000 records; a share's sd is below .005, of two in three in a class .008; five of each."""
    clock, rng = LateClock(), np.random.default_rng(0)
    y = rng.integers(0, 2, 60_000)
    X = np.column_stack([rng.choice(6, 60_000, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1]), y * 3])
    R = clock.disguise(X, rng)
    counts, shares = clock.count(R[:, 0]), np.bincount(X[:, 0]) / 60_000
    np.testing.assert_allclose(invert(clock, counts).proportions, shares, atol=0.025)
    np.testing.assert_allclose(em(clock, counts, stop="tol").probabilities, shares, atol=0.025)
    nb = RandomizedResponseNB(clock).fit(R, y)
    np.testing.assert_allclose(nb.pair_count_[1, 1, 3] / y.sum(), 1, atol=0.04)
    assert nb.predict([[0, 0], [0, 3]]).tolist() == [0, 1]
    assert local_epsilon(clock) == np.inf  # three hours late is impossible
    assert bayes_posterior(clock.channel_matrix(), shares)[6] == pytest.approx(shares)
    assert 0 < mutual_information(clock, shares) < 0.8 * np.log2(6)


# --- one that is no Channel, but has a matrix


class Duck:
    def channel_matrix(self, feature=0):
        return np.array([[0.8, 0.3], [0.2, 0.7]])


def test_a_matrix_behind_a_method_is_enough():
    assert local_epsilon(Duck()) == pytest.approx(np.log(3.5))
    matrix = Duck().channel_matrix()
    inverted = invert(Duck(), [60, 40]).counts
    np.testing.assert_allclose(inverted, invert(matrix, [60, 40]).counts)
    found, same = (em(channel, [60, 40], stop="tol") for channel in (Duck(), matrix))
    np.testing.assert_array_equal(found.probabilities, same.probabilities)
    X, y = [[0, 1], [1, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    ours = RandomizedResponseNB(Duck()).fit(X, y)
    plain = RandomizedResponseNB(matrix).fit(X, y)
    np.testing.assert_allclose(ours.pair_count_, plain.pair_count_)


# --- what a Channel gives by itself


def test_inverse_of_more_released_values_than_true_ones():
    np.testing.assert_allclose(
        LateClock().inverse_matrix() @ LateClock().channel_matrix(), np.eye(6), atol=1e-12
    )


def test_count_for_each_label():
    counts = LateClock().count([[0, 6], [1, 6], [0, 0]], labels=[0, 1, 1], n_labels=3)
    assert counts.shape == (3, 2, 7)
    assert counts[0, 0].tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert counts[1, 1].tolist() == [1, 0, 0, 0, 0, 0, 1]
    assert counts[2].sum() == 0


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("sizes", [[2, 4], [4, 2]])
def test_attributes_of_several_sizes_are_counted_together(sizes):
    scheme = CategoricalRandomizedResponse(sizes, 0.6).fit([[0, 0]])
    reports = np.array([[0, 1], [1, 0], [1, 1]])
    seen = ReleasedCounts.from_chunks(scheme, [reports[:1], reports[:0], reports[1:]])
    assert seen.counts.tolist() == [[1, 2, 0, 0], [1, 2, 0, 0]]
    for j, own in enumerate(sizes):
        assert invert(scheme, seen.counts[j], feature=j).counts.size == own
        shares = em(scheme, seen.counts[j], feature=j).probabilities
        alone = em(scheme, [1, 2] + [0] * (own - 2), feature=j).probabilities
        assert shares == pytest.approx(alone)
    with pytest.raises(ValueError, match=r"shape \(2,\), the last axis along the cells"):
        em(scheme, [1, 1, 1], feature=sizes.index(2))


def test_whole_records_are_no_block_of_one_attribute():
    # flattened, two attributes of n records would be 2n codes
    krr = CategoricalRandomizedResponse(3, epsilon=1.0).fit([[0, 2], [1, 1]])
    with pytest.raises(ValueError, match=r"released must be of one attribute, .* \(codes reads wh"):
        krr.codes_of([[0, 2], [1, 1]])


def test_a_scheme_with_a_parameter_called_noise_is_read_by_names():
    # catches: what the word meant for noise on intervals, taken for any scheme's own
    pd = pytest.importorskip("pandas", reason="the extra ppdm[data]")
    frame = pd.DataFrame({"a": [0, 0, 1], "b": [1, 1, 1]})
    scheme = CategoricalRandomizedResponse([2, 2], 0.8).fit(frame)
    scheme.noise = 0.5
    assert scheme.count(frame[["b", "a"]]).tolist() == scheme.count(frame).tolist()

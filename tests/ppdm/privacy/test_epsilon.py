"""Epsilon of a channel: the largest ratio of two truths, and which truths these are."""

from itertools import product
from typing import get_args

import numpy as np
import pytest

from ppdm.channel._opening import as_channel
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
    unrelated_question,
)
from ppdm.randomized_response._coins import coin_matrix
from ppdm.typing import Changes

# ------------------------------------------------------- every epsilon, from the whole channel


def all_rows(sizes):
    return np.array(list(product(*map(range, sizes))))


def coins(groups, theta=0.7):
    return RandomizedResponse(theta, groups).fit([[0, 1, 1]])


SCHEMES = {
    "one coin for three": (coins(None), [2] * 3, [2] * 3),
    "a coin for two, one for one": (coins([[0, 2], [1]]), [2] * 3, [2] * 3),
    "a coin each": (coins([[0], [1], [2]]), [2] * 3, [2] * 3),
    "a coin that says nothing": (coins([[0], [1], [2]], 0.5), [2] * 3, [2] * 3),
    "codes": (CategoricalRandomizedResponse([2, 3], 0.6).fit([[1, 2]]), [2, 3], [2, 3]),
    "unrelated question": (unrelated_question(0.6, [0.2, 0.3, 0.5]).fit([[0, 2]]), [3, 3], [3, 3]),
    "unary": (UnaryEncoding([2, 3], 1.1).fit([[1, 2]]), [2, 3], [2] * 5),
    "a matrix that can be zero": ([[0.5, 0.2], [0.5, 0.3], [0, 0.5]], [2, 2], [3, 3]),
    "matrices": ([np.eye(2) * 0.6 + 0.2, np.full((2, 3), 0.5)], [2, 3], [2, 2]),
}


@pytest.mark.parametrize(("scheme", "true", "said"), SCHEMES.values(), ids=SCHEMES)
def test_every_epsilon_is_the_largest_ratio_over_the_whole_channel(scheme, true, said):
    """P[release | record] of all releases under all records; pairs that differ in what may."""
    records = all_rows(true)
    channel = as_channel(scheme, len(true))
    whole = np.exp(channel.log_likelihood(all_rows(said), records))  # (releases, records)
    np.testing.assert_allclose(whole.sum(axis=0), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.nanmax(np.log(whole[:, :, None] / whole[:, None, :]), axis=0)
    differ = records[:, None] != records[None]  # (records, records, attributes)
    groups = getattr(scheme, "groups", None) or [[j] for j in range(len(true))]
    if isinstance(scheme, RandomizedResponse) and scheme.groups is None:
        groups = [range(3)]
    in_one_group = [
        ~np.delete(differ, list(group), axis=2).any(axis=2) for group in map(list, groups)
    ]
    literal = {
        "record": ratio.max(),
        "attribute": ratio[differ.sum(axis=2) <= 1].max(),
        "group": max(ratio[pairs].max() for pairs in in_one_group),
    }
    for changes, expected in literal.items():
        assert local_epsilon(channel, changes=changes) == pytest.approx(expected, abs=1e-9), changes
    assert local_epsilon(channel) == local_epsilon(channel, changes="record")


#: Noise on numbers from 20 to 80, and its largest log ratio; a member is a line.
NUMBERS = {
    "gaussian": (AdditiveNoise("gaussian", scale=30.0), np.inf),
    "uniform": (AdditiveNoise("uniform", domain=[[20, 80]]), np.inf),
    "laplace, from edge to edge": (AdditiveNoise("laplace", scale=15.0), 4),
    "laplace in a domain": (AdditiveNoise("laplace", domain=[[20, 80]]), 2 * np.log(20)),
    "laplace of an epsilon": (AdditiveNoise("laplace", domain=[[20, 80]], epsilon=1.5), 1.5),
    "laplace, a learnt domain": (AdditiveNoise("laplace", epsilon=1.5).fit([[20], [80]]), 1.5),
    "square wave": (SquareWave(1.2, domain=[[20, 80]]), 1.2),
    "piecewise": (Piecewise(1.2, domain=[[20, 80]]), 1.2),
    "classes": (ValueClassMembership(2, domain=[[20, 80]]), np.inf),
}


@pytest.mark.parametrize(("noise", "epsilon"), NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("m", [2, 10])
def test_noise_on_intervals_promises_what_it_does_on_numbers(noise, epsilon, m):
    """An interval averages its truths, so its matrix tells less than the number's owner risks."""
    channel = noise.on(np.linspace(20, 80, m + 1))
    said = [local_epsilon(channel, changes=changes) for changes in get_args(Changes)]
    said += [channel.record_epsilon()]
    if hasattr(channel, "fit"):  # classes are no channel of a mixed record
        mixed = MixedResponse([channel, channel], asked=1).fit([[20.0, 80.0]] * 2)
        said += [mixed.record_epsilon(), local_epsilon(mixed, changes="attribute")]
    assert said == pytest.approx([epsilon] * len(said), abs=1e-12)
    of_matrix = local_epsilon(channel.channel_matrix())
    assert of_matrix <= epsilon + 1e-9
    if hasattr(noise, "log_likelihood"):
        law = noise.log_likelihood(np.linspace(-200, 300, 501)[:, None], np.arange(20, 81)[:, None])
        with np.errstate(invalid="ignore"):
            ratio = np.nanmax(law.max(axis=1) - law.min(axis=1))
        assert min(said) >= ratio - 1e-12
        assert ratio >= of_matrix - 1e-9


@pytest.mark.parametrize("edges", [[40, 50, 60], [0, 50, 100]])
@pytest.mark.parametrize(
    "name", [name for name in NUMBERS if "laplace" in name and "edge" not in name]
)
def test_a_domain_and_not_the_intervals_says_how_far_numbers_differ(name, edges):
    """Of a domain that was learnt, too: of narrower intervals the promise would be too small."""
    noise, epsilon = NUMBERS[name]
    assert local_epsilon(noise.on(edges)) == pytest.approx(epsilon)


@pytest.mark.parametrize("n_groups", [1, 2, 4, 16])
def test_own_bit_stays_while_the_record_goes_from_infinite_to_sixteen_bits(n_groups):
    groups = [part.tolist() for part in np.array_split(np.arange(16), n_groups)]
    scheme = RandomizedResponse(0.7, groups).fit(np.zeros((1, 16)))
    assert local_epsilon(scheme, changes="bit") == pytest.approx(0.847298, abs=5e-7)
    record = 16 * np.log(7 / 3) if n_groups == 16 else np.inf
    assert local_epsilon(scheme) == pytest.approx(record)
    assert local_epsilon(scheme, changes="attribute") == pytest.approx(record / 16)


def test_one_released_bit_of_a_unary_encoding_says_less_than_its_vector():
    """At epsilon 1 a bit is 1 with probability 1/2 or q; the vector's ratio is (1 - q) / q."""
    unary = UnaryEncoding(5, 1.0).fit([[0, 1]])
    q = 1 / (np.e + 1)
    assert local_epsilon(unary, changes="bit") == pytest.approx(np.log(0.5 / q))
    assert local_epsilon(unary, changes="attribute") == pytest.approx(1)
    assert local_epsilon(unary) == pytest.approx(2)


# ------------------------------------------------------------------------------- properties


@pytest.mark.parametrize("n_bits", [2, 3, 4])
def test_two_bits_stand_for_the_whole_group(n_bits):
    """record_channels shows two bits of a larger group; the whole group says no more."""
    scheme = RandomizedResponse(0.6).fit(np.zeros((1, n_bits)))
    whole = coin_matrix(0.6, n_bits)
    assert local_epsilon(whole) == local_epsilon(scheme) == local_epsilon(*scheme.record_channels())


def test_one_that_only_knows_its_matrix_is_one_part():
    class Duck:
        def channel_matrix(self, feature=0):
            return [[0.7, 0.3], [0.3, 0.7]]

    assert local_epsilon(Duck()) == pytest.approx(np.log(7 / 3))
    assert local_epsilon(Duck(), Duck()) == pytest.approx(2 * np.log(7 / 3))


def test_known_values():
    assert local_epsilon(RandomizedResponse(0.5).channel_matrix()) == 0
    assert local_epsilon(np.full((3, 3), 1 / 3)) == 0
    assert local_epsilon(np.eye(2)) == np.inf
    # the unrelated question at 1/2 is not at zero privacy loss: yes is .542 against .042
    channel = unrelated_question(0.5, 1 / 12).channel_matrix()
    assert local_epsilon(channel) == pytest.approx(np.log(13))


def test_a_value_that_nobody_releases_says_nothing():
    assert local_epsilon([[0.6, 0.4], [0.4, 0.6], [0, 0]]) == pytest.approx(np.log(1.5))


def test_no_channel_is_refused():
    with pytest.raises(ValueError, match="at least one channel"):
        local_epsilon()

"""What a guidance reads: bits of leverage one, and answers read in less open ways."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuples import VOTES, orthonormal, random_tuples, votes

from ppdm.guidance import (
    Guidance,
    answers_read,
    bit_probabilities,
    certain_bits,
    one_hot,
    perturb,
)


@pytest.fixture(scope="module", name="votes")
def votes_of_1984():
    return votes()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 8), min_size=1, max_size=4, unique=True))
def test_certain_bits_see_through_a_rotation(seed, chosen):
    turn = orthonormal(seed, len(chosen), len(chosen))
    V = np.eye(9)[:, chosen] @ turn
    assert certain_bits(V).tolist() == sorted(chosen)
    T, _ = random_tuples(seed)
    R = perturb(T, V, random_state=seed)
    np.testing.assert_array_equal(R[:, sorted(chosen)], T[:, sorted(chosen)])


def test_a_guidance_from_data_reads_no_bit_with_certainty(votes):
    V = Guidance(32).update(*votes).vectors(9)
    assert certain_bits(V).size == 0
    assert certain_bits(np.eye(32)).size == 32


def literal_answers_read(V, n_values, certainty):
    """Ask every tuple that there is what each of its bits is going to be."""
    X = np.array(list(itertools.product(*(range(size) for size in n_values))))
    T = one_hot(X, n_values)
    P = bit_probabilities(T, V)
    surely = certainty <= P
    hardly = 1 - certainty >= P
    read = []
    for value in range(T.shape[1]):
        has = T[:, value] == 1
        if ((surely[has].all(axis=0) & hardly[~has].all(axis=0))
                | (hardly[has].all(axis=0) & surely[~has].all(axis=0))).any():
            read.append(value)
    return read


def questionable(n_values):
    """Guidances that read something, openly or not, and some that do not."""
    rng = np.random.default_rng(5)
    n = sum(n_values)
    flat = np.full((n, 1), n**-0.5)
    first = np.eye(n)[:, :1] - np.eye(n)[:, 1:2]
    turned = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    hidden = np.hstack([first / np.sqrt(2), flat])
    against = np.hstack([first / np.sqrt(2), np.where(np.arange(n) < 2, -1, 1)[:, None] * flat])
    learnt = Guidance(n).update(
        one_hot(rng.integers(0, n_values, (40, len(n_values))), n_values), rng.integers(0, 2, 40)
    )
    yield from (hidden, hidden @ turned, against, np.eye(n)[:, [n - 1]], np.eye(n))
    yield from (np.sqrt(0.97) * np.eye(n)[:, [1]] + np.sqrt(0.03) * np.eye(n)[:, [n - 1]],)
    yield from (learnt.vectors(k) for k in range(1, n + 1))


@pytest.mark.parametrize("n_values", [[2, 2], [2, 2, 2], [3, 2, 2], [2, 4]])
@pytest.mark.parametrize("certainty", [0.6, 0.9, 0.999])
def test_answers_read_are_those_that_every_tuple_betrays(n_values, certainty):
    found = [answers_read(V, n_values, certainty).tolist() for V in questionable(n_values)]
    wanted = [literal_answers_read(V, n_values, certainty) for V in questionable(n_values)]
    assert found == wanted
    assert [] in found
    assert any(found)


def test_hidden_question_is_seen_where_leverages_are_low():
    # the difference of a vote's two bits and the sum of all: every vote read, leverage 17/32
    V = np.zeros((32, 2))
    V[[6, 7], 0] = np.sqrt([0.5, 0.5]) * [1, -1]
    V[:, 1] = 32**-0.5
    assert certain_bits(V, 0.4).size == 0
    assert answers_read(V, [2] * 16).tolist() == [6, 7]


def test_honest_guidance_of_the_votes_reads_no_single_answer(votes):
    truth = Guidance(32).update(*votes)
    assert [len(answers_read(truth.vectors(k), VOTES)) for k in (1, 2, 8)] == [0, 0, 0]
    # records have rank 17: so many directions read them whole
    assert len(answers_read(truth.vectors(17), [2] * 16)) == 32


@pytest.mark.parametrize(("V", "certainty", "message"), [
    (np.eye(5), 0.9, "V must have 4 rows, the sum of n_values, got 5"),
    (np.ones((4, 1)), 0.9, "orthonormal"),
    (np.eye(4), 0.5, "certainty must be"),
    (np.eye(4), 1.1, "certainty must be"),
])
def test_bad_arguments_of_answers_read(V, certainty, message):
    with pytest.raises(ValueError, match=message):
        answers_read(V, [2, 2], certainty)

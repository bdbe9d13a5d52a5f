"""The degree of disclosure: three definitions, exact and sampled, and Theorem 5.2."""

import itertools
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from tuples import orthonormal, random_tuples, votes

from ppdm.guidance import Guidance, bit_probabilities, one_hot
from ppdm.guidance._perturbation import bit_groups
from ppdm.privacy import attribute_disclosure, degree_of_disclosure, disclosure_bound

N_VALUES = (2, 3)


def tuples(seed, n=12, n_values=N_VALUES):
    return random_tuples(seed, n, n_values)


def channel(seed, T, k=2):
    return bit_probabilities(T, orthonormal(seed, T.shape[1], k))


def entropy(p):
    p = np.asarray(p, dtype=float).ravel()
    return -sum(x * np.log2(x) for x in p if x > 0)


def literal(secrets, P, n_draws=1):
    """I(secret; draws) and H(secret), by listing every secret and every sequence of draws."""
    values = sorted(set(secrets))
    outcomes = list(itertools.product((0, 1), repeat=P.shape[1] * n_draws))
    joint = np.zeros((len(values), len(outcomes)))
    for secret, p in zip(secrets, P, strict=True):
        chances = np.tile(p, n_draws)
        for o, outcome in enumerate(outcomes):
            joint[values.index(secret), o] += np.prod(
                [c if bit else 1 - c for c, bit in zip(chances, outcome, strict=True)]
            ) / len(P)
    told = entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint)
    return told, entropy(joint.sum(axis=1))


def given_class(secrets, P, y, n_draws=1):
    parts = [
        (np.mean(y == c), *literal([s for s, d in zip(secrets, y, strict=True) if d == c],
                                   P[y == c], n_draws))
        for c in np.unique(y)
    ]
    return sum(w * told for w, told, _ in parts), sum(w * most for w, _, most in parts)


# --- the joint measure ------------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([1, 2]), st.booleans())
def test_joint_disclosure_is_the_literal_one(seed, n_draws, with_class):
    T, y = tuples(seed)
    P = channel(seed, T)
    secrets = [tuple(t) for t in T.tolist()]
    if with_class:
        told, most = given_class(secrets, P, y, n_draws)
    else:
        told, most = literal(secrets, P, n_draws)
    found = degree_of_disclosure(T, P, y=y if with_class else None, n_draws=n_draws)
    assert found.exact
    assert found.standard_error == 0
    assert found.information == pytest.approx(told, abs=1e-9)
    assert found.entropy == pytest.approx(most, abs=1e-12)
    assert found.degree == pytest.approx(told / most, abs=1e-9)


@pytest.mark.parametrize("with_class", [False, True])
@pytest.mark.parametrize("n_draws", [1, 5])
def test_sampling_is_unbiased_and_its_error_is_honest(n_draws, with_class):
    # mean over 100 seeds against the exact value: its sd is se / sqrt(100); four of them.
    # The spread over the seeds is the announced error: the ratio of a sample sd of 100 to
    # the true one has sd 1 / sqrt(200) = .07; four of them
    T, y = tuples(1, n=60, n_values=(3, 3))
    P = channel(2, T, k=3)
    options = {"y": y if with_class else None, "n_draws": n_draws}
    exact = degree_of_disclosure(T, P, **options)
    drawn = [
        degree_of_disclosure(T, P, max_cells=0, n_samples=400, random_state=s, **options)
        for s in range(100)
    ]
    degrees, errors = [d.degree for d in drawn], [d.standard_error for d in drawn]
    assert exact.exact
    assert not any(d.exact for d in drawn)
    assert np.mean(degrees) == pytest.approx(exact.degree, abs=4 * np.mean(errors) / 10)
    assert np.std(degrees, ddof=1) / np.mean(errors) == pytest.approx(1, abs=0.28)


def test_everything_and_nothing():
    T, _ = tuples(3, n=50)
    assert degree_of_disclosure(T, T).degree == 1
    assert degree_of_disclosure(T, np.full((50, 5), 0.3)).degree == 0
    assert degree_of_disclosure(T, np.full((50, 40), 0.3)).exact  # silent bits are not listed


def test_bits_that_are_read_disclose_their_own_entropy():
    T, _ = votes()
    read = np.zeros((32, 5))
    read[[0, 4, 9, 14, 22], range(5)] = 1
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    _, counts = np.unique(T[:, [0, 4, 9, 14, 22]], axis=0, return_counts=True)
    for V in (read, read @ turn):  # turned, the probabilities are 0 and 1 but for rounding
        found = degree_of_disclosure(T, bit_probabilities(T, V), max_cells=0)
        assert found.exact
        assert found.information == pytest.approx(entropy(counts / 435), abs=1e-9)


def test_certain_and_random_bits_together():
    # one attribute read, the other through a noisy bit: exact by parts, against the literal
    T, _ = tuples(4, n=30)
    P = np.column_stack([T[:, 0], 0.2 + 0.5 * T[:, 2], 0.9 - 0.3 * T[:, 4]]).astype(float)
    told, most = literal([tuple(t) for t in T.tolist()], P)
    found = degree_of_disclosure(T, P)
    assert found.exact
    assert found.degree == pytest.approx(told / most, abs=1e-9)
    drawn = degree_of_disclosure(T, P, max_cells=0, n_samples=20_000, random_state=0)
    assert drawn.degree == pytest.approx(told / most, abs=4 * drawn.standard_error)


def test_twenty_draws_of_the_votes_double_what_one_tells():
    # magnitude order, k* = 2; standard errors of the degrees are .001
    T, y = votes()
    P = bit_probabilities(T, Guidance(32).update(T, y).vectors(2))
    one, twenty = (degree_of_disclosure(T, P, n_draws=m, random_state=0).degree for m in (1, 20))
    assert one == pytest.approx(0.267, abs=0.01)
    assert 1.9 < twenty / one < 2.4


# --- attribute by attribute -------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.booleans())
def test_attribute_disclosure_is_the_literal_one(seed, with_class):
    T, y = tuples(seed, n=20)
    T[:4] = one_hot([[0, 0], [1, 1], [0, 2], [1, 0]], N_VALUES)
    y[:4] = [0, 0, 1, 1]
    P = channel(seed, T)
    found = attribute_disclosure(T, P, N_VALUES, y=y if with_class else None)
    for group, part in zip(bit_groups(N_VALUES), found, strict=True):
        secrets, seen = T[:, group].argmax(axis=1).tolist(), P[:, group]
        told, most = given_class(secrets, seen, y) if with_class else literal(secrets, seen)
        assert part.information == pytest.approx(told, abs=1e-9)
        assert part.entropy == pytest.approx(most, abs=1e-12)
        assert part.exact


def test_a_single_attribute_is_the_tuple():
    T, _ = tuples(7, n=50, n_values=(4,))
    P = channel(7, T)
    (part,) = attribute_disclosure(T, P, (4,))
    whole = degree_of_disclosure(T, P)
    np.testing.assert_allclose(astuple(part), astuple(whole), atol=1e-12)


# --- Theorem 5.2 ------------------------------------------------------------------------


def test_bound_on_the_votes():
    # the 392 coins: sd over seeds is at most .0015
    found = [disclosure_bound(votes()[0], k) for k in (1, 2, 9, 17)]
    np.testing.assert_allclose(found, [0.518, 0.735, 0.917, 1.0], atol=0.005)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_bound_is_the_share_of_the_squares(seed, k):
    T, _ = tuples(seed)
    values = np.linalg.eigvalsh(T.T.astype(float) @ T)[::-1]
    assert disclosure_bound(T, k) == pytest.approx(values[:k].sum() / (12 * 2), abs=1e-9)


@pytest.mark.parametrize("n_attributes", [1, 2, 6])
def test_the_theorem_fails_for_identical_bits(n_attributes):
    T = np.tile(np.eye(2, dtype=int), n_attributes)
    V = np.eye(2 * n_attributes)[:, :1]
    assert degree_of_disclosure(T, bit_probabilities(T, V)).degree == pytest.approx(1, abs=1e-12)
    assert disclosure_bound(T, 1) == pytest.approx(0.5)


# --- refusals ---------------------------------------------------------------------------

T2 = np.array([[1, 0, 1, 0], [0, 1, 0, 1]])
P2 = np.full((2, 4), 0.5)


test_what_cannot_be_measured_is_refused = refusals(
    (degree_of_disclosure, (T2[[0, 0]], [[0.1], [0.2]]), "differ by 0 for equal tuples"),
    (degree_of_disclosure, (T2[[0, 0]], P2), "T must hold values that differ"),
    (attribute_disclosure, (T2 * 0 + 1, P2, [2, 2]), r"T must .* attribute set, got 2 at \(0, 0\)"),
    (attribute_disclosure, (T2[[0, 0]], P2, [2, 2]), "attribute 0 must hold values that differ"),
    (disclosure_bound, ([[1, 0], [1, 1]], 1), "T must have the same number of ones in every"),
    (disclosure_bound, (T2 * 0, 1), "T must have the same number of ones"),
    by=lambda function, arguments: function(*arguments),
)  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 7, 50])
def test_how_much_is_worked_on_at_a_time_makes_no_difference(chunk, monkeypatch):
    rng = np.random.default_rng(0)
    T = one_hot(rng.integers(0, [3, 2], (40, 2)), [3, 2])
    P = rng.random(T.shape)[T @ [0, 1, 2, 0, 3]]
    whole = attribute_disclosure(T, P, [3, 2])
    monkeypatch.setattr("ppdm.privacy._information._CHUNK", chunk)
    again = attribute_disclosure(T, P, [3, 2])
    drawn = attribute_disclosure(T, P, [3, 2], max_cells=0, n_samples=4_000, random_state=0)
    for one, same, near in zip(whole, again, drawn, strict=True):
        assert same.degree == pytest.approx(one.degree)
        assert near.degree == pytest.approx(one.degree, abs=4 * near.standard_error)

"""What a guidance reads: the shares, the draws, and how near the best guess they are."""

import numpy as np
import pytest
from hidden_tilts import contrast, honest, many, one_column, orthonormal, turned
from literal.reading import answers_read as literal_answers_read
from literal.reading import best_guess
from tuples import VOTES
from tuples import votes as votes_of_1984

from ppdm.guidance import Guidance, answers_read, one_hot


@pytest.mark.parametrize("n_values", [[2, 2, 2], [3, 2, 4]])
@pytest.mark.parametrize("near", [False, True])
def test_shares_are_those_of_the_loops(n_values, near):
    n = sum(n_values)
    for seed in range(4):
        V = orthonormal(np.random.default_rng(seed).normal(size=(n, 1 + seed)))
        record = one_hot([[1, 0, 1]], n_values)[0] if near else None
        found = answers_read(V, n_values, record=record, n_draws=70, random_state=seed)
        wanted = literal_answers_read(V, n_values, record, 70, np.random.default_rng(seed))
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def attacks(n_values, rng):
    for strength in (1.0, 0.7, 0.4, 0.2):
        for tilt in (0.0, 0.2, 0.8):
            yield one_column(n_values, 0, tilt=tilt, strength=strength, rng=rng)
    for m in (2, 3):
        yield many(n_values, range(m), rng=rng)
        yield turned(n_values, range(m), rng=rng)


def test_no_guess_reads_the_most_disclosed_answer_much_better():
    # all records and all R(t) of seven votes; naive Bayes is at most so much below the best guess
    rng = np.random.default_rng(1)
    n_values = [2] * 7
    short = []
    for V in [*attacks(n_values, rng), *(honest(n_values, k, rng) for k in (1, 2, 3, 4))]:
        best, found = best_guess(V, n_values), answers_read(V, n_values, random_state=rng)
        # the standard error of a share of 8,000 draws is below .006: five of them
        assert (found < best + 0.03).all()
        assert (found > best - 0.08).all()
        short.append(best.max() - found[best.argmax()])
    # naive Bayes itself loses .025 at most (200,000 draws on 25 sets); four errors on top
    assert max(short) < 0.025 + 4 * 0.006
    assert abs(np.mean(short)) < 0.005


def test_what_is_the_same_for_everybody_reads_nothing():
    n_values = [2, 3, 4, 6]
    sums = np.repeat(np.eye(4) / np.sqrt(n_values), n_values, axis=0)
    share = answers_read(sums, n_values, random_state=0)
    # four standard errors of the rarest of 15 answers: a sixth of 8,000 records
    assert np.abs(share - 0.5).max() < 4 * 0.5 / np.sqrt(8_000 / 6)


def test_identity_columns_read_theirs_and_a_full_basis_all():
    V = np.eye(10)[:, [2, 7]]
    share = answers_read(V, [2] * 5, random_state=0)
    assert (share[[2, 3, 6, 7]] == 1).all()
    assert share[[0, 1, 4, 5, 8, 9]].max() < 0.53
    assert (answers_read(np.eye(10), [2, 3, 5], random_state=0) == 1).all()


@pytest.mark.parametrize("vote", [0, 3, 7, 15])
def test_one_column_reads_a_vote_that_no_certainty_shows(vote):
    # the two bits of the vote are .88 or nothing, each; together with the rest .993
    V = one_column(VOTES, vote, tilt=0.1, rng=np.random.default_rng(vote))
    assert (V**2).sum(axis=1).max() < 0.9
    share = answers_read(V, VOTES, random_state=0)
    assert share[2 * vote] > 0.98
    assert np.delete(share, [2 * vote, 2 * vote + 1]).max() < 0.6


def test_a_tilt_along_a_record_reads_those_who_answer_alike():
    rng = np.random.default_rng(2)
    votes = rng.integers(0, 2, 16)
    record, other = one_hot([votes, votes ^ (np.arange(16) % 2)], VOTES)  # half of them alike
    V = one_column(VOTES, 5, tilt=0, record=record, rng=rng)
    of_all, of_them, of_others = (
        answers_read(V, VOTES, record=one, random_state=0)[10] for one in (None, record, other)
    )
    assert of_all < 0.55
    assert of_them > 0.77
    assert of_others < 0.65


def test_the_two_of_a_pair_may_be_compared_and_neither_is_read():
    # what the measure does not see: whether two votes are alike
    V = (contrast(VOTES, 0) + contrast(VOTES, 1))[:, None] / 2
    assert answers_read(V, VOTES, random_state=0).max() < 0.55


def test_honest_guidance_of_the_votes_reads_little_at_its_level():
    truth = Guidance(32).update(*votes_of_1984())
    most = [answers_read(truth.vectors(k), VOTES, random_state=0).max() for k in (1, 2, 8, 17)]
    # 20,000 draws and sixty fillings of the missing votes: these means; the fillings spread by
    # .0035, .0031 and .0138, and a share of 8,000 draws by .006
    spread = np.hypot([0.0035, 0.0031, 0.0138], 0.006)
    assert (np.abs(np.array(most[:3]) - [0.631, 0.650, 0.923]) < 4.5 * spread).all()
    assert most[3] == 1  # records have rank 17: so many directions read them whole


def test_more_draws_for_many_values():
    # 40 values: 40,000 records, so that each answer is given by a thousand (or by half of half)
    V = np.eye(42)[:, [41]]
    share = answers_read(V, [40, 2], random_state=0)
    assert np.abs(share[:40] - 0.5).max() < 4 * 0.5 / np.sqrt(1_000)
    assert (share[40:] == 1).all()


def test_a_record_has_one_value_of_each_attribute():
    with pytest.raises(ValueError, match=r"one bit of each attribute set, got 2 at \(0, 1\)"):
        answers_read(np.eye(4), [2, 2], record=[1, 0, 1, 1])

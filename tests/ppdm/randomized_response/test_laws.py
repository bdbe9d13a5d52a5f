"""The laws of every scheme of codes: a new one is tested by a line in ``SCHEMES`` and ``LITERAL``.

Each law is compared with a second definition, report by report, that shares no line with the
package; what is particular to one scheme stands at the end.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from literal.asked import kary, of_bits
from refusals import refusals
from scipy.linalg import hadamard

from ppdm.classifiers import RandomizedResponseNB
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    RandomizedResponse,
    UnaryEncoding,
    unrelated_question,
)
from ppdm.reconstruction import em, estimate_frequencies, invert

pytestmark = pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
Categorical = CategoricalRandomizedResponse
SKEWED = np.array([[0.5, 0.0, 0.1], [0.3, 1.0, 0.2], [0.2, 0.0, 0.7]])
SCHEMES = {
    "k-ary": lambda k, epsilon: Categorical(k, epsilon=epsilon),
    "a matrix": lambda k, epsilon: Categorical(
        channel=[LITERAL["k-ary"](one, epsilon) for one in np.atleast_1d(k)]
    ),
    "unary": UnaryEncoding,
    "symmetric": lambda k, epsilon: UnaryEncoding(k, epsilon, symmetric=True),
    "Hadamard": HadamardResponse,
}
PURE = [name for name in SCHEMES if name != "a matrix"]


def columns(k, epsilon):
    order = 1 << k.bit_length()
    signs = hadamard(order)[1 : k + 1].T
    return np.where(signs > 0, np.exp(epsilon), 1) / (np.exp(epsilon) + 1) * 2 / order


#: P[released | true] by definition, (S, k).
LITERAL = {
    "k-ary": kary,
    "a matrix": kary,
    "unary": lambda k, epsilon: of_bits(k, 0.5, 1 / (np.exp(epsilon) + 1)),
    "symmetric": lambda k, epsilon: of_bits(
        k, 1 / (1 + np.exp(-epsilon / 2)), 1 / (1 + np.exp(epsilon / 2))
    ),
    "Hadamard": columns,
}


# ---- of every scheme


@pytest.mark.parametrize("name", SCHEMES)
@given(k=st.integers(2, 9), epsilon=st.floats(0.05, 12))
@example(k=7, epsilon=0.1)
@example(k=8, epsilon=1.0)
def test_the_matrix_its_inverse_and_its_epsilon_are_the_literal_ones(name, k, epsilon):
    literal = LITERAL[name](k, epsilon)
    scheme = SCHEMES[name]([k, 2], epsilon).fit([[0, 1]])
    np.testing.assert_allclose(scheme.channel_matrix(), literal, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(scheme.inverse_matrix() @ literal, np.eye(k), atol=1e-8)
    np.testing.assert_allclose(scheme.channel_matrix(1), LITERAL[name](2, epsilon), rtol=1e-9)
    ratio = np.log(literal.max(axis=1) / literal.min(axis=1)).max()
    assert ratio == pytest.approx(epsilon, abs=1e-9)
    assert local_epsilon(scheme) == pytest.approx(2 * epsilon, abs=1e-9)
    assert local_epsilon(scheme, changes="attribute") == pytest.approx(epsilon, abs=1e-9)
    assert scheme.n_released() == len(literal)


@pytest.mark.parametrize("name", SCHEMES)
def test_it_draws_its_matrix_and_attributes_apart(name):
    """Of 60,000 reports of two attributes together: 5 standard errors of each cell."""
    n, sizes = 60_000, [3, 5]
    scheme = SCHEMES[name](sizes, 1.5).set_params(random_state=2)
    for truth in ([0, 4], [2, 1], [1, 0]):
        codes = scheme.codes(scheme.fit_transform(np.tile(truth, (n, 1))))
        laws = [LITERAL[name](k, 1.5)[:, v] for k, v in zip(sizes, truth, strict=True)]
        joint = np.zeros(tuple(map(len, laws)))
        np.add.at(joint, tuple(codes.T), 1 / n)
        law = np.outer(*laws)
        assert (abs(joint - law) <= 5 * np.sqrt(law / n) + 1 / n).all()
        assert (joint[law == 0] == 0).all()


@pytest.mark.parametrize("name", SCHEMES)
def test_counting_is_the_matrix_on_counts_and_parts_add_up(name):
    rng = np.random.default_rng(1)
    codes, weight = rng.integers(0, [6, 3], (700, 2)), rng.random(700)
    y = rng.integers(0, 2, 700)
    scheme = SCHEMES[name]([6, 3], 1.0).set_params(random_state=0)
    released = scheme.fit_transform(codes)
    for j in (0, 1):
        tally = np.bincount(scheme.codes(released)[:, j], minlength=scheme.n_released(j))
        by_matrix = scheme.inverse_matrix(j) @ tally
        shares = estimate_frequencies(released, scheme, feature=j).frequencies
        np.testing.assert_allclose(shares, by_matrix / 700)
        if name in PURE:
            own = released[:, scheme.columns_of(j)]
            for weights, n in ((None, 700), (weight, weight.sum())):
                counts = scheme.count_support(own, feature=j, weight=weights)
                law = scheme.support(j)
                some = np.bincount(scheme.codes(released)[:, j], weights, scheme.n_released(j))
                np.testing.assert_allclose(
                    (counts[:, 1] - n * law.q) / (law.p - law.q),
                    scheme.inverse_matrix(j) @ some,
                    atol=1e-8,
                )
                np.testing.assert_allclose(counts.sum(axis=1), n)
    whole = RandomizedResponseNB(scheme).fit(released, y)
    parts = RandomizedResponseNB(scheme).fit(released[:100], y[:100])
    parts.partial_fit(released[100:], y[100:])
    np.testing.assert_allclose(parts.pair_count_, whole.pair_count_, atol=1e-8)
    for c in (0, 1):
        tally = np.bincount(scheme.codes(released[y == c])[:, 0], minlength=scheme.n_released())
        np.testing.assert_allclose(
            whole.pair_count_[0, c], scheme.inverse_matrix() @ tally, atol=1e-8
        )


@pytest.mark.parametrize(
    ("name", "k", "n"),
    [
        ("k-ary", 2000, 20_000),
        ("unary", 400, 4000),
        ("symmetric", 400, 4000),
        ("Hadamard", 100_000, 60_000),
        ("k-ary", 9, 4000),
        ("a matrix", 9, 4000),
    ],
)
def test_estimates_are_unbiased_and_err_as_they_say(name, k, n):
    """Of all values at once: the mean of z squared is one, to 5 of its errors, sqrt(2 / k)."""
    scheme = SCHEMES[name](k, 1.0).set_params(random_state=5)
    codes = np.random.default_rng(4).integers(0, min(5, k), (n, 1))
    true = np.bincount(codes[:, 0], minlength=k) / n
    told = estimate_frequencies(scheme.fit_transform(codes), scheme)
    e = np.e
    p, q = {
        "unary": (1 / 2, 1 / (e + 1)),
        "Hadamard": (e / (e + 1), 1 / 2),
        "symmetric": (e**0.5 / (e**0.5 + 1), 1 / (e**0.5 + 1)),
    }.get(name, (e / (e + k - 1), 1 / (e + k - 1)))
    lies = (true * p * (1 - p) + (1 - true) * q * (1 - q)) / n / (p - q) ** 2  # of these people
    assert abs(np.mean((told.frequencies - true) ** 2 / lies) - 1) < 5 * np.sqrt(2 / k) + 0.01
    said = told.standard_errors**2 / (lies + true * (1 - true) / n)
    assert np.mean(said) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("name", PURE)
def test_many_values_need_no_matrix(name, allocated):
    k, n = 6000, 3000
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = np.stack([y * 5000 + rng.integers(0, 2, n), rng.integers(0, 3, n)], axis=1)
    scheme = SCHEMES[name]([k, 3], 3.0 if name != "k-ary" else 9.0).set_params(random_state=1)
    R = scheme.fit_transform(X)
    held = []
    size = allocated(lambda: held.append(RandomizedResponseNB(scheme, smoothing=1.0).fit(R, y)))
    assert size < 8 * R.nbytes + 3e6  # a matrix would be 288 MB
    assert (held[0].predict(X) == y).mean() > 0.9
    assert scheme.record_epsilon() == pytest.approx(2 * scheme.get_params()["epsilon"])
    assert estimate_frequencies(R, scheme, feature=0).interval().shape == (k, 2)
    np.testing.assert_allclose(scheme.record_channels()[0].sum(axis=0), 1)
    for refused in (scheme.channel_matrix, scheme.inverse_matrix):
        with pytest.raises(ValueError, match="n_values must be at most"):
            refused(0)


@pytest.mark.parametrize("name", SCHEMES)
def test_an_int_repeats_a_generator_goes_on_and_what_is_handed_out_is_a_copy(name):
    X = np.zeros((200, 2), dtype=int)
    scheme = SCHEMES[name]([3, 4], 1.0).set_params(random_state=7).fit(X)
    np.testing.assert_array_equal(scheme.transform(X), scheme.transform(X))
    scheme.channel_matrix()[:] = 0
    scheme.record_channels()[0][:] = 0
    assert scheme.channel_matrix().sum() == pytest.approx(3)
    scheme.set_params(random_state=np.random.default_rng(7))
    assert (scheme.transform(X) != scheme.transform(X)).any()


# ---- of k-ary response and matrices


@given(k=st.integers(2, 40), theta=st.floats(0, 1), seed=st.integers(0, 99))
@example(k=5, theta=0.2, seed=0)
@example(k=5, theta=0, seed=0)
@example(k=300, theta=1, seed=0)
def test_theta_keeps_and_the_rest_share_and_the_closed_form_draws_it(k, theta, seed):
    """The same numbers lead to the same reports, below, at and beyond the true value."""
    form = Categorical(k, theta, random_state=seed)
    matrix = form.channel_matrix()
    literal = np.where(np.eye(k) == 1, theta, (1 - theta) / (k - 1))
    np.testing.assert_allclose(matrix, literal, rtol=1e-9, atol=1e-15)
    truth = np.arange(40 * k)[:, np.newaxis] % k
    given_ = Categorical(channel=matrix, random_state=seed)
    np.testing.assert_array_equal(form.fit_transform(truth), given_.fit_transform(truth))
    if abs(theta - 1 / k) > 1e-3:
        np.testing.assert_allclose(form.inverse_matrix() @ literal, np.eye(k), atol=1e-9)


@pytest.mark.parametrize("matrix", [SKEWED, np.eye(3), np.roll(np.eye(3), 1, axis=0)])
def test_any_matrix_is_drawn(matrix):
    """20,000 draws a column: a share has sd below .0036; five of them. Zeros stay zeros."""
    truth = np.repeat([0, 1, 2], 20_000)[:, np.newaxis]
    released = Categorical(channel=matrix, random_state=1).fit_transform(truth).reshape(3, -1)
    shares = np.array([np.bincount(row, minlength=3) for row in released]).T / 20_000
    np.testing.assert_allclose(shares, matrix, atol=5 * 0.0036)
    assert (shares[matrix == 0] == 0).all()


@given(
    theta=st.floats(0.05, 1),
    prevalence=st.floats(0, 1),
    n=st.integers(2, 90),
    yes=st.integers(0, 90),
)
def test_unrelated_question_is_greenbergs_with_its_error(theta, prevalence, n, yes):
    share, channel = min(yes, n) / n, unrelated_question(theta, prevalence).channel_matrix()
    np.testing.assert_allclose(
        channel[1], np.array([0, theta]) + (1 - theta) * prevalence, atol=1e-12
    )
    estimate = invert(channel, [n - min(yes, n), min(yes, n)])
    expected = (share - (1 - theta) * prevalence) / theta
    assert estimate.proportions[1] == pytest.approx(expected, abs=1e-9)
    error = np.sqrt(share * (1 - share) / (n - 1)) / theta
    assert estimate.standard_errors[1] / n == pytest.approx(error, abs=1e-9)


def test_an_unrelated_question_of_three_answers():
    shares = [0.2, 0.5, 0.3]
    channel = unrelated_question(0.4, shares).channel_matrix()
    np.testing.assert_allclose(channel, 0.4 * np.eye(3) + 0.6 * np.outer(shares, np.ones(3)))


# ---- of bits


def test_blocks_draw_what_is_drawn_at_once(allocated):
    """Every seed releases what one draw for all bits does, in memory for a block of them."""
    X = np.random.default_rng(0).integers(0, [3, 300], (5000, 2))
    scheme = UnaryEncoding([3, 300], 1.0, random_state=np.random.default_rng(1)).fit(X)
    own = np.zeros((5000, 303), dtype=bool)
    own[np.arange(5000), X[:, 0]] = own[np.arange(5000), 3 + X[:, 1]] = True
    draws = np.random.default_rng(1).random(own.shape)
    released = scheme.transform(X)
    np.testing.assert_array_equal(released, draws < np.where(own, 0.5, 1 / (np.e + 1)))
    assert allocated(lambda: scheme.transform(X)) < 2 * released.nbytes  # draws take 8 of these
    assert scheme.get_feature_names_out()[[0, 3, 302]].tolist() == ["x0_0", "x1_0", "x1_299"]
    assert local_epsilon(scheme.bit_channel()) == pytest.approx(np.log((np.e + 1) / 2))


def test_codes_are_the_bits_read_as_a_number():
    scheme = UnaryEncoding([2, 3], 1.0).fit([[0, 0]])
    assert scheme.codes([[0, 1, 1, 0, 0], [1, 1, 0, 0, 1]]).tolist() == [[1, 4], [3, 1]]
    assert UnaryEncoding(2, 1.0).codes([[0, 1, 1, 0]]).tolist() == [[1, 2]]  # needs no fit
    parts = UnaryEncoding([3, 9], epsilon=1.0).fit([[0, 0]]).record_channels()
    assert [part.shape for part in parts] == [(4, 2)] * 2  # two values stand for all


test_bad_input_is_named = refusals(
    (lambda: Categorical(n_values=3), "either theta or channel or epsilon, got .*None"),
    (lambda: Categorical(theta=0.5, channel=np.eye(3)), "or epsilon, got {'channel': array"),
    (lambda: Categorical(3, channel=np.eye(3)), "n_values goes with theta, not with channel, got"),
    by=lambda make: make().fit([[0]]),
)
test_what_is_asked_in_vain_is_named = refusals(
    (lambda: Categorical(channel=[[0.5, 0.5], [0.5, 0.5]]).inverse_matrix(), "2 linearly indep"),
    (lambda: unrelated_question(0.0, 0.5).inverse_matrix(), "2 linearly independent columns"),
    (lambda: Categorical(3, 0.5).fit([[0, np.nan]]), "X has 1 missing .*a code of their own"),
    (lambda: HadamardResponse(6000, 1.0).fit([[0]]).channel_matrix(), "n_values must be at most"),
    (lambda: UnaryEncoding(100, 1.0).channel_matrix(), "at most 16 .*estimate_frequencies .* 100"),
    (lambda: em(UnaryEncoding(300, 1.0), np.ones(300)), "at most 16"),
)


def test_a_channel_may_be_handed_on():
    scheme = Categorical(channel=RandomizedResponse(0.8)).fit([[0, 1]])
    for part in scheme.record_channels():
        np.testing.assert_array_equal(part, RandomizedResponse(0.8).channel_matrix())

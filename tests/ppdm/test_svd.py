"""BSVD and SSVD: identities, a literal SSVD, the paper's row, each error message."""

import numpy as np
import pytest
from refusals import refusals

from ppdm.datasets import load_pima
from ppdm.privacy import rank_kept, rank_position, value_difference
from ppdm.svd import SparsifiedSVDPerturbation, TruncatedSVDPerturbation


def data(seed=0, shape=(40, 6)):
    return np.random.default_rng(seed).normal(loc=3, size=shape)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_bsvd_is_the_best_approximation_of_rank_k(k):
    X = data()
    released = TruncatedSVDPerturbation(k).fit_transform(X)
    values = np.linalg.svd(X, compute_uv=False)
    assert np.linalg.matrix_rank(released) == k
    # Eckart and Young: the error is what the dropped singular values weigh
    assert np.linalg.norm(X - released) == pytest.approx(np.sqrt((values[k:] ** 2).sum()))


def test_new_records_are_projected_on_the_kept_directions():
    X, new = data(), data(1)
    bsvd = TruncatedSVDPerturbation(3).fit(X)
    v = bsvd.components_.T
    np.testing.assert_allclose(bsvd.transform(new), new @ v @ v.T)
    np.testing.assert_allclose(bsvd.singular_values_, np.linalg.svd(X, compute_uv=False)[:3])
    assert bsvd.threshold_ == 0.0


def test_single_precision_is_decomposed_in_double():
    X = data().astype(np.float32)
    X[:, 5] = X[:, 0] * (1 + 1e-5 * X[:, 1])  # a sixth direction that only doubles see
    for svd in (TruncatedSVDPerturbation(5), SparsifiedSVDPerturbation(5)):
        np.testing.assert_array_equal(svd.fit_transform(X), svd.fit_transform(X.astype(float)))
        assert svd.rank_ == 6
        assert svd.transform(X).dtype == np.float64


def literal_ssvd(X, k, share):
    """Sort the entries, set the smallest to zero one by one, multiply."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    U, s, Vt = U[:, :k].copy(), s[:k], Vt[:k].copy()
    entries = [(abs(M[i]), j, i) for j, M in enumerate((U, Vt)) for i in np.ndindex(M.shape)]
    entries.sort(key=lambda entry: entry[0])
    for _, j, i in entries[: int(share * len(entries))]:
        (U, Vt)[j][i] = 0
    return U @ np.diag(s) @ Vt


@pytest.mark.parametrize("share", [0.0, 0.1, 0.35, 0.6, 0.95])
def test_ssvd_is_the_literal_one(share):
    X = data()
    released = SparsifiedSVDPerturbation(4, share).fit_transform(X)
    np.testing.assert_allclose(released, literal_ssvd(X, 4, share), atol=1e-10)


def test_equal_records_get_equal_releases():
    """Every entry of U stands twice, equal but for rounding: no threshold comes between."""
    X = np.repeat(data(0, (30, 4)), 2, axis=0)[np.random.default_rng(0).permutation(60)]
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    for n_dropped in range(1, 60):
        ssvd = SparsifiedSVDPerturbation(1, n_dropped / 64)
        released = ssvd.fit_transform(X)
        np.testing.assert_allclose(released, released[first][group.ravel()], atol=1e-9)
        zeros = (ssvd.transform(X) == 0).all(axis=1).sum()
        assert zeros == n_dropped - n_dropped % 2


def test_entries_that_differ_by_rounding_count_as_equal():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)], [5.0], [7.0]])
    released = SparsifiedSVDPerturbation(1, 0.25).fit_transform(X)
    np.testing.assert_allclose(released, X)
    released = SparsifiedSVDPerturbation(1, 0.5).fit_transform(X)
    np.testing.assert_allclose(released.ravel(), [0, 0, 5, 7])


def test_a_share_whose_product_is_whole_in_decimals_only():
    # 0.29 * 100 is 28.999999999999996 in floating point: 29 entries are meant
    wide = data(1, (99, 1))
    ssvd = SparsifiedSVDPerturbation(1, 0.29).fit(wide)
    left = np.abs(wide @ ssvd.components_.T / ssvd.singular_values_)
    assert (left < ssvd.threshold_).sum() == 29


def test_a_record_is_released_alike_alone_or_with_others():
    X, new = data(), data(1)
    ssvd = SparsifiedSVDPerturbation(3, 0.4).fit(X)
    together = ssvd.transform(new)
    alone = np.vstack([ssvd.transform(row[None]) for row in new])
    np.testing.assert_allclose(alone, together)
    left = new @ ssvd.components_.T / ssvd.singular_values_
    left[np.abs(left) < ssvd.threshold_] = 0
    right = np.where(np.abs(ssvd.components_) < ssvd.threshold_, 0, ssvd.components_)
    np.testing.assert_allclose(together, left * ssvd.singular_values_ @ right)


def test_the_rows_of_the_paper():
    """Table 1 on Pima: VD, RP, RK of BSVD (k = 6) and SSVD (e = .15), mean of 20 splits."""
    X = load_pima().data
    measures = (value_difference, rank_position, rank_kept)
    # paper; half a unit of its last digit, and 5 standard errors of 20 splits (the
    # standard deviations over splits were measured: .0003, .6, .007; .0009, .9, .004)
    paper = {
        TruncatedSVDPerturbation(6): ([0.01, 48.3, 0.126], [0.005, 0.72, 0.0083]),
        SparsifiedSVDPerturbation(6, 0.15): ([0.03, 56.2, 0.064], [0.006, 1.06, 0.005]),
    }
    for method, (expected, bound) in paper.items():
        rows = []
        for trial in range(20):
            A = X[np.random.default_rng(trial).permutation(768)[:614]]
            rows.append([measure(A, method.fit_transform(A)) for measure in measures])
        assert (np.abs(np.mean(rows, axis=0) - expected) < bound).all()


test_bad_input = refusals(
    (TruncatedSVDPerturbation(2),
     np.outer([1, 2, 3], [1, 2]), r"rank of X, which is 1 for its shape \(3, 2\), got 2"),
    by=lambda estimator, X: estimator.fit(X),
)  # fmt: skip

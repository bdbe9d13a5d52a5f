"""Trees from chunks are the trees from all records at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from trees import cut_up, same_trees

from ppdm.tree import CountTreeClassifier


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    whole=st.booleans(),
    weighted=st.sampled_from([False, True, "signed"]),
    options=st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(["gini", "entropy"]),
            "split": st.sampled_from(["threshold", "multiway"]),
            "n_intervals": st.integers(1, 9),
            "max_depth": st.sampled_from([None, 0, 2]),
            "min_samples_leaf": st.sampled_from([0, 3.0]),
            "min_impurity_decrease": st.sampled_from([0, 0.01]),
            "pruning": st.sampled_from([None, "sliq", "stochastic"]),
        }
    ),
)
def test_any_chunks_give_the_same_tree(seed, whole, weighted, options):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    X = rng.integers(0, 6, (n, 3)) if whole else rng.normal(size=(n, 3))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 1) + 0 + (rng.random(n) < 0.3)]
    data = (X, y)
    if weighted:
        data = (*data, rng.integers(-1 if weighted == "signed" else 0, 4, n))
        data[2][0] = 2 * n  # the total is positive
    at_once = CountTreeClassifier(**options).fit(*data)
    model = CountTreeClassifier(**options).fit_chunks(cut_up(rng, *data))
    assert same_trees(model, at_once)
    assert model.classes_.tolist() == at_once.classes_.tolist()
    assert all(map(np.array_equal, model.edges_, at_once.edges_))
    assert model.n_features_in_ == 3
    if not weighted:  # a value of weight 0 only may have no branch
        np.testing.assert_array_equal(model.predict(X), at_once.predict(X))


def test_a_wide_level_is_counted_in_several_readings(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    at_once = CountTreeClassifier().fit(X, y)
    for entries in (1, 1000):
        monkeypatch.setattr("ppdm.tree._records._MOST_ENTRIES", entries)
        model = CountTreeClassifier().fit_chunks(cut_up(rng, X, y))
        assert same_trees(model, at_once)


def test_a_level_is_read_twice():
    class Source(list):
        readings = 0

        def __iter__(self):
            self.readings += 1
            return super().__iter__()

    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    source = Source(cut_up(rng, X, rng.integers(0, 2, 200)))
    CountTreeClassifier(max_depth=3).fit_chunks(source)
    assert source.readings == 1 + 1 + 2 * 3  # the ranges, the root, the levels


test_chunks_that_a_tree_cannot_take_are_named = refusals(
    ({}, [([[0], [1 << 21]], [0, 1])], "X must hold whole numbers that span at most"),
    ({"n_intervals": None}, [([[0.5], [1.5]], [0, 1])], "n_intervals must be a number where"),
    by=lambda options, chunks: CountTreeClassifier(**options).fit_chunks(chunks),
)  # fmt: skip


@pytest.mark.parametrize("changes", ["classes", "values"])
def test_records_that_change_between_readings_fit_nothing(changes):
    # values alone show a level later: the nodes of the second have other children
    class Source:
        seed = 0

        def __iter__(self):
            self.seed += 1
            rng, fixed = (np.random.default_rng(k) for k in (self.seed, 0))
            X = (rng if changes == "values" else fixed).random((60, 2))
            y = (rng if changes == "classes" else fixed).integers(0, 2, 60)
            return iter([(X, y)])

    model = CountTreeClassifier()
    with pytest.raises(ValueError, match="the same records at each reading"):
        model.fit_chunks(Source())
    assert not hasattr(model, "tree_")

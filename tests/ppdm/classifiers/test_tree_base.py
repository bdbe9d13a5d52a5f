"""What the classifiers around a tree share."""

import numpy as np

from ppdm.classifiers._tree_base import BitTreeWrapper, TreeWrapper
from ppdm.tree import CountTreeClassifier
from ppdm.tree._records import Members, Records

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
Y = np.array(["a", "b", "c", "c"] * 5)


class OnValues(TreeWrapper):
    """A tree of values on a fixed grid, with two of the tree's parameters and one of its own."""

    def __init__(self, width=1.0, *, max_depth=None, pruning=None):
        self.width, self.max_depth, self.pruning = width, max_depth, pruning

    def fit(self, X, y):
        values = self._records(X, reset=True)
        edges = [np.arange(-0.5, 2, self.width)] * values.shape[1]
        self.classes_, label = np.unique(y, return_inverse=True)
        codes = np.rint(values).astype(np.int32).T
        self.estimator_ = self._grow(Records(Members.at_root(codes, label)), edges)
        return self


class OnBits(BitTreeWrapper):
    """A tree of bits whose tree never sees class b."""

    def fit(self, X, y):
        super().fit(X[y != "b"], y[y != "b"])
        self.classes_ = np.unique(y)
        return self


def test_the_tree_gets_the_parameters_that_it_shares_by_name():
    model = OnValues(max_depth=1, pruning="sliq")
    model.classes_ = np.arange(2)
    records = Records(Members.at_root(X.T.astype(np.int32), X[:, 0]))
    given = model._grow(records, [np.arange(3.0)] * 2, criterion="entropy").get_params()
    changed = {"max_depth": 1, "pruning": "sliq", "criterion": "entropy"}
    assert given == CountTreeClassifier().get_params() | changed


def test_predictions_are_those_of_the_tree():
    model = OnValues().fit(X + 0.1, Y)
    assert model.predict([[0, 1], [1.2, 0]]).tolist() == ["b", "c"]
    np.testing.assert_array_equal(model.predict_proba([[0, 0]]), [[1, 0, 0]])
    assert OnValues(max_depth=0).fit(X, Y).predict([[0, 0]]).tolist() == ["c"]


def test_a_class_that_the_tree_does_not_know_has_no_share():
    model = OnBits().fit(X, Y)
    assert model.estimator_.classes_.tolist() == ["a", "c"]
    np.testing.assert_array_equal(model.predict_proba([[0, 1], [1, 1]]), [[1, 0, 0], [0, 0, 1]])
    assert (model.estimator_.criterion, model.estimator_.split) == ("entropy", "multiway")
    assert model.__sklearn_tags__().input_tags.categorical

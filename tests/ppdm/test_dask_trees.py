"""Trees from blocks of Dask's are those from all records at once, bit for bit."""


import numpy as np
import pytest
from refusals import refusals
from trees import same_trees

from ppdm import dask as far
from ppdm.classifiers import (
    GuidedTreeClassifier,
    RandomizedResponseTreeClassifier,
)
from ppdm.guidance import one_hot
from ppdm.randomized_response import RandomizedResponse
from ppdm.tree import CountTreeClassifier

dask = pytest.importorskip("dask", reason="the extra ppdm[dask]")
da = pytest.importorskip("dask.array", reason="the extra ppdm[dask]")
dd = pytest.importorskip("dask.dataframe", reason="the extra ppdm[dask]")
pd = pytest.importorskip("pandas", reason="the extra ppdm[data]")

N = 300
RNG = np.random.default_rng(5)
#: Sorted: the first blocks lack a class, so that each block has to code it as all others do.
Y = np.sort(RNG.choice(["no", "yes"], N))
YES = (Y == "yes")[:, np.newaxis]
BITS = (RNG.random((N, 4)) < 0.3 + 0.4 * YES).astype(int)
CODES = RNG.integers(0, 3, (N, 3)) * (RNG.random((N, 3)) < 0.4 + 0.5 * YES)
VALUES = RNG.normal(RNG.uniform(-5, 5, (N, 3)) + 4 * YES, 2)

CASES = [
    pytest.param(CountTreeClassifier(), VALUES, id="values"),
    pytest.param(CountTreeClassifier(criterion="entropy", split="multiway"), CODES, id="codes"),
    pytest.param(RandomizedResponseTreeClassifier(RandomizedResponse(0.7)), BITS, id="bits"),
    pytest.param(
        RandomizedResponseTreeClassifier(RandomizedResponse(0.7, [[0, 2], [1, 3]], "own")),
        BITS,
        id="groups",
    ),
    pytest.param(GuidedTreeClassifier([3, 3, 3]), one_hot(CODES, [3, 3, 3]), id="guided"),
]


def blank(learner):
    return type(learner)(**learner.get_params(deep=False))


def blocks(X, y, size):
    """Return records in blocks of rows and of columns, and a y that is cut elsewhere."""
    return da.from_array(X, chunks=(size, 2)), da.from_array(y, chunks=70)


LARGE = pytest.mark.long(part="large")


@pytest.mark.parametrize("size", [100, *(pytest.param(n, marks=LARGE) for n in (37, N))])
@pytest.mark.parametrize(("learner", "X"), CASES)
def test_a_tree_of_blocks_is_that_of_one_piece(learner, X, size):
    before = vars(learner).copy()
    found = far.fit(learner, *blocks(X, Y, size))
    whole = blank(learner).fit(X, Y)
    assert whole.predict(X).tolist().count("yes") not in (0, N)  # a tree that says something
    assert same_trees(found, whole)
    assert found.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(found.predict_proba(X), whole.predict_proba(X))
    assert vars(learner) == before


@pytest.mark.parametrize(("learner", "X"), CASES[::2])
def test_frames_with_empty_partitions(learner, X):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    far_X, far_y = (dd.from_pandas(each, chunksize=80) for each in (frame, pd.Series(Y)))
    none = far_X["c0"] < -99
    parts = [far_X[none], far_X, far_X[none]], [far_y[none], far_y, far_y[none]]
    found = far.fit(learner, *map(dd.concat, parts))
    assert same_trees(found, blank(learner).fit(frame, Y))
    assert found.feature_names_in_.tolist() == frame.columns.tolist()


def test_many_blocks_are_joined_over_two_levels():
    learner = CountTreeClassifier(max_depth=3)  # of 38 blocks
    assert same_trees(far.fit(learner, *blocks(VALUES, Y, 8)), blank(learner).fit(VALUES, Y))


def test_public_classes_that_nobody_has():
    X, y = blocks(CODES, Y, 60)
    known = ["no", "perhaps", "yes"]
    tree = CountTreeClassifier()
    found = far.fit(tree, X, y, classes=known)
    assert found.classes_.tolist() == ["no", "yes"]  # those that somebody has
    assert same_trees(found, blank(tree).fit_chunks([(CODES, Y)], classes=known))


class Forgetful:
    """Draws a block, and another one when it is asked again."""

    def __init__(self, after):
        self.asked, self.after = 0, after

    def __call__(self, block):
        self.asked += 1
        return block if self.asked <= self.after else 1 - block


def test_a_block_that_holds_others_when_it_is_computed_again_is_refused():
    # catches a tree of records that were disguised anew at each reading: more was told than asked
    parts = [da.from_array(BITS[:150], chunks=(50, 4)), da.from_array(BITS[150:], chunks=150)]
    # the head, the classes, and once: at the root
    parts[1] = parts[1].map_blocks(Forgetful(3), dtype=int, meta=BITS[:0])
    X, y = da.concatenate(parts), da.from_array(Y, chunks=50)
    with dask.config.set(scheduler="synchronous"), pytest.raises(
        ValueError, match="the same records at each reading"
    ):
        far.fit(RandomizedResponseTreeClassifier(RandomizedResponse(0.7)), X, y)


def test_disguised_blocks_are_the_same_at_each_reading():
    scheme = RandomizedResponse(0.7, groups=[[0], [1], [2], [3]]).fit(BITS)
    y = da.from_array(Y, chunks=50)
    R = far.disguise(scheme, da.from_array(BITS, chunks=(50, 4)), random_state=3)
    learner = RandomizedResponseTreeClassifier(scheme)
    assert same_trees(far.fit(learner, R, y), blank(learner).fit(R.compute(), Y))


def grown(X, y, **options):
    return far.fit(CountTreeClassifier(), *blocks(X, y, 60), **options)


test_bad_input_is_named = refusals(
    (lambda: grown(CODES, Y, classes=["no"]), "y must hold only labels among classes .*got .*yes"),
    (lambda: far.fit(
                CountTreeClassifier(), *(da.from_array(a, chunks=60) for a in (CODES, Y[:290]))
            ),
     "y must have a class for each of the 60 records of block 4, got 50"),
    (lambda: grown(CODES[:0], Y[:0]), "X must hold at least one record"),
)  # fmt: skip

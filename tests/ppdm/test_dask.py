"""On Dask's collections: what one machine makes of the same records in one piece, bit for bit."""

import sys

import numpy as np
import pytest
from refusals import refusals

from ppdm import dask as far
from ppdm.classifiers import RandomizedResponseNB
from ppdm.guidance import Guidance, one_hot
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

dask = pytest.importorskip("dask", reason="the extra ppdm[dask]")
da = pytest.importorskip("dask.array", reason="the extra ppdm[dask]")
dd = pytest.importorskip("dask.dataframe", reason="the extra ppdm[dask]")
pd = pytest.importorskip("pandas", reason="the extra ppdm[data]")

N = 240
RNG = np.random.default_rng(3)
BITS = RNG.integers(0, 2, (N, 5)).astype(np.int8)
CODES = RNG.integers(0, 3, (N, 2))
Y = np.sort(RNG.choice(["no", "yes"], N))  # sorted: the first blocks lack a class
LABELS = (Y == "yes").astype(int)
GROUPS = [[0, 1], [2, 3, 4]]
COINS = RandomizedResponse(0.7, groups=GROUPS, class_group=1).fit(BITS)
KRR = CategoricalRandomizedResponse(3, 0.7).fit(CODES)
BLOCKS = [20, 100, 240]


@pytest.mark.parametrize("size", BLOCKS)
def test_a_guidance_goes_on_from_what_it_has_seen(size):
    T, seen = one_hot(CODES, [3, 3]), Guidance(6, "signed").update([1, 0, 0, 1, 0, 0], 1)
    before = seen.to_bytes()
    found = far.fit(seen, da.from_array(T, chunks=(size, 6)), da.from_array(LABELS, chunks=size))
    assert found.to_bytes() == (seen + Guidance(6, "signed").update(T, LABELS)).to_bytes()
    assert found.order == "signed"
    assert seen.to_bytes() == before


def frames(size):
    """Return records and classes as frames, with an empty partition among them."""
    X = pd.DataFrame(BITS, columns=list("abcde"))
    far_X, far_y = (dd.from_pandas(each, chunksize=size) for each in (X, pd.Series(Y)))
    none = far_X["a"] < -1
    return X, dd.concat([far_X[none], far_X]), dd.concat([far_y[none], far_y])


def test_frames_with_empty_partitions():
    X, far_X, far_y = frames(50)
    nb = RandomizedResponseNB(RandomizedResponse(0.7))
    found = far.fit(nb, far_X, far_y, classes=["no", "yes"])
    whole = nb.fit(X, Y)
    assert np.array_equal(found.pair_count_, whole.pair_count_)
    assert found.feature_names_in_.tolist() == list("abcde")
    assert np.array_equal(far.count(COINS, far_X).counts, COINS.count(BITS))
    scheme = RandomizedResponse(0.7, GROUPS).fit(X)
    released = np.asarray(far.disguise(scheme, far_X, random_state=0).compute())
    (whole,) = literal_disguise(RandomizedResponse(0.7, GROUPS).fit(BITS), BITS, None, 0, 50, 5)
    assert np.array_equal(released, whole)


def literal_disguise(scheme, X, y, seed, size, empty=0):
    """Disguise block after block on one machine, each with its child of the seed's sequence."""
    entropy = int(np.random.default_rng(seed).integers(2**63))
    n_blocks = -(-N // size)
    released = []
    for j, child in enumerate(np.random.SeedSequence(entropy).spawn(empty + n_blocks)[empty:]):
        scheme.random_state = np.random.default_rng(child)
        rows = slice(j * size, (j + 1) * size)
        released.append(scheme.disguise(X[rows], y[rows]) if y is not None
                        else (scheme.transform(X[rows]),))
    return [np.concatenate(parts) for parts in zip(*released, strict=True)]


@pytest.mark.parametrize("size", BLOCKS)
@pytest.mark.parametrize(
    ("scheme", "X"),
    [
        (RandomizedResponse(0.7, random_state=0).fit(BITS), BITS),
        (KRR, CODES),
        (UnaryEncoding(3, 1.0).fit(CODES), CODES),
        (AdditiveNoise(scale=0.3), RNG.random((N, 2))),
    ],
    ids=["bits", "codes", "unary", "noise"],
)
def test_blocks_are_disguised_as_on_one_machine(scheme, X, size):
    # catches one int for all blocks, whose draws would then be the same in each
    far_X = da.from_array(X, chunks=(size, 1))
    released = far.disguise(scheme, far_X, random_state=5)
    (whole,) = literal_disguise(scheme, X, None, 5, size)
    assert np.array_equal(released.compute(), whole)
    assert released.shape == whole.shape
    assert released.dtype == whole.dtype
    # a block that is computed again, or by others, releases the same
    assert np.array_equal(released.compute(scheduler="synchronous"), whole)
    assert (far.disguise(scheme, far_X, random_state=6).compute() != whole).any()


def test_a_class_is_disguised_with_its_record_and_both_are_learnt_from():
    far_X, far_y = da.from_array(BITS, chunks=(50, 5)), da.from_array(LABELS, chunks=50)
    R, z = far.disguise(COINS, far_X, far_y, random_state=1)
    X, y = literal_disguise(COINS, BITS, LABELS, 1, 50)
    assert np.array_equal(R.compute(), X)
    assert np.array_equal(z.compute(), y)
    found = far.fit(RandomizedResponseNB(COINS), R, z, classes=[0, 1])
    whole = RandomizedResponseNB(COINS).fit(X, y)
    assert np.array_equal(found.pair_count_, whole.pair_count_)


def test_many_blocks_are_added_in_a_tree(monkeypatch):
    # catches a level of the tree that drops its last, smaller group
    monkeypatch.setattr("ppdm.dask.TOGETHER", 3)
    X, y = da.from_array(BITS, chunks=(6, 5)), da.from_array(Y, chunks=6)  # 40 = 27 + 9 + 3 + 1
    found = far.fit(CountNB(2), X, y, classes=["no", "yes"])
    assert np.array_equal(found.pair_count_, CountNB(2).fit(BITS, Y).pair_count_)


FAR_X, FAR_Y = da.from_array(BITS, chunks=(60, 5)), da.from_array(Y, chunks=60)


def counted(y, classes=("no", "yes")):
    return far.fit(CountNB(2), FAR_X, y, classes=classes)


test_bad_input_is_named = refusals(
    (lambda: counted(FAR_Y[:100]), "y must have the blocks of X, 4, got 2"),
    (lambda: counted(FAR_Y[:200]), "one .*each of 60 records, got 20"),
    (lambda: far.count(KRR, da.from_array(CODES[:, 0], chunks=9), labels=FAR_Y[:9]),
     "labels must have the blocks of released, 27, got 1"),
    (lambda: far.fit(Guidance(5), FAR_X, FAR_Y == "no", classes=[0, 1]),
     "classes goes with a learner that has partial_fit"),
    (lambda: far.count(COINS, FAR_X[:0]), "released must hold at least one record"),
    (lambda: far.disguise(RandomizedResponse(0.7), FAR_X), "not fitted"),
)  # fmt: skip


def test_one_bad_block_leaves_a_learner_as_it_was():
    seen = Guidance(5).update(BITS, LABELS)
    before = seen.to_bytes()
    bad = BITS.copy()
    bad[-1, 0] = 2  # in the last block; the others are counted and thrown away
    with pytest.raises(ValueError, match="R must hold only 0 and 1"):
        far.fit(seen, da.from_array(bad, chunks=(60, 5)), da.from_array(LABELS, chunks=60))
    assert seen.to_bytes() == before


def test_without_dask_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"ppdm.dask needs dask: .*pip install .\.\[dask\]"):
        far.count(KRR, FAR_X)

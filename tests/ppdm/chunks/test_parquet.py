"""Chunks of a Parquet file: all records once, in order, again and again, or a clear error."""

import tracemalloc

import numpy as np
import pytest

from ppdm.chunks import ParquetChunks, ReleasedCounts
from ppdm.classifiers import RandomizedResponseNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import RandomizedResponse

pyarrow = pytest.importorskip("pyarrow", reason="the extra ppdm[parquet]")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra ppdm[parquet]")

N = 1000
RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (N, 3)).astype(np.int8)
Y = RNG.choice(["no", "yes"], N)


@pytest.fixture
def stored(tmp_path):
    """Return a function that stores columns and returns the path."""

    def store(columns=None, **options):
        columns = columns or {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "ill": Y}
        parquet.write_table(pyarrow.table(columns), tmp_path / "r.parquet", **options)
        return tmp_path / "r.parquet"

    return store


@pytest.mark.parametrize("batch_size", [1, 7, 300, 999, 1000, 5000])
def test_all_records_once_in_order_and_again(stored, batch_size):
    # catches a last batch that is lost, an iterator that is spent, a batch over a row group's end
    chunks = ParquetChunks(stored(row_group_size=130), target="ill", batch_size=batch_size)
    assert chunks.features == ["a", "b", "c"]
    assert chunks.n_records == N
    for _ in range(2):
        parts = list(chunks)
        assert max(len(x) for x, _ in parts) <= batch_size
        assert np.array_equal(np.concatenate([x for x, _ in parts]), X)
        assert np.array_equal(np.concatenate([y for _, y in parts]), Y)
    one, two = iter(chunks), iter(chunks)  # two at a time do not disturb each other
    assert np.array_equal(next(one)[0], next(two)[0])


def test_columns_come_as_they_are_named(stored):
    (x, y), *_ = ParquetChunks(stored(), features=["c", "a"], batch_size=N)
    assert np.array_equal(x, X[:, [2, 0]])
    assert x.dtype == np.int8
    assert y is None


def test_types_of_columns(stored):
    # whole numbers beside floats become floats, truth values alone stay, what is missing is NaN
    path = stored(
        {
            "bit": np.array([True, False]), "float": np.array([0.5, 1.5], dtype=np.float32),
            "hole": pyarrow.array([1, None]), "no answer": pyarrow.array([True, None]),
            "group": pyarrow.array(["x", "y"]).dictionary_encode(),
        }
    )
    (x, y), = ParquetChunks(path, features=["bit"], target="group")
    assert x.dtype == bool
    assert y.tolist() == ["x", "y"]
    (x, y), = ParquetChunks(path, features=["bit", "float", "hole", "no answer"], target="bit")
    np.testing.assert_array_equal(x, [[1, 0.5, 1, 1], [0, 1.5, np.nan, np.nan]])
    assert y.tolist() == [True, False]


def test_what_learns_from_chunks_learns_from_a_file(stored):
    chunks = ParquetChunks(stored(), target="ill", batch_size=77)
    nb = RandomizedResponseNB(RandomizedResponse(0.7))
    for x, y in chunks:
        nb.partial_fit(x, y, classes=["no", "yes"])
    whole = RandomizedResponseNB(RandomizedResponse(0.7)).fit(X, Y)
    assert np.array_equal(nb.pair_count_, whole.pair_count_)
    values = RNG.normal(size=(N, 2))
    channel = AdditiveNoise(scale=1.0).on(np.tile(np.linspace(-2, 2, 9), (2, 1)))
    path = stored({"u": values[:, 0], "v": values[:, 1]})
    seen = ReleasedCounts.from_chunks(channel, ParquetChunks(path, batch_size=77))
    assert np.array_equal(seen.counts, channel.count(values))


def peak(path):
    """Return what Arrow and NumPy hold at most while a file is read, in bytes."""
    before, most = pyarrow.total_allocated_bytes(), 0
    tracemalloc.start()
    for _ in ParquetChunks(path, batch_size=4096):
        most = max(most, pyarrow.total_allocated_bytes() - before)
    most += tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_file(stored):
    # one group of all rows, which Arrow reads at once unless it is told not to: 13 MB of 12.8
    values = RNG.random((800_000, 2))
    small = peak(stored({"u": values[:200_000, 0], "v": values[:200_000, 1]}))
    large = peak(stored({"u": values[:, 0], "v": values[:, 1]}, row_group_size=len(values)))
    assert large < 1.5 * small
    assert large < values.nbytes / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["a", "ill"]}, "features must hold numbers .*'ill' too .* got 'str"),
        ({"target": "a"}, "features must hold numbers .*'ill'"),
    ],
)
def test_texts_are_no_features(stored, options, message):
    with pytest.raises(TypeError, match=message):
        ParquetChunks(stored(), **options)


def test_bad_files_are_named(stored, tmp_path):
    with pytest.raises(ValueError, match="features must name a column"):
        ParquetChunks(stored(), features=[])
    with pytest.raises(ValueError, match="path must hold at least one record"):
        ParquetChunks(stored({"a": X[:0, 0]}))
    (tmp_path / "text.csv").write_text("a,b\n0,1\n")
    with pytest.raises(ValueError, match="path must be a Parquet file"):
        ParquetChunks(tmp_path / "text.csv")
    holes = ParquetChunks(stored({"a": [0, 1], "ill": ["no", None]}), target="ill")
    with pytest.raises(ValueError, match="target must have no missing value"):
        list(holes)


def test_a_file_that_breaks_off_leaves_what_was_counted(stored):
    # the class that nobody named comes in the last batch: it is not half-counted
    y = np.r_[["no"] * (N - 1), ["perhaps"]]
    path = stored({"a": X[:, 0], "ill": y})
    nb = RandomizedResponseNB(RandomizedResponse(0.7))
    chunks = iter(ParquetChunks(path, target="ill", batch_size=300))
    for _ in range(3):
        nb.partial_fit(*next(chunks), classes=["no", "yes"])
    with pytest.raises(ValueError, match=r"y must hold only labels among .*perhaps"):
        nb.partial_fit(*next(chunks))
    assert nb.class_count_.sum() == 900

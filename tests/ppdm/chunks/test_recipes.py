"""What the page on chunks shows runs, and gives what all records give at once."""

import numpy as np
import pytest
from trees import same_trees

from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.randomized_response import RandomizedResponse

pd = pytest.importorskip("pandas", reason="the extra ppdm[data]")


@pytest.fixture
def answers():
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 500)
    bits = (rng.random((500, 3)) < 0.3 + 0.4 * ill[:, np.newaxis]).astype(int)
    return pd.DataFrame(bits, columns=["cough", "fever", "rash"]).assign(ill=ill)


def test_batches_of_a_file(answers, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra ppdm[parquet]")
    path, coin = tmp_path / "answers.parquet", RandomizedResponse(0.7)
    answers.to_parquet(path)
    # from a file
    nb = RandomizedResponseNB(coin)
    for batch in pq.ParquetFile(path).iter_batches(batch_size=200):
        part = batch.to_pandas()
        nb.partial_fit(part.drop(columns="ill"), part["ill"], classes=[0, 1])
    # to here
    whole = RandomizedResponseNB(coin).fit(answers.drop(columns="ill"), answers["ill"])
    np.testing.assert_array_equal(nb.pair_count_, whole.pair_count_)


def test_a_tree_of_counted_patterns(answers):
    coin, chunks = RandomizedResponse(0.7), [answers[:200], answers[200:]]
    # a tree of patterns
    times = pd.concat([chunk.value_counts() for chunk in chunks]).groupby(level=[0, 1, 2, 3]).sum()
    patterns = times.index.to_frame(index=False)
    tree = RandomizedResponseTreeClassifier(coin)
    tree.fit(patterns.drop(columns="ill"), patterns["ill"], sample_weight=times)
    # to here
    whole = RandomizedResponseTreeClassifier(coin)
    assert same_trees(tree, whole.fit(answers.drop(columns="ill"), answers["ill"]))

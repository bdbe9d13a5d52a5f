"""What the page on chunks shows runs, and gives what all records give at once."""

import re
from pathlib import Path

import numpy as np
import pytest
from trees import same_trees

from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.randomized_response import RandomizedResponse

pd = pytest.importorskip("pandas", reason="the extra ppdm[data]")

PAGE = (Path(__file__).parents[3] / "book/api/chunks.md").read_text(encoding="utf-8")
FROM_A_FILE, OF_PATTERNS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def answers():
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 500)
    bits = (rng.random((500, 3)) < 0.3 + 0.4 * ill[:, np.newaxis]).astype(int)
    return pd.DataFrame(bits, columns=["cough", "fever", "rash"]).assign(ill=ill)


def test_batches_of_a_file(answers, tmp_path):
    pytest.importorskip("pyarrow.parquet", reason="the extra ppdm[parquet]")
    names = {"path": tmp_path / "answers.parquet", "coin": RandomizedResponse(0.7)}
    answers.to_parquet(names["path"])
    exec(FROM_A_FILE, names)
    whole = RandomizedResponseNB(names["coin"])
    whole.fit(answers.drop(columns="ill"), answers["ill"])
    np.testing.assert_array_equal(names["nb"].pair_count_, whole.pair_count_)


def test_a_tree_of_counted_patterns(answers):
    names = {"coin": RandomizedResponse(0.7), "chunks": [answers[:200], answers[200:]]}
    exec(OF_PATTERNS, names)
    whole = RandomizedResponseTreeClassifier(names["coin"])
    assert same_trees(names["tree"], whole.fit(answers.drop(columns="ill"), answers["ill"]))

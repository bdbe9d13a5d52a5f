"""What a type checker refuses in a user's code, and what it knows.

``make -C tests types`` asks pyright how complete the types are; here is what must not be lost.
"""

import os
from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api", reason="mypy comes with ppdm[lint]")

ROOT = Path(__file__).parents[2]

#: A line with REFUSED must be refused, and no other.
SNIPPETS = '''
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

from ppdm.classifiers import (
    MixtureTreeClassifier, RandomizedResponseNB, ReconstructedTreeClassifier,
)
from ppdm_book.claims import Claim
from ppdm.datasets import load_pima, load_voting
from ppdm.guidance import Guidance
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise, privacy_interval
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import RandomizedResponse
from ppdm.reconstruction import em, project, reconstruct_distribution
from ppdm.svd import TruncatedSVDPerturbation
from ppdm.tree import CountTreeClassifier

noise = AdditiveNoise("laplace", scale=1.0)
AdditiveNoise("laplas")  # REFUSED
AdditiveNoise(scael=1.0)  # REFUSED
privacy_interval("discretization", 1.0)
privacy_interval("discretisation", 1.0)  # REFUSED
RandomizedResponse(0.7, groups=[[0, 1], [2]], class_group="own")
RandomizedResponse(0.7, groups=[["age", "sex"], ["income"]], class_group=1)
RandomizedResponse(0.7, groups=[[0.5]])  # REFUSED
RandomizedResponse(0.7, class_group="owned")  # REFUSED
RandomizedResponse("0.7")  # REFUSED
RandomizedResponseNB(RandomizedResponse(0.7), method="em")
RandomizedResponseNB(RandomizedResponse(0.7), method="me")  # REFUSED
ReconstructedTreeClassifier(noise, "local", integer_features=["age"], pruning=None, stop="tol")
ReconstructedTreeClassifier(noise, "lokal")  # REFUSED
ReconstructedTreeClassifier(noise, stop="auto")  # REFUSED
MixtureTreeClassifier(noise, pruning="slip")  # REFUSED
CountTreeClassifier(criterion="entropy", split="multiway")
CountTreeClassifier(criterion="entropie")  # REFUSED
CountTreeClassifier(split="threshhold")  # REFUSED
Guidance(3, "unsigned")  # REFUSED
project([1.0, 2.0], method="em")  # REFUSED
em([[0.8, 0.2], [0.2, 0.8]], [3, 4], stop="auto")
em([[0.8, 0.2], [0.2, 0.8]], [3, 4], stop="never")  # REFUSED
reconstruct_distribution([1.0], noise, [0.0, 1.0, 2.0], kernel="centre")  # REFUSED
local_epsilon([[1.0]], changes="everything")  # REFUSED
Claim("AS00", "it holds", "it does", "maybe")  # REFUSED

assert_type(load_voting(return_X_y=True), tuple[Any, Any])
X, y = load_pima(return_X_y=True, as_frame=True)
load_voting().data
load_voting().feature_names.append("x")
load_voting().datum  # REFUSED
load_voting(fill="none")  # REFUSED

nb = CountNB().fit([[0, 1]], [0])
assert_type(nb, CountNB)
assert_type(nb.class_count_, npt.NDArray[np.float64])
assert_type(nb.score([[0, 1]], [0]), float)
nb.class_counts_  # REFUSED
TruncatedSVDPerturbation().set_output(transform="pandas").fit_transform(X)
TruncatedSVDPerturbation().set_output(transform="panda")  # REFUSED
'''


@pytest.mark.long(part="elsewhere")
def test_what_a_type_checker_refuses(tmp_path, monkeypatch):
    path = tmp_path / "snippets.py"
    path.write_text(SNIPPETS, encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", os.fspath(ROOT))
    monkeypatch.chdir(ROOT)
    said, _, _ = api.run([os.fspath(path), "--no-error-summary", "--hide-error-context"])
    refused = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    lines = enumerate(SNIPPETS.splitlines(), 1)
    assert refused == {n for n, line in lines if "REFUSED" in line}, said

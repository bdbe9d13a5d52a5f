"""Sample generation in batches against the paper's loop over single candidates.

Both sides draw with the same trained classifiers and the same random numbers and give
the same release (asserted), as many records as Pima has. Training is left out of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from _timing import paired_ratio, report
from numpy.typing import NDArray

from ppdm.datasets import load_pima
from ppdm.generation import SampleGenerator

SEED = 0


def loop(estimators: Sequence[Any], box: NDArray[Any], n: int) -> list[NDArray[Any]]:
    """Return n records by the loop of LX14, Fig. 1."""
    rng = np.random.default_rng(SEED)
    low, width = box[:, 0], box[:, 1] - box[:, 0]
    records: list[NDArray[Any]] = []
    while len(records) < n:
        candidate = low + rng.random(len(box)) * width
        votes = [estimator.predict(candidate[None])[0] for estimator in estimators]
        if all(vote == votes[0] for vote in votes):
            records.append(candidate)
    return records


def main() -> None:
    X, y = load_pima(return_X_y=True)
    generator = SampleGenerator(random_state=SEED).fit(X, y)
    estimators, box = generator.estimators_, generator.box_
    np.testing.assert_array_equal(generator.sample()[0], loop(estimators, box, len(X)))
    times = paired_ratio(generator.sample, lambda: loop(estimators, box, len(X)))
    report("sample generation, 768 records of Pima", times, 0.01)


if __name__ == "__main__":
    main()

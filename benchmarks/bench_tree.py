"""CountTreeClassifier against scikit-learn's tree, make_agrawal against river's generator.

Run as ``python benchmarks/bench_tree.py``. Both trees get the same 100,000 x 9 integers, 100
intervals an attribute. river is asked for fewer records, as it takes minutes for a million;
its seconds are scaled up. Memory is the peak of a process of its own that draws a million
records and grows a tree on their floats.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
from _timing import Ratio, paired_ratio, report
from sklearn.tree import DecisionTreeClassifier

from ppdm.datasets import AGRAWAL_DOMAIN, make_agrawal
from ppdm.tree import CountTreeClassifier

RECORDS, RIVER_RECORDS = 1_000_000, 20_000
TARGETS = {100: 0.35, 1: 0.6}  # the least number of records in a leaf: the ratio to reach

FIT_A_MILLION = """
import resource
from ppdm.datasets import make_agrawal
from ppdm.tree import CountTreeClassifier
X, y = make_agrawal(1_000_000, 2, random_state=0)
CountTreeClassifier(min_samples_leaf=100).fit(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # kilobytes on Linux
"""


def bench_trees() -> None:
    rng = np.random.default_rng(0)
    for function in (2, 5):
        X, y = make_agrawal(100_000, function, random_state=function)
        low, high = AGRAWAL_DOMAIN.T
        codes = np.minimum((X - low) / (high - low) * 100, 99).astype(np.int64, order="C")
        noisy = np.where(rng.random(y.size) < 0.2, 1 - y, y)
        for labels, what in ((y, ""), (noisy, ", 20% of labels flipped")):
            for leaf, target in TARGETS.items():
                ours = CountTreeClassifier(min_samples_leaf=leaf)
                peer = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
                times = paired_ratio(
                    partial(ours.fit, codes, labels), partial(peer.fit, codes, labels)
                )
                report(f"tree, function {function}{what}, leaves of {leaf}", times, target)


def bench_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIT_A_MILLION], capture_output=True, text=True, check=True
    )
    peak = int(done.stdout) / 1e6
    print(f"tree, a million x 9: peak memory {peak:.2f} GB  < 1 {'ok' if peak < 1 else 'MISSED'}")


def bench_generator() -> None:
    try:
        from river.datasets import synth
    except ImportError:
        print("make_agrawal: river is not installed, nothing to compare with")
        return

    def stream() -> list[object]:
        return list(synth.Agrawal(classification_function=1, seed=0).take(RIVER_RECORDS))

    for balanced in (False, True):
        ours = partial(make_agrawal, RECORDS, 2, balanced=balanced, random_state=0)
        measured = paired_ratio(ours, stream)
        scale = RECORDS / RIVER_RECORDS
        measured = Ratio(measured.ours, measured.peer * scale, measured.ratio / scale)
        report(f"make_agrawal, a million, {balanced=}", measured, 0.01)


if __name__ == "__main__":
    bench_trees()
    bench_memory()
    bench_generator()

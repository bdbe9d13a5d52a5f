"""Trees on disguised records against scikit-learn's tree on the same and on clear records.

Run as ``python benchmarks/bench_classifiers.py``. Function 2, 100,000 x 9 records, 100% privacy;
our seconds include the reconstruction. Memory is the peak of a process of its own that fits a
million records.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from _timing import paired_ratio, report
from sklearn.tree import DecisionTreeClassifier

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.noise import AdditiveNoise

FIT_A_MILLION = """
import resource, sys
from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.noise import AdditiveNoise
X, y = make_agrawal(1_000_000, 2, random_state=0)
noise = AdditiveNoise("gaussian", domain=AGRAWAL_DOMAIN, random_state=0)
Z = noise.fit(X).transform(X)
del X
ReconstructedTreeClassifier(noise, sys.argv[1], integer_features=AGRAWAL_INTEGER).fit(Z, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # kilobytes on Linux
"""


def bench_speed() -> None:
    X, y = make_agrawal(100_000, 2, random_state=0)
    for distribution in ("uniform", "gaussian"):
        noise = AdditiveNoise(distribution, domain=AGRAWAL_DOMAIN, random_state=0)
        Z = noise.fit(X).transform(X)
        byclass = ReconstructedTreeClassifier(noise, "byclass", integer_features=AGRAWAL_INTEGER)
        local = ReconstructedTreeClassifier(noise, "local", integer_features=AGRAWAL_INTEGER)
        peer = DecisionTreeClassifier(random_state=0)
        ours = partial(byclass.fit, Z, y)
        times = paired_ratio(ours, partial(peer.fit, Z, y), 3)
        report(f"byclass, {distribution}, against scikit-learn on disguised", times, 1.0)
        times = paired_ratio(ours, partial(peer.fit, X, y), 3)
        report(f"byclass, {distribution}, against scikit-learn on clear", times, 1.0)
        times = paired_ratio(partial(local.fit, Z, y), ours, 3)
        report(f"local, {distribution}, against byclass", times, 5.0)


def bench_memory() -> None:
    for strategy in ("byclass", "local"):
        done = subprocess.run(
            [sys.executable, "-c", FIT_A_MILLION, strategy],
            capture_output=True,
            text=True,
            check=True,
        )
        peak = int(done.stdout) / 1e6
        verdict = "ok" if peak < 1 else "MISSED"
        print(f"{strategy}, a million x 9: peak memory {peak:.2f} GB  < 1 {verdict}")


if __name__ == "__main__":
    bench_speed()
    bench_memory()

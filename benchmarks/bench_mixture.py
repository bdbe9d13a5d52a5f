"""MixtureTreeClassifier against ByClass on the same disguised records, in one run.

Run as ``python benchmarks/bench_mixture.py``. Function 2, 100,000 x 9 records, 100% privacy. The
fast form is the default, one tree; three starts give three trees; the full form is 100 iterations
of plain EM, three starts and six trees, run twice only. Local is there for comparison.
"""

from __future__ import annotations

from functools import partial

from _timing import paired_ratio, report

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_INTEGER
from ppdm.experiments.as00 import disguise, draw
from ppdm.experiments.mixture import FORMS, new_tree

TARGETS = {"fast": 2.5, "three starts": None, "full": None}
REPEATS = {"fast": 5, "three starts": 3, "full": 1}


def bench_forms() -> None:
    X, y, *_ = draw(2, 0)
    for distribution in ("uniform", "gaussian"):
        noise, Z = disguise(X, distribution, 1.0, 0)
        byclass, local = (
            ReconstructedTreeClassifier(noise, strategy, integer_features=AGRAWAL_INTEGER)
            for strategy in ("byclass", "local")
        )
        peer = partial(byclass.fit, Z, y)
        report(f"local, {distribution}, against byclass",
               paired_ratio(partial(local.fit, Z, y), peer, 3), None)  # fmt: skip
        for form in FORMS:
            tree = new_tree(form, noise, AGRAWAL_INTEGER, 0)
            times = paired_ratio(partial(tree.fit, Z, y), peer, REPEATS[form])
            report(f"mixture, {form}, {distribution}, against byclass", times, TARGETS[form])


if __name__ == "__main__":
    bench_forms()

"""The experiments of LX14, section 3, over 50 random splits.

``python -m ppdm_book.experiments lx14`` writes four tables, one row for each trial:

* lx14_utility: accuracy, on clear test records, of five classifiers trained on a
  release (Figures 2 to 4, the Gaussian baseline, the collapse with many attributes);
* lx14_zscored: the same of an RBF SVM on standardised attributes, for Figure 2;
* lx14_privacy: the five privacy measures on the training records (Table 1);
* lx14_attacks: membership inference and the attribute box.

A row is a pure function of (dataset, method, parameter, trial), so that any of them can
be computed again alone with ``utility_row``, ``privacy_row`` or ``attack_row``.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from ppdm import privacy
from ppdm.attacks import attribute_box, membership_inference
from ppdm.datasets import load_breast_cancer_wisconsin, load_pima
from ppdm.exceptions import MissingClassWarning
from ppdm.generation import GaussianSampleGenerator, SampleGenerator, default_estimators
from ppdm.svd import SparsifiedSVDPerturbation, TruncatedSVDPerturbation
from ppdm.typing import AnyArray
from ppdm_book.experiments._tables import Row, Table

SEED = 2014
TRIALS = 50
RANK = {"pima": 6, "iris": 2}  # k of both SVD methods, and e of SSVD: LX14, section 3.4
SPARSITY = {"pima": 0.15, "iris": 0.45}
MEASURES = {
    "VD": privacy.value_difference,
    "RP": privacy.rank_position,
    "RK": privacy.rank_kept,
    "CP": privacy.attribute_rank_change,
    "CK": privacy.attribute_rank_kept,
}
# generator_raw trains its nearest neighbour on attributes in their own units
METHODS = ("original", "shuffled", "bsvd", "ssvd", "generator", "gaussian", "generator_raw")

Case = tuple[str, str, float, int]  # dataset, method, parameter, trial


def load(dataset: str) -> tuple[AnyArray, AnyArray]:
    """Return the records and classes of a data set, incomplete records left out."""
    loaders: dict[str, Callable[..., Any]] = {
        "pima": load_pima,
        "iris": load_iris,
        "wisconsin": load_breast_cancer_wisconsin,
        "wdbc": load_breast_cancer,
        "digits": load_digits,
    }
    X, y = loaders[dataset](return_X_y=True)
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], y[complete]


def split(dataset: str, trial: int, *, file_order: bool = False) -> tuple[AnyArray, ...]:
    """Return X_train, y_train, X_test, y_test: 80% at random (614 of Pima, 120 of Iris).

    "wdbc/8" stands for 8 attributes of wdbc, others in every trial. Training rows come in
    the order of the draw or of the file: ranks of equal values depend on it.
    """
    name, _, n_attributes = dataset.partition("/")
    X, y = load(name)
    rng = np.random.default_rng([SEED, trial])
    rows = rng.permutation(len(X))
    cut = int(0.8 * len(X))
    train, test = rows[:cut], rows[cut:]
    if file_order:
        train = np.sort(train)
    if n_attributes:
        X = X[:, rng.permutation(X.shape[1])[: int(n_attributes)]]
    return X[train], y[train], X[test], y[test]


def evaluators() -> dict[str, Any]:
    """Return the classifiers of LX14; scaling, where there is any, belongs to each."""
    tree, scaled_neighbour = default_estimators()
    return {
        "tree": tree,
        "nn_scaled": scaled_neighbour,
        "nn_raw": KNeighborsClassifier(n_neighbors=1),
        "svm_linear": make_pipeline(MinMaxScaler(), SVC(kernel="linear")),
        "svm_rbf": make_pipeline(MinMaxScaler(), SVC(kernel="rbf")),
    }


def release(case: Case, X: AnyArray, y: AnyArray) -> tuple[AnyArray, AnyArray, float]:
    """Publish the training records by one method; the third value is the acceptance rate.

    The parameter is k of BSVD, e of SSVD, and for the generators the number of released
    records over the number of original ones.
    """
    dataset, method, parameter, trial = case
    rng = np.random.default_rng([SEED, trial, METHODS.index(method), round(100 * parameter)])
    if method == "original":
        return X, y, 1.0
    if method == "shuffled":
        order = rng.permutation(len(X))
        return X[order], y[order], 1.0
    if method == "bsvd":
        return TruncatedSVDPerturbation(int(parameter)).fit_transform(X), y, 1.0
    if method == "ssvd":
        return SparsifiedSVDPerturbation(RANK[dataset], parameter).fit_transform(X), y, 1.0
    n_samples = int(parameter * len(X))
    if method == "gaussian":
        return *GaussianSampleGenerator(n_samples, random_state=rng).fit_resample(X, y), 1.0
    estimators = default_estimators()
    if method == "generator_raw":
        estimators = [estimators[0], KNeighborsClassifier(n_neighbors=1)]
    generator = SampleGenerator(estimators, n_samples, random_state=rng)
    with warnings.catch_warnings():  # class_shift shows a lost class
        warnings.simplefilter("ignore", MissingClassWarning)
        return *generator.fit_resample(X, y), generator.acceptance_rate_


def utility_row(case: Case) -> Row:
    """Accuracy of each evaluator, trained on the release and tested on the clear rows.

    ``class_shift`` is the total variation distance between the shares of the classes
    in the release and in the training records.
    """
    X, y, X_test, y_test = split(case[0], case[3])
    X_released, y_released, acceptance = release(case, X, y)
    alone = len(np.unique(y_released)) == 1  # nothing to learn: predict that class
    row = _label(case) | {
        name: (DummyClassifier() if alone else evaluator)
        .fit(X_released, y_released)
        .score(X_test, y_test)
        for name, evaluator in evaluators().items()
    }
    shares = [(y[:, None] == np.unique(y)).mean(0), (y_released[:, None] == np.unique(y)).mean(0)]
    shift = np.abs(shares[0] - shares[1]).sum() / 2
    return row | {"acceptance": acceptance, "class_shift": shift}


def zscored_row(case: Case) -> Row:
    """Accuracy of an RBF SVM that standardises the attributes instead of cutting them to [0, 1]."""
    X, y, X_test, y_test = split(case[0], case[3])
    X_released, y_released, _ = release(case, X, y)
    svm = make_pipeline(StandardScaler(), SVC(kernel="rbf")).fit(X_released, y_released)
    return _label(case) | {"svm_rbf_z": svm.score(X_test, y_test)}


def privacy_row(case: Case, *, file_order: bool) -> Row:
    """Compute the five measures between the training records and their release."""
    X, y, *_ = split(case[0], case[3], file_order=file_order)
    X_released, *_ = release(case, X, y)
    row = _label(case) | {"order": "file" if file_order else "random"}
    return row | {name: measure(X, X_released) for name, measure in MEASURES.items()}


def attack_row(case: Case) -> Row:
    """Attack a release: training rows are the members, test rows the non-members.

    ``distance`` ignores the classes, ``margin`` uses them, ``projected`` is the distance
    within the row space of the release. Each is tried twice: with every attribute divided
    by its range in the release, and, named ``..._raw``, in the attributes' own units.
    ``box_error``, of sample generation only, is the mean error of the estimated ends of
    the attributes, over the range of each.
    """
    X, y, X_test, y_test = split(case[0], case[3])
    X_released, y_released, _ = release(case, X, y)
    attacks: dict[str, dict[str, Any]] = {
        "distance": {},
        "margin": {"y": (y_released, y, y_test)},
        "projected": {"project": True},
    }
    results = {
        name + suffix: membership_inference(X_released, X, X_test, scale=scale, **arguments)
        for suffix, scale in (("", True), ("_raw", False))
        for name, arguments in attacks.items()
    }
    box = np.column_stack([X.min(axis=0), X.max(axis=0)])
    error = np.abs(attribute_box(X_released) - box) / np.ptp(box, axis=1, keepdims=True)
    box_error = error.mean() if case[1].startswith("generator") else np.nan
    aucs = {f"auc_{name}": result.auc for name, result in results.items()}
    advantages = {f"advantage_{name}": result.advantage for name, result in results.items()}
    return _label(case) | aucs | advantages | {"box_error": box_error}


def utility_cases() -> Iterator[Case]:
    """Figures 2 to 4 on Pima and Iris, then the data sets with more attributes."""
    for dataset, n_attributes in (("pima", 8), ("iris", 4)):
        methods = [("original", 0.0), ("gaussian", 1.0)]
        methods += [("generator", times) for times in (1.0, 4.0, 16.0)]
        methods += [("generator_raw", times) for times in (1.0, 4.0, 16.0)]
        methods += [("bsvd", k) for k in range(1, n_attributes + 1)]
        methods += [("ssvd", e / 100) for e in range(0, 65, 5)]
        yield from _grid((dataset,), methods)
    plain = [("original", 0.0), ("generator", 1.0), ("gaussian", 1.0)]
    yield from _grid(("wisconsin", "wdbc", "digits"), [*plain, ("generator", 4.0)])
    yield from _grid([f"wdbc/{d}" for d in (2, 4, 8, 16)], plain)


def zscored_cases() -> Iterator[Case]:
    """Figure 2 once more: another reading of the SVM."""
    methods = [("original", 0.0), ("gaussian", 1.0)]
    generators = ("generator", "generator_raw")
    methods += [(method, times) for method in generators for times in (1.0, 4.0, 16.0)]
    return _grid(RANK, methods)


def privacy_cases() -> Iterator[tuple[Case, str]]:
    """Table 1 and a release of the true records in another order, with both row orders."""
    for order, (dataset, rank) in itertools.product(("random", "file"), RANK.items()):
        methods = [("bsvd", rank), ("ssvd", SPARSITY[dataset]), ("shuffled", 0.0)]
        methods += [("generator", 1.0), ("generator_raw", 1.0), ("gaussian", 1.0)]
        if dataset == "iris":  # which e gives the paper's row?
            methods += [("ssvd", e / 100) for e in range(30, 45)]
        for case in _grid((dataset,), methods):
            yield case, order


def attack_cases() -> Iterator[Case]:
    """Every kind of release, and larger ones of the generator."""
    for dataset, rank in RANK.items():
        methods = [("generator", times) for times in (1.0, 4.0, 16.0)]
        methods += [("gaussian", 1.0), ("bsvd", rank), ("ssvd", SPARSITY[dataset])]
        yield from _grid((dataset,), [*methods, ("shuffled", 0.0)])


def _grid(datasets: Iterable[str], methods: Iterable[tuple[str, float]]) -> Iterator[Case]:
    cases = [(dataset, *method) for dataset in datasets for method in methods]
    return ((*case, trial) for case in cases for trial in range(TRIALS))


def _label(case: Case) -> Row:
    return dict(zip(("dataset", "method", "parameter", "trial"), case, strict=True))


def _table(name: str, cases: Callable[[], Iterator[Case]], row: Callable[[Case], Row]) -> Table:
    """Return a table whose rows are named by their cases alone."""
    return Table(
        name, lambda: map(_label, cases()), lambda **key: row(tuple(key.values())), digits=6
    )


TABLES = (
    Table(
        "lx14_privacy",
        lambda: (_label(case) | {"order": order} for case, order in privacy_cases()),
        lambda order, **key: privacy_row(tuple(key.values()), file_order=order == "file"),
        digits=6,
    ),
    _table("lx14_attacks", attack_cases, attack_row),
    _table("lx14_zscored", zscored_cases, zscored_row),
    _table("lx14_utility", utility_cases, utility_row),
)

"""Every default of the public functions and classes, stated: none changes in silence."""

import inspect
import pkgutil
from importlib import import_module

import pytest

import ppdm

BUNCH = "return_X_y=False, as_frame=False"
CELLS = "n_samples=10000, max_cells=67108864"
EM = "stop='chi2', max_iter=10000"
SMOOTH = "stop='auto', max_iter=10000, smooth=False"
LEAF = "min_samples_leaf=0.0, min_impurity_decrease=0.0"

STATED = {
    "attacks.credible_interval": "confidence=0.95",
    "attacks.membership_inference": "scale=True, project=False",
    "classifiers.GuidedTreeClassifier": f"criterion='entropy', {LEAF}, pruning='sliq'",
    "classifiers.MixtureTreeClassifier": (
        "n_components=16, n_starts=1, n_draws=1, online=True, n_passes=8, batch_size=1250, "
        "n_intervals=30, n_cells=60, pruning='sliq'"
    ),
    "classifiers.ReconstructedTreeClassifier": (
        f"strategy='byclass', criterion='gini', {LEAF}, pruning='sliq', "
        f"min_node_records=2000, min_class_records=200, keep_split=True, {EM}"
    ),
    "compare.choose_scheme": (
        "yes_no=0, one_of=(), numbers=(), want='proportion', confidence=0.95, trust='nobody', "
        "secret_class=False, times=1"
    ),
    "compare.respondents_needed": "proportion=0.5, confidence=0.95, n_values=2",
    "datasets.load_adult_binary": f"subset='train', cut='midrange', {BUNCH}",
    "datasets.load_breast_cancer_wisconsin": f"binary=False, {BUNCH}",
    "datasets.load_pima": BUNCH,
    "datasets.load_voting": f"fill='random', {BUNCH}",
    "datasets.make_agrawal": "n_samples=1000, function=1, balanced=True",
    "datasets.make_plateau": "n_samples=100000",
    "datasets.make_triangles": "n_samples=100000",
    "generation.GaussianSampleGenerator": "n_samples='same'",
    "generation.PrivateTreeGenerator": "epsilon=1.0, delta=1e-05, n_samples='same'",
    "generation.SampleGenerator": "n_samples='same'",
    "guidance.Guidance": "order='magnitude'",
    "guidance.Guidance.disclosure_level": "mu=0.15",
    "guidance.Guidance.from_bytes": "order='magnitude'",
    "noise.AdditiveNoise": "distribution='gaussian', privacy=1.0, confidence=0.95",
    "noise.AdditiveNoise.on": "whole=False",
    "noise.SquareWave.on": "whole=False",
    "noise.privacy_interval": "confidence=0.95",
    "privacy.attribute_disclosure": CELLS,
    "privacy.audit_epsilon": "delta=0.0, confidence=0.99, batch=False",
    "privacy.Budget": "delta=0.0, slack=0.0",
    "privacy.Budget.charge": "repeats=1",
    "privacy.compose": "delta=0.0, repeats=1, slack=0.0",
    "privacy.degree_of_disclosure": f"n_draws=1, {CELLS}",
    "privacy.local_epsilon": "changes='record'",
    "privacy.record_information": f"prior='pool', {CELLS}",
    "protocol.GuidedPerturbation": "n_volunteers=50, mu=0.15, batch_size=100",
    "protocol.DataMiner": "mu=0.15, order='magnitude', batch_size=100, keep=True",
    "randomized_response.MemoizedResponse.epsilon": "n_reports=1",
    "randomized_response.UnaryEncoding": "symmetric=False",
    "randomized_response.ProportionEstimate.interval": "confidence=0.95",
    "reconstruction.em": f"{SMOOTH}, keep_history=True",
    "randomized_response.ProportionEstimate": "degrees=inf",
    "reconstruction.FrequencyEstimate": "degrees=inf",
    "reconstruction.estimate_frequencies": "method='raw', missing='refuse'",
    "randomized_response.estimate_proportion": "missing='refuse'",
    "reconstruction.project": "method='clip'",
    "reconstruction.reconstruct_distribution": f"kernel='cell', {SMOOTH}, keep_history=True",
    "classifiers.RandomizedResponseNB": "method='raw'",
    "regression.DifferenceEstimate.interval": "confidence=0.95",
    "regression.DisguisedLinearRegression.interval": "confidence=0.95",
    "regression.DisguisedLinearRegression.to_frame": "confidence=0.95",
    "regression.DisguisedLogisticRegression": "missing='refuse'",
    "regression.DisguisedLogisticRegression.interval": "confidence=0.95",
    "regression.DisguisedLogisticRegression.to_frame": "confidence=0.95",
    "simulation.simulate_schemes": "repeats=20, attack=True, cv=5",
    "svd.SparsifiedSVDPerturbation": "n_components=2, sparsity=0.1",
    "svd.TruncatedSVDPerturbation": "n_components=2",
    "reconstruction.FrequencyEstimate.interval": "confidence=0.95",
    "tree.CountTreeClassifier": f"criterion='gini', split='threshold', n_intervals=100, {LEAF}",
    "utility.degree_of_error": "max_size=3",
    "utility.delta_r": "epsilon=0.02",
}


def defaults(door):
    """Return the numbers, words and flags of a signature; the attribute is always the first."""
    given = {}
    for name, parameter in inspect.signature(door).parameters.items():
        if name == "feature":
            assert parameter.default in (0, None, parameter.empty)
        elif isinstance(parameter.default, (int, float, str, tuple)):
            given[name] = parameter.default
    return ", ".join(f"{name}={value!r}" for name, value in given.items())


def is_its_own(door, method):
    """Say whether a method is a class's own, or that of a base which nobody sees by itself."""
    owner = next(base for base in door.__mro__ if method.__name__ in vars(base))
    return owner is door or (
        owner.__module__.rpartition("._")[0] == door.__module__.rpartition("._")[0] != ""
        and owner.__name__ not in import_module(door.__module__.rpartition("._")[0]).__all__
    )


def doors():
    """Yield each public function, class and method with its name."""
    for info in pkgutil.walk_packages(ppdm.__path__, "ppdm."):
        if "._" in info.name:
            continue
        module = import_module(info.name)
        for name in getattr(module, "__all__", ()):
            door = getattr(module, name)
            if inspect.isfunction(door):
                yield f"{info.name}.{name}", door
            elif inspect.isclass(door) and not issubclass(door, Exception):
                yield f"{info.name}.{name}", door
                for method, its in inspect.getmembers(door, inspect.isroutine):
                    # scikit-learn adds set_..._request to its estimators
                    if method[0] != "_" and "_request" not in method and is_its_own(door, its):
                        yield f"{info.name}.{name}.{method}", its


DOORS = {name.removeprefix("ppdm."): door for name, door in doors()}


@pytest.mark.parametrize("name", STATED)
def test_a_default_is_the_stated_one(name):
    assert defaults(DOORS[name]) == STATED[name]


def test_the_attribute_is_the_first_within_the_package_too():
    for info in pkgutil.walk_packages(ppdm.__path__, "ppdm."):
        if "__main__" not in info.name:
            for _, function in inspect.getmembers(import_module(info.name), inspect.isfunction):
                defaults(function)


def test_every_default_is_stated():
    assert {name for name, door in DOORS.items() if defaults(door)} == STATED.keys()

"""Every default of the public functions and classes is the one that is stated."""

import inspect
import pkgutil
import re
from importlib import import_module

import pytest
from public_doors import DOORS

import ppdm

EM = "stop='auto', max_iter=10000, smooth=False, keep_history=True"
LEAF = "min_samples_leaf=0.0, min_impurity_decrease=0.0"
#: What the docstrings say in other words, or leave to those of a base or a peer.
STATED = {
    "attacks.credible_interval": "confidence=0.95",
    "classifiers.GuidedTreeClassifier": LEAF,
    "classifiers.MixtureTreeClassifier": "pruning='sliq'",
    "classifiers.ReconstructedTreeClassifier": f"criterion='gini', {LEAF}, stop='chi2', "
    "max_iter=10000",
    "datasets.make_plateau": "n_samples=100000",
    "datasets.make_triangles": "n_samples=100000",
    "noise.AdditiveNoise": "distribution='gaussian', privacy=1.0, confidence=0.95",
    "noise.privacy_interval": "confidence=0.95",
    "privacy.attribute_disclosure": "n_samples=10000, max_cells=67108864",
    "randomized_response.ProportionEstimate": "degrees=inf",
    "reconstruction.FrequencyEstimate": "degrees=inf",
    "reconstruction.em": EM,
    "reconstruction.project": "method='clip'",
    "reconstruction.reconstruct_distribution": f"kernel='cell', {EM}",
}


def in_docstring(door):
    """Yield each parameter and the ``default=`` that the docstring gives it."""
    heads = re.findall(r"^(\w+(?:, \w+)*) : (.*)$", inspect.getdoc(door) or "", re.MULTILINE)
    for names, text in heads:
        values = re.findall(r"default=([^;]+)", text)
        values = values[0].split(", ") if len(values) == 1 else values
        names = names.split(", ")
        for name, value in zip(names, values * (len(names) // max(len(values), 1)), strict=False):
            yield name, eval(value)


def defaults(door):
    """Return the numbers, words and flags of a signature; the attribute is always the first."""
    given = {}
    for name, parameter in inspect.signature(door).parameters.items():
        if name == "feature":
            assert parameter.default in (0, None, parameter.empty)
        elif isinstance(parameter.default, (int, float, str, tuple)):
            given[name] = parameter.default
    return given


@pytest.mark.parametrize("name", DOORS)
def test_a_default_is_the_one_in_its_docstring_or_here(name):
    door = DOORS[name]
    told, given = dict(in_docstring(door)), defaults(door)
    others = ", ".join(f"{own}={given[own]!r}" for own in given if own not in told)
    assert others == STATED.get(name, "")
    parameters = inspect.signature(door).parameters
    for own in told.keys() & parameters.keys():
        assert parameters[own].default == told[own], own


def test_the_attribute_is_the_first_within_the_package_too():
    for info in pkgutil.walk_packages(ppdm.__path__, "ppdm."):
        if "__main__" not in info.name:
            for _, function in inspect.getmembers(import_module(info.name), inspect.isfunction):
                defaults(function)

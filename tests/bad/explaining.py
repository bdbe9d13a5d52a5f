"""Valid calls of regressions, and of differences of groups."""


import numpy as np
from bad.kinds import array, either, labels, number, optional, some_bits
from bad.words import ANY_SHAPE, call, fit, method

from ppdm import compare, regression
from ppdm import randomized_response as rr

rng = np.random.default_rng(0)
X, REPORTS = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
COIN = np.array([[0.8, 0.2], [0.2, 0.8]])
REAL = array(2, (40, None), -1e100, 1e100, objects=True)
OF_THREE = array(2, (None, 3), -1e100, 1e100, objects=True)


def two_columns(v):
    """A coin of two truths that differ, whatever number of reports."""
    found = np.asarray(v, float)
    several = found[0] if found.ndim == 3 and len(found) == 1 else found
    return (several.ndim == 2 and (several >= 0).all() and np.allclose(several.sum(axis=0), 1)
            and np.linalg.matrix_rank(several) == several.shape[1] == 2)  # fmt: skip


def weights(v):
    return array(1, (40,), 0)(v) and np.sum(np.asarray(v, float)) > 0


def columns(v):
    """Columns and how they are disguised: the variance of a noise, or a coin."""
    def known(scheme):
        return (number(0)(scheme) and scheme > 0) or two_columns(scheme)

    return isinstance(v, dict) and all(k in (0, 1, 2) and known(each) for k, each in v.items())


def groups(v):
    return labels(40)(v) and np.shape(v) == (40,) and len(set(np.asarray(v).tolist())) > 1


ANSWERS = some_bits((40,), (40, 1))
WEIGHTS = {"sample_weight": (np.ones(40), optional(weights))}
PEOPLE = {"clusters": (np.arange(40) // 4, optional(groups))}
REGIONS = {"strata": (np.arange(40) // 20, optional(labels(40)))}
NAMED = {"scheme": ({"a": COIN}, lambda v: isinstance(v, dict) and set(v) == {"a"}),
         "scheme_of": (["a"] * 40, lambda v: len(v) == 40 and set(v) == {"a"})}  # fmt: skip
SHARE = rr.estimate_proportion([0, 1, 1, 0, 1], 0.8)
ESTIMATE = SHARE, lambda v: hasattr(v, "interval")


def fitted(scheme=COIN):
    return regression.DisguisedLogisticRegression(scheme, prior_sd=2.5, missing="drop").fit(
        X, REPORTS)  # fmt: skip


def linear():
    return regression.DisguisedLinearRegression({0: 0.1}).fit(X, X[:, 0])


CALLS = [
    fit(regression.DisguisedLogisticRegression, "feature prior_sd missing", "X y",
        X=(X, optional(REAL)), scheme=(COIN, optional(two_columns)), y=(REPORTS, ANSWERS),
        also={"feature": "scheme"}),
    fit(regression.DisguisedLogisticRegression, "prior_sd", "X y sample_weight clusters strata",
        X=(X, optional(REAL)), scheme=(COIN, optional(two_columns)), y=(REPORTS, ANSWERS),
        missing="drop", **WEIGHTS, **PEOPLE, **REGIONS, also={"y": "feature"}),
    fit(regression.DisguisedLogisticRegression, "", "X y scheme_of", X=(X, optional(REAL)),
        y=(REPORTS, ANSWERS), prior_sd=2.5, missing="drop", **NAMED, also={"scheme": "scheme_of"}),
    method(fitted, "predict", X=(X, OF_THREE)),
    method(fitted, "predict_proba", X=(X, OF_THREE), reports=(REPORTS, optional(ANSWERS)),
           also={"reports": "y|feature"}),
    method(lambda: fitted(None), "score", X=(X, OF_THREE), y=(REPORTS, ANSWERS), **WEIGHTS),
    method(fitted, "interval", "confidence"),
    method(fitted, "to_frame", "confidence"),
    fit(regression.DisguisedLinearRegression, "", "X y sample_weight clusters strata",
        X=(X, REAL), y=(X[:, 0], either(array(1, (40,), objects=True), array(2, (40, 1)))),
        disguised=({0: 0.1}, optional(columns)), **WEIGHTS, **PEOPLE, **REGIONS),
    fit(regression.DisguisedLinearRegression, "", "X y", X=(X, REAL), y=(REPORTS, ANSWERS),
        y_scheme=(COIN, optional(two_columns))),
    method(linear, "predict", X=(X, OF_THREE)),
    call(regression.estimate_difference, a=ESTIMATE, b=ESTIMATE),
    method(lambda: regression.estimate_difference(SHARE, SHARE), "interval", "confidence"),
    call(compare.respondents_needed, "theta proportion", "a difference",
         theta=(0.7, array(ANY_SHAPE, None, 0, 1)), power=(0.8, optional(number(0, 1))),
         difference=(0.1, either(number(-1, 1), array(ANY_SHAPE, None, -1, 1)))),
]  # fmt: skip

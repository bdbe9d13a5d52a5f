"""Valid calls of the learners."""

# ruff: noqa: I001

import numpy as np
from bad import words
from bad.kinds import (
    answers, anything, array, bits, edges, either, flag, integer, labels, nothing, optional,
    plain, sizes, texts,
)  # fmt: skip
from bad.words import (
    APART, ASKED, BITS, CODES, COIN, NOISE, TEXTS, TREE, TUPLES, X, Y, by_coins, call,
    fit, method, predicting,
)  # fmt: skip

from ppdm import classifiers, simulation
from ppdm.naive_bayes import CountNB
from ppdm.randomized_response import RandomizedResponse
from ppdm.tree import CountTreeClassifier

AS_CODES = words.CODED[1]
#: Codes, or labels that are learnt.
LABELLED = CODES, either(AS_CODES, texts(6))
OF_TEXTS = TEXTS, texts(6)
SIZES = 3, optional(either(integer(1), lambda v: not np.isscalar(v) and sizes(1, n=2)(v)))
NB_AFTER = "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"
TREE_AFTER = "predict", "predict_proba"
THREE = array(2, (None, 2), 0, 2, whole=True)
REAL = array(2, (None, 3), objects=True)
#: How often each record came.
TIMES = {"sample_weight": (np.ones(6), optional(array(1, (6,), 0, 2**53, whole=True)))}
NAMES = {"feature_names": (["a", "b", "c"], anything)}


def named(v):
    """Schemes by their names, or names that will do alone."""
    if isinstance(v, dict):
        return all(hasattr(scheme, "get_params") for scheme in v.values())
    names = {"coin", "one asked", "k-ary", "unary"}
    return isinstance(v, list | tuple | np.ndarray) and set(v) <= names


def positive(v):
    """Numbers above zero, one at least; a tuple of truth values is none of numbers."""
    found = plain(v)
    return found is not None and found.ndim == 1 and found.dtype.kind in "if" and (found > 0).all()


COINS = {"schemes": ({"coin": RandomizedResponse(epsilon=1.0, groups=[[0], [1], [2]])}, named)}
CLASSIFIER = lambda v: hasattr(v, "predict") and hasattr(v, "get_params")  # noqa: E731
EDGES_OF_THREE = lambda v: edges(2)(v) and len(v) == 3  # noqa: E731
NB, RRTree = classifiers.RandomizedResponseNB, classifiers.RandomizedResponseTreeClassifier
WORDS_NOISE = words.WORDS["noise"]


def tree_fitted():
    return CountTreeClassifier().fit(X, Y)


CALLS = [
    fit(CountNB, "", "X y sample_weight", n_values=SIZES, X=LABELLED),
    fit(CountNB, "", "X y sample_weight classes", "partial_fit", X=LABELLED,
        classes=(np.array([0, 1]), optional(array(1, None, whole=True)))),
    *predicting(lambda: CountNB().fit(CODES, Y), THREE, CODES, *NB_AFTER),
    fit(CountTreeClassifier, f"split n_intervals {TREE}", "X y sample_weight"),
    fit(CountTreeClassifier, "categories", "X y", X=OF_TEXTS),
    fit(CountTreeClassifier, "split", "X y", split=("multiway", lambda v: v == "multiway"),
        categories=(None, optional(nothing)),
        X=(TEXTS, either(words.WORDS["X"][1], OF_TEXTS[1]))),
    *predicting(lambda: CountTreeClassifier(split="multiway").fit(TEXTS, Y),
                lambda v: np.shape(v)[1:] == (2,) and texts()(v), TEXTS, "predict", "apply"),
    method(lambda: CountTreeClassifier(split="multiway"), "fit_codes", "y sample_weight",
           codes=(CODES, array(2, (6, 2), 0, 10**9, whole=True)),
           edges=([np.arange(3.0), np.arange(4.0)], nothing)),
    *predicting(tree_fitted, REAL, X, *TREE_AFTER, "apply"),
    method(tree_fitted, "branch_text", node=(1, integer(1, tree_fitted().tree_.n_nodes - 1)),
           **NAMES),
    method(tree_fitted, "export_text", **NAMES),
    fit(by_coins(NB), COIN, "X y sample_weight", X=(BITS, bits(2))),
    *[fit(by_coins(learner), "epsilon", "X y", X=words.THREE_BITS, **APART)
      for learner in (NB, RRTree)],
    fit(by_coins(NB), "theta", "X y sample_weight", X=(words.ANSWERS, answers), **ASKED),
    *predicting(lambda: NB(RandomizedResponse(0.8)).fit(BITS, Y), bits(2, (None, 3)), BITS,
                *NB_AFTER),
    fit(NB, "", "X y sample_weight", scheme=words.WORDS["channel"], also={"scheme": "channel"},
        X=(CODES, array(2, (6, None), 0, 2, whole=True))),
    *predicting(lambda: NB(words.CHANNEL).fit(CODES, Y), THREE, CODES, *NB_AFTER),
    call(simulation.simulate_schemes, "random_state", repeats=1, cv=(2, integer(2, 6)),
         X=(BITS, bits(2)), y=(Y, optional(labels(6))), epsilons=([1.0], optional(positive)),
         learner=(None, optional(CLASSIFIER)), attack=(True, flag), **COINS,
         also={"X": "groups", "epsilons": "epsilon"}),
    call(simulation.simulate_schemes, "", "of numbers", repeats=1, X=(X, REAL),
         edges=([[-3, 0, 3]] * 3, optional(EDGES_OF_THREE)), schemes=({"noise": NOISE}, named),
         also={"X": "domain"}),  # of some of its records, where they are alike
    fit(classifiers.DisguisedClassifier, "", "X y", X=(BITS, bits(2)),
        disguise=(RandomizedResponse(0.7), lambda v: isinstance(v, RandomizedResponse)),
        classifier=(None, optional(lambda v: isinstance(v, classifiers.RandomizedResponseNB)))),
    fit(by_coins(RRTree), f"{COIN} max_depth", "X y sample_weight", X=(BITS, bits(2)), **TIMES),
    fit(RRTree, "scheme", "X y", X=(BITS, bits(2))),
    *predicting(lambda: RRTree(RandomizedResponse(0.8)).fit(BITS, Y), bits(2, (None, 3)), BITS,
                *TREE_AFTER),
    fit(classifiers.GuidedNB, "", "X y sample_weight", n_values=([2, 3], sizes(n=2)),
        X=words.FIVE_BITS),
    *predicting(lambda: classifiers.GuidedNB([2, 3]).fit(TUPLES, Y), bits(2, (None, 5)), TUPLES,
                *NB_AFTER),
    fit(classifiers.GuidedTreeClassifier, TREE, "X y sample_weight", n_values=([2, 3], sizes(n=2)),
        X=words.FIVE_BITS, **TIMES),
    *predicting(lambda: classifiers.GuidedTreeClassifier([2, 3]).fit(TUPLES, Y),
                bits(2, (None, 5)), TUPLES, *TREE_AFTER),
    fit(classifiers.ReconstructedTreeClassifier,
        f"strategy integer_features n_intervals classes {TREE} min_node_records "
        "min_class_records keep_split stop tol max_iter", "X y", scheme=WORDS_NOISE),
    *predicting(lambda: classifiers.ReconstructedTreeClassifier(NOISE, max_iter=5, stop=None)
                .fit(X, Y), REAL, X, *TREE_AFTER),
    fit(classifiers.MixtureTreeClassifier,
        "n_components n_starts n_draws online n_passes batch_size n_cells integer_features "
        "n_intervals classes max_depth pruning random_state", "X y", scheme=WORDS_NOISE),
    *predicting(lambda: classifiers.MixtureTreeClassifier(NOISE, n_passes=1).fit(X, Y), REAL, X,
                *TREE_AFTER),
]  # fmt: skip

"""Every limit of a number: the last value that is allowed, and the first that is not."""

import numpy as np
import pytest

from ppdm import (
    attacks,
    classifiers,
    compare,
    datasets,
    guidance,
    naive_bayes,
    noise,
    privacy,
    protocol,
    reconstruction,
    regression,
    simulation,
    svd,
    tree,
    utility,
)
from ppdm import randomized_response as rr
from ppdm.generation import GaussianSampleGenerator

EYE, BITS, COINS = np.eye(4), np.array([[1, 0, 1, 0], [0, 1, 1, 0]]), [[0.8, 0.2], [0.2, 0.8]]
X, Y = np.array([[0.0, 1], [1, 3], [2, 0], [5, 2]]), [0, 1, 0, 1]
EDGES = [0.0, 1, 2]
NOISE = noise.AdditiveNoise(scale=1.0)
WAVE = noise.SquareWave(1.0, domain=[[0, 2]] * 2)
CLASSES = noise.ValueClassMembership(2, domain=[[0, 2]] * 2)
ATTACK = attacks.membership_inference(X, X, X + 1)
HISTORY = guidance.Guidance(4).update(BITS, [0, 1])
TREE = tree.CountTreeClassifier().fit(X, Y)


def em(**options):
    return reconstruction.em(COINS, [4, 4], **options)


def grow(**options):
    return tree.CountTreeClassifier(**options).fit(X, Y)


def reconstructed(**options):
    known = noise.AdditiveNoise(scale=1.0, domain=[[0, 5]] * 2).fit(X)
    options = {"n_intervals": 2, "min_node_records": 1, **options}
    return classifiers.ReconstructedTreeClassifier(known, **options).fit(X, Y)


def mixed(**options):
    known = noise.AdditiveNoise(scale=1.0, domain=[[0, 5]] * 2).fit(X)
    options = {"n_intervals": 2, "n_components": 2, "n_passes": 1, **options}
    return classifiers.MixtureTreeClassifier(known, **options).fit(X, Y)


def fit_logistic(**options):
    return regression.DisguisedLogisticRegression(COINS, **options).fit(X, Y)


def of_kinds(**options):
    kinds = [rr.RandomizedResponse(0.8), *[rr.UnaryEncoding(2, 1.0)] * 3]
    return rr.MixedResponse(kinds, **options)


def simulated(**options):
    options = {"schemes": {"coin": rr.RandomizedResponse(0.7)}, "repeats": 1, **options}
    return simulation.simulate_schemes(BITS.T, attack=False, **options)


def miner(**options):
    return protocol.DataMiner([2, 2], **options)


def provider(**options):
    options = {"label": 0, "max_level": 4, "sender": "anna", **options}
    return protocol.DataProvider([1, 0, 1, 0], **options)


def submitted(**change):
    asked = miner(batch_size=2)
    asked.bootstrap(BITS, [0, 1])
    message = protocol.Submission("anna", asked.inquire().epoch, 0, BITS[0])
    asked.submit(message._replace(**change))


def disclosed(**options):
    return privacy.degree_of_disclosure(BITS, BITS * 0.5 + 0.25, random_state=0, **options)


def checked(**change):
    arguments = {"V": EYE[:, :1], "k": 1, "max_level": 1, "n_bits": 4, **change}
    return guidance.check_guidance(**arguments)


def chosen(**change):
    return compare.choose_scheme(**{"n": 100, "yes_no": 2, "epsilon": 1.0} | change)


def needed(*args, **wish):
    return compare.respondents_needed(*args, **wish)


LIMITS = [
    # argument, a call, what it takes, what it refuses
    ("max_iter", lambda v: em(max_iter=v, stop=None), [1], [0]),
    ("tol", lambda v: em(tol=v), [0.5], [0]),
    ("feature", lambda v: NOISE.on(EDGES).channel_matrix(v), [0], [-1, 1]),
    ("feature", lambda v: NOISE.on(EDGES, feature=v), [0, 9], [-1]),
    ("feature", lambda v: noise.AdditiveNoise(scale=[1, 2]).on(EDGES, feature=v), [0, 1], [-1, 2]),
    ("feature", lambda v: CLASSES.on(EDGES, feature=v), [0, 1], [-1, 2]),
    ("feature", lambda v: CLASSES.on(EDGES, feature=1).channel_matrix(v), [0], [-1, 1]),
    ("feature", lambda v: rr.RandomizedResponse(0.8).fit(BITS).channel_matrix(v), [0, 3], [-1, 4]),
    ("feature", lambda v: rr.RandomizedResponse(0.8).channel_matrix(v), [0, 9], [-1]),
    ("privacy", lambda v: noise.AdditiveNoise(privacy=v).fit(X), [0.5, 1.5], [0]),
    ("scale", lambda v: noise.AdditiveNoise(scale=v).fit(X), [0.5], [0, -1]),
    ("confidence", lambda v: noise.AdditiveNoise(confidence=v).fit(X), [0.5], [0, 1]),
    ("epsilon", lambda v: noise.SquareWave(v).fit(X), [1e-9, 20], [0, -1, 20.1]),
    ("epsilon", lambda v: noise.Piecewise(v).fit(X), [1e-9, 20], [0, -1, 20.1]),
    ("feature", lambda v: WAVE.on(EDGES, feature=v), [0, 1], [-1, 2]),
    ("feature", lambda v: WAVE.on(EDGES, feature=1).channel_matrix(v), [0], [-1, 1]),
    ("scale", lambda v: noise.privacy_interval("uniform", v), [0.5], [0]),
    ("confidence", lambda v: noise.privacy_interval("uniform", 1, v), [0.5], [0, 1]),
    ("n_intervals", lambda v: noise.ValueClassMembership(v).fit(X), [2], [1]),
    ("width", lambda v: noise.ValueClassMembership(width=v).fit(X), [0.5], [0]),
    ("n_samples", lambda v: datasets.make_agrawal(v, random_state=0), [1], [0]),
    ("function", lambda v: datasets.make_agrawal(9, v, random_state=0), [1, 5], [0, 6]),
    ("n_samples", datasets.make_plateau, [1], [0]),
    ("n_samples", datasets.make_triangles, [1], [0]),
    ("n_components", lambda v: svd.TruncatedSVDPerturbation(v).fit(X), [1, 2], [0, 3]),
    ("sparsity", lambda v: svd.SparsifiedSVDPerturbation(1, v).fit(X), [0, 0.5], [-0.1, 1]),
    ("n_samples", lambda v: GaussianSampleGenerator("same").fit(X[:2].repeat(2, 0), Y).sample(v),
     [9], [0]),
    ("proportion", lambda v: needed(0.8, 0.1, proportion=v), [0, 1], [-0.1, 1.1]),
    ("error", lambda v: needed(0.8, v), [0.5], [0]),
    ("theta", lambda v: needed(v, 0.1), [0, 1], [-0.1, 1.1]),
    ("theta", lambda v: rr.RandomizedResponse(v).fit(BITS), [0, 1], [-0.1, 1.1]),
    ("epsilon", lambda v: rr.RandomizedResponse(epsilon=v).fit([[0], [1]]), [1e-9, 20], [0, 20.1]),
    ("epsilon", lambda v: rr.CategoricalRandomizedResponse(2, epsilon=v).fit(BITS), [20], [0, 21]),
    ("epsilon", lambda v: rr.unrelated_question(prevalence=0.5, epsilon=v), [1e-9, 20], [0, 21]),
    ("margin", lambda v: needed(0.8, margin=v), [0.1], [0, 1e-10]),
    ("n_values", lambda v: needed(0.8, 0.1, n_values=v), [2], [1]),
    ("difference", lambda v: needed(0.8, difference=v), [0.5, -0.5], [1, -1, 0]),
    ("power", lambda v: needed(0.8, difference=0.1, power=v), [0.5], [0, 1]),
    ("prior_sd", lambda v: fit_logistic(prior_sd=v), [0.01, 100], [0.009, 101]),
    ("n", lambda v: chosen(n=v), [1], [0]),
    ("yes_no", lambda v: chosen(yes_no=v, one_of=3), [0], [-1]),
    ("one_of", lambda v: chosen(one_of=v), [2], [1]),
    ("margin", lambda v: chosen(margin=v), [0.1, None], [0, 1e-10]),
    ("confidence", lambda v: chosen(confidence=v), [0.5], [0, 1]),
    ("proportion", lambda v: chosen(proportion=v), [0.5, None], [0, 1]),
    ("epsilon", lambda v: chosen(epsilon=v), [1e-3, 900], [0]),
    ("smaller", lambda v: chosen(smaller=v), [1, None], [0, 1.1]),
    ("times", lambda v: chosen(times=v), [1], [0]),
    ("numbers", lambda v: chosen(numbers=[(0, v)], want="mean"), [1], [1e300, 1e-300]),
    ("top", lambda v: chosen(one_of=10, want="top", top=v), [1, 9], [0, 10]),
    ("epsilon", lambda v: needed(error=0.1, epsilon=v), [0.1, 20], [0, 20.1]),
    ("epsilon", lambda v: noise.AdditiveNoise("laplace", epsilon=v).fit(X), [0.1, 20], [0, 21]),
    ("asked", lambda v: rr.RandomizedResponse(0.8, asked=v).fit(BITS), [1, 4], [0, 5]),
    ("asked", lambda v: rr.CategoricalRandomizedResponse(2, 0.8, asked=v).fit(BITS), [4], [0, 5]),
    ("asked", lambda v: rr.UnaryEncoding(2, 1.0, asked=v).fit(BITS), [4], [0, 5]),
    ("asked", lambda v: of_kinds(asked=v).fit(BITS), [1, 4], [0, 5]),
    ("epsilon", lambda v: of_kinds(epsilon=v).fit(BITS), [1e-9, 80], [0, -1]),
    ("theta", lambda v: rr.CategoricalRandomizedResponse(2, v).fit(BITS), [0, 1], [-0.1, 1.1]),
    ("n_values", lambda v: rr.CategoricalRandomizedResponse(v, 0.8).fit(BITS), [2], [1]),
    ("theta", lambda v: rr.unrelated_question(v, 0.5), [0, 1], [-0.1, 1.1]),
    ("prevalence", lambda v: rr.unrelated_question(0.5, v), [0, 1], [-0.1, 1.1]),
    ("smoothing", lambda v: naive_bayes.CountNB(smoothing=v).fit(BITS, [0, 1]), [1e-9], [0, -1]),
    ("cv", lambda v: simulated(y=[0, 1, 0, 1], cv=v), [2, 4], [1, 5]),
    ("epsilons", lambda v: simulated(schemes=["coin"], epsilons=[v]), [1e-9, 20], [0, -1]),
    ("epsilon", lambda v: rr.UnaryEncoding(2, v).fit(BITS), [0.5], [0]),
    ("n_values", lambda v: rr.UnaryEncoding(v, 1.0).fit(BITS), [2], [1]),
    ("n_values", lambda v: rr.UnaryEncoding(v, 1.0).channel_matrix(), [2, 16], [1, 17]),
    ("n_values", lambda v: naive_bayes.CountNB(n_values=v).fit(BITS * 0, [0, 1]), [1], [0]),
    ("n_intervals", lambda v: grow(n_intervals=v), [1, None], [0]),
    ("max_depth", lambda v: grow(max_depth=v), [0, None], [-1]),
    ("min_samples_leaf", lambda v: grow(min_samples_leaf=v), [0, 0.5], [-0.1]),
    ("min_impurity_decrease", lambda v: grow(min_impurity_decrease=v), [0, 0.5], [-0.1]),
    ("node", TREE.branch_text, [1, TREE.tree_.n_nodes - 1], [0, TREE.tree_.n_nodes]),
    ("min_node_records", lambda v: reconstructed(min_node_records=v), [1], [0]),
    ("min_class_records", lambda v: reconstructed(min_class_records=v), [1], [0]),
    ("max_iter", lambda v: reconstructed(max_iter=v, stop=None), [1], [0]),
    ("tol", lambda v: reconstructed(tol=v), [0.5], [0]),
    ("n_intervals", lambda v: reconstructed(n_intervals=v), [2], [1]),
    *[(name, lambda v, name=name: mixed(**{name: v}), [1], [0])
      for name in ("n_components", "n_starts", "n_draws", "n_passes", "batch_size", "n_cells")],
    ("n_intervals", lambda v: mixed(n_intervals=v), [2, None], [1]),
    ("mu", lambda v: miner(mu=v), [0.5], [0, 1]),
    ("batch_size", lambda v: miner(batch_size=v), [1], [0]),
    ("m0", lambda v: miner().bootstrap_random(v), [1], [0]),
    ("epoch", lambda v: submitted(epoch=v), [0], [-1, 1]),
    ("label", lambda v: submitted(label=v), [0, 1], [-1, 2]),
    ("label", lambda v: provider(label=v), [0, 1], [-1, 2]),
    ("max_level", lambda v: provider(max_level=v), [1, 4], [0, 5]),
    ("k", lambda v: provider().accepts(protocol.Announcement(0, v)), [1, 9], [0]),
    ("max_size", lambda v: utility.degree_of_error(BITS, BITS, [0, 1], [2, 2], max_size=v),
     [1, 2], [0, 3]),
    ("mu", lambda v: HISTORY.error_bound(v), [0.5], [0, 1]),
    ("epsilon", lambda v: utility.delta_r([0.5], [0.5], epsilon=v), [0, 0.5], [-0.1, 1]),
    ("repeats", lambda v: privacy.compose(0.1, repeats=v), [1], [0]),
    ("k", lambda v: attacks.greedy_bits(BITS, v), [1, 4], [0, 5]),
    ("confidence", lambda v: attacks.credible_interval([0.5, 0.5], EDGES, v), [0.5], [0, 1]),
    ("false_positive_rate", ATTACK.true_positive_rate, [0, 1], [-0.1, 1.1]),
    ("n_draws", lambda v: disclosed(n_draws=v), [1], [0]),
    ("max_cells", lambda v: disclosed(max_cells=v), [0], [-1]),
    ("n_samples", lambda v: disclosed(n_samples=v), [2], [1]),
    ("k", lambda v: privacy.disclosure_bound(BITS, v), [1, 4], [0, 5]),
    ("n_bits", guidance.Guidance, [1], [0]),
    ("mu", HISTORY.disclosure_level, [0.5], [0, 1]),
    ("k", HISTORY.vectors, [1, 4], [0, 5]),
    ("max_level", lambda v: checked(max_level=v), [1], [0]),
    ("k", lambda v: checked(k=v), [1], [0]),
    ("n_bits", lambda v: checked(n_bits=v), [4, None], [0]),
    ("n_bits", lambda v: checked(n_bits=v, V=[[1.0]]), [1], [0]),
    ("n_draws", lambda v: guidance.answers_read(EYE, [2, 2], n_draws=v), [1], [0, 10**6 + 1]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "call", "allowed", "refused"),
    LIMITS,
    ids=[f"{i}-{name}" for i, (name, *_) in enumerate(LIMITS)],
)
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.MissingClassWarning")
def test_a_limit_is_where_it_is_said_to_be(name, call, allowed, refused):
    for value in allowed:
        call(value)
    for value in refused:
        with pytest.raises(ValueError, match=rf"\b{name}\b.* must be|{name} must be"):
            call(value)

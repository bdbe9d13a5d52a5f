"""Every limit of a number: the last value that is allowed, and the first that is not."""

import numpy as np
import pytest

from ppdm import _validation as check
from ppdm import (
    attacks,
    classifiers,
    compare,
    guidance,
    naive_bayes,
    noise,
    privacy,
    protocol,
    reconstruction,
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
NUMBERS = {check.number, check.integer}
NOISE = noise.AdditiveNoise(scale=1.0)
WAVE = noise.SquareWave(1.0, domain=[[0, 2]] * 2)
CLASSES = noise.ValueClassMembership(2, domain=[[0, 2]] * 2)
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


#: Of the package's own table: arguments, values that are allowed, values that are not.
OF_THE_TABLE = [
    ("theta proportion prevalence false_positive_rate", [0, 1], [-0.001, 1.001]),
    (
        "confidence power mu delta respondents_needed.error respondents_needed.margin",
        [1e-9, 0.999],
        [0, 1],
    ),
    ("sparsity slack audit_epsilon.delta Budget.delta delta_r.epsilon", [0, 0.999], [-0.001, 1]),
    ("epsilon HadamardResponse.epsilon", [1e-9, 20], [0, -1, 20.001]),
    (
        "UnaryEncoding.epsilon PrivateTreeGenerator.epsilon Budget.epsilon MixedResponse.epsilon "
        "privacy scale",
        [1e-9, 900],
        [0, -1],
    ),
    ("tol smoothing choose_scheme.epsilon choose_scheme.margin", [1e-9, 900, None], [0, -1]),
    ("prior_sd", [0.01, 100, None], [0.009, 100.01]),
    ("respondents_needed.difference", [0.999, -0.999], [1, -1]),
    ("gaussian_delta.epsilon min_samples_leaf min_impurity_decrease", [0, 900], [-0.001]),
    ("choose_scheme.proportion", [1e-9, 0.999, None], [0, 1]),
    ("smaller", [1e-9, 1, None], [0, 1.001]),
    ("feature epoch max_cells", [0], [-1]),
    ("max_depth", [0, None], [-1]),
    ("yes_no", [0, 2**14], [-1, 2**14 + 1]),
    ("label", [0, 1], [-1, 2]),
    (
        "k max_level n_volunteers max_size node asked max_iter batch_size n_cells min_node_records "
        "min_class_records svd.n_components choose_scheme.n",
        [1, 10**12],
        [0],
    ),
    ("n_samples n_draws repeats m0 draw_levels.n", [1, 10**9], [0, 10**9 + 1]),
    ("n_bits n_components choose_scheme.times", [1, 2**14], [0, 2**14 + 1]),
    ("n_starts n_passes MixtureTreeClassifier.n_draws", [1, 2**20], [0, 2**20 + 1]),
    ("top check_guidance.n_bits", [1, None], [0]),
    ("CountTreeClassifier.n_intervals", [1, 2**20, None], [0, 2**20 + 1]),
    ("n_intervals", [2, 2**20, None], [1, 2**20 + 1]),
    ("respondents_needed.n_values", [2, 2**20], [1, 2**20 + 1]),
    ("cv privacy.n_samples", [2, 10**9], [1, 10**9 + 1]),
    ("leave_one_out.n_draws", [2, 10**9, None], [1, 10**9 + 1]),
    ("answers_read.n_draws", [1, 10**6, None], [0, 10**6 + 1]),
    ("draw_levels.n_bits", [6], [5]),
    ("make_agrawal.function", [1, 5], [0, 6]),
]


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [(name, *values) for names, *values in OF_THE_TABLE for name in names.split()],
)
def test_a_limit_of_the_table_is_where_it_is_said_to_be(name, allowed, refused):
    assert [check.given(name, value) for value in allowed] == allowed
    for value in refused if None in allowed else [*refused, None]:
        with pytest.raises((ValueError, TypeError), match=rf"{name.rpartition('.')[2]} must be"):
            check.given(name, value)


def test_every_number_of_the_table_has_its_limits_here():
    named = {name for names, *_ in OF_THE_TABLE for name in names.split()}
    assert named == {name for name, row in check.TABLE.items() if row.check in NUMBERS}


#: What depends on the other arguments, or is in no table.
LIMITS = [
    # argument, a call, what it takes, what it refuses
    ("feature", lambda v: NOISE.on(EDGES).channel_matrix(v), [0], [-1, 1]),
    ("feature", lambda v: NOISE.on(EDGES, feature=v), [0, 9], [-1]),
    ("feature", lambda v: noise.AdditiveNoise(scale=[1, 2]).on(EDGES, feature=v), [0, 1], [-1, 2]),
    ("feature", lambda v: CLASSES.on(EDGES, feature=v), [0, 1], [-1, 2]),
    ("feature", lambda v: CLASSES.on(EDGES, feature=1).channel_matrix(v), [0], [-1, 1]),
    ("feature", lambda v: rr.RandomizedResponse(0.8).fit(BITS).channel_matrix(v), [0, 3], [-1, 4]),
    ("feature", lambda v: rr.RandomizedResponse(0.8).channel_matrix(v), [0, 9], [-1]),
    ("feature", lambda v: WAVE.on(EDGES, feature=v), [0, 1], [-1, 2]),
    ("feature", lambda v: WAVE.on(EDGES, feature=1).channel_matrix(v), [0], [-1, 1]),
    ("n_intervals", lambda v: noise.ValueClassMembership(v).fit(X), [2], [1]),
    ("width", lambda v: noise.ValueClassMembership(width=v).fit(X), [0.5], [0]),
    ("n_components", lambda v: svd.TruncatedSVDPerturbation(v).fit(X), [1, 2], [0, 3]),
    ("n_samples", lambda v: GaussianSampleGenerator("same").fit(X[:2].repeat(2, 0), Y).sample(v),
     [9], [0]),
    ("epsilon", lambda v: rr.RandomizedResponse(epsilon=v).fit([[0], [1]]), [1e-9, 20], [0, 20.1]),
    ("epsilon", lambda v: rr.CategoricalRandomizedResponse(2, epsilon=v).fit(BITS), [20], [0, 21]),
    ("margin", lambda v: needed(0.8, margin=v), [0.1], [0, 1e-10]),
    ("difference", lambda v: needed(0.8, difference=v), [0.5, -0.5], [1, -1, 0]),
    ("one_of", lambda v: chosen(one_of=v), [2], [1]),
    ("margin", lambda v: chosen(margin=v), [0.1, None], [0, 1e-10]),
    ("epsilon", lambda v: chosen(epsilon=v), [1e-3, 900], [0]),
    ("numbers", lambda v: chosen(numbers=[(0, v)], want="mean"), [1], [1e300, 1e-300]),
    ("top", lambda v: chosen(one_of=10, want="top", top=v), [1, 9], [0, 10]),
    ("epsilon", lambda v: needed(error=0.1, epsilon=v), [0.1, 20], [0, 20.1]),
    ("asked", lambda v: rr.RandomizedResponse(0.8, asked=v).fit(BITS), [1, 4], [0, 5]),
    ("asked", lambda v: rr.CategoricalRandomizedResponse(2, 0.8, asked=v).fit(BITS), [4], [0, 5]),
    ("asked", lambda v: rr.UnaryEncoding(2, 1.0, asked=v).fit(BITS), [4], [0, 5]),
    ("asked", lambda v: of_kinds(asked=v).fit(BITS), [1, 4], [0, 5]),
    ("epsilon", lambda v: of_kinds(epsilon=v).fit(BITS), [1e-9, 80], [0, -1]),
    ("n_values", lambda v: rr.CategoricalRandomizedResponse(v, 0.8).fit(BITS), [2], [1]),
    ("cv", lambda v: simulated(y=[0, 1, 0, 1], cv=v), [2, 4], [1, 5]),
    ("epsilons", lambda v: simulated(schemes=["coin"], epsilons=[v]), [1e-9, 20], [0, -1]),
    ("n_values", lambda v: rr.UnaryEncoding(v, 1.0).fit(BITS), [2], [1]),
    ("n_values", lambda v: rr.UnaryEncoding(v, 1.0).channel_matrix(), [2, 16], [1, 17]),
    ("n_values", lambda v: naive_bayes.CountNB(n_values=v).fit(BITS * 0, [0, 1]), [1], [0]),
    ("n_intervals", lambda v: grow(n_intervals=v), [1, None], [0]),
    ("node", TREE.branch_text, [1, TREE.tree_.n_nodes - 1], [0, TREE.tree_.n_nodes]),
    ("n_intervals", lambda v: reconstructed(n_intervals=v), [2], [1]),
    ("n_intervals", lambda v: mixed(n_intervals=v), [2, None], [1]),
    ("epoch", lambda v: submitted(epoch=v), [0], [-1, 1]),
    ("max_level", lambda v: provider(max_level=v), [1, 4], [0, 5]),
    ("k", lambda v: provider().accepts(protocol.Announcement(0, v)), [1, 9], [0]),
    ("max_size", lambda v: utility.degree_of_error(BITS, BITS, [0, 1], [2, 2], max_size=v),
     [1, 2], [0, 3]),
    ("k", lambda v: attacks.greedy_bits(BITS, v), [1, 4], [0, 5]),
    ("n_samples", lambda v: disclosed(n_samples=v), [2], [1]),
    ("k", lambda v: privacy.disclosure_bound(BITS, v), [1, 4], [0, 5]),
    ("k", HISTORY.vectors, [1, 4], [0, 5]),
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

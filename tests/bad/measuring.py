"""One valid call of every measure, of channels of whole records, of data, of the book's doors."""

# ruff: noqa: I001

import numpy as np
from bad import words
from bad.kinds import (
    anything, array, bits, bounds, either, integer, labels, matrix, nothing, number, option,
    optional, plain, sizes,
)  # fmt: skip
from bad.words import ANY_SHAPE, BITS, CHANNEL, CODES, SAMPLING, TUPLES, X, Y, call, method
from matplotlib.figure import Figure

from ppdm.channel._opening import as_channel
from ppdm import compare, datasets, noise, privacy, randomized_response
from ppdm_book import claims, experiments, figures

ANY_MATRIX = {"channel": (CHANNEL, matrix((None, None)))}
RECORDS = {"records": (CODES, array(2, None, 0, 2, whole=True)), "y": (Y, optional(labels(6)))}
PRIOR = {"T": (TUPLES, bits(2, (6, None))), "y": (Y, optional(bits(1, (6,))))}
THREE = array(2, (None, 2), 0, 2, whole=True)
ONE_RECORD = array((1, 2), None, 0, 2, whole=True)
TEXT = "text", lambda v: isinstance(v, str) and v


def empty(v):
    """Nothing of the kind is asked."""
    return isinstance(v, list | tuple) and not v


def infinite(v):
    """An epsilon may be: a mechanism that hides nothing."""
    found = plain(v)
    if found is None or found.dtype.kind != "f":
        return False
    return not np.isnan(found).any() and bool((found >= 0).all())


def released(v):
    """Numbers, of which any may be missing or infinite."""
    found = plain(v)
    return found is not None and found.dtype.kind in "biuf"


def tossed(data, n, rng):
    """n reports of a bit that is kept with probability 0.8."""
    return (rng.random((n, 1)) < 0.2) ^ np.asarray(data, bool)


def plain_matrices():
    return as_channel(CHANNEL, 2)


def of_records(make, released, released_kind, records, records_kind, clear_kind=None):
    """Calls of what a channel says of whole records, in codes and in the clear."""
    clear = {"records": (records, clear_kind or records_kind)}
    return [
        method(make, "record_parts", records=(records, records_kind)),
        method(make, "record_codes", **clear),
        method(make, "log_likelihood", released=(released, released_kind), **clear),
    ]


def of_a_product(**given):
    return privacy.record_information(**given, prior="product")


def of_a_matrix(channel, **given):
    return privacy.local_epsilon(channel, **given)


def of_a_scheme(changes):
    return privacy.local_epsilon(words.coin(), changes=changes)


def of_a_channel(first, second):
    """Audit a fair mechanism beside a channel that says how fair it is."""

    def said(data, n, rng):
        return rng.random((n, 1)) < 0.2

    more = {"n_draws": 100, "batch": True, "channel": plain_matrices()}
    return privacy.audit_epsilon(said, first, second, **more)


def of_what_is_returned(result):
    return privacy.audit_epsilon(lambda *_: result, 0, 1, n_draws=100, random_state=0)


def of_what_is_returned_at_once(result):
    def said(data, n, rng):
        return [1] * n if data else result

    return privacy.audit_epsilon(said, 0, 1, n_draws=100, batch=True, random_state=0)


LOADER = "return_X_y as_frame"
CALLS = [
    *[call(function, "original released")
      for function in (privacy.value_difference, privacy.rank_position, privacy.rank_kept,
                       privacy.attribute_rank_change, privacy.attribute_rank_kept)],
    call(privacy.degree_of_disclosure, f"probabilities n_draws {SAMPLING}", **PRIOR),
    call(privacy.attribute_disclosure, f"probabilities n_values {SAMPLING}", **PRIOR),
    call(privacy.disclosure_bound, T=(TUPLES, bits()), k=(2, integer(1, 5))),
    call(of_a_matrix, title="local_epsilon", **ANY_MATRIX),
    call(of_a_matrix, "changes", **ANY_MATRIX),
    call(of_a_scheme, "changes"),
    call(privacy.mutual_information, "channel prior", feature=(0, optional(integer(0, 0)))),
    call(privacy.record_information, SAMPLING, prior="pool", **ANY_MATRIX, **RECORDS),
    call(of_a_product, **ANY_MATRIX, **RECORDS),
    call(privacy.record_information, title="of a list", records=RECORDS["records"],
         channel=(np.stack([CHANNEL, CHANNEL]),
                  lambda v: matrix()(v) or all(map(matrix((None, None)), v)))),
    call(privacy.posterior_odds, "channel prior", feature=(0, optional(integer(0, 0))),
         truths=(0, either(integer(0, 2), array((0, 1), None, 0, 2, whole=True)))),
    call(privacy.compose, "repeats slack",
         epsilon=(np.array([0.1, 0.5]), either(array(ANY_SHAPE, None, 0), infinite)),
         delta=(np.array([0.1, 0.0]), array(ANY_SHAPE, None, 0, 1))),
    call(privacy.Budget, "epsilon", delta=(0.1, number(0.05, 1)),
         slack=(0.05, number(0, 0.1))),
    method(lambda: privacy.Budget(9.0), "charge", "repeats",
           release=(noise.SquareWave(1.0, [[0, 1]]), nothing)),
    method(lambda: privacy.Budget(9.0), "report", X=(CODES, array(2, None, 0, 2, whole=True)),
           kept=(randomized_response.MemoizedResponse(3, 1.0), nothing)),
    call(privacy.Guarantee, delta=(0.1, number(0, 1)),
         epsilon=(1.0, lambda v: number(0)(v) or (isinstance(v, float) and v == np.inf))),
    call(privacy.gaussian_delta, "epsilon sensitivity", scale=words.SCALE),
    call(privacy.gaussian_epsilon, "delta sensitivity", scale=words.SCALE),
    call(privacy.audit_epsilon, "confidence batch random_state", mechanism=(tossed, nothing),
         first=([0], anything), second=([1], anything), n_draws=400, delta=0.0),
    call(of_a_channel, first=(np.array([0, 2]), ONE_RECORD), second=(np.array([1, 2]), ONE_RECORD)),
    call(of_what_is_returned, result=(1, released), also={"result": "mechanism"}),
    call(of_what_is_returned_at_once, also={"result": "mechanism"},
         result=([1] * 101, lambda v: released(v) and len(v) == 101)),
    call(compare.choose_scheme, "n yes_no want margin confidence proportion epsilon "
         "trust smaller secret_class times top",
         numbers=([(0, 1)], either(empty, bounds(None))),
         one_of=([3], either(integer(2, 2**20), empty, sizes(2, 2**20)))),
    method(plain_matrices, "channel_matrix", feature=(1, integer(0, 1))),
    *of_records(words.coin, BITS, bits(2, (None, 3)), BITS, bits(2, (None, 3))),
    *of_records(words.categorical, CODES, THREE, CODES[:4], THREE),
    *of_records(words.unary, TUPLES, bits(2, (None, 5)), CODES[:4], THREE),
    *of_records(words.intervals, X[:, :1], array(2), np.array([[2], [0], [2]]),
                array(2, None, 0, 2), array(2, (None, 1))),
    *of_records(words.value_classes, Y[:, None], array(2, None, 0, 3), Y[:, None],
                array(2, None, 0, 2), array(2, (None, 1))),
    *of_records(plain_matrices, CODES, THREE, CODES[:4], THREE),
    method(lambda: noise.AdditiveNoise(scale=[1.0, 2.0, 1.0]), "log_likelihood",
           released=(X, array(2, (None, 3))), records=(X[:4], array(2, (None, 3)))),
    method(lambda: noise.SquareWave(1.0, domain=[[-9, 9]] * 3), "log_likelihood",
           released=(X, array(2, (None, 3))), records=(X, array(2, (None, 3)))),
    call(datasets.make_agrawal, "n_samples function balanced random_state"),
    call(datasets.make_plateau, "n_samples random_state"),
    call(datasets.make_triangles, "n_samples random_state"),
    call(datasets.load_voting, f"fill {LOADER} random_state"),
    call(datasets.load_pima, LOADER),
    call(datasets.load_breast_cancer_wisconsin, f"fill binary {LOADER}"),
    call(datasets.load_adult_binary, f"subset cut {LOADER}"),
    call(experiments.load_table, name=("guidance_votes", nothing)),
    call(claims.Claim, source=TEXT, claim=TEXT, ours=TEXT,
         verdict=("not", option(*claims.VERDICTS)), cause=("why", TEXT[1]),
         mark=("", option("", "privacy", "ours")), gap=("", lambda v: isinstance(v, str))),
    call(claims.ClaimsTable, claims=([claims.Claim("a", "b", "c", "not", "d")], nothing)),
    method(lambda: claims.ClaimsTable([claims.Claim("a", "b", "c", "not", "d")]), "glue",
           name=("claims-x", lambda v: isinstance(v, str) and v.strip())),
    call(figures.digest, fig=(Figure(), nothing)),
]  # fmt: skip

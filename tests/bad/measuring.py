"""One valid call of every function of privacy, attacks, data and the rest."""

import numpy as np
from bad.given import (
    BITS,
    CHANNEL,
    EDGES,
    LOADER,
    MATRIX,
    PRIOR,
    RANDOM,
    SAMPLING,
    SHARES,
    TUPLES,
    TWO_TABLES,
    Call,
    X,
    Y,
    answering,
    distribution,
    edges,
    groups,
    matrix,
    sizes,
)
from bad.kinds import (
    array,
    bits,
    flag,
    integer,
    labels,
    nothing,
    number,
    option,
    plain,
)

from ppdm import (
    attacks,
    datasets,
    generation,
    noise,
    privacy,
)
from ppdm_book import claims, experiments

CALLS = [
    *(
        Call(function.__name__, function, TWO_TABLES)
        for function in (
            privacy.value_difference,
            privacy.rank_position,
            privacy.rank_kept,
            privacy.attribute_rank_change,
            privacy.attribute_rank_kept,
        )
    ),
    Call(
        "degree_of_disclosure",
        privacy.degree_of_disclosure,
        {**PRIOR, "n_draws": (1, integer(1, 10**9)), **SAMPLING},
    ),
    Call(
        "attribute_disclosure",
        privacy.attribute_disclosure,
        {**PRIOR, "n_values": ([2, 3], sizes()), **SAMPLING},
    ),
    Call(
        "disclosure_bound",
        privacy.disclosure_bound,
        {"T": (TUPLES, bits()), "k": (2, integer(1, 5))},
    ),
    Call(
        "local_epsilon",
        lambda channel: privacy.local_epsilon(channel),
        {"channel": (CHANNEL, matrix((None, None)))},
    ),
    Call(
        "mutual_information",
        privacy.mutual_information,
        {**MATRIX, "prior": (SHARES, distribution(3, 1))},
    ),
    Call(
        "bayes_posterior", attacks.bayes_posterior, {**MATRIX, "prior": (SHARES, distribution(3))}
    ),
    Call(
        "credible_interval",
        attacks.credible_interval,
        {
            "probabilities": (
                SHARES,
                lambda v: (
                    distribution(3, (1, 2, 3))(v)
                    or (
                        plain(v) is not None
                        and plain(v).dtype.kind == "f"
                        and np.isnan(plain(v)).any()
                        and plain(v).ndim >= 1
                    )
                ),
            ),
            "edges": (EDGES, edges(1)),
            "confidence": (0.9, number(0, 1)),
        },
    ),
    Call(
        "complement_decoding",
        attacks.complement_decoding,
        {
            "disguised": (BITS, bits()),
            "theta": (0.8, number(0, 1)),
            "groups": ([[0, 2], [1]], groups(3)),
        },
    ),
    Call("greedy_bits", attacks.greedy_bits, {"T": (TUPLES, bits()), "k": (2, integer(1, 5))}),
    Call(
        "identity_guidance",
        attacks.identity_guidance,
        {"bits": ([0, 2], sizes(0, 4)), "n_bits": (5, integer(3, 10**5))},
    ),
    Call(
        "learn_level",
        attacks.learn_level,
        {"accepts": (answering(3), callable), "n_bits": (5, integer(1, 10**5))},
    ),
    Call(
        "membership_inference",
        attacks.membership_inference,
        {
            "released": (X, array(2, (None, 3))),
            "members": (X + 0.1, array(2, (None, 3))),
            "non_members": (X[::-1] * 2, array(2, (None, 3))),
            "scale": (True, flag),
            "project": (False, flag),
            "y": (None, lambda v: v is None),
        },
    ),
    Call(
        "membership_inference with classes",
        lambda of_released=Y, of_members=Y: attacks.membership_inference(
            X, X + 0.1, X[::-1], y=(of_released, of_members, Y)
        ),
        {"of_released": (Y, labels(6)), "of_members": (Y, labels(6))},
        also={"of_released": "y", "of_members": "y"},
    ),
    Call(
        "MembershipInference.true_positive_rate",
        lambda **kw: attacks.membership_inference(X, X + 0.1, X[::-1]).true_positive_rate(**kw),
        {"false_positive_rate": (0.1, number(0, 1))},
    ),
    Call("attribute_box", attacks.attribute_box, {"released": (X, array(2))}),
    Call(
        "make_agrawal",
        datasets.make_agrawal,
        {
            "n_samples": (5, integer(1, 10**9)),
            "function": (4, integer(1, 5)),
            "balanced": (False, flag),
            **RANDOM,
        },
    ),
    Call("make_plateau", datasets.make_plateau, {"n_samples": (5, integer(1, 10**9)), **RANDOM}),
    Call(
        "make_triangles", datasets.make_triangles, {"n_samples": (5, integer(1, 10**9)), **RANDOM}
    ),
    Call(
        "load_voting",
        datasets.load_voting,
        {"fill": (None, option("random", None)), **LOADER, **RANDOM},
    ),
    Call("load_pima", datasets.load_pima, LOADER),
    Call(
        "load_breast_cancer_wisconsin",
        datasets.load_breast_cancer_wisconsin,
        {"fill": ("mode", option("mode", None)), "binary": (True, flag), **LOADER},
    ),
    Call(
        "load_adult_binary",
        datasets.load_adult_binary,
        {"subset": ("test", option("train", "test", "all")), **LOADER},
    ),
    Call(
        "privacy_interval",
        noise.privacy_interval,
        {
            "distribution": (
                "gaussian",
                option("gaussian", "uniform", "laplace", "discretization"),
            ),
            "scale": (1.0, number(0)),
            "confidence": (0.9, number(0, 1)),
        },
    ),
    Call("default_estimators", generation.default_estimators, {}),
    Call("load_table", experiments.load_table, {"name": ("guidance_votes", nothing)}),
    Call(
        "Claim",
        claims.Claim,
        {
            **{
                name: ("text", lambda v: isinstance(v, str) and v)
                for name in ("source", "claim", "ours")
            },
            "verdict": ("not", option(*claims.VERDICTS)),
            "cause": ("why", lambda v: isinstance(v, str) and v),
            "mark": ("", option("", "privacy", "ours")),
            "gap": ("", lambda v: isinstance(v, str)),
        },
    ),
    Call(
        "ClaimsTable",
        claims.ClaimsTable,
        {"claims": ([claims.Claim("a", "b", "c", "not", "d")], nothing)},
    ),
]

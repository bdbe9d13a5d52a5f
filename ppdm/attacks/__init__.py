"""What an adversary gets back: it sees what the data miner sees, and nothing else.

The adversary knows the channel: every scheme here is public. It may also know the
distribution of the true values, because the miner publishes an estimate of it. What it
then knows about one person is a posterior distribution, not the noise.

An attack's result says what it reached, what a guess without the release reaches, and a
confidence interval: an :class:`AttackResult`. Membership inference has an AUC instead.
"""

from ppdm.attacks._bayes_guess import (
    BayesGuess,
    BayesResult,
    bayes_guess,
    recover_attributes,
    reidentify,
)
from ppdm.attacks._denoising import (
    DenoisingResult,
    EstimatedValues,
    average_releases,
    spectral_filter,
    wiener_estimate,
)
from ppdm.attacks._leave_one_out import AttackResult, LeaveOneOutResult, leave_one_out
from ppdm.attacks._membership import MembershipInference, membership_inference
from ppdm.attacks._one_scheme import (
    DecodedRecords,
    attribute_box,
    bayes_posterior,
    complement_decoding,
    credible_interval,
    greedy_bits,
    identity_guidance,
)

__all__ = [
    "AttackResult",
    "BayesGuess",
    "BayesResult",
    "DecodedRecords",
    "DenoisingResult",
    "EstimatedValues",
    "LeaveOneOutResult",
    "MembershipInference",
    "attribute_box",
    "average_releases",
    "bayes_guess",
    "bayes_posterior",
    "complement_decoding",
    "credible_interval",
    "greedy_bits",
    "identity_guidance",
    "leave_one_out",
    "membership_inference",
    "recover_attributes",
    "reidentify",
    "spectral_filter",
    "wiener_estimate",
]

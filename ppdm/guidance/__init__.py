"""Guided perturbation: the miner says which directions matter, the provider keeps those.

A data provider writes its record as bits, projects them on the few directions that the
data miner asks for, and releases random bits whose probabilities are the squares of the
projection. The directions, the *perturbation guidance* V_k*, are eigenvectors of the
difference of the two classes' second moments.

Zhang, Wang and Zhao (2005), section 4.
"""

from ppdm.guidance._guidance import Guidance
from ppdm.guidance._perturbation import (
    answers_read,
    bit_probabilities,
    certain_bits,
    check_guidance,
    log_likelihood,
    one_hot,
    perturb,
)

__all__ = [
    "Guidance",
    "answers_read",
    "bit_probabilities",
    "certain_bits",
    "check_guidance",
    "log_likelihood",
    "one_hot",
    "perturb",
]

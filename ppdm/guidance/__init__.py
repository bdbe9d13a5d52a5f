"""Guided perturbation: the miner says which directions matter, the provider keeps those.

A data provider writes its record as bits, projects them on the few directions that the
data miner asks for, and releases random bits whose probabilities are the squares of the
projection. The directions, the *perturbation guidance* V_k*, are eigenvectors of the
difference of the two classes' second moments.

Zhang, Wang and Zhao (2005), section 4.
"""

from ppdm.guidance._guidance import Guidance
from ppdm.guidance._likelihood import log_likelihood
from ppdm.guidance._one_hot import bit_groups, one_hot
from ppdm.guidance._perturbation import (
    bit_probabilities,
    certain_bits,
    check_guidance,
    perturb,
)
from ppdm.guidance._reading import answers_read

__all__ = [
    "Guidance",
    "answers_read",
    "bit_groups",
    "bit_probabilities",
    "certain_bits",
    "check_guidance",
    "log_likelihood",
    "one_hot",
    "perturb",
]

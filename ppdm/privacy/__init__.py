"""How much is disclosed: measures of privacy, as functions of a channel or of a release.

:func:`local_epsilon`, :func:`mutual_information`, :func:`posterior_odds` and
:func:`record_information` read a channel, :func:`degree_of_disclosure` the probabilities of guided
perturbation. :func:`compose`, :func:`gaussian_delta` and :func:`gaussian_epsilon` reckon with the
guarantee of differential privacy, a :class:`Budget` keeps to one, :func:`audit_epsilon` measures
it. The five measures of LX14 (section 3.2), ``value_difference`` (VD), ``rank_position`` (RP),
``rank_kept`` (RK), ``attribute_rank_change`` (CP) and ``attribute_rank_kept`` (CK), compare a
released matrix with the original one.
"""

from ppdm.privacy._audit import EpsilonAudit, audit_epsilon
from ppdm.privacy._composition import Budget, Guarantee, compose, gaussian_delta, gaussian_epsilon
from ppdm.privacy._disclosure import (
    attribute_disclosure,
    degree_of_disclosure,
    disclosure_bound,
    record_information,
)
from ppdm.privacy._information import (
    Disclosure,
    PosteriorOdds,
    local_epsilon,
    mutual_information,
    posterior_odds,
)
from ppdm.privacy._rank_measures import (
    attribute_rank_change,
    attribute_rank_kept,
    rank_kept,
    rank_position,
    value_difference,
)

__all__ = [
    "Budget",
    "Disclosure",
    "EpsilonAudit",
    "Guarantee",
    "PosteriorOdds",
    "attribute_disclosure",
    "attribute_rank_change",
    "attribute_rank_kept",
    "audit_epsilon",
    "compose",
    "degree_of_disclosure",
    "disclosure_bound",
    "gaussian_delta",
    "gaussian_epsilon",
    "local_epsilon",
    "mutual_information",
    "posterior_odds",
    "rank_kept",
    "rank_position",
    "record_information",
    "value_difference",
]

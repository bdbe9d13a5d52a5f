"""How much is disclosed: measures of privacy, as functions of a channel or of a release.

:func:`local_epsilon` and :func:`mutual_information` read a channel,
:func:`degree_of_disclosure` the probabilities of guided perturbation. The five measures of
LX14 (section 3.2), ``value_difference`` (VD), ``rank_position`` (RP), ``rank_kept`` (RK),
``attribute_rank_change`` (CP) and ``attribute_rank_kept`` (CK), compare a released matrix
with the original one.
"""

from ppdm.privacy._disclosure import (
    Disclosure,
    attribute_disclosure,
    degree_of_disclosure,
    disclosure_bound,
)
from ppdm.privacy._information import local_epsilon, mutual_information
from ppdm.privacy._rank_measures import (
    attribute_rank_change,
    attribute_rank_kept,
    rank_kept,
    rank_position,
    value_difference,
)
from ppdm.privacy._records import record_information

__all__ = [
    "Disclosure",
    "attribute_disclosure",
    "attribute_rank_change",
    "attribute_rank_kept",
    "degree_of_disclosure",
    "disclosure_bound",
    "local_epsilon",
    "mutual_information",
    "rank_kept",
    "rank_position",
    "record_information",
    "value_difference",
]

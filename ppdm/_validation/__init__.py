"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed.
"""

from ppdm._validation._arrays import (
    check_array,
    check_bits,
    check_codes,
    check_columns,
    check_domain,
    check_labels,
    check_not_negative,
    check_numbers,
)
from ppdm._validation._channels import (
    check_channel,
    check_channel_counts,
    check_counts,
    check_edges,
    check_probabilities,
    check_released,
    invert_matrix,
    matrices_of,
)
from ppdm._validation._records import (
    check_classes,
    check_inside,
    check_records,
    encode_classes,
    learn_domain,
)
from ppdm._validation._scalars import (
    check_integer,
    check_number,
    check_option,
    check_random_state,
    check_sizes,
)

__all__ = [
    "check_array",
    "check_bits",
    "check_channel",
    "check_channel_counts",
    "check_classes",
    "check_codes",
    "check_columns",
    "check_counts",
    "check_domain",
    "check_edges",
    "check_inside",
    "check_integer",
    "check_labels",
    "check_not_negative",
    "check_number",
    "check_numbers",
    "check_option",
    "check_probabilities",
    "check_random_state",
    "check_records",
    "check_released",
    "check_sizes",
    "encode_classes",
    "invert_matrix",
    "learn_domain",
    "matrices_of",
]

"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed.
"""

from ppdm._validation._arrays import (
    check_array,
    check_bits,
    check_codes,
    check_columns,
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
    inverse_of,
    invert_matrix,
    matrices_of,
)
from ppdm._validation._groups import (
    check_class_group,
    check_groups,
    check_invertible,
    check_theta,
    check_two_classes,
)
from ppdm._validation._records import (
    check_bit_probabilities,
    check_bit_table,
    check_classes,
    encode_classes,
)
from ppdm._validation._scalars import (
    check_integer,
    check_number,
    check_option,
    check_random_state,
    check_sizes,
    of_feature,
)

__all__ = [
    "check_array",
    "check_bit_probabilities",
    "check_bit_table",
    "check_bits",
    "check_channel",
    "check_channel_counts",
    "check_class_group",
    "check_classes",
    "check_codes",
    "check_columns",
    "check_counts",
    "check_edges",
    "check_groups",
    "check_integer",
    "check_invertible",
    "check_labels",
    "check_not_negative",
    "check_number",
    "check_numbers",
    "check_option",
    "check_probabilities",
    "check_random_state",
    "check_released",
    "check_sizes",
    "check_theta",
    "check_two_classes",
    "encode_classes",
    "inverse_of",
    "invert_matrix",
    "matrices_of",
    "of_feature",
]

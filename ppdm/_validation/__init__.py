"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed. The other rooms write
``from ppdm import _validation as check`` and ``check.number(theta, "theta", low=0, high=1)``.
"""

# ruff: noqa: F401, I001

from ppdm._validation._channels import (
    channel, channel_counts, counts, cuts, edges, inverse_of, invert_matrix, matrices_of,
    probabilities, released,
)
from ppdm._validation._records import (
    bit_probabilities, bit_table, class_group, classes, encode_classes, groups, inside, invertible,
    learn_domain, n_values, records, theta, tuples, two_classes,
)
from ppdm._validation._values import (
    array, bits, codes, columns, domain, import_optional, integer, labels, number, numbers,
    of_feature, option, random_state, sizes,
)

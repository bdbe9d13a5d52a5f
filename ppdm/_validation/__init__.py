"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed. The other rooms write
``from ppdm import _validation as check`` and ``check.number(theta, "theta", low=0, high=1)``.
"""

# ruff: noqa: F401, I001

from ppdm._validation._arrays import (
    array, bits, broadcast, codes, columns, domain, labels, numbers, plain, refuse,
    released_and_records, rows,
)
from ppdm._validation._categories import (
    coded_table, count_values, known_categories, n_categories, read_categories, to_codes, to_labels,
)
from ppdm._validation._channels import (
    channel, channel_counts, counts, cuts, edges, inverse_of, invert_matrix, is_list, matrices_of,
    probabilities, released,
)
from ppdm._validation._frames import is_frame, like, names_of, number_of, numbered
from ppdm._validation._mixed import mixed_table
from ppdm._validation._records import (
    bit_probabilities, bit_table, class_group, class_values, classes, code_table, encode_classes,
    groups, inside, invertible, labelled_table, learn_domain, n_values, naming, records, table,
    theta, tuples, two_classes, weights,
)
from ppdm._validation._values import (
    MOST_BITS, MOST_DRAWS, MOST_VALUES, alike, flag, function, goes_with, having, import_optional,
    integer, missing, number, of_feature, option, random_state, sequence, sizes,
)

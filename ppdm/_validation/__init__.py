"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed. The other rooms write
``from ppdm import _validation as check`` and ``check.given("theta", theta)``, which asks the table.
"""

# ruff: noqa: F401, I001

from ppdm._validation._arrays import (
    NOT_ASKED, answered, array, bit_probabilities, bits, broadcast, codes, counts, cuts, domain,
    edges, finite, invert_matrix, labelled, labels, matrix, missing_values, numbers, of_shape,
    plain, probabilities, refuse, refuse_attribute, refuse_missing, repetitions, rows, tuples,
    weights, wide_enough,
)
from ppdm._validation._labels import (
    coded_table, each_column, known_categories, mixed_table, called_by, labels_of, n_values,
    naming_column, renaming, to_codes, to_labels,
)
from ppdm._validation._records import (
    bit_table, class_group, class_values, classes, code_table, columns, encode_classes, groups,
    inside, known_domain, learn_domain, like, n_columns, names_of, numbered, records, table,
    two_classes,
)
from ppdm._validation._reports import (
    alike_columns, as_released, chosen, framed, not_reported, of_names, released_and_records,
    released_of, snapshot,
)
from ppdm._validation._values import (
    MOST_BITS, MOST_DRAWS, MOST_VALUES, TABLE, alike, arguments, at_home, attribute, child_of,
    demand, fitted, flag, function, given, goes_with, having, import_optional, in_step, integer,
    invertible, is_fitted, is_frame, is_integer, is_table, listed, missing, naming, number,
    number_of, of_edges, of_feature, of_kind, option, parameters, place_of, printed, random_state,
    sequence, stream,
)

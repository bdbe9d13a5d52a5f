"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed. The other rooms write
``from ppdm import _validation as check`` and ``check.number(theta, "theta", low=0, high=1)``.
"""

# ruff: noqa: F401

from ppdm._validation._arrays import (
    check_array as array,
)
from ppdm._validation._arrays import (
    check_bits as bits,
)
from ppdm._validation._arrays import (
    check_codes as codes,
)
from ppdm._validation._arrays import (
    check_columns as columns,
)
from ppdm._validation._arrays import (
    check_domain as domain,
)
from ppdm._validation._arrays import (
    check_labels as labels,
)
from ppdm._validation._arrays import (
    check_not_negative as not_negative,
)
from ppdm._validation._arrays import (
    check_numbers as numbers,
)
from ppdm._validation._channels import (
    check_channel as channel,
)
from ppdm._validation._channels import (
    check_channel_counts as channel_counts,
)
from ppdm._validation._channels import (
    check_counts as counts,
)
from ppdm._validation._channels import (
    check_cuts as cuts,
)
from ppdm._validation._channels import (
    check_edges as edges,
)
from ppdm._validation._channels import (
    check_probabilities as probabilities,
)
from ppdm._validation._channels import (
    check_released as released,
)
from ppdm._validation._channels import (
    inverse_of,
    invert_matrix,
    matrices_of,
)
from ppdm._validation._groups import (
    check_class_group as class_group,
)
from ppdm._validation._groups import (
    check_groups as groups,
)
from ppdm._validation._groups import (
    check_invertible as invertible,
)
from ppdm._validation._groups import (
    check_theta as theta,
)
from ppdm._validation._groups import (
    check_two_classes as two_classes,
)
from ppdm._validation._optional import import_optional
from ppdm._validation._records import (
    check_bit_probabilities as bit_probabilities,
)
from ppdm._validation._records import (
    check_bit_table as bit_table,
)
from ppdm._validation._records import (
    check_classes as classes,
)
from ppdm._validation._records import (
    check_inside as inside,
)
from ppdm._validation._records import (
    check_n_values as n_values,
)
from ppdm._validation._records import (
    check_records as records,
)
from ppdm._validation._records import (
    check_tuples as tuples,
)
from ppdm._validation._records import (
    encode_classes,
    learn_domain,
)
from ppdm._validation._scalars import (
    check_integer as integer,
)
from ppdm._validation._scalars import (
    check_number as number,
)
from ppdm._validation._scalars import (
    check_option as option,
)
from ppdm._validation._scalars import (
    check_random_state as random_state,
)
from ppdm._validation._scalars import (
    check_sizes as sizes,
)
from ppdm._validation._scalars import (
    of_feature,
)

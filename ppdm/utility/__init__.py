"""How much is kept: what a classifier learnt from disguised or released records is worth."""

from ppdm.utility._degree_of_error import degree_of_error, error_bound
from ppdm.utility._delta_r import delta_r
from ppdm.utility._disguised_accuracy import (
    AccuracyEstimate,
    accuracy_over_disguises,
    disguised_accuracy,
)

__all__ = [
    "AccuracyEstimate",
    "accuracy_over_disguises",
    "degree_of_error",
    "delta_r",
    "disguised_accuracy",
    "error_bound",
]

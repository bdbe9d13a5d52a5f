"""How much is kept: what a classifier learnt from disguised or released records is worth."""

from ppdm.utility._delta_r import delta_r
from ppdm.utility._disguised_accuracy import (
    AccuracyEstimate,
    accuracy_over_disguises,
    disguised_accuracy,
)

__all__ = ["AccuracyEstimate", "accuracy_over_disguises", "delta_r", "disguised_accuracy"]

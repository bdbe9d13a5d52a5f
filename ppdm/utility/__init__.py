"""How much is kept: what a classifier learnt from disguised records is worth."""

from ppdm.utility._disguised_accuracy import (
    AccuracyEstimate,
    accuracy_over_disguises,
    disguised_accuracy,
)

__all__ = ["AccuracyEstimate", "accuracy_over_disguises", "disguised_accuracy"]

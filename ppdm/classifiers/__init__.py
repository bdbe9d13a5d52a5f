"""Where a channel meets a learner: classifiers that fit on disguised and predict on clear records.

Each undoes a known channel on counts and hands them to an ordinary learner. They predict on
clear records, as a provider does who gets the model and applies it at home (AS00 section 4.3).
"""

from ppdm.classifiers._disguised import DisguisedClassifier
from ppdm.classifiers._guided import GuidedNB, GuidedTreeClassifier
from ppdm.classifiers._mixture_tree import MixtureTreeClassifier
from ppdm.classifiers._randomized_response import (
    RandomizedResponseNB,
    RandomizedResponseTreeClassifier,
)
from ppdm.classifiers._reconstructed import ReconstructedTreeClassifier

__all__ = [
    "DisguisedClassifier",
    "GuidedNB",
    "GuidedTreeClassifier",
    "MixtureTreeClassifier",
    "RandomizedResponseNB",
    "RandomizedResponseTreeClassifier",
    "ReconstructedTreeClassifier",
]

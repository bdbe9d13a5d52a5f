"""A decision tree grown from counts; it knows nothing of privacy (AS00 section 4, DZ03 4.2)."""

from ppdm.tree._classifier import CountTreeClassifier
from ppdm.tree._grow import Level, Recode
from ppdm.tree._kinds import Kinds
from ppdm.tree._members import ChunkedMembers, Members
from ppdm.tree._nodes import ZERO_COUNT, ZERO_GAIN, Tree

__all__ = [
    "ZERO_COUNT",
    "ZERO_GAIN",
    "ChunkedMembers",
    "CountTreeClassifier",
    "Kinds",
    "Level",
    "Members",
    "Recode",
    "Tree",
]

"""A decision tree grown from counts; it knows nothing of privacy (AS00 section 4, DZ03 4.2)."""

from ppdm.tree._classifier import CountTreeClassifier
from ppdm.tree._nodes import Tree

__all__ = ["CountTreeClassifier", "Tree"]

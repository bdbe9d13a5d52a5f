"""Where a channel meets a learner: classifiers fitted on disguised records.

Each fits on what the data providers released and predicts on clear records, as a provider
does who gets the model and applies it at home (AS00 section 4.3).
"""

from ppdm.classifiers._reconstructed import ReconstructedTreeClassifier

__all__ = ["ReconstructedTreeClassifier"]

"""The distribution of X from X + Y, and from what any known channel released.

The miner knows how the values were disguised, and undoes it on counts, never on records.
:func:`reconstruct_distribution` is the Bayes iteration of AS00 (section 3, figure 1) on
intervals. It is expectation maximisation on the channel matrix of the noise, so
:func:`em` is the same for any matrix; :func:`invert` is the unbiased alternative, which
may give negative counts, and :func:`project` makes those legal. All three are one call on
reports of one attribute, :func:`estimate_frequencies`.
"""

from ppdm.reconstruction._distribution import ReconstructedDistribution, reconstruct_distribution
from ppdm.reconstruction._em import EMResult, InvertedCounts, em, invert, project
from ppdm.reconstruction._frequencies import FrequencyEstimate, estimate_frequencies

__all__ = [
    "EMResult",
    "FrequencyEstimate",
    "InvertedCounts",
    "ReconstructedDistribution",
    "em",
    "estimate_frequencies",
    "invert",
    "project",
    "reconstruct_distribution",
]

"""What explains the answer: regression, and differences of groups, on disguised data.

Who disguises an answer wants to know what goes with it. A regression on the reports finds slopes
near zero; these find those of the truth, by the likelihood of each report through the channel
that it came through (:class:`DisguisedLogisticRegression`), or by unbiased sums of products
(:class:`DisguisedLinearRegression`, for disguised covariates, and for few people). They know no
scheme: any :class:`ppdm.channel.Channel` or matrix will do.

Scheers and Dayton (1988); Van den Hout, Van der Heijden and Gilchrist (2007); Fuller (1987).
"""

from ppdm.regression._coefficients import DifferenceEstimate, estimate_difference
from ppdm.regression._linear import DisguisedLinearRegression
from ppdm.regression._logistic import DisguisedLogisticRegression

__all__ = [
    "DifferenceEstimate",
    "DisguisedLinearRegression",
    "DisguisedLogisticRegression",
    "estimate_difference",
]

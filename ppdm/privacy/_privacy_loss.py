"""Privacy as the size of what is left to guess in: Agrawal and Aggarwal (2001).

AS00 measures privacy by an interval of the noise alone. Agrawal and Aggarwal found that
the distribution, once it is known, narrows it, and proposed 2 to the power of the entropy:
the length of an interval in which a uniformly distributed value would be as uncertain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._entropy import entropy_bits
from ppdm.privacy._information import mutual_information


def conditional_privacy(
    channel: Any, prior: ArrayLike, edges: ArrayLike, *, feature: int = 0
) -> float:
    r"""Return what is left of a value's privacy after its release: :math:`2^{h(X|W)}`.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        P[released cell | true interval]: ``noise.on(edges)``.
    prior : array-like of shape (m,)
        The distribution over the intervals.
    edges : array-like of shape (m + 1,)
        Edges of the intervals.
    feature : int, default=0
        The attribute of a Channel.

    Returns
    -------
    float
        A length, in units of the attribute: that of a uniform distribution as uncertain as
        the posterior is on average. Before the release it is
        ``conditional_privacy([[1] * m], prior, edges)``, 2^h(X).

    Raises
    ------
    ValueError
        If a column of ``channel`` or the prior does not sum to one, sizes differ or an edge is
        out of order.

    Notes
    -----
    Agrawal and Aggarwal (2001), On the design and quantification of privacy preserving data
    mining algorithms, PODS, section 2. The value is taken as spread evenly within its
    interval, and what the release says about where in it is left out, as is where in its cell
    the release lies. So the result is too large by what the intervals and cells hide; it
    converges from above as they get finer.

    Examples
    --------
    A uniform value in [0, 1] before and after uniform noise of half-width 1/2; in closed form
    1 and e^(-1/2) = .6065:

    >>> import numpy as np
    >>> from ppdm.noise import AdditiveNoise
    >>> edges = np.linspace(0, 1, 101)
    >>> channel, prior = AdditiveNoise("uniform", scale=0.5).on(edges), np.full(100, 0.01)
    >>> round(conditional_privacy([[1.0] * 100], prior, edges), 6)
    1.0
    >>> round(conditional_privacy(channel, prior, edges), 3)
    0.611
    """
    widths = np.diff(check.edges(edges, ndim=1))
    shares = check.probabilities(prior, "prior", len(widths))
    told = mutual_information(channel, shares, feature=feature)
    before = float(entropy_bits(shares) + shares @ np.log2(widths))
    return float(2.0 ** (before - told))


def privacy_loss(channel: Any, prior: ArrayLike, *, feature: int = 0) -> float:
    r"""Return the share of a value's privacy that its release takes: :math:`1 - 2^{-I(X;W)}`.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        P[released | true]; for additive noise ``noise.on(edges)``.
    prior : array-like of shape (m,)
        The distribution of the true values.
    feature : int, default=0
        The attribute of a Channel.

    Returns
    -------
    float
        In [0, 1): 0 where the release says nothing.

    Raises
    ------
    ValueError
        If a column of ``channel`` or the prior does not sum to one, or sizes differ.

    See Also
    --------
    conditional_privacy : What is left, as a length. mutual_information : I(X; W), in bits.

    Notes
    -----
    Agrawal and Aggarwal (2001), section 2. For additive noise between intervals it is too small
    by what these hide, and converges from below as they get finer.

    Examples
    --------
    >>> round(privacy_loss([[0.7, 0.3], [0.3, 0.7]], [0.5, 0.5]), 4)
    0.079
    """
    return float(-np.expm1(-np.log(2) * mutual_information(channel, prior, feature=feature)))

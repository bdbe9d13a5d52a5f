"""Bounded noise with a share of reports that have nothing to do with the value: finite epsilon.

Uniform noise tells two values apart for certain where one of them cannot reach the report. Here
a share of the reports is drawn from the whole range instead, so that every value may release
every report. Both schemes of this file are that, in units of the domain's width:

    x + y, y uniform on [-b, b], or with probability r a number uniform on [-b, 1 + b],

with odds (1 - r)(1 + 2b) / (2br) + 1 = e^epsilon between what is near and what is far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import hyp1f1

from ppdm import _validation as check
from ppdm._coding import cell_width
from ppdm.noise._intervals import IntervalChannel, NumberScheme
from ppdm.noise._laws import NOISES
from ppdm.typing import ArrayLike, Changes, FloatArray, RandomState


@dataclass(eq=False, repr=False)
class SquareWave(NumberScheme):
    """Square Wave: uniform noise with a share of pure noise (Li et al. 2020).

    In units of the domain's width a value is released as x + y, y uniform on [-b, b]; with
    probability r it is replaced by a number uniform on [-b, 1 + b]. Of all b the one is taken
    that lets a report of a uniform value say most:

        b = (epsilon e^epsilon - e^epsilon + 1) / (2 e^epsilon (e^epsilon - 1 - epsilon)),
        r = (1 - e^-epsilon) / epsilon.

    Parameters
    ----------
    epsilon : float in (0, 20]
        The epsilon of local differential privacy of one attribute; those of several add up.
    domain : array of shape (n_features, 2), optional
        The lowest and highest value that each attribute may take. A value outside is
        refused. None learns the bounds in ``fit``; what they disclose epsilon does not
        count.
    random_state : None, int or numpy.random.Generator
        As in :class:`AdditiveNoise`.

    Attributes
    ----------
    domain_ : ndarray of shape (n_features, 2)
        The bounds given or learned.
    scale_ : ndarray of shape (n_features,)
        Half-width of the noise, b times the width of each domain.
    replaced_ : float
        r, the share of reports that say nothing of the value.
    n_features_in_ : int
        Number of attributes seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where ``fit`` got a data frame.

    See Also
    --------
    Piecewise : The same with another b, stretched so that reports have the value as mean.

    Notes
    -----
    Where ``domain`` is given nothing is to be learned: a provider may call ``transform`` on
    one record, and a miner ``on``, without ``fit``.

    Released is the middle of a cell of a public grid, about ``scale_`` / 1024 wide and counted from
    the lower end of the domain, of those wholly inside the range of reports; noise that falls
    outside them is replaced, too. So the last digits tell nothing of the value. There is no delta.
    NumPy's 53 bits a draw add less than 1e-11 to an epsilon of 1 and 2e-5 to one of 20 (the
    book's fine print to AS00).

    References
    ----------
    Li, Wang, Lopuhaä-Zwakenberg, Li and Škoric (2020), Estimating numerical distributions
    under local differential privacy.

    Examples
    --------
    >>> wave = SquareWave(epsilon=1.0, domain=[[0, 1]], random_state=0).fit([[0.5]])
    >>> wave.scale_.round(5), round(wave.replaced_, 3)
    (array([0.25608]), 0.632)
    >>> wave.transform([[0.5], [0.5], [0.5]]).round(3)
    array([[0.497],
           [0.203],
           [0.019]])
    >>> from ppdm.privacy import local_epsilon
    >>> round(local_epsilon(wave.on([0, 0.25, 0.5, 0.75, 1])), 6)
    1.0
    """

    epsilon: float
    domain: ArrayLike | None = None
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Set the bounds of each attribute.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Records in the clear. Their values are used only where ``domain`` is None.
        y : ignored

        Returns
        -------
        SquareWave or Piecewise
            The fitted transformer.

        Raises
        ------
        ValueError, TypeError
            If epsilon is not a number in (0, 20], a value lies outside ``domain``, or an
            attribute has one value only and no domain is given.
        """
        half_width, replaced, _ = self._law()
        values = check.records(self, X, reset=True)
        self.domain_: FloatArray = check.learn_domain(self.domain, values)
        self.scale_: FloatArray = half_width * np.diff(self.domain_)[:, 0]
        self.replaced_ = replaced
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Release each value of each record, with noise drawn anew.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Records in the clear, inside the domain.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Disguised records; their values may leave the domain.

        Raises
        ------
        ValueError
            If a value is missing or lies outside the domain.
        """
        values = check.records(self, X)
        domain = check.known_domain(self, values.shape[1])
        check.inside(values, domain)
        low, high = domain.T
        half_width, replaced, stretch = self._law()
        scale = half_width * (high - low)
        width = cell_width(scale)
        # cells of that width from ``low`` on; those wholly inside the range are released
        reach = scale / width
        start, end = np.ceil(-reach), np.floor((high - low + scale) / width)
        at = (values - low) / width
        cell = np.floor(at)
        rng = check.stream(self.random_state, type(self).__name__)
        cell += np.floor(at - cell + reach * rng.uniform(-1.0, 1.0, values.shape))
        far = start + np.floor((end - start) * rng.random(values.shape))
        replace = (rng.random(values.shape) < replaced) | (cell < start) | (cell >= end)
        middle = (low + high) / 2
        released = low + (np.where(replace, far, cell) + 0.5) * width
        return np.asarray(middle + stretch * (released - middle))

    def log_likelihood(self, released: ArrayLike, records: ArrayLike) -> FloatArray:
        """Return the logarithm of the density of each release under each record.

        Parameters
        ----------
        released : array-like of shape (n, n_features)
            Disguised records.
        records : array-like of shape (m, n_features)
            Candidates for the true ones.

        Returns
        -------
        ndarray of shape (n, m)
            Minus infinity for what lies outside the range of the reports.
        """
        said, true = check.released_and_records(self, released, records)
        domain = check.known_domain(self, true.shape[1])
        half_width, replaced, stretch = self._law()
        total = np.zeros((len(said), len(true)))
        for (low, high), said_j, true_j in zip(domain, said.T, true.T, strict=True):
            middle, scale = (low + high) / 2, half_width * (high - low)
            back = middle + (said_j - middle) / stretch
            density = (1 - replaced) * NOISES["uniform"].density((back[:, None] - true_j) / scale)
            density /= scale
            density += replaced / (high - low + 2 * scale)
            beyond = np.abs(back - middle) > (1 + 1e-9) * ((high - low) / 2 + scale)
            total += np.where(beyond[:, None], -np.inf, np.log(density / stretch))
        return total

    @property
    def epsilon_(self) -> FloatArray:
        """What a value spends, of each attribute, (n_features,)."""
        return np.full(len(check.known_domain(self)), check.given("epsilon", self.epsilon))

    def on(
        self,
        edges: ArrayLike,
        *,
        feature: int | str | None = None,
        cells: ArrayLike | None = None,
        whole: bool = False,
    ) -> ReplacedChannel:
        """Bind intervals: the channel from an attribute's intervals to cells of its reports.

        Parameters
        ----------
        edges : array of shape (m + 1,)
            Edges of the intervals, m >= 2. They must cover the domain; none may lie outside by
            more than half.
        feature : int or str, default=None
            The attribute that they belong to, by number or name; needed where attributes differ.
        cells : array of shape (S + 1,), optional
            Edges of the cells, of which the two at the ends are open. None extends the intervals
            over the range of the reports.
        whole : bool, default=False
            Whether an interval stands for the whole number in its middle.

        Returns
        -------
        ReplacedChannel

        Raises
        ------
        ValueError, TypeError
            If edges are out of order or do not fit the domain, or there is no such
            attribute; if no domain is known.

        Examples
        --------
        >>> SquareWave(1.0, domain=[[0, 1]]).on([0, 0.5, 1]).channel_matrix().round(3)
        array([[0.154, 0.107],
               [0.483, 0.256],
               [0.256, 0.483],
               [0.107, 0.154]])
        """
        check.given("whole", whole)
        intervals, domain = check.edges(edges, ndim=1), check.known_domain(self)
        place = check.of_edges(feature, self, domain, high=len(domain) - 1)
        return ReplacedChannel(self, place, intervals, self._law(), cells=cells, whole=whole)

    def record_epsilon(self) -> float:
        """Return what a record spends: the epsilon of each of its attributes."""
        return float(check.given("epsilon", self.epsilon)) * len(check.known_domain(self))

    def _law(self) -> tuple[float, float, float]:
        """Return b, r and how far reports are stretched about the middle of the domain."""
        epsilon = check.given("epsilon", self.epsilon)
        # 2 (e^x - 1 - x) / x^2 is hyp1f1(1, 3, x), which keeps its digits near zero
        half_width = 0.5 * float(hyp1f1(1, 3, -epsilon) / hyp1f1(1, 3, epsilon))
        return half_width, float(-np.expm1(-epsilon) / epsilon), 1.0


class Piecewise(SquareWave):
    """Piecewise mechanism: reports whose mean is the value itself (Wang et al. 2019).

    In units of half the domain's width, t in [-1, 1], a report lies in [-C, C] with
    C = (e^(epsilon/2) + 1) / (e^(epsilon/2) - 1), and is e^epsilon times as likely in a window
    of width C - 1 around (C + 1) t / 2 as outside. That is :class:`SquareWave` with 2b and r
    both e^(-epsilon/2), stretched about the middle of the domain by 1 / (1 - r). The mean of
    reports is so an unbiased mean of the values; one report has the variance

        t^2 / (e^(epsilon/2) - 1) + (e^(epsilon/2) + 3) / (3 (e^(epsilon/2) - 1)^2).

    Parameters
    ----------
    epsilon, domain, random_state
        As in :class:`SquareWave`.

    Attributes
    ----------
    domain_, scale_, replaced_, n_features_in_, feature_names_in_
        As in :class:`SquareWave`; ``scale_`` is the half-width of the window before it is
        stretched.

    References
    ----------
    Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu (2019), Collecting and analyzing
    multidimensional data with local differential privacy.

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.tile([[20.0], [30.0], [70.0]], (40_000, 1))
    >>> disguise = Piecewise(1.0, domain=[[0, 100]], random_state=0)
    >>> print(disguise.fit_transform(ages).mean().round(1))
    39.7
    """

    def _law(self) -> tuple[float, float, float]:
        """Return b, r and how far reports are stretched about the middle of the domain."""
        half = check.given("epsilon", self.epsilon) / 2
        replaced = float(np.exp(-half))
        return replaced / 2, replaced, float(-1 / np.expm1(-half))


class ReplacedChannel(IntervalChannel):
    """Uniform noise with a share of pure noise between intervals, as ``SquareWave.on`` gives it.

    The reports are brought back to the attribute's scale (:class:`Piecewise` stretches them)
    and counted in cells of the intervals' width, over the whole range of the reports.

    Parameters
    ----------
    noise : SquareWave
        The scheme that was bound.
    feature : int
        Its attribute.
    edges : ndarray of shape (m + 1,)
        Edges of the intervals; they cover the domain.
    law : tuple of three floats
        Half the width of the noise, in units of the domain's width; the share of reports, in
        (0, 1), that is drawn from the whole range; what reports were multiplied by, about the
        middle of the domain, >= 1.
    options
        ``cells``, on the attribute's scale, and ``whole``, as in :class:`IntervalChannel`.
    """

    def __init__(
        self,
        noise: SquareWave,
        feature: int,
        edges: FloatArray,
        law: tuple[float, float, float],
        **options: Any,
    ) -> None:
        half_width, self._replaced, self._stretch = law
        low, high = domain = check.known_domain(noise)[feature]
        slack = 1e-9 * (high - low)
        inside = edges[:2].mean() >= low - slack and edges[-2:].mean() <= high + slack
        covered = edges[0] <= low + slack and edges[-1] >= high - slack
        rule = f"edges must cover the domain, {domain.tolist()}, and have the middles of all "
        check.demand(inside and covered, f"{rule}intervals inside it", edges.tolist())
        scale = half_width * (high - low)
        self._range = low - scale, high + scale  # of the reports, brought back to scale
        super().__init__(noise, feature, edges, NOISES["uniform"], scale, **options)

    def part_epsilons(self, changes: Changes) -> list[float]:
        """Return the epsilon that the noise was told."""
        return [float(self.noise.epsilon)]

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[disguised cell | true interval], with the value spread evenly over its interval.

        Of an interval that reaches beyond the domain only the part inside holds values.

        Parameters
        ----------
        feature : int, default=0
            The one attribute.

        Returns
        -------
        ndarray of shape (S, m)
            Each column sums to one.
        """
        near, (low, high) = super().channel_matrix(feature), self._range
        cells = self.cells.clip(low, high)
        cells[[0, -1]] = low, high
        anywhere = np.diff(cells) / (high - low)
        return np.asarray((1 - self._replaced) * near + self._replaced * anywhere[:, None])

    def midpoint_likelihood(self, feature: int = 0) -> FloatArray:
        """Density of a report between the middles of cell and interval, (S, m).

        As :meth:`IntervalChannel.midpoint_likelihood`: a likelihood and not a channel.
        """
        near, (low, high) = super().midpoint_likelihood(feature), self._range
        return np.asarray((1 - self._replaced) * near + self._replaced / (high - low))

    def _spread(self) -> FloatArray:
        """Return them without what lies outside the domain, from where nobody reports."""
        return super()._spread().clip(*self._domain)

    def _back(self, values: FloatArray) -> FloatArray:
        """Return reports (n,) brought back to the attribute's scale."""
        middle = self._domain.mean()
        return values if self._stretch == 1 else middle + (values - middle) / self._stretch

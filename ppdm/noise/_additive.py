r"""Value distortion (AS00, section 2).

A data provider who may not say x says x + y, with y from a known distribution. The paper measures
what this hides by an interval. If x can be estimated with confidence c to lie in an interval of a
given width, that width is the privacy at confidence c (:func:`privacy_interval`): a statement about
the noise alone. What an adversary knows about x after seeing x + y is the posterior, and can be
narrower (:mod:`ppdm.attacks`).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from ppdm import _validation as check
from ppdm._coding import cell_width, middles
from ppdm.noise._intervals import IntervalChannel, NumberScheme
from ppdm.noise._laws import NOISES, StandardNoise, privacy_interval
from ppdm.typing import ArrayLike, FloatArray, Noise, RandomState


@dataclass(eq=False, repr=False)
class AdditiveNoise(NumberScheme):
    """Value distortion: release x + y, y from a known distribution (AS00, section 2).

    Parameters
    ----------
    distribution : {"gaussian", "uniform", "laplace"}
        The distribution of the noise; its mean is zero.
    privacy : float > 0
        The width of :func:`privacy_interval` as a fraction of each attribute's range: 1.0
        is the paper's 100%. Not used where ``scale`` or ``epsilon`` is given.
    confidence : float in (0, 1)
        The confidence at which ``privacy`` is meant.
    scale : float or array of shape (n_features,), optional
        The half-width of the uniform noise, the standard deviation of the Gaussian or the b
        of the Laplace density ``exp(-|y| / b) / (2 b)``, in units of the attribute, instead of
        ``privacy``.
    domain : array of shape (n_features, 2), optional
        The lowest and highest value that each attribute may take. A value outside is
        refused. None learns the bounds in ``fit``; without ``epsilon`` they then set the scale
        only, and later values may lie outside.
    random_state : None, int or numpy.random.Generator
        An int draws the same noise at every call of ``transform``: right for a test, wrong
        for two providers, and wrong for one who reports twice. A Generator moves on from
        call to call.
    epsilon : float in (0, 20], optional
        Of Laplace noise, instead of ``privacy`` and ``scale``: what one released value spends
        of local differential privacy; a record of d values spends it d times. The scale is the
        range over epsilon, and values outside the range are refused, though it was learned
        (what the range itself discloses epsilon does not include).

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        Scale of the noise for each attribute.
    domain_ : ndarray of shape (n_features, 2)
        The bounds given or learned.
    n_features_in_ : int
        Number of attributes seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where ``fit`` got a data frame.

    Notes
    -----
    Where ``scale`` or ``domain`` is given nothing is to be learned: a provider may call
    ``transform`` on one record, and a miner ``on``, without ``fit``.

    Laplace noise is released on a public grid, or the last digits of a sum would tell of the value:
    as the middle of the cell that value and noise fall into. Cells are about scale / 1024 wide and
    counted from the lower end of the domain, or from 0 where there is neither ``domain`` nor
    ``epsilon``. What NumPy's 53 bits a draw leave is 1e-9 of epsilon, and a delta below
    2e-16 e^epsilon: 6e-16 at epsilon 1 and 1e-7 at 20 (the book's fine print to AS00 derives it).
    Uniform and Gaussian noise promise no epsilon and are released as they are drawn.

    Examples
    --------
    Salaries between 20,000 and 150,000 at 100% privacy and 95% confidence:

    >>> import numpy as np
    >>> salary = np.array([[52_000.0], [71_500.0], [33_000.0]])
    >>> noise = AdditiveNoise("uniform", domain=[[20_000, 150_000]], random_state=0)
    >>> noise.fit(salary).scale_.round(2)
    array([68421.05])
    >>> noise.transform(salary).round()
    array([[ 96323.],
           [106854.],
           [ 34508.]])

    >>> AdditiveNoise("laplace", domain=[[20_000, 150_000]], epsilon=2.0).fit(salary).scale_
    array([65000.])
    """

    distribution: Noise = "gaussian"
    privacy: float = 1.0
    confidence: float = 0.95
    scale: float | ArrayLike | None = None
    domain: ArrayLike | None = None
    random_state: RandomState = None
    _: KW_ONLY
    epsilon: float | None = None

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Set the scale of the noise for each attribute.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Records in the clear. Their values are used only where ``domain`` is None.
        y : ignored

        Returns
        -------
        AdditiveNoise
            The fitted transformer.

        Raises
        ------
        ValueError
            If a parameter is out of its range, a value lies outside ``domain``, or an
            attribute has one value only and neither ``scale`` nor ``domain`` is given.
        """
        values = check.records(self, X, reset=True)
        domain = check.learn_domain(self.domain, values, need_range=self.scale is None)
        self.scale_: FloatArray = _spread_out(self._scale(domain), values.shape[1])
        self.domain_ = domain
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Add noise, drawn anew for each value of each record.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Records in the clear.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Disguised records; their values may leave the domain.

        Raises
        ------
        ValueError
            If a value is missing or lies outside a given ``domain``.
        """
        scale, low = self._known_scale(), np.zeros(1)
        values = check.records(self, X)
        scale = _spread_out(scale, values.shape[1])
        if self.domain is not None or self.epsilon is not None:
            domain = check.known_domain(self, values.shape[1])
            check.inside(values, domain)
            low = domain[:, 0]
        rng = check.stream(self.random_state, type(self).__name__)
        noise = self._noise().sample(rng, values.shape)
        noise *= scale  # in place: each new array takes a copy's time and memory
        if self.distribution != "laplace":
            noise += values
            return noise
        # counted from there, cells far from zero lose no digits
        return middles(noise + (values - low), cell_width(scale)) + low

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
            Minus infinity where bounded noise does not reach so far.
        """
        noise = self._noise()
        said, true = check.released_and_records(self, released, records)
        total = np.zeros((len(said), len(true)))
        for j, scale in enumerate(_spread_out(self._known_scale(), true.shape[1])):
            total += noise.log_density((said[:, [j]] - true[:, j]) / scale) - np.log(scale)
        return total

    @property
    def epsilon_(self) -> FloatArray:
        """What a value in its range spends: range / scale of Laplace noise, else inf, (d,).

        A value outside spends more; it is refused where a domain or an epsilon was given.
        """
        ranges = np.ptp(check.known_domain(self), axis=1)
        return self._noise().epsilon(ranges / _spread_out(self._known_scale(), len(ranges)))

    def record_epsilon(self) -> float:
        """Return what a record spends, the sum over its attributes; infinite but for Laplace."""
        return float(self.epsilon_.sum()) if self.distribution == "laplace" else np.inf

    def on(
        self,
        edges: ArrayLike,
        *,
        feature: int | str | None = None,
        cells: ArrayLike | None = None,
        whole: bool = False,
    ) -> IntervalChannel:
        """Bind intervals: the channel from an attribute's intervals to disguised cells.

        Parameters
        ----------
        edges : array of shape (m + 1,)
            Edges of the intervals, m >= 2; they should cover the domain.
        feature : int or str, default=None
            The attribute that they belong to, by number or name; needed where attributes differ.
        cells : array of shape (S + 1,), optional
            Edges of the disguised cells, of which the two at the ends are open. None extends
            the intervals over the reach of the noise.
        whole : bool, default=False
            Whether an interval stands for the whole number in its middle.

        Returns
        -------
        IntervalChannel

        Raises
        ------
        ValueError, TypeError
            If edges are out of order, or there is no such attribute; if the noise is not
            fitted, and its scale follows from no parameter.

        Examples
        --------
        >>> AdditiveNoise("uniform", scale=0.25).on([0, 0.25, 0.5, 0.75, 1]).cells
        array([-0.25,  0.  ,  0.25,  0.5 ,  0.75,  1.  ,  1.25])
        """
        check.given("whole", whole)
        intervals, scale = check.edges(edges, ndim=1), self._known_scale()
        last = len(scale) - 1 if scale.ndim else None
        place = check.of_edges(feature, self, np.atleast_1d(scale), high=last)
        own = scale[place] if scale.ndim else scale
        law = self._noise()
        return IntervalChannel(self, place, intervals, law, own, cells=cells, whole=whole)

    def _noise(self) -> StandardNoise:
        return NOISES[check.given("distribution", self.distribution)]

    def _scale(self, domain: FloatArray | None) -> FloatArray:
        """Scale by the parameters, () or (n_features,), with ``domain`` for the ranges."""
        self._noise()
        unit = privacy_interval(self.distribution, 1.0, self.confidence)
        privacy = check.given("privacy", self.privacy)
        epsilon = self._checked_epsilon()
        if self.scale is None:
            assert domain is not None
            ranges = domain[:, 1] - domain[:, 0]
            return ranges * privacy / unit if epsilon is None else ranges / epsilon
        scale = check.numbers(self.scale, "scale", ndim=(0, 1))
        check.demand(scale.min() > 0, "scale must be > 0 for every attribute", self.scale)
        return scale

    def _checked_epsilon(self) -> float | None:
        if self.epsilon is None:
            return None
        given = {"scale": self.scale, "epsilon": self.epsilon}
        check.demand(self.scale is None, "give either scale or epsilon", given)
        rule = "epsilon goes with distribution='laplace' (of other noise some releases make one "
        rule += "value infinitely likelier than another; SquareWave has an epsilon, and "
        rule += "ppdm.privacy.gaussian_epsilon one with a delta)"
        check.demand(self.distribution == "laplace", rule, self.distribution)
        return float(check.given("epsilon", self.epsilon))

    def _known_scale(self) -> FloatArray:
        if hasattr(self, "scale_"):
            return np.asarray(self.scale_)
        check.fitted(self)  # passes where scale or domain is given
        return self._scale(None if self.domain is None else check.domain(self.domain))


def _spread_out(scale: FloatArray, n_features: int) -> FloatArray:
    rule = f"scale must be one number or one for each of the {n_features} attributes"
    check.demand(scale.shape in ((), (n_features,)), rule, scale.tolist())
    return np.broadcast_to(scale, (n_features,)).copy()

"""Many providers and one miner, simulated a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm.channel import Scheme
from ppdm.guidance import check_guidance
from ppdm.guidance._perturbation import draw_bits
from ppdm.protocol._algorithm import DataMiner
from ppdm.typing import ArrayLike, FloatArray, IntArray, RandomState

#: The survey that ZWZ05, section 2.2, cites: privacy fundamentalists, pragmatists,
#: marginally concerned.
SHARES = (0.17, 0.56, 0.27)


@dataclass(frozen=True, eq=False, kw_only=True)
class Collection:
    """What became of each provider.

    Attributes
    ----------
    epoch : ndarray of int, shape (n,)
        The epoch it submitted in, -1 if never.
    n_inquiries : ndarray of int, shape (n,)
        How often it asked for k*.
    """

    epoch: IntArray
    n_inquiries: IntArray


def collect(
    miner: DataMiner,
    T: ArrayLike,
    y: ArrayLike,
    max_levels: ArrayLike,
    *,
    random_state: RandomState = None,
) -> Collection:
    """Let providers come in order, each one retrying until it is served or nothing moves.

    In each round every provider still waiting inquires once. The rounds end when all
    have submitted, or when one has passed in which nobody could: k* will not change any
    more. The outcome is the same, bit for bit, as with a ``DataProvider`` for each that
    share one Generator.

    Parameters
    ----------
    miner : DataMiner
        Its state changes.
    T : array-like of shape (n, n_bits)
        The providers' private tuples, in order of arrival.
    y : array-like of shape (n,)
        Their classes, 0 or 1.
    max_levels : int, or array-like of shape (n,)
        The levels k_i they accept, each >= 1.
    random_state : None, int or numpy.random.Generator, default=None
        Where all providers draw R(t) from.

    Returns
    -------
    Collection

    Raises
    ------
    ValueError, TypeError
        If T does not hold bits, a label is neither 0 nor 1, or a level is no whole
        number >= 1.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.protocol import DataMiner, collect
    >>> T = np.repeat([[1, 0, 1, 0], [0, 1, 0, 1]], 3, axis=0)
    >>> y = np.repeat([0, 1], 3)
    >>> miner = DataMiner([2, 2], batch_size=2)
    >>> miner.bootstrap(T, y)
    >>> collect(miner, T, y, max_levels=[1, 4, 4, 4, 4, 4], random_state=0).n_inquiries
    array([2, 1, 1, 1, 1, 1])
    """
    bits, labels = check.tuples(T, y, miner.n_bits, "T")
    given = check.numbers(max_levels, "max_levels", ndim=(0, 1))
    check.of_shape(given, "max_levels", (len(bits),) * given.ndim, "one for each tuple or for all")
    wrong = (given < 1) | (given != np.floor(given))
    check.refuse(wrong, given, "max_levels must be whole numbers >= 1")
    levels = np.broadcast_to(given, len(bits))
    rng = check.stream(random_state, "guided perturbation")
    epochs = np.full(len(bits), -1, dtype=np.intp)
    inquiries = np.zeros(len(bits), dtype=np.intp)
    waiting = np.arange(len(bits))
    moved = True
    while waiting.size and moved:
        position, moved, left = 0, False, []
        while position < waiting.size:
            epoch, k = miner.inquire()
            queue = waiting[position:]
            accepts = levels[queue] >= k
            served = np.flatnonzero(accepts)[: miner.room]
            # an epoch that fills up ends with its last taker; those behind ask the next
            end = int(served[-1]) + 1 if len(served) == miner.room else queue.size
            inquiries[queue[:end]] += 1
            left.append(queue[:end][~accepts[:end]])
            position += end
            if served.size:
                sending, moved = queue[served], True
                V = check_guidance(miner.ready(epoch).V, k, int(levels[sending].min()))
                epochs[sending] = epoch
                miner.receive(draw_bits(bits[sending], V, rng), labels[sending])
        waiting = np.concatenate(left)
    return Collection(epoch=epochs, n_inquiries=inquiries)


@dataclass(eq=False, repr=False)
class GuidedPerturbation(Scheme, BaseEstimator):
    """A whole collection as a disguise: clear tuples in, what the miner has learnt from out.

    Some, drawn by lot, volunteer their clear tuples. From these the miner guides the others, who
    come in random order, all with one level. Who is not served is left out; what the volunteers'
    tuples alone teach is the control: a ``max_level`` of 1.

    Parameters
    ----------
    n_values : sequence of int >= 2
        How many values each attribute has.
    max_level : int in [1, n_bits]
        The disclosure level that everybody accepts.
    n_volunteers : int >= 1, default=50
        How many tuples are given in the clear: both classes must be among them.
    mu, batch_size : float in (0, 1), default=0.15; int >= 1, default=100
        As in :class:`DataMiner`.
    random_state : None, int or numpy.random.Generator, default=None
        Of the order and of all R(t).

    Attributes
    ----------
    n_features_in_ : int
        Number of bits of a tuple.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had names.
    V_ : ndarray of shape (n_bits, k)
        The last guidance that the miner sent.

    Raises
    ------
    ValueError, TypeError
        In ``disguise``, if a parameter is out of its range, there are not more tuples than
        volunteers, or as :func:`collect`.

    See Also
    --------
    ppdm.classifiers.DisguisedClassifier : Learns from it, and predicts clear tuples.

    Examples
    --------
    >>> from ppdm.classifiers import DisguisedClassifier
    >>> from ppdm.datasets import load_voting
    >>> from ppdm.guidance import one_hot
    >>> X, y = load_voting(random_state=0, return_X_y=True)
    >>> T = one_hot(X, [2] * 16)
    >>> guided = GuidedPerturbation([2] * 16, max_level=4, random_state=0)
    >>> model = DisguisedClassifier(guided).fit(T[:300], y[:300])
    >>> round(model.score(T[300:], y[300:]), 2)
    0.86
    """

    n_values: Sequence[int]
    max_level: int
    _: KW_ONLY
    n_volunteers: int = 50
    mu: float = 0.15
    batch_size: int = 100
    random_state: RandomState = None

    def disguise(self, X: Any, y: Any = None) -> tuple[Any, IntArray]:
        """Return the miner's training set: R(t) of who was served, and the volunteers' tuples.

        Parameters
        ----------
        X : array-like of shape (n, n_bits)
            Clear tuples.
        y : array-like of shape (n,)
            Their classes, 0 or 1.

        Returns
        -------
        R, y : ndarray of int, shape (n_volunteers + n_served, n_bits) and (.,)
            Of a DataFrame R is one, with the same columns; its rows are numbered anew.
        """
        check.parameters(self)
        miner = DataMiner(self.n_values, mu=self.mu, batch_size=self.batch_size)
        level = check.given("max_level", self.max_level, high=miner.n_bits)
        check.bit_table(self, X, reset=True)
        bits, labels = check.tuples(X, y, miner.n_bits, "X")
        rule = "n_volunteers must be below the number of tuples"
        check.demand(self.n_volunteers < len(bits), rule, self.n_volunteers)
        rng = check.stream(self.random_state, type(self).__name__)
        first, others = np.split(rng.permutation(len(bits)), [self.n_volunteers])
        miner.bootstrap(bits[first], labels[first])
        collect(miner, bits[others], labels[others], level, random_state=rng)
        self.V_: FloatArray = miner.guides[-1]
        R, classes = miner.training_set()
        return type(X)(R, columns=X.columns) if check.is_table(X) else R, classes


def draw_levels(n: int, n_bits: int, *, random_state: RandomState = None) -> IntArray:
    """Draw disclosure levels k_i as a survey's respondents would choose them.

    Parameters
    ----------
    n : int >= 1
        Number of providers.
    n_bits : int >= 6
        The level of those who accept every disclosure.
    random_state : None, int or numpy.random.Generator, default=None

    Returns
    -------
    ndarray of int, shape (n,)
        17% privacy fundamentalists (1 or 2), 56% pragmatists (3 to 6), 27% marginally
        concerned (n_bits); within a group each level is equally probable.

    Raises
    ------
    ValueError, TypeError
        If n or n_bits is no whole number or too small.

    Notes
    -----
    The shares are those of the survey in ZWZ05, section 2.2; what levels they stand for
    is our reading, the paper gives none.

    Examples
    --------
    >>> draw_levels(8, n_bits=32, random_state=0)
    array([ 5,  5,  2,  2, 32, 32,  4,  6])
    """
    n = check.given("draw_levels.n", n)
    n_bits = check.given("draw_levels.n_bits", n_bits)
    rng = check.random_state(random_state)
    group = rng.choice(len(SHARES), size=n, p=SHARES)
    low = np.array([1, 3, n_bits])[group]
    high = np.array([2, 6, n_bits])[group]
    return rng.integers(low, high, endpoint=True, dtype=np.intp)

"""Trees on records drawn from a mixture that was fitted to the disguised ones.

The mixture is of products of histograms, fitted to records whose attributes were disguised one by
one.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ppdm import _validation as check
from ppdm._estimators import OfScheme
from ppdm.classifiers._intervals import bind, check_public_classes, lay
from ppdm.classifiers._tree_base import TreeWrapper
from ppdm.exceptions import warn_unexplained
from ppdm.tree import CountTreeClassifier
from ppdm.tree._records import Records
from ppdm.typing import AnyArray, ArrayLike, FloatArray, IntArray, Pruning, RandomState

_TINY = float(np.finfo(np.float64).tiny)
#: Step t = 0, 1, ... of the online form moves the counts by (t + 2)^-0.6 of the way.
_DECAY = 0.6
#: A first histogram is a bump of this width, in ranges of the attribute, over a floor.
_WIDTH, _FLOOR = 0.3, 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Mixture:
    """A mixture of products of histograms, and how EM came to it.

    Attributes
    ----------
    joint : ndarray of shape (d, m, n_components)
        P[component, interval] of each attribute; 0 where it has fewer than m intervals.
    log_likelihood : ndarray of shape (n_passes,)
        Of a disguised record, the mean over the records as each pass meets them.
    """

    joint: FloatArray
    log_likelihood: FloatArray


def random_start(sizes: IntArray, n_components: int, rng: np.random.Generator) -> FloatArray:
    """Return a first ``joint``: equal weights, each histogram a bump at a random place.

    Smooth, because EM keeps for long what the noise hides: peaks of one interval would stay.
    ``sizes`` are the attributes' numbers of intervals, (d,).
    """
    joint = np.zeros((len(sizes), sizes.max(), n_components))
    for histograms, m in zip(joint, sizes, strict=True):
        place = (np.arange(m)[:, None] + 0.5) / m - rng.random(n_components)
        histograms[:m] = np.exp(-((place / _WIDTH) ** 2) / 2) + _FLOOR
    return np.asarray(joint / joint.sum(axis=1, keepdims=True) / n_components)


def fit_mixture(
    codes: IntArray,
    channels: FloatArray,
    joint: FloatArray,
    *,
    n_passes: int,
    batch_size: int,
    online: bool,
) -> Mixture:
    """Fit a mixture to disguised records by EM.

    Parameters
    ----------
    codes : ndarray of int, shape (n, d)
        The released cell of each attribute; for the online form in a random order.
    channels : ndarray of shape (d, S, m)
        P[cell | interval] of each attribute.
    joint : ndarray of shape (d, m, K)
        Where to start.
    n_passes : int
        How often each record is visited.
    batch_size : int
        How many records are taken at a time.
    online : bool
        False counts all records and then makes a step, which never lowers the likelihood.
        True makes one after each batch, from counts that the batch has moved by a part of the
        way that falls (Cappe and Moulines 2009): many more steps from as many visits.

    Returns
    -------
    Mixture
    """
    n, shape = len(codes), (*channels.shape[:2], joint.shape[2])
    batches = [one_hot(codes[i : i + batch_size], shape[1]) for i in range(0, n, batch_size)]
    heights, n_steps = np.zeros(n_passes), 0
    released = channels @ joint
    shares = released
    for t in range(n_passes):
        total = np.zeros(shape)
        for hot in batches:
            component, height = responsibilities(hot, released, joint)
            heights[t] += height / n
            counts = (hot.T @ component).reshape(shape)
            if not online:
                total += counts
                continue
            part = (n_steps + 2) ** -_DECAY
            # Of released cells: averaging what was undone needs several times as many passes.
            shares = (1 - part) * shares + part * counts / hot.shape[0]
            joint = _back(shares, released, joint, channels)
            released = channels @ joint
            n_steps += 1
        if not online:
            joint = _back(total / n, released, joint, channels)
            released = channels @ joint
    return Mixture(joint=joint, log_likelihood=heights)


def one_hot(codes: IntArray, n_cells: int) -> csr_array:
    """Return the cells of all attributes (n, d) as one sparse matrix, (n, d n_cells)."""
    n, d = codes.shape
    columns = (codes + n_cells * np.arange(d)).ravel()
    return csr_array((np.ones(n * d), columns, np.arange(0, n * d + 1, d)), (n, n_cells * d))


def responsibilities(
    hot: csr_array, released: FloatArray, joint: FloatArray
) -> tuple[FloatArray, float]:
    """Return P[component | released record] (n, K), and the records' log-likelihood.

    ``released`` (d, S, K) is P[component, cell] of each attribute.
    """
    logs = np.log(np.maximum(released, _TINY))
    weights = np.log(np.maximum(joint[0].sum(axis=0), _TINY))
    # each attribute brings the component's weight with it, and it counts once
    shares = hot @ logs.reshape(-1, logs.shape[2]) - (len(logs) - 1) * weights
    top = shares.max(axis=1, keepdims=True)
    np.exp(np.subtract(shares, top, out=shares), out=shares)
    total = shares.sum(axis=1, keepdims=True)
    shares /= total
    return shares, float(top.sum() + np.log(total).sum())


def _back(
    shares: FloatArray, released: FloatArray, joint: FloatArray, channels: FloatArray
) -> FloatArray:
    """Take shares of components and cells (d, S, K) back to intervals by Bayes' rule."""
    ratio = shares / np.maximum(released, _TINY)
    return np.asarray(joint * (channels.swapaxes(1, 2) @ ratio))


def draw_intervals(
    codes: IntArray, channels: FloatArray, joint: FloatArray, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw a component for each released record, then a clean interval of each attribute.

    Both are drawn given what was released: together they are a sample of the true records as
    the mixture sees them. Arguments as in :func:`fit_mixture`; returns shape (n, d).
    """
    n_cells, m = channels.shape[1:]
    share, _ = responsibilities(one_hot(codes, n_cells), channels @ joint, joint)
    component = _draw(share, np.arange(len(codes)), rng)
    drawn = np.empty(codes.shape, dtype=np.int32, order="F")
    for j, channel in enumerate(channels):
        mass = joint[j].T[:, None, :] * channel  # (K, S, m)
        drawn[:, j] = _draw(mass.reshape(-1, m), component * n_cells + codes[:, j], rng)
    return drawn


def _draw(mass: FloatArray, rows: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw a column of ``mass`` (r, m) for each of ``rows`` (n,), by the masses in that row."""
    upto = mass.cumsum(axis=1)
    upto /= np.maximum(upto[:, -1:], _TINY)
    upto += np.arange(len(mass))[:, None]
    # row r holds numbers from r to r + 1, so one search does for all; a draw of 24 bits is
    # still below r + 1 when r is added
    place = np.searchsorted(upto.ravel(), rows + rng.random(len(rows), np.float32), side="right")
    return np.asarray(place - rows * mass.shape[1])


@dataclass(eq=False, repr=False)
class MixtureTreeClassifier(OfScheme, TreeWrapper):
    """Decision trees from records with added noise, by a mixture and multiple imputation.

    :class:`ReconstructedTreeClassifier` deals each attribute on its own, and loses what binds
    attributes to each other within a class. Here the miner fits to each class a mixture of
    products of histograms, from all attributes at once. Then he draws for each record a
    component and from it a clean interval for each attribute, given what was released, and
    grows an ordinary tree on the drawn records. Several such trees vote: this is multiple
    imputation.

    The default is the fast form: online EM, one tree. The full form, slower by an order of
    magnitude, is ``online=False, n_passes=100, n_starts=3, n_draws=2``.

    Parameters
    ----------
    scheme : AdditiveNoise, SquareWave, or another noise
        As in :class:`ReconstructedTreeClassifier`: the noise that was added to each attribute.
    n_components : int >= 1, default=16
        Components of each class's mixture. One takes the attributes for independent within
        the class, as ByClass does.
    n_starts : int >= 1, default=1
        How many mixtures are fitted to each class, each from a random start of its own.
    n_draws : int >= 1, default=1
        How often clean records are drawn from each of these; a tree grows on each draw.
    online : bool, default=True
        True takes a step after each batch of records, False after each pass.
    n_passes : int >= 1, default=8
        How often each record is visited.
    batch_size : int >= 1, default=1250
        How many records are taken at a time.
    n_intervals : int >= 2 or None, default=30
        Into how many intervals of equal width the domain of an attribute is cut; None as in
        :class:`ReconstructedTreeClassifier`.
    n_cells : int >= 1, default=60
        Where the noise releases more cells of an attribute, neighbours that few records
        released are merged, so that about so many are left.
    integer_features, classes
        As in :class:`ReconstructedTreeClassifier`.
    max_depth, pruning
        As in :class:`ppdm.tree.CountTreeClassifier`, but ``"sliq"`` by default.
    random_state : None, int or numpy.random.Generator, default=None
        For the starts, the batches and the draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    edges_ : list of ndarray
        Edges of each attribute's intervals.
    mixtures_ : list of list
        The mixture of each class (inner list) from each start: ``joint`` of shape (n_features,
        n_intervals, n_components) sums to 1 an attribute, ``log_likelihood`` has a value a pass.
    estimators_ : list of CountTreeClassifier
        The trees, ``n_starts * n_draws`` of them, whose shares of the classes are averaged.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    References
    ----------
    Cappe and Moulines (2009), On-line expectation-maximization algorithm for latent data
    models. Rubin (1987), Multiple imputation for nonresponse in surveys.

    Examples
    --------
    Whether the second value is larger than the first: neither tells by itself.

    >>> import numpy as np
    >>> from ppdm.noise import AdditiveNoise
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 1, (20_000, 2))
    >>> y = X[:, 1] > X[:, 0]
    >>> noise = AdditiveNoise("uniform", privacy=1.0, domain=[[0, 1]] * 2, random_state=rng)
    >>> tree = MixtureTreeClassifier(noise, random_state=0).fit(*noise.disguise(X, y))
    >>> tree.predict([[0.2, 0.4], [0.6, 0.4]])
    array([ True, False])
    """

    classes_: AnyArray = field(init=False)
    edges_: list[FloatArray] = field(init=False)

    scheme: Any = None
    _: KW_ONLY
    n_components: int = 16
    n_starts: int = 1
    n_draws: int = 1
    online: bool = True
    n_passes: int = 8
    batch_size: int = 1250
    n_intervals: int | None = 30
    n_cells: int = 60
    integer_features: ArrayLike | None = None
    classes: ArrayLike | None = None
    max_depth: int | None = None
    pruning: Pruning = "sliq"
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the mixtures, draw records from them and grow the trees.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Disguised records.
        y : array of shape (n_samples,)
            Their classes, in the clear.

        Returns
        -------
        MixtureTreeClassifier

        Raises
        ------
        TypeError
            If ``scheme`` has no ``on``.
        ValueError
            If a parameter is not allowed, a value is missing, an attribute is constant,
            ``scheme`` belongs to other attributes or does not know its scale, a label is not
            among ``classes`` or a class has no record.

        Warns
        -----
        UnexplainedValueWarning
            If the noise cannot explain a disguised value. It then tells nothing of its
            attribute.
        """
        check.parameters(self)
        rng = check.random_state(self.random_state)
        values = self._records(X, reset=True)
        self.classes_, label = check.classes(y, len(values))
        check_public_classes(self.classes_, self.classes)
        codes, channels = self._bind(values)
        groups = [rng.permutation(np.flatnonzero(label == c)) for c in range(self.classes_.size)]
        sizes = np.array([len(edges) - 1 for edges in self.edges_])
        self.mixtures_: list[list[Mixture]] = []
        self.estimators_: list[CountTreeClassifier] = []
        rule = {name: getattr(self, name) for name in ("n_passes", "batch_size", "online")}
        for _ in range(self.n_starts):
            starts = [random_start(sizes, self.n_components, rng) for _ in groups]
            pairs = list(zip(groups, starts, strict=True))
            fitted = [fit_mixture(codes[rows], channels, start, **rule) for rows, start in pairs]
            self.mixtures_.append(fitted)
            for _ in range(self.n_draws):
                drawn = np.empty(codes.shape, dtype=np.int32, order="F")
                for rows, mixture in zip(groups, fitted, strict=True):
                    drawn[rows] = draw_intervals(codes[rows], channels, mixture.joint, rng)
                records = Records(drawn.T, label)
                self.estimators_.append(self._grow(records, self.edges_))
        return self

    def predict(self, X: ArrayLike) -> AnyArray:
        """Return the class of each clear record of X (n_samples, n_features), (n_samples,)."""
        shares = self.predict_proba(X)  # refuses an unfitted classifier
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the shares of the classes in each clear record's leaf, the mean of the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Clear records.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check.fitted(self)
        records = self._records(X, reset=False)
        shares = [tree.predict_proba(records) for tree in self.estimators_]
        return np.asarray(np.mean(shares, axis=0))

    def _bind(self, X: FloatArray) -> tuple[IntArray, FloatArray]:
        """Lay the intervals; return the merged cells (n, d) and their channels (d, S, m)."""
        self.edges_, whole = lay(self, X)
        codes, matrices = np.empty(X.shape, dtype=np.intp), []
        for j, channel in enumerate(bind(self.scheme, self.edges_, whole)):
            merged = merge_cells(channel.count(X[:, j]), self.n_cells)
            matrix = np.zeros((merged[-1] + 1, len(self.edges_[j]) - 1))
            np.add.at(matrix, merged, channel.channel_matrix())
            codes[:, j] = merged[channel.codes(X[:, j])]
            unexplained = matrix.max(axis=1) <= 0
            n_beyond = int(np.count_nonzero(unexplained[codes[:, j]]))
            if n_beyond:
                warn_unexplained(n_beyond, "they tell nothing")
            matrix[unexplained] = 1.0
            matrices.append(matrix)
        sizes = np.max([matrix.shape for matrix in matrices], axis=0)
        channels = np.zeros((len(matrices), *sizes))
        for channel, matrix in zip(channels, matrices, strict=True):
            channel[: len(matrix), : matrix.shape[1]] = matrix
        return codes, channels


def merge_cells(counts: IntArray, n_cells: int) -> IntArray:
    """Return a new number for each cell (S,), so that neighbours that hold little share one.

    A cell goes where the middle of its records, in their order, lies among ``n_cells`` equal
    parts. So none is cut, and cells with more than such a part stay alone. Empty cells behind the
    last record share a number of their own, of which nothing is counted.
    """
    if len(counts) <= n_cells:
        return np.arange(len(counts))
    middle = counts.cumsum() - counts / 2
    part = np.floor(middle * (n_cells / counts.sum()))
    return np.unique(part, return_inverse=True)[1]

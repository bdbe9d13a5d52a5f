"""One scheme at one setting, run once as providers, miner and adversary would."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ppdm import _validation as check
from ppdm import attacks
from ppdm._estimators import BaseEstimator
from ppdm.channel import Channel, Scheme
from ppdm.classifiers._disguised import DisguisedClassifier, learner_of
from ppdm.guidance import log_likelihood, one_hot
from ppdm.guidance._perturbation import bit_groups, draw_bits
from ppdm.naive_bayes import CountNB
from ppdm.reconstruction import estimate_frequencies
from ppdm.tree import CountTreeClassifier
from ppdm.typing import AnyArray, Codes, FloatArray, IntArray, Undoing

Rng = np.random.Generator
#: Whose answers are read, and who is told from another, at most.
_READ, _TOLD = 500, 20
#: The first of these that a scheme can be asked says what it is, and which attack is strongest.
STRONGEST = {
    "predict": "none", "channel_matrix": "reading", "max_level": "reading",
    "log_likelihood": "reading", "fit_resample": "membership", "disguise": "leave one out",
}  # fmt: skip


def _kind(scheme: Any) -> str:
    return next(asked for asked in STRONGEST if hasattr(scheme, asked))


#: Parts that an interval is cut into: finer ones tell nothing more.
_FINER = 8


class NoiseOnIntervals(Scheme, Channel, BaseEstimator):
    """Noise on numbers, as a channel from their public intervals to what is released.

    What is released is a cell of noisy numbers, an eighth of an interval wide. It takes numbers;
    the miner's shares, and the classifier's records, are of intervals.
    """

    undoing: Undoing = "em"

    def __init__(self, noise: Any, edges: FloatArray) -> None:
        self.noise = noise
        self.edges = edges

    def fit(self, X: ArrayLike, y: object = None) -> NoiseOnIntervals:
        """Fit the noise to numbers (n, n_attributes), and bind it to the intervals."""
        low, high = self.edges[:, :-1], self.edges[:, 1:]
        parts = np.linspace(low, high, _FINER, axis=2, endpoint=False).reshape(len(low), -1)
        self.noise_: Any = clone(self.noise).fit(X)
        self.channel_: Any = self.noise_.on(np.column_stack([parts, high[:, -1]]))
        self.n_features_in_: int = len(low)
        return self

    def transform(self, X: ArrayLike) -> IntArray:
        """Disguise numbers (n, n_attributes); the cell of each comes out."""
        return np.asarray(self.channel_.codes(self.noise_.transform(X)))

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released cell | interval], a number being spread evenly over its interval."""
        matrix = self.channel_.channel_matrix(feature)
        return np.asarray(matrix.reshape(len(matrix), -1, _FINER).mean(axis=2))

    def true_codes(self, column: ArrayLike, feature: int = 0) -> IntArray:
        """Return the interval of each clear number of an attribute."""
        return _cut(np.reshape(column, (-1, 1)), self.edges[feature : feature + 1])[:, 0]

    def record_epsilon(self) -> float:
        """Return what the noise spends on a record of numbers, and not of their intervals."""
        return float(self.noise_.record_epsilon())


def _cut(values: FloatArray, edges: FloatArray) -> IntArray:
    """Return the interval of each number; what is beyond the outer edges is in an outer one."""
    each = zip(values.T, edges[:, 1:-1], strict=True)
    return np.column_stack([np.searchsorted(inner, column, side="right") for column, inner in each])


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Clear records and their classes; or how many people are drawn, and from which shares."""

    n: int
    X: Any = None
    y: Any = None
    shares: list[FloatArray] | None = None
    edges: FloatArray | None = None
    #: Values of each attribute, where the records are bits or codes, or intervals are public.
    sizes: list[int] | None = None

    @classmethod
    def read(cls, X: Any, y: Any, shares: Any, edges: Any) -> People:
        """Check records, or what they are drawn from."""
        if check.is_integer(X):
            check.goes_with(y, "y", "a table X")
            check.goes_with(edges, "edges", "a table X")
            stated = check.sequence(shares, "shares", "distributions, of X people who are drawn")
            check.demand(stated, "shares must hold a distribution for each attribute", shares)
            known = [check.probabilities(one, "shares", np.size(one)) for one in stated]
            n = check.given("simulate_schemes.X", X)
            return cls(n=n, shares=known, sizes=[one.size for one in known])
        check.goes_with(shares, "shares", "a number of people, X")
        table = X if check.is_frame(X) else check.plain(X, "X")
        check.of_shape(np.asarray(table), (None, None), "X must be a table, (n, n_attributes)")
        n = len(table)
        check.demand(n > 1, "X must hold two records or more", n)
        if y is not None:
            names, label = check.classes(y, n)
            check.demand(len(names) > 1, "y must have two classes or more", names.tolist())
            y = names[label]
        if edges is None:
            return cls(n=n, X=table, y=y, sizes=_sizes(np.asarray(table)))
        cuts = check.edges(edges, "edges", ndim=2)
        d = check.numbers(table, "X", ndim=2).shape[1]
        check.of_shape(cuts, (d, None), f"edges must be those of the {d} attribute(s) of X")
        return cls(n=n, X=table, y=y, edges=cuts, sizes=[cuts.shape[1] - 1] * d)

    def drawn(self, rng: np.random.Generator) -> People:
        """Return these people, or as many new ones."""
        if self.shares is None:
            return self
        columns = [rng.choice(share.size, self.n, p=share) for share in self.shares]
        return replace(self, X=np.column_stack(columns))

    def codes(self) -> Codes | None:
        """Return the records as codes, or as intervals; None where they are other numbers."""
        table = np.asarray(self.X)
        if self.edges is not None:
            return _cut(table.astype(np.float64), self.edges)
        if self.sizes is not None:
            return table.astype(np.intp)
        if is_numeric(table):
            return None
        return np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])

    def seen(self, scheme: Any) -> tuple[Any, Any]:
        """Return the records as a scheme takes them, and as codes of its own, if it has any."""
        categories = check.known_categories(scheme)
        if categories is not None:
            return self.X, check.to_codes(check.plain(self.X, "X"), categories)
        of_numbers = isinstance(scheme, NoiseOnIntervals) or _kind(scheme) == "predict"
        codes = None if self.sizes is None else self.codes()
        return (self.X if self.edges is None or of_numbers else codes), codes


def take(table: Any, rows: Any) -> Any:
    """Return some rows of an array or a frame."""
    return table.iloc[rows] if check.is_frame(table) else table[rows]


def is_numeric(table: Any) -> bool:
    """Return whether a table holds numbers."""
    return np.asarray(table).dtype.kind in "biuf"


def _sizes(table: AnyArray) -> list[int] | None:
    """Return how many values each attribute has, two at least; None where none are codes."""
    if not is_numeric(table):
        return None
    whole = check.numbers(table, "X", ndim=2)
    if (whole < 0).any() or (np.floor(whole) != whole).any() or whole.max() >= check.MOST_VALUES:
        return None
    sizes: list[int] = np.maximum(whole.max(axis=0).astype(np.intp) + 1, 2).tolist()
    return sizes


def _attack(
    asked: Any, scheme: Any, table: Any, X: Any, records: AnyArray, y: Any, rng: Rng
) -> tuple[str, float, float]:
    """Return the name of the attack that was made, what it gained, and what a guess reaches.

    ``table`` is what the scheme released of X, whose codes, where it has some, are ``records``.
    """
    if callable(asked):
        found = check.having(asked(scheme, X, y, rng), "what attack returns", "gain", "baseline")
        return getattr(asked, "__name__", "attack"), float(found.gain), float(found.baseline)
    name = STRONGEST[_kind(scheme)]
    no_numbers = name != "reading" and not is_numeric(X)
    if asked not in (True, name) or name == "none" or no_numbers:
        return "none", math.nan, math.nan
    if name == "membership":
        return name, _membership(scheme, records, y, rng) - 0.5, 0.5
    if name == "reading":
        found = _read(scheme, table, records, y, rng)
    else:
        targets = rng.permutation(len(records))[:_TOLD]
        found = attacks.leave_one_out(
            lambda people, _: scheme.fit(people).transform(people), records,
            targets=targets, random_state=rng,
        )  # fmt: skip
    return name, found.gain, found.baseline


def _read(scheme: Any, table: Any, records: AnyArray, y: Any, rng: Rng) -> Any:
    """Read the attributes of some people, whose class is known, from a pool of everybody."""
    label = np.zeros(len(records)) if y is None else np.unique(y, return_inverse=True)[1]
    people = rng.permutation(len(records))[:_READ]
    channel: Any = scheme
    if _kind(scheme) == "max_level":  # by the last guidance that the miner sent
        V, released = scheme.V_, draw_bits(records[people], scheme.V_, rng)
        groups = bit_groups(scheme.n_values)
        records = np.column_stack([records[:, bits].argmax(axis=1) for bits in groups])
        channel = lambda R, X: log_likelihood(R, one_hot(X, scheme.n_values), V)  # noqa: E731
    elif is_numeric(table) and _takes_codes(scheme):
        released = np.asarray(take(table, people))
    else:
        released = scheme.codes(np.asarray(take(table, people)))
        channel = [scheme.channel_matrix(j) for j in range(records.shape[1])]
    pool, counts = np.unique(np.column_stack([records, label]), axis=0, return_counts=True)
    return attacks.recover_attributes(
        channel, released, records[people], pool[:, :-1].astype(records.dtype),
        prior=counts / counts.sum(), known=(label[people], pool[:, -1]),
    )  # fmt: skip


def _takes_codes(scheme: Any) -> bool:
    """Return whether a scheme's clear records are codes, and neither labels nor numbers."""
    return check.known_categories(scheme) is None and not isinstance(scheme, NoiseOnIntervals)


def _membership(scheme: Any, records: AnyArray, y: Any, rng: Rng) -> float:
    """Tell the members of an invented table from others: AUC, with the class or without it."""
    order = rng.permutation(len(records))
    others, members = np.split(order, [len(order) // 5])
    released, classes = scheme.fit_resample(records[members], y[members])
    by_class = (np.asarray(classes), y[members], y[others])
    rows = np.asarray(released, dtype=np.float64), records[members], records[others]
    return max(attacks.membership_inference(*rows, y=each).auc for each in (None, by_class))


def _blind(records: AnyArray, y: AnyArray) -> float:
    """Return the share of attributes that is read right by who knows the class alone."""
    right = 0
    for column in records.T:
        for label in np.unique(y):
            right += np.unique(column[y == label], return_counts=True)[1].max()
    return float(right / records.size)


#: The lines to which every scheme is compared, and how many people they ask to tell all.
LINES = {"larger class": 0.0, "volunteers": 50.0, "clear": math.inf}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One scheme at one epsilon; one of the lines where the scheme is None."""

    people: People
    name: str
    scheme: Any = None
    epsilon: float = math.nan
    learner: Any
    attack: Any
    cv: Any
    seed: int

    def repeat(self, number: int) -> dict[str, Any]:
        """Return what one repeat gives."""
        people = self.people.drawn(check.stream(self.seed, f"people {number}"))
        folds = [] if people.y is None else self._folds(people, number)
        # what is released does not hang on the learner
        names = [f"{self.name}, {self.epsilon!r}, {number}: {what}" for what in ("learn", "tell")]
        learning, telling = (check.stream(self.seed, name) for name in names)
        if self.scheme is None:
            return self._line(people, folds, learning)
        return self._scheme(people, folds, learning, telling)

    def _scheme(self, people: People, folds: Any, learning: Rng, telling: Rng) -> dict[str, Any]:
        """Learn from the release of folds; then release all, estimate the shares and attack."""
        owner = self.scheme
        owns = isinstance(owner, DisguisedClassifier)
        scheme = owner.disguise if owns else owner
        if people.edges is not None and hasattr(scheme, "on"):
            scheme = NoiseOnIntervals(scheme, people.edges)
        given, codes = people.seen(scheme)
        accuracy = error = epsilon = table = math.nan
        if people.y is not None:
            owns = owns or _kind(scheme) == "predict"
            model = owner if owns else _model(scheme, self.learner, people)
            accuracy = _over_folds(model, given, people.y, folds, learning)
        if _kind(scheme) != "predict":  # what a classifier releases, it alone knows
            scheme = _seeded(scheme, telling)
            table, _ = scheme.disguise(given, people.y)
            error = _share_error(scheme, table, codes, people)
        if hasattr(scheme, "record_epsilon"):
            epsilon = scheme.record_epsilon()
        told = np.asarray(given) if codes is None else codes
        attack = _attack(self.attack, scheme, table, given, told, people.y, telling)
        delta = float(getattr(scheme, "delta", 0.0))
        return _found(epsilon, delta, accuracy, error, *attack)

    def _folds(self, people: People, number: int) -> list[Any]:
        """Deal the records: rows to learn from, and to predict."""
        if not check.is_integer(self.cv):
            return list(self.cv.split(people.X, people.y))
        rng = check.stream(self.seed, f"folds {number}")
        place = rng.permutation(people.n) % self.cv
        return [(np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(self.cv)]

    def _line(self, people: People, folds: list[Any], rng: Rng) -> dict[str, Any]:
        """Return what it is worth that so many tell all, and the others nothing."""
        told, codes = min(LINES[self.name] / people.n, 1.0), people.codes()
        guess = math.nan
        if self.attack is not False:
            guess = _blind(np.asarray(people.X) if codes is None else codes, people.y)
        model, table = self.learner, people.X
        if model is None or type(model).__module__.startswith("ppdm."):
            smoothing = getattr(model, "smoothing", None)
            model = CountTreeClassifier()
            if codes is not None:
                sizes = people.sizes or (codes.max(axis=0) + 1).tolist()
                model, table = CountNB(sizes, smoothing=smoothing), codes
        if self.name == "volunteers":
            folds = [np.split(rng.permutation(people.n), [round(told * people.n)])]
        if told:
            accuracy = _over_folds(model, table, people.y, folds, rng)
        else:
            accuracy = float(np.unique(people.y, return_counts=True)[1].max() / people.n)
        attack = "none" if self.attack is False else "reading"
        error = 0.0 if told == 1 else math.nan
        epsilon = math.inf if told else 0.0
        return _found(epsilon, 0.0, accuracy, error, attack, told * (1 - guess), guess)


def _found(*values: Any) -> dict[str, Any]:
    told = ("epsilon_record", "delta", "accuracy", "share_error", "attack", "attack_gain",
            "attack_baseline")  # fmt: skip
    return dict(zip(told, values, strict=True))


def _to_codes(table: Any, sizes: list[int]) -> Codes:
    near = np.rint(np.asarray(table, dtype=np.float64))
    return np.clip(near, 0, np.array(sizes) - 1).astype(np.intp)


def _model(scheme: Any, learner: Any, people: People) -> Any:
    """Return what learns from a scheme and predicts clear records.

    A CountNB stands for naive Bayes of every scheme. A curator's table has no learner of its own.
    """
    noise = isinstance(scheme, NoiseOnIntervals)
    own = learner_of(scheme)
    if learner is own is None:
        known = check.known_categories(scheme)
        learner = CountTreeClassifier() if people.codes() is None else CountNB(categories=known)
    if not isinstance(learner, CountNB):
        return DisguisedClassifier(scheme.noise if noise else scheme, learner)
    if own is not None and hasattr(own, "smoothing"):
        learner = own.set_params(smoothing=learner.smoothing)
    elif people.sizes is not None:
        nearest = FunctionTransformer(_to_codes, kw_args={"sizes": people.sizes})
        learner = make_pipeline(nearest, CountNB(people.sizes, smoothing=learner.smoothing))
    return DisguisedClassifier(scheme, learner)


def _over_folds(model: Any, table: Any, y: AnyArray, folds: Iterable[Any], rng: Rng) -> float:
    """Return the share of clear records that are classified right, each by what others taught."""
    hits, n = 0, 0
    for train, test in folds:
        found = y[train[:1]]  # of one class, where volunteers have no other
        if len(test) and (y[train] != found).any():
            model = _seeded(model, rng).fit(take(table, train), y[train])
            found = model.predict(take(table, test))
        hits, n = hits + int((found == y[test]).sum()), n + len(test)
    return hits / n if n else math.nan


def _seeded(estimator: Any, rng: Rng) -> Any:
    """Return a copy of which all that draws at random has a seed of its own."""
    copy = clone(estimator)
    names = [name for name in sorted(copy.get_params()) if name.endswith("random_state")]
    return copy.set_params(**{name: int(rng.integers(2**32)) for name in names})


def _share_error(scheme: Any, table: Any, codes: Any, people: People) -> float:
    """Return the root mean square of estimated less true shares, over attributes and values."""
    if codes is None or _kind(scheme) == "max_level":
        return math.nan
    if _kind(scheme) != "channel_matrix":
        if people.sizes is None:
            return math.nan
        found = _shares(_to_codes(table, people.sizes), people.sizes)
    else:
        try:
            estimates = estimate_frequencies(table, scheme, feature="all").values()
        except ValueError:  # fair coins, for instance: their reports cannot be undone
            return math.nan
        found = [estimate.frequencies for estimate in estimates]
    true = people.shares or _shares(codes, [one.size for one in found])
    return float(np.sqrt(np.mean(np.square(np.concatenate(found) - np.concatenate(true)))))


def _shares(codes: Codes, sizes: list[int]) -> list[Any]:
    each = zip(codes.T, sizes, strict=True)
    return [np.bincount(column, minlength=size) / len(codes) for column, size in each]

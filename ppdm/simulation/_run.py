"""One scheme at one setting, run once as providers, miner and adversary would."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ppdm import _validation as check
from ppdm import attacks
from ppdm._coding import locate
from ppdm.classifiers._disguised import DisguisedClassifier, learner_of
from ppdm.guidance import log_likelihood, one_hot
from ppdm.guidance._perturbation import bit_groups, draw_bits
from ppdm.naive_bayes import CountNB
from ppdm.noise import ValueClassMembership
from ppdm.protocol import GuidedPerturbation
from ppdm.randomized_response import MixedResponse
from ppdm.reconstruction import estimate_frequencies
from ppdm.tree import CountTreeClassifier
from ppdm.typing import AnyArray, Codes, FloatArray, IntArray

Rng = np.random.Generator
#: Whose answers are read, and who is told from another, at most.
_READ, _TOLD = 500, 20
#: Parts that an interval is cut into: finer ones tell nothing more.
_FINER = 8


def on_intervals(noise: Any, X: Any, edges: FloatArray) -> MixedResponse:
    """Return noise on numbers (n, d) as a channel from their public intervals, edges (d, m + 1).

    Each column has a noise of its own, which learns of all records what it is not told. What is
    released is counted in cells an eighth of an interval wide.
    """
    channels = []
    names = [name for name in ("domain", "scale", "width") if np.ndim(getattr(noise, name, 0.0))]
    rows = {name: np.asarray(getattr(noise, name)) for name in names}
    for j, cuts in enumerate(edges):
        own = {name: value[[j % len(value)]] for name, value in rows.items()}
        one = clone(noise).set_params(**own)
        one.fit(X.iloc[:, [j]] if check.is_frame(X) else X[:, [j]])
        if isinstance(noise, ValueClassMembership):  # its cells are the classes
            channels.append(one.on(cuts))
            continue
        parts = np.linspace(cuts[:-1], cuts[1:], _FINER, axis=1, endpoint=False)
        channels.append(one.on(cuts, cells=one.on(np.append(parts, cuts[-1])).cells))
    return MixedResponse(channels)


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Clear records and their classes."""

    n: int
    X: Any
    y: Any
    #: The number of each record's class; 0 where there are none.
    label: IntArray
    edges: FloatArray | None = None
    #: Values of each attribute, where the records are bits or codes, or intervals are public.
    sizes: list[int] | None = None

    @classmethod
    def read(cls, X: Any, y: Any, edges: Any) -> People:
        """Check records, their classes and public intervals."""
        check.in_step(X=X, y=y)
        table = X if check.is_frame(X) else check.plain(X, "X")
        check.of_shape(np.asarray(table), "X", (None, None), "a row a person")
        n = len(table)
        check.demand(n > 1, "X must hold two records or more", n)
        label = np.zeros(n, dtype=np.intp)
        if y is not None:
            names, label = check.classes(y, n)
            check.demand(len(names) > 1, "y must have two classes or more", names.tolist())
            y = names[label]
        if edges is None:
            return cls(n=n, X=table, y=y, label=label, sizes=_sizes(np.asarray(table)))
        cuts = check.edges(edges, "edges", ndim=2)
        d = check.numbers(table, "X", ndim=2).shape[1]
        check.of_shape(cuts, "edges", (d, None), "those of the attributes of X")
        sizes = [cuts.shape[1] - 1] * d
        return cls(n=n, X=table, y=y, label=label, edges=cuts, sizes=sizes)

    def codes(self) -> Codes | None:
        """Return the records as codes, or as intervals; None where they are other numbers."""
        table = np.asarray(self.X)
        if self.edges is not None:
            pairs = zip(table.astype(np.float64).T, self.edges, strict=True)
            return np.column_stack([locate(column, cuts) for column, cuts in pairs])
        if self.sizes is not None:
            return table.astype(np.intp)
        if is_numeric(table):
            return None
        return np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])

    def seen(self, scheme: Any, *, of_numbers: bool) -> tuple[Any, Any]:
        """Return the records as a scheme takes them, and as codes of its own, if it has any."""
        categories = check.known_categories(scheme)
        if categories is not None:
            return self.X, check.to_codes(check.plain(self.X, "X"), categories)
        codes = None if self.sizes is None else self.codes()
        return (self.X if self.edges is None or of_numbers else codes), codes

    @cached_property
    def baseline(self) -> float:
        """The share of attributes that is read right by who knows everybody's class alone."""
        codes = self.codes()
        records = np.asarray(self.X) if codes is None else codes

        def nothing_told(released: AnyArray, candidates: AnyArray) -> FloatArray:
            return np.zeros((len(released), len(candidates)))

        silence, everybody = np.zeros((self.n, 1)), np.arange(self.n)
        return float(_recover(nothing_told, silence, records, self.label, everybody).baseline)


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
    return [max(int(largest) + 1, 2) for largest in whole.max(axis=0)]


def _told_apart(scheme: Any, records: AnyArray, y: Any, rng: Rng) -> dict[str, Any]:
    """Attack a curator's table: whose records it was made from."""
    if hasattr(scheme, "fit_resample"):
        return _outcome("membership", _membership(scheme, records, y, rng) - 0.5, 0.5)
    targets = rng.permutation(len(records))[:_TOLD]
    told = attacks.leave_one_out(
        lambda people, _: scheme.fit(people).transform(people), records,
        targets=targets, random_state=rng,
    )  # fmt: skip
    return _outcome("leave one out", told.gain, told.baseline)


def _outcome(
    attack: str = "none", gain: float = math.nan, baseline: float = math.nan
) -> dict[str, Any]:
    return {"attack": attack, "attack_gain": float(gain), "attack_baseline": float(baseline)}


def _read(
    scheme: Any, table: Any, records: AnyArray, label: IntArray, of_codes: bool, rng: Rng
) -> Any:
    """Read the attributes of some people from a pool of everybody.

    Where a scheme takes labels or numbers its matrices are asked, attribute by attribute, about
    the codes that ``records`` are.
    """
    people = rng.permutation(len(records))[:_READ]
    if isinstance(scheme, GuidedPerturbation):
        return _read_guided(scheme, records, label, people, rng)
    reports = np.asarray(take(table, people))
    if of_codes and is_numeric(reports):
        return _recover(scheme, reports, records, label, people)
    matrices = [scheme.channel_matrix(j) for j in range(records.shape[1])]
    return _recover(matrices, scheme.codes(reports), records, label, people)


def _read_guided(scheme: Any, tuples: AnyArray, label: IntArray, people: IntArray, rng: Rng) -> Any:
    """Read the attributes of tuples, bit by bit, by the last guidance that the miner sent."""
    groups = bit_groups(scheme.n_values)
    records = np.column_stack([tuples[:, bits].argmax(axis=1) for bits in groups])

    def likelihood(released: AnyArray, candidates: AnyArray) -> FloatArray:
        return log_likelihood(released, one_hot(candidates, scheme.n_values), scheme.V_)

    reports = draw_bits(tuples[people], scheme.V_, rng)
    return _recover(likelihood, reports, records, label, people)


def _recover(
    channel: Any, reports: AnyArray, records: AnyArray, label: IntArray, people: IntArray
) -> Any:
    """Attack people whose class is known; the pool is everybody's record with its class."""
    pool, counts = np.unique(np.column_stack([records, label]), axis=0, return_counts=True)
    return attacks.recover_attributes(
        channel, reports, records[people], pool[:, :-1].astype(records.dtype),
        prior=counts / counts.sum(), known=(label[people], pool[:, -1]),
    )  # fmt: skip


def _membership(scheme: Any, records: AnyArray, y: Any, rng: Rng) -> float:
    """Tell the members of an invented table from others: AUC, with the class or without it."""
    order = rng.permutation(len(records))
    others, members = np.split(order, [len(order) // 5])
    released, classes = scheme.fit_resample(records[members], y[members])
    by_class = (np.asarray(classes), y[members], y[others])
    rows = np.asarray(released, dtype=np.float64), records[members], records[others]
    return max(attacks.membership_inference(*rows, y=each).auc for each in (None, by_class))


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
        folds = [] if self.people.y is None else self._folds(number)
        # what is released does not hang on the learner
        names = [f"{self.name}, {self.epsilon!r}, {number}: {what}" for what in ("learn", "tell")]
        learning, telling = (check.stream(self.seed, name) for name in names)
        if self.scheme is None:
            return self._line(folds, learning)
        return self._scheme(folds, learning, telling)

    def _scheme(self, folds: Any, learning: Rng, telling: Rng) -> dict[str, Any]:
        """Learn from the release of folds; then release all, estimate the shares and attack."""
        people, owner = self.people, self.scheme
        owns = isinstance(owner, DisguisedClassifier)
        scheme = owner.disguise if owns else owner
        classifies = hasattr(scheme, "predict")  # and what it releases, it alone knows
        noise = None
        if people.edges is not None and hasattr(scheme, "on"):
            noise, scheme = scheme, on_intervals(scheme, people.X, people.edges)
        given, codes = people.seen(scheme, of_numbers=classifies or noise is not None)
        records = np.asarray(given) if codes is None else codes
        result: dict[str, Any] = {"accuracy": math.nan, "share_error": math.nan}
        if people.y is not None:
            model = owner if owns or classifies else _model(scheme, noise, self.learner, people)
            result["accuracy"] = _over_folds(model, given, people.y, folds, learning)
        table = None
        if not classifies:
            scheme = _seeded(scheme, telling)
            table, _ = scheme.disguise(given, people.y)
            result["share_error"] = _share_error(scheme, table, codes, people)
        epsilon = scheme.record_epsilon() if hasattr(scheme, "record_epsilon") else math.nan
        result |= {"epsilon_record": epsilon, "delta": float(getattr(scheme, "delta", 0.0))}
        if callable(self.attack):
            attack = self.attack(scheme, given, people.y, telling)
            told = check.having(attack, "what attack returns", "gain", "baseline")
            name = getattr(self.attack, "__name__", "attack")
            return result | _outcome(name, told.gain, told.baseline)
        if not self.attack or classifies:
            return result | _outcome()
        # each person's release is a report of its own, of known likelihood, or a curator's table
        if hasattr(scheme, "log_likelihood") or isinstance(scheme, GuidedPerturbation):
            of_codes = noise is None and check.known_categories(scheme) is None
            read = _read(scheme, table, records, people.label, of_codes, telling)
            return result | _outcome("reading", read.gain, read.baseline)
        told = _told_apart(scheme, records, people.y, telling) if is_numeric(given) else _outcome()
        return result | told

    def _folds(self, number: int) -> list[Any]:
        """Deal the records: rows to learn from, and to predict."""
        people = self.people
        if not check.is_integer(self.cv):
            return list(self.cv.split(people.X, people.y))
        rng = check.stream(self.seed, f"folds {number}")
        place = rng.permutation(people.n) % self.cv
        return [(np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(self.cv)]

    def _line(self, folds: list[Any], rng: Rng) -> dict[str, Any]:
        """Return what it is worth that so many tell all, and the others nothing."""
        people = self.people
        told, codes = min(LINES[self.name] / people.n, 1.0), people.codes()
        model, table = self.learner, people.X
        if model is None or type(model).__module__.startswith("ppdm."):
            smoothing = getattr(model, "smoothing", None)
            model = CountTreeClassifier()
            if codes is not None:
                sizes = people.sizes or (codes.max(axis=0) + 1).tolist()
                model, table = CountNB(sizes, smoothing=smoothing), codes
        if self.name == "volunteers":
            folds = [np.split(rng.permutation(people.n), [round(told * people.n)])]
        larger = float(np.bincount(people.label).max() / people.n)
        accuracy = _over_folds(model, table, people.y, folds, rng) if told else larger
        result = {
            "accuracy": accuracy, "share_error": 0.0 if told == 1 else math.nan,
            "epsilon_record": math.inf if told else 0.0, "delta": 0.0,
        }  # fmt: skip
        if self.attack is False:
            return result | _outcome()
        return result | _outcome("reading", told * (1 - people.baseline), people.baseline)


def _to_codes(table: Any, sizes: list[int]) -> Codes:
    near = np.rint(np.asarray(table, dtype=np.float64))
    return np.clip(near, 0, np.array(sizes) - 1).astype(np.intp)


def _model(scheme: Any, noise: Any, learner: Any, people: People) -> Any:
    """Return what learns from a scheme and predicts clear records.

    A CountNB stands for naive Bayes of every scheme; any other learner of noise between intervals
    sees the numbers. A curator's table has no learner of its own.
    """
    own = learner_of(scheme)
    if learner is own is None:
        known = check.known_categories(scheme)
        learner = CountTreeClassifier() if people.codes() is None else CountNB(categories=known)
    if not isinstance(learner, CountNB):
        return DisguisedClassifier(scheme if noise is None else noise, learner)
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
        classes = y[train[:1]]  # of one class, where volunteers have no other
        if len(test) and (y[train] != classes).any():
            model = _seeded(model, rng).fit(take(table, train), y[train])
            classes = model.predict(take(table, test))
        hits, n = hits + int((classes == y[test]).sum()), n + len(test)
    return hits / n if n else math.nan


def _seeded(estimator: Any, rng: Rng) -> Any:
    """Return a copy of which all that draws at random has a seed of its own."""
    copy = clone(estimator)
    names = [name for name in sorted(copy.get_params()) if name.endswith("random_state")]
    return copy.set_params(**{name: int(rng.integers(2**32)) for name in names})


def _share_error(scheme: Any, table: Any, codes: Any, people: People) -> float:
    """Return the root mean square of estimated less true shares, over attributes and values."""
    if codes is None or isinstance(scheme, GuidedPerturbation):
        return math.nan
    if hasattr(scheme, "channel_matrix"):
        try:
            estimates = estimate_frequencies(table, scheme, feature="all").values()
        except ValueError:  # fair coins, for instance: their reports cannot be undone
            return math.nan
        shares = [estimate.frequencies for estimate in estimates]
    elif people.sizes is not None:
        shares = _shares(_to_codes(table, people.sizes), people.sizes)
    else:
        return math.nan
    true = _shares(codes, [one.size for one in shares])
    return float(np.sqrt(np.mean(np.square(np.concatenate(shares) - np.concatenate(true)))))


def _shares(codes: Codes, sizes: list[int]) -> list[Any]:
    each = zip(codes.T, sizes, strict=True)
    return [np.bincount(column, minlength=size) / len(codes) for column, size in each]

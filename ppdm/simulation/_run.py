"""One scheme at one setting, run once as providers, miner and adversary would."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ppdm import _validation as check
from ppdm import attacks
from ppdm import classifiers as learn
from ppdm._estimators import BaseEstimator
from ppdm.channel import Channel, Scheme
from ppdm.classifiers._disguised import LEARNERS
from ppdm.guidance import log_likelihood, one_hot
from ppdm.guidance._perturbation import bit_groups, draw_bits
from ppdm.naive_bayes import CountNB
from ppdm.protocol import GuidedPerturbation
from ppdm.reconstruction import estimate_frequencies
from ppdm.simulation._people import NoiseOnIntervals, People, is_numeric, take
from ppdm.tree import CountTreeClassifier
from ppdm.typing import AnyArray, Codes, Undoing

Rng = np.random.Generator
#: Whose answers are read, and who is told from another, at most.
_READ, _TOLD = 500, 20


def _attack(
    asked: Any, scheme: Any, table: Any, X: Any, records: AnyArray, y: Any, rng: Rng
) -> tuple[str, float, float]:
    """Return the name of the attack that was made, what it gained, and what a guess reaches.

    ``table`` is what the scheme released of X, whose codes, where it has some, are ``records``.
    """
    if callable(asked):
        found = check.having(asked(scheme, X, y, rng), "what attack returns", "gain", "baseline")
        return getattr(asked, "__name__", "attack"), float(found.gain), float(found.baseline)
    name = _strongest(scheme, X)
    if asked not in (True, name):
        name = "none"
    if name == "reading":
        found = _read(scheme, table, records, y, rng)
    elif name == "leave one out":
        targets = rng.permutation(len(records))[:_TOLD]

        def publish(people: AnyArray, _: Any) -> Any:
            return scheme.fit(people).transform(people)

        found = attacks.leave_one_out(publish, records, targets=targets, random_state=rng)
    else:
        told = _membership(scheme, records, y, rng) if name == "membership" else np.nan
        return name, told - 0.5, 0.5 + 0 * told
    return name, found.gain, found.baseline


def _strongest(scheme: Any, X: Any) -> str:
    """Return the strongest attack that applies; none to a classifier, which releases no table."""
    if hasattr(scheme, "log_likelihood") or isinstance(scheme, GuidedPerturbation):
        return "reading"
    if hasattr(scheme, "predict") or not is_numeric(X):
        return "none"
    return "membership" if hasattr(scheme, "fit_resample") else "leave one out"


def _read(scheme: Any, table: Any, records: AnyArray, y: Any, rng: Rng) -> Any:
    """Read the attributes of some people, whose class is known, from a pool of everybody."""
    label = np.zeros(len(records)) if y is None else np.unique(y, return_inverse=True)[1]
    people = rng.permutation(len(records))[:_READ]
    channel: Any = scheme
    if isinstance(scheme, GuidedPerturbation):  # by the last guidance that the miner sent
        V, released = scheme.V_, draw_bits(records[people], scheme.V_, rng)
        groups = bit_groups(scheme.n_values)
        records = np.column_stack([records[:, bits].argmax(axis=1) for bits in groups])
        channel = lambda R, X: log_likelihood(R, one_hot(X, scheme.n_values), V)  # noqa: E731
    elif is_numeric(table):
        released = np.asarray(take(table, people))
    else:
        released = scheme.codes(np.asarray(take(table, people)))
        channel = [scheme.channel_matrix(j) for j in range(records.shape[1])]
    pool, counts = np.unique(np.column_stack([records, label]), axis=0, return_counts=True)
    return attacks.recover_attributes(
        channel,
        released,
        records[people],
        pool[:, :-1].astype(records.dtype),
        prior=counts / counts.sum(),
        known=(label[people], pool[:, -1]),
    )


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

    def _scheme(
        self, people: People, folds: list[Any], learning: Rng, telling: Rng
    ) -> dict[str, Any]:
        """Learn from the release of folds; then release all, estimate the shares and attack."""
        owner = self.scheme
        scheme = owner.disguise if isinstance(owner, learn.DisguisedClassifier) else owner
        if people.edges is not None and hasattr(scheme, "on"):
            scheme = NoiseOnIntervals(scheme, people.edges)
        given, codes = people.seen(scheme)
        accuracy = table = math.nan
        if people.y is not None:
            model, on_codes = owner, False
            if not hasattr(owner, "predict"):
                model, on_codes = _model(scheme, self.learner, people)
            clear = codes if on_codes else given
            accuracy = _over_folds(model, given, clear, people.y, folds, learning)
        error = epsilon = math.nan
        if not hasattr(scheme, "predict"):  # what a classifier releases, it alone knows
            scheme = _seeded(scheme, telling)
            table, _ = scheme.disguise(given, people.y)
            error, epsilon = _share_error(scheme, table, codes, people), scheme.record_epsilon()
        records = np.asarray(given) if codes is None else codes
        attack, gain, baseline = _attack(
            self.attack, scheme, table, given, records, people.y, telling
        )
        return _found(epsilon, accuracy, error, attack, gain, baseline)

    def _folds(self, people: People, number: int) -> list[Any]:
        """Deal the records: rows to learn from, and to predict."""
        if hasattr(self.cv, "get_n_splits"):
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
            accuracy = _over_folds(model, table, table, people.y, folds, rng)
        else:
            accuracy = float(np.unique(people.y, return_counts=True)[1].max() / people.n)
        attack = "none" if self.attack is False else "reading"
        error = 0.0 if told == 1 else math.nan
        epsilon = math.inf if told else 0.0
        return _found(epsilon, accuracy, error, attack, told * (1 - guess), guess)


def _found(*values: Any) -> dict[str, Any]:
    told = ("epsilon_record", "accuracy", "share_error", "attack", "attack_gain", "attack_baseline")
    return dict(zip(told, values, strict=True))


class _Rounded(Scheme, BaseEstimator):
    """A curator's table of numbers, as the codes that they are nearest to."""

    def __init__(self, scheme: Any, sizes: list[int]) -> None:
        self.scheme = scheme
        self.sizes = sizes

    def disguise(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Release codes, and their classes."""
        self.n_features_in_: int = X.shape[1]
        table, classes = self.scheme.disguise(X, y)
        return _to_codes(table, self.sizes), classes


def _to_codes(table: Any, sizes: list[int]) -> Codes:
    near = np.rint(np.asarray(table, dtype=np.float64))
    return np.clip(near, 0, np.array(sizes) - 1).astype(np.intp)


def _model(scheme: Any, learner: Any, people: People) -> tuple[Any, bool]:
    """Return what learns from a scheme, and whether it predicts codes.

    A CountNB stands for naive Bayes of every scheme. A curator's table has no learner of its own.
    """
    noise = isinstance(scheme, NoiseOnIntervals)
    if learner is None and not any(hasattr(scheme, asked) for asked in LEARNERS):
        known = check.known_categories(scheme)
        learner = CountTreeClassifier() if people.codes() is None else CountNB(categories=known)
    if not isinstance(learner, CountNB):
        return learn.DisguisedClassifier(scheme.noise if noise else scheme, learner), False
    smoothing = learner.smoothing
    if hasattr(scheme, "channel_matrix"):
        method: Undoing = "em" if noise else "raw"
        learner = learn.RandomizedResponseNB(method=method, smoothing=smoothing)
    elif hasattr(scheme, "max_level"):
        learner = learn.GuidedNB(scheme.n_values, smoothing=smoothing)
    elif people.sizes is not None:
        learner = CountNB(people.sizes, smoothing=smoothing)
        return learn.DisguisedClassifier(_Rounded(scheme, people.sizes), learner), True
    return learn.DisguisedClassifier(scheme, learner), False


def _over_folds(
    model: Any, given: Any, clear: Any, y: AnyArray, folds: Iterable[Any], rng: Rng
) -> float:
    """Return the share of clear records that are classified right, each by what others taught."""
    hits, n = 0, 0
    for train, test in folds:
        found = y[train[:1]]  # of one class, where volunteers have no other
        if len(test) and (y[train] != found).any():
            found = _seeded(model, rng).fit(take(given, train), y[train]).predict(take(clear, test))
        hits, n = hits + int((found == y[test]).sum()), n + len(test)
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
    if isinstance(scheme, Channel):
        try:
            estimates = estimate_frequencies(table, scheme, feature=None).values()
        except ValueError:  # fair coins, for instance: their reports cannot be undone
            return math.nan
        found = [estimate.frequencies for estimate in estimates]
    elif people.sizes is not None:
        found = _shares(_to_codes(table, people.sizes), people.sizes)
    else:
        return math.nan
    true = people.shares or _shares(codes, [one.size for one in found])
    return float(np.sqrt(np.mean(np.square(np.concatenate(found) - np.concatenate(true)))))


def _shares(codes: Codes, sizes: list[int]) -> list[Any]:
    each = zip(codes.T, sizes, strict=True)
    return [np.bincount(column, minlength=size) / len(codes) for column, size in each]

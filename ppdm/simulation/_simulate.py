"""Many schemes, many repeats, and their table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from ppdm import _validation as check
from ppdm.exceptions import MissingClassWarning, NegativeEstimateWarning
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.simulation._run import LINES, People, Run
from ppdm.typing import ArrayLike, FloatArray, RandomState


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedScheme:
    """What each repeat of one scheme gave; the docstring of Simulation says what each means."""

    scheme: str
    epsilon: float
    epsilon_record: float
    delta: float
    accuracy: FloatArray
    share_error: FloatArray
    attack: str
    attack_gain: FloatArray
    attack_baseline: FloatArray


@dataclass(frozen=True, kw_only=True, repr=False)
class Simulation:
    """What :func:`simulate_schemes` found; shown as a table of means and standard deviations.

    ``pandas.DataFrame(simulation.rows)`` is a frame with all repeats in its cells.

    Attributes
    ----------
    rows : tuple
        The schemes in the order given, then, where there are classes, three lines: the
        ``"larger class"``, which is what no report at all gives; ``"volunteers"``, fifty people
        who tell all; and ``"clear"``. Each has ``scheme``; ``epsilon``, the scheme's own
        parameter, where ``epsilons`` set it, else NaN; ``epsilon_record`` of the whole record,
        infinite where nothing bounds the odds, NaN where it is not known; ``delta``, but for which
        it holds, printed beside it where it is not zero; and ``attack``, which
        one, ``"none"`` where none applies. Arrays of shape (repeats,) are: ``accuracy`` on clear
        records, NaN without classes; ``share_error``, root mean square, over attributes and
        values, of estimated less true share, NaN where the scheme is no channel and no table of
        codes; ``attack_gain`` beyond a guess, and ``attack_baseline``, what the guess reaches.
    repeats : int
    """

    rows: tuple[SimulatedScheme, ...]
    repeats: int

    def __getitem__(self, scheme: str) -> SimulatedScheme:
        """Return the first row of a scheme, or a line, by its name."""
        names = [row.scheme for row in self.rows]
        check.demand(scheme in names, f"scheme must be one of {', '.join(names)}", scheme)
        return self.rows[names.index(scheme)]

    def __repr__(self) -> str:
        width = max(map(len, ["scheme", *(row.scheme for row in self.rows)]))
        lines = [
            f"{self.repeats} repeats, mean (standard deviation)",
            f"{'scheme':{width}} {'epsilon':>8} {'record':>8}"
            f" {'accuracy':>14} {'share error':>16} {'attack gain':>14}  attack",
        ]
        for row in self.rows:  # the delta but for which a record's epsilon holds stands beside it
            promised = _shown(row.epsilon_record) + (f", {row.delta:.0e}" if row.delta else "")
            lines.append(
                f"{row.scheme:{width}} {_shown(row.epsilon):>8} {promised:>8}"
                f" {_spread(row.accuracy, 3):>14} {_spread(row.share_error, 4):>16}"
                f" {_spread(row.attack_gain, 3):>14}  {row.attack}"
            )
        return "\n".join(line.rstrip() for line in lines)


def _shown(epsilon: float) -> str:
    return "" if math.isnan(epsilon) else f"{epsilon:.4g}"


def _spread(draws: FloatArray, digits: int) -> str:
    mean = float(draws.mean())
    spread = f" ({draws.std(ddof=1):.{digits}f})" if draws.size > 1 else ""
    return "" if math.isnan(mean) else f"{mean:.{digits}f}{spread}"


#: Common schemes of bits and codes, for so many values an attribute, at an epsilon of one.
NAMED: dict[str, Callable[[Any], Any]] = {
    "coin": lambda sizes: RandomizedResponse(groups=[[j] for j in range(len(sizes))], epsilon=1.0),
    "one asked": lambda sizes: RandomizedResponse(asked=1, epsilon=1.0),
    "k-ary": lambda sizes: CategoricalRandomizedResponse(sizes, epsilon=1.0),
    "unary": lambda sizes: UnaryEncoding(sizes, 1.0),
    "hadamard": lambda sizes: HadamardResponse(sizes, 1.0),
}


def simulate_schemes(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    schemes: Mapping[str, Any] | Sequence[str],
    epsilons: Sequence[float] | None = None,
    edges: ArrayLike | None = None,
    repeats: int = 20,
    learner: Any = None,
    attack: bool | Callable[..., Any] = True,
    cv: Any = 5,
    random_state: RandomState = None,
) -> Simulation:
    """Run schemes on a pilot table, and say what each is worth.

    Parameters
    ----------
    X : array-like of shape (n, n_attributes)
        Clear records, as the schemes take them: bits, codes, labels, numbers, tuples.
    y : array-like of shape (n,), optional
        Their classes, which are public unless a scheme disguises them.
    schemes : mapping, or sequence of names
        From a name to a disguise (what :class:`ppdm.classifiers.DisguisedClassifier` takes) or to
        a classifier that owns its disguise. For bits and codes these will do as names:
        ``"coin"`` (one an attribute), ``"one asked"`` (of the attributes, by lot), ``"k-ary"``,
        ``"unary"`` and ``"hadamard"``, at an epsilon of one where ``epsilons`` does not say.
    epsilons : sequence of float, optional
        In place of the schemes' own ``epsilon``, which most count for each answer: schemes are
        equal where the column *record* says so, at 4 for one of 16 asked and at 4/16 for a coin
        each. A scheme that is given none (but a theta, or a scale) runs once, as it is.
    edges : array-like of shape (n_attributes, m + 1), optional
        Public edges of the intervals of numbers. Noise is then judged between intervals, and
        schemes for codes disguise the number of the interval.
    repeats : int >= 1, default=20
    learner : classifier, optional
        What learns from every release, in place of each scheme's own, told how each disguise
        works. A :class:`ppdm.naive_bayes.CountNB` stands for naive Bayes of every scheme, with
        its ``smoothing``: noise on numbers is undone by EM, a curator's numbers count as the
        codes that they are nearest to. None: each scheme's own; of a curator's table a tree,
        of clear records naive Bayes, or a tree where they are numbers.
    attack : bool or callable, default=True
        True: the strongest attack that applies, as the notes say. False: none. Or a function
        ``(scheme, X, y, rng)`` of the scheme as given, that returns something with ``gain`` and
        ``baseline``; NaN for a scheme to which it does not apply.
    cv : int >= 2 or splitter of scikit-learn, default=5
        Folds, dealt anew in each repeat, or what deals them.
    random_state : None, int or numpy.random.Generator, default=None
        A scheme draws by its name and epsilon, so that it does not change where others come in.

    Returns
    -------
    Simulation

    Raises
    ------
    ValueError, TypeError
        If an argument is not as above, a curator's generator has no classes to learn from, or as a
        scheme says of its records.

    See Also
    --------
    ppdm.compare.choose_scheme : The same question by formulas, without a table.

    Notes
    -----
    In each repeat all records are disguised once, for the shares and the attack; for the accuracy
    those of each fold's other folds are, and the fold is predicted in the clear.

    The error of shares is that of the disguise alone: these people are asked in every repeat.

    A channel's adversary reads each attribute of (at most) 500 people, whose class it knows, from
    a pool that holds every record (:func:`ppdm.attacks.recover_attributes`); so it does with
    guided tuples, by the last guidance. A table that a curator computes without chance is told
    from that with another record in place (:func:`ppdm.attacks.leave_one_out`, 20 people).
    In an invented table members are told from others (:func:`ppdm.attacks.membership_inference`,
    AUC). These are different games: compare gains within one. Each is a lower bound.

    Two lines disclose in the clear: all people, or fifty of them.

    Examples
    --------
    >>> from ppdm.simulation import simulate_schemes
    >>> from ppdm.datasets import load_voting
    >>> X, y = load_voting(random_state=0, return_X_y=True)
    >>> votes = simulate_schemes(
    ...     X, y, schemes=["coin", "one asked"], epsilons=[1.0], repeats=3, random_state=0)
    >>> [round(float(votes[name].accuracy.mean()), 2) for name in ("coin", "clear")]
    [0.91, 0.9]
    >>> round(votes["coin"].epsilon_record, 6), round(votes["one asked"].epsilon_record, 6)
    (16.0, 1.0)
    """
    people = People.read(X, y, edges)
    chosen = _schemes(schemes, people.sizes)
    values = [] if epsilons is None else check.sequence(epsilons, "epsilons", "numbers")
    check.demand(values or epsilons is None, "epsilons must hold a number at least", epsilons)
    n_repeats = check.given("repeats", repeats)
    attack = check.function(attack, "attack") if callable(attack) else check.flag(attack, "attack")
    if not hasattr(cv, "get_n_splits"):
        check.given("cv", cv, high=None if people.y is None else people.n)
    if learner is not None:
        check.having(learner, "learner", "fit", "predict")
    drawn = check.random_state(random_state)
    seed = random_state if check.is_integer(random_state) else drawn.integers(2**63)
    run = partial(Run, people=people, learner=learner, attack=attack, cv=cv, seed=int(seed))  # type: ignore[arg-type]
    runs = [
        run(name=name, scheme=each, epsilon=at)
        for name, scheme in chosen.items()
        for each, at in _settings(scheme, values)
    ]
    runs += [run(name=name) for name in LINES if people.y is not None]
    with warnings.catch_warnings():  # what they warn of is in the numbers
        warnings.simplefilter("ignore", NegativeEstimateWarning)
        warnings.simplefilter("ignore", MissingClassWarning)
        rows = [_row(each, list(map(each.repeat, range(n_repeats)))) for each in runs]
    return Simulation(rows=tuple(rows), repeats=n_repeats)


def _schemes(schemes: Any, sizes: list[int] | None) -> dict[str, Any]:
    """Return the schemes by their names; of the common ones a name is enough."""
    if isinstance(schemes, Mapping):
        for name, scheme in schemes.items():
            check.demand(name not in LINES, f"schemes may not be called {', '.join(LINES)}", name)
            check.having(scheme, f"schemes[{name!r}]", "get_params")
        return dict(schemes)
    names = check.sequence(schemes, "schemes", "names, or a mapping of names to schemes")
    for name in names:
        check.option(name, "schemes", list(NAMED))
    check.demand(sizes is not None or not names, "named schemes need codes or edges", names)
    return {name: NAMED[name](sizes) for name in names}


def _settings(scheme: Any, epsilons: list[Any]) -> list[tuple[Any, float]]:
    """Return a scheme at each epsilon; as it is where it was given none, or none are wanted."""
    own = scheme.get_params()
    name = next((at for at in ("epsilon", "disguise__epsilon") if own.get(at) is not None), None)
    if name is None or not epsilons:
        return [(scheme, math.nan if name is None else float(own[name]))]
    numbers = [check.number(one, "epsilons", low=0, inclusive="neither") for one in epsilons]
    return [(clone(scheme).set_params(**{name: at}), at) for at in numbers]


def _row(run: Run, results: list[dict[str, Any]]) -> SimulatedScheme:
    """Return what all repeats gave; what no repeat can change is that of the first."""
    row: dict[str, Any] = {name: np.array([one[name] for one in results]) for name in results[0]}
    row |= {name: results[0][name] for name in ("attack", "epsilon_record", "delta")}
    return SimulatedScheme(scheme=run.name, epsilon=run.epsilon, **row)

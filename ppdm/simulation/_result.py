"""What was found of each scheme, and its table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppdm import _validation as check
from ppdm.typing import FloatArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedScheme:
    """One scheme at one setting: what each repeat gave.

    Attributes
    ----------
    scheme : str
    epsilon : float
        The scheme's own parameter, where ``epsilons`` set it; else NaN.
    epsilon_record : float
        Of the whole record; infinite where nothing bounds the odds, NaN where it is not known.
    accuracy : ndarray of shape (repeats,)
        On clear records; NaN without classes.
    share_error : ndarray of shape (repeats,)
        Root mean square, over attributes and values, of estimated less true share; NaN where
        the scheme is no channel and no table of codes.
    attack : str
        Which attack; ``"none"`` where none applies.
    attack_gain, attack_baseline : ndarray of shape (repeats,)
        What the attack gains beyond a guess, and what the guess reaches.
    """

    scheme: str
    epsilon: float
    epsilon_record: float
    accuracy: FloatArray
    share_error: FloatArray
    attack: str
    attack_gain: FloatArray
    attack_baseline: FloatArray


@dataclass(frozen=True, kw_only=True, repr=False)
class Simulation:
    """What :func:`simulate_schemes` found; shown as a table of means and standard deviations.

    Attributes
    ----------
    rows : tuple of SimulatedScheme
        The schemes in the order given, then, where there are classes, three lines: the
        ``"larger class"``, which is what no report at all gives; ``"volunteers"``, fifty people
        who tell all; and ``"clear"``.
    repeats : int
    """

    rows: tuple[SimulatedScheme, ...]
    repeats: int

    def __getitem__(self, scheme: str) -> SimulatedScheme:
        """Return the first row of a scheme, or a line, by its name."""
        names = [row.scheme for row in self.rows]
        check.demand(scheme in names, f"scheme must be one of {', '.join(names)}", scheme)
        return self.rows[names.index(scheme)]

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of pandas: a row each, means and, behind them, standard deviations.

        Raises
        ------
        ImportError
            If pandas is missing: ``ppdm[data]``.
        """
        pandas = check.import_optional("pandas", "to_frame")
        frame: pd.DataFrame = pandas.DataFrame([_summed_up(row) for row in self.rows])
        return frame

    def __repr__(self) -> str:
        width = max(map(len, ["scheme", *(row.scheme for row in self.rows)]))
        lines = [
            f"{self.repeats} repeats, mean (standard deviation)",
            f"{'scheme':{width}} {'epsilon':>8} {'record':>8}"
            f" {'accuracy':>14} {'share error':>16} {'attack gain':>14}  attack",
        ]
        for row in self.rows:
            lines.append(
                f"{row.scheme:{width}} {_shown(row.epsilon):>8} {_shown(row.epsilon_record):>8}"
                f" {_spread(row.accuracy, 3):>14} {_spread(row.share_error, 4):>16}"
                f" {_spread(row.attack_gain, 3):>14}  {row.attack}"
            )
        return "\n".join(line.rstrip() for line in lines)


def _summed_up(row: SimulatedScheme) -> dict[str, Any]:
    """Return a row's means, each with its standard deviation behind it."""
    found: dict[str, Any] = {}
    for name, value in vars(row).items():
        if isinstance(value, str | float):
            found[name] = value
        else:
            found |= {name: float(value.mean()), f"{name}_sd": _deviation(value)}
    return found


def _deviation(draws: FloatArray) -> float:
    return float(draws.std(ddof=1)) if draws.size > 1 else math.nan


def _shown(epsilon: float) -> str:
    return "" if math.isnan(epsilon) else f"{epsilon:.4g}"


def _spread(draws: FloatArray, digits: int) -> str:
    mean, deviation = float(draws.mean()), _deviation(draws)
    spread = "" if math.isnan(deviation) else f" ({deviation:.{digits}f})"
    return "" if math.isnan(mean) else f"{mean:.{digits}f}{spread}"

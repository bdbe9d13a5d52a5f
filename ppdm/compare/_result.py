"""What a comparison of schemes gives: a row for each, and the best of them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ppdm import _validation as check

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class SchemeRow:
    """One scheme and what it comes to.

    Attributes
    ----------
    scheme : str
    trust : str
        Whom a provider must trust with the clear record: ``"nobody"`` or the ``"curator"``.
    verdict : str
        ``"yes"``, ``"none"`` (it errs by more than was asked) or ``"cannot promise"``.
    noise : str
        The setting at these odds; why there is none where it cannot promise.
    error : float
        Standard error of an attribute's share within the smaller class, of the attribute
        that is worst off; NaN where the scheme cannot promise.
    people : float
        From how many people on, the class included, the error is as asked for.
    dataset : str
        The nearest data set where the scheme was measured; empty where no setting within a
        factor of two of this epsilon was.
    accuracy, larger_class : float
        Naive Bayes there, on clear records, and what naming the larger class reaches.
    attack_gain : float
        What the best attack that was tried gained there over guessing.
    not_stopped : str
        Attacks that the scheme does not stop.
    """

    scheme: str
    trust: str
    verdict: str
    noise: str
    error: float = math.nan
    people: float = math.nan
    dataset: str = ""
    accuracy: float = math.nan
    larger_class: float = math.nan
    attack_gain: float = math.nan
    not_stopped: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What :func:`compare_schemes` found.

    Attributes
    ----------
    rows : tuple of SchemeRow
        Those that can promise first, by their error.
    nobody, curator : str
        The scheme of the least error among those with the verdict yes, if the providers trust
        nobody, or a curator: its name, or ``"none"``.
    epsilon : float
        Of the record: the logarithm of the odds.
    """

    rows: tuple[SchemeRow, ...]
    nobody: str
    curator: str
    epsilon: float

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table.

        Raises
        ------
        ImportError
            If pandas is missing.
        """
        pandas = check.import_optional("pandas", "to_frame")
        frame: pd.DataFrame = pandas.DataFrame([asdict(row) for row in self.rows])
        return frame

    def __repr__(self) -> str:
        lines = [f"{'scheme':25}{'trust':9}{'verdict':16}{'error':>7}{'people':>11}  noise"]
        for row in self.rows:
            error = "" if math.isnan(row.error) else f"{row.error:.3f}"
            people = "" if math.isnan(row.people) else f"{row.people:,.0f}"
            lines.append(
                f"{row.scheme:25}{row.trust:9}{row.verdict:16}{error:>7}{people:>11}  {row.noise}"
            )
        return "\n".join([*lines, f"trusting nobody: {self.nobody}; a curator: {self.curator}"])

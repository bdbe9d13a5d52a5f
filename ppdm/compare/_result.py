"""What the chooser finds: a row for each scheme, and an answer that can be printed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ppdm import _validation as check
from ppdm.compare._errors import amount
from ppdm.typing import Want

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class SchemeRow:
    """One scheme and what it comes to; the docstring of SchemeChoice says what each means."""

    scheme: str
    trust: str
    verdict: str
    setting: str
    epsilon: float = math.nan
    asked: int = 0
    standard_error: float = math.nan
    margin: float = math.nan
    found: float = math.nan
    people: float = math.nan
    least_epsilon: float = math.nan
    not_stopped: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class SchemeChoice:
    """What :func:`choose_scheme` found. Printed, it is an answer in sentences, and a table.

    Attributes
    ----------
    want : str
        As asked for.
    scheme : str
        The one that does best what is wished, or ``"none"``.
    best
        Its row, as below; where it is none, that of the scheme which misses by least.
    why : str
        Why none; empty otherwise.
    rows : tuple
        All schemes, those that keep a promise first, the best of them on top. Each has
        ``scheme``; ``trust``, whom people must trust with the clear record, ``"nobody"`` or the
        ``"curator"``; ``verdict``, ``"yes"`` or ``"none"`` (whether it reaches the wish),
        ``"simulate"`` (its promise holds, what it is worth depends on the data) or
        ``"but for delta"`` (odds are bounded but for a probability of 1e-5); ``setting``;
        ``epsilon`` of the whole record; ``asked``, how many questions each person answers, drawn
        by lot; ``standard_error`` and ``margin`` of the estimate that is worst off, at these
        people, as a share or in a mean's own units; ``found``, how many of the top values are
        expected to be found, if shares fall as 1/rank; ``people``, how many reach the wish at
        this setting; ``least_epsilon`` that reaches it with these people, NaN where none does;
        and ``not_stopped``, attacks that it does not stop.
    margin, clear_margin : float
        The margin that is to be reached, and that of answers in the clear.
    odds : float
        The largest factor by which a report of the best scheme moves anybody's odds of any two
        records.
    after : tuple of float
        How likely an answer is after a report of it, and after any other report, to who held it
        for as likely as the expected proportion before. NaN for numbers and for a curator.
    sentences : tuple of str
        The scheme and its setting, or why none; the margin at these people; the people for the
        margin; the smallest epsilon; what one report does; what else is to be known.
    """

    want: Want
    scheme: str
    best: SchemeRow
    why: str
    rows: tuple[SchemeRow, ...]
    margin: float
    clear_margin: float
    odds: float
    after: tuple[float, float]
    sentences: tuple[str, ...]

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
        top = self.want == "top"
        head = ["scheme", "trust", "verdict", "epsilon", "setting"]
        table = [[*head, "found" if top else "margin", "people"]]
        for row in self.rows:
            reached = f"{row.found:.1f}" if top else in_words(self.want, row.margin)
            table.append([row.scheme, row.trust, row.verdict, f"{row.epsilon:.3g}", row.setting,
                          reached, f"{row.people:,.0f}"])  # fmt: skip
        cells = [["" if "nan" in cell.split() else cell for cell in line] for line in table]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, line, wide)).rstrip() for line in cells]
        return "\n".join([*self.sentences, "", *lines])


def in_words(want: Want, margin: float) -> str:
    """Return a margin as a reader says it: points of a share, a mean's own units."""
    if want != "mean":
        return f"± {100 * margin:.3g} points"
    return f"± {amount(margin)}"

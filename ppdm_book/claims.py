"""A paper's claim beside our number: the rows of a chapter's claims table and of the scorecard."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Literal, get_args

__all__ = ["VERDICTS", "Claim", "ClaimsTable"]

#: What became of a claim: the two in the middle are the ways in which it holds in part.
Verdict = Literal["reproduced", "misses by little", "holds under a condition", "not"]
VERDICTS = get_args(Verdict)
#: What a claim may be marked as: one about privacy, or one that judges this book's own system.
Mark = Literal["", "privacy", "ours"]

#: What stands before the type of an output that a notebook keeps and does not show.
GLUED = "application/papermill.record/"

COLUMNS = ("source", "claim", "ours", "gap", "verdict", "cause")


@dataclass(frozen=True)
class Claim:
    """One claim of a paper and what became of it.

    Parameters
    ----------
    source : str
        The paper and its section, ``"DZ03 3"``.
    claim : str
        What the paper says, in our words.
    ours : str
        Our number, with its spread.
    verdict : {"reproduced", "misses by little", "holds under a condition", "not"}
        Whether the claim held: under the paper's own conditions; nearly; only under a
        condition that the paper does not state; or not.
    cause : str, default=""
        Why ours differs; needed unless the verdict is ``"reproduced"``.
    mark : {"", "privacy", "ours"}, default=""
        ``"privacy"`` for a claim that something stays hidden; ``"ours"`` for a row that judges
        the book's own system and not the paper's text.
    gap : str, default=""
        How far ours is from the paper's number, ``"-1.4 points"``; shown as a dash where the
        paper gives no number that ours can be compared with.
    key : str, default=""
        What is the same in all rows that judge one claim, in whatever chapter: they have one
        verdict, and are counted once. A claim that stands in one row only needs none.

    Raises
    ------
    ValueError
        If the verdict or the mark is another word, a text is empty, or a difference has no
        cause.

    Examples
    --------
    >>> Claim("DZ03 3", "theta = 1/2 cannot be inverted", "refused", "reproduced").verdict
    'reproduced'
    """

    source: str
    claim: str
    ours: str
    verdict: Verdict
    cause: str = ""
    mark: Mark = ""
    gap: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        allowed = {"verdict": VERDICTS, "mark": get_args(Mark)}
        for name, value in vars(self).items():
            text = _text(value, name)
            if value not in allowed.get(name, (value,)):
                words = ", ".join(map(repr, allowed[name]))
                raise ValueError(f"{name} must be one of {words}, got {reprlib.repr(value)}")
            if not text and name in ("source", "claim", "ours"):
                raise ValueError(f"{name} must not be empty")
        if self.verdict != "reproduced" and not self.cause.strip():
            raise ValueError(f"cause must say why the verdict is {self.verdict!r}, got ''")


class ClaimsTable:
    """Claims as a table that reads as text and as HTML.

    Parameters
    ----------
    claims : iterable of Claim
        At least one.

    Examples
    --------
    >>> ClaimsTable([Claim("DZ03 3", "theta = 1/2 cannot be inverted", "refused", "reproduced")])
    source | claim                          | ours    | gap | verdict    | cause
    DZ03 3 | theta = 1/2 cannot be inverted | refused | –   | reproduced |
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        try:
            self.claims: tuple[Claim, ...] = tuple(claims)
        except TypeError:
            given = reprlib.repr(claims)
            raise TypeError(f"claims must be Claims to iterate over, got {given}") from None
        for claim in self.claims:
            if not isinstance(claim, Claim):
                raise TypeError(f"claims must hold Claims, got {reprlib.repr(claim)}")
        if not self.claims:
            raise ValueError("claims must hold at least one Claim, got none")

    def __repr__(self) -> str:
        rows = [COLUMNS, *(_cells(claim) for claim in self.claims)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        lines = (
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def glue(self, name: str) -> None:
        """Keep the table with the notebook's cell, under a name that the book's scorecard reads.

        This is what ``glue`` of MyST-NB writes, without that package, so that a chapter runs where
        the book is not built. Jupyter shows nothing of it; outside of Jupyter nothing happens.

        Parameters
        ----------
        name : str
            The key, ``"claims-NAME"``.

        Raises
        ------
        TypeError
            If the name is no text.
        ValueError
            If it is empty.

        Examples
        --------
        >>> claim = Claim("DZ03 3", "theta = 1/2 cannot be inverted", "refused", "reproduced")
        >>> ClaimsTable([claim]).glue("claims-warner")
        """
        if not _text(name, "name"):
            raise ValueError("name must not be empty")
        shell = sys.modules.get("IPython")
        if shell is None or shell.get_ipython() is None:
            return
        record = {"text/plain": repr(self), "text/html": self._repr_html_()}
        shell.display.display(
            {GLUED + kind: shown for kind, shown in record.items()},
            metadata={"scrapbook": {"mime_prefix": GLUED, "name": name}},
            raw=True,
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{name}</th>" for name in COLUMNS)
        body = "".join(
            f"<tr class='{claim.mark}' data-key='{escape(claim.key or claim.claim)}'>"
            + "".join(
                f"<td class='{name} {claim.verdict.split()[-1]}'>{escape(cell)}</td>"
                for name, cell in zip(COLUMNS, _cells(claim), strict=True)
            )
            + "</tr>"
            for claim in self.claims
        )
        return (
            "<div class='claims'><table class='table dataframe'>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, got {reprlib.repr(value)}")
    return value.strip()


def _cells(claim: Claim) -> tuple[str, ...]:
    """Return a claim as the cells of its row; a mark stands before the claim."""
    marked = f"[{claim.mark}] {claim.claim}" if claim.mark else claim.claim
    return claim.source, marked, claim.ours, claim.gap.strip() or "–", claim.verdict, claim.cause

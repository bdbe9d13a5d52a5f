"""A paper's claim beside our number: the rows of a chapter's claims table and of the scorecard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from html import escape

from ppdm import _validation as check

__all__ = ["VERDICTS", "Claim", "ClaimsTable"]

VERDICTS = ("reproduced", "partly", "not")


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
    verdict : {"reproduced", "partly", "not"}
        Whether the claim held.
    cause : str, default=""
        Why ours differs; needed unless the verdict is ``"reproduced"``.

    Raises
    ------
    ValueError
        If the verdict is another word, a text is empty, or a difference has no cause.

    Examples
    --------
    >>> Claim("DZ03 3", "theta = 1/2 cannot be inverted", "refused", "reproduced").verdict
    'reproduced'
    """

    source: str
    claim: str
    ours: str
    verdict: str
    cause: str = ""

    def __post_init__(self) -> None:
        check.option(self.verdict, "verdict", VERDICTS)
        for name in ("source", "claim", "ours"):
            if not getattr(self, name).strip():
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
    source | claim                          | ours    | verdict    | cause
    DZ03 3 | theta = 1/2 cannot be inverted | refused | reproduced |
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self.claims = tuple(claims)
        if not self.claims:
            raise ValueError("claims must hold at least one Claim, got none")

    def __repr__(self) -> str:
        rows = [self._header, *(astuple(claim) for claim in self.claims)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(self._header))]
        lines = (
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{name}</th>" for name in self._header)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td class='{name} {claim.verdict}'>{escape(value)}</td>"
                for name, value in zip(self._header, astuple(claim), strict=True)
            )
            + "</tr>"
            for claim in self.claims
        )
        return (
            "<div class='claims'><table class='table dataframe'>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    @property
    def _header(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(Claim))

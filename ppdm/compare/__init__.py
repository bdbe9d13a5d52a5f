"""Which scheme, and for how many people, or none: by formulas, before there are any data.

:func:`choose_scheme` holds the schemes of this book against what a survey is for: so many people,
these questions, this wish, and a bound on how much a report may say about anybody.
:func:`respondents_needed` says how many people one question needs. Where no formula says what a
scheme is worth, :mod:`ppdm.simulation` answers the same question by trying on a pilot table.
"""

from ppdm.compare._choose import SchemeChoice, choose_scheme
from ppdm.compare._respondents import respondents_needed

__all__ = ["SchemeChoice", "choose_scheme", "respondents_needed"]

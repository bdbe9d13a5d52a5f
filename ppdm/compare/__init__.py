"""Which scheme, how much noise, how many people, and when none.

:func:`choose_scheme` holds the schemes of this book against what a survey is for: so many people,
these questions, this wish, and a bound on how much a report may say about anybody.
"""

from ppdm.compare._choose import SchemeChoice, choose_scheme

__all__ = ["SchemeChoice", "choose_scheme"]

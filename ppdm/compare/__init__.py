"""Which scheme, and when none: what each can promise, would estimate, and was seen to do.

:func:`compare_schemes` holds the schemes of this book against one wish: so many people, these
attributes, and a bound on how much a report may say about anybody.
"""

from ppdm.compare._compare import compare_schemes
from ppdm.compare._result import Comparison, SchemeRow

__all__ = ["Comparison", "SchemeRow", "compare_schemes"]

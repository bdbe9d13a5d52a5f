"""What is timed of diffprivlib, in its environment."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any


def naive_bayes(X: Any, y: Any, epsilon: Any) -> Callable[[], object]:
    """Fit its naive Bayes, which a curator runs, to clear records."""
    from diffprivlib.models import GaussianNB

    warnings.simplefilter("ignore")
    values = X.astype(float)
    return lambda: GaussianNB(epsilon=float(epsilon), bounds=(0, 1)).fit(values, y)

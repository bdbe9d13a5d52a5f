"""Schemes of codes on real numbers: what scikit-learn's checks feed, cut into four intervals."""

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data


class OnFourIntervals:
    """Before a transformer of codes among the bases: it then takes real numbers."""

    def fit(self, X, y=None):
        return super().fit(self._code(X, reset=True), y)

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(self._code(X, reset=False))

    def _code(self, X, *, reset):
        checked = validate_data(self, X, reset=reset)
        coded = np.digitize(np.asarray(checked, dtype=float), [-1, 0, 1])
        if hasattr(X, "columns"):
            import pandas as pd

            coded = pd.DataFrame(coded, columns=X.columns, index=X.index)
        return coded

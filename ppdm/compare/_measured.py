"""What was measured: the row of the stored comparison that is nearest to a wish."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ppdm_book.experiments import load_table

#: People and attributes of the data sets of the table ``frontier``. Of Adult's two cuts the
#: one that hides nothing under the larger class comes first, and wins their tie.
MEASURED = {
    "voting": (435, 16),
    "wisconsin": (699, 9),
    "adult_median": (10_000, 14),
    "adult_midrange": (10_000, 14),
    "pima": (768, 8),
    "f2": (5_000, 9),
}
#: A setting further off than this factor of epsilon was not measured.
FAR = 2.0


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a scheme was seen to reach on a data set, at one setting."""

    dataset: str
    epsilon: float
    accuracy: float
    larger_class: float
    attack: str
    attack_gain: float


@lru_cache(maxsize=1)
def _means() -> Any:
    """Return the table's means over seeds, a row for each scheme, setting and data set."""
    table = load_table("frontier")
    keys = ["scheme", "dataset", "setting", "attack"]
    numbers = ["accuracy", "attack_gain", "epsilon_record"]
    return table.groupby(keys, as_index=False)[numbers].mean()


def nearest(schemes: tuple[str, ...], n: int, d: int, epsilon: float) -> Seen | None:
    """Return what the schemes did on the nearest data set where one of them was measured.

    Nearest is the least |log n ratio| + |log attributes ratio|; of its settings the one whose
    epsilon of an attribute is the nearest, by its logarithm. None where that is more than a
    factor of two away.
    """
    means = _means()
    mine = means[means.scheme.isin(schemes)]
    distances = {
        name: abs(np.log(n / people)) + abs(np.log(d / attributes))
        for name, (people, attributes) in MEASURED.items()
        if (mine.dataset == name).any()
    }
    dataset = min(distances, key=lambda name: distances[name])
    rows = mine[mine.dataset == dataset]
    off = np.abs(np.log(rows.epsilon_record / MEASURED[dataset][1] / epsilon))
    row = rows.loc[off.idxmin()]
    if off.min() > np.log(FAR):
        return None
    larger = means[(means.dataset == dataset) & (means.scheme == "larger class")]
    return Seen(
        dataset=dataset,
        epsilon=float(row.epsilon_record / MEASURED[dataset][1]),
        accuracy=float(row.accuracy),
        larger_class=float(larger.accuracy.iloc[0]),
        attack=str(row.attack),
        attack_gain=float(row.attack_gain),
    )

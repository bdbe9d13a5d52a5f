"""What the data miner learns: the classifier so far, and how well it does on later R(t)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ppdm._types import Bits, FloatArray
from ppdm.classifiers import GuidedNB
from ppdm.guidance import answers_read
from ppdm.survey._messages import PublishedGuidance
from ppdm.survey._schema import Survey

#: The client asks the person from this share of right guesses on: three in four, less the
#: error of the draws.
READ = 0.74

#: The last whole epochs, of which one may give the example.
LATELY = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Whole:
    """A whole epoch, and the one submission of it that may be shown."""

    V: FloatArray
    n_values: Sequence[int]
    shown: dict[str, Any]

    @cached_property
    def plain(self) -> bool:
        """Whether an R(t) would show a person's answers.

        It takes as long as some submissions do, so it is found out when somebody asks; by the
        same draws each time, so that all see the same, after a restart, too.
        """
        return bool(answers_read(self.V, self.n_values, random_state=0).max() >= READ)


def example(lately: Sequence[Whole | None]) -> dict[str, Any] | None:
    """Return the last submission that may be shown; those of the epoch before came late."""
    for before, one in reversed(list(pairwise(lately))):
        if one and not one.plain and not (before and before.plain):
            return one.shown
    return None


class Results:
    """Naive Bayes on R(t), epoch by epoch.

    The miner has no clear tuples but those of epochs that ask for every bit. It can only ask
    how well the classifier of all earlier epochs names the class of an R(t) that came later:
    an estimate on disguised data, which is not the accuracy on clear ones.

    Parameters
    ----------
    survey : Survey
    """

    def __init__(self, survey: Survey) -> None:
        self._n_values = survey.n_values
        self.classifier = GuidedNB(survey.n_values)
        self.n_tuples = 0
        self.accuracy: list[dict[str, int]] = []
        #: None stands before the first epoch.
        self.lately: deque[Whole | None] = deque([None], LATELY + 1)

    def add_epoch(self, guidance: PublishedGuidance, R: Bits, y: Bits) -> None:
        """Test the classifier on a whole epoch, then let it learn from it.

        Parameters
        ----------
        guidance : PublishedGuidance
            The epoch's guidance.
        R : ndarray of shape (n, n_bits)
        y : ndarray of shape (n,)
        """
        if self.n_tuples:
            larger = int(np.argmax(self.classifier.class_count_))
            self.accuracy.append({"epoch": guidance.epoch, "n_tuples": len(y),
                                  "correct": int((self.classifier.predict(R) == y).sum()),
                                  "majority": int((y == larger).sum())})
        self.classifier.partial_fit(R, y, classes=[0, 1])
        self.n_tuples += len(y)
        # by what it holds, not by when it came: the last one ended the epoch for all to see
        i = np.lexsort((*R.T, y))[len(y) // 2]
        shown = {"epoch": guidance.epoch, "class": int(y[i]), "ones": np.flatnonzero(R[i]).tolist()}
        self.lately.append(Whole(V=guidance.V, n_values=self._n_values, shown=shown))

    def to_dict(self) -> dict[str, Any]:
        """Return classifier and accuracy, as published."""
        learnt = self._classifier() if self.n_tuples else None
        return {"classifier": learnt, "accuracy": list(self.accuracy)}

    def _classifier(self) -> dict[str, Any]:
        # a tuple of no bits has the prior alone, one of a single bit that bit's share besides
        n_bits = sum(self._n_values)
        tuples = np.eye(n_bits + 1, n_bits, -1, dtype=np.int8)
        joint = self.classifier.predict_joint_log_proba(tuples)
        odds = joint[:, 1] - joint[:, 0]
        return {"n_tuples": self.n_tuples,
                "class_count": self.classifier.class_count_.astype(int).tolist(),
                "bit_count": self.classifier.bit_count_.astype(int).tolist(),
                "log_odds": (odds[1:] - odds[0]).tolist(), "prior_log_odds": float(odds[0])}

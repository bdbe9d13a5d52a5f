"""What the data miner learns: the classifier so far, and how well it does on later R(t)."""

from typing import Any

import numpy as np

from ppdm.classifiers import GuidedNB
from ppdm.typing import Bits
from ppdm_survey._schema import Survey


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

    def add_epoch(self, epoch: int, R: Bits, y: Bits) -> None:
        """Test the classifier on a whole epoch, then let it learn from it.

        Parameters
        ----------
        epoch : int
        R : ndarray of shape (n, n_bits)
        y : ndarray of shape (n,)
        """
        if self.n_tuples:
            larger = int(np.argmax(self.classifier.class_count_))
            self.accuracy.append({"epoch": epoch, "n_tuples": len(y),
                                  "correct": int((self.classifier.predict(R) == y).sum()),
                                  "majority": int((y == larger).sum())})
        self.classifier.partial_fit(R, y, classes=[0, 1])
        self.n_tuples += len(y)

    def to_dict(self) -> dict[str, Any]:
        """Return classifier and accuracy, as published."""
        return {"classifier": self._classifier() if self.n_tuples else None,
                "accuracy": list(self.accuracy)}

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

"""A classifier that owns its disguise: clear records in, as a simulation of providers and miner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator, ClassifierMixin
from ppdm.classifiers._guided import GuidedNB
from ppdm.classifiers._randomized_response import RandomizedResponseNB
from ppdm.classifiers._reconstructed import ReconstructedTreeClassifier
from ppdm.typing import AnyArray, ArrayLike, FloatArray

#: What a scheme can be asked, and the learner that asks it.
LEARNERS: dict[str, Callable[[Any], Any]] = {
    "channel_matrix": lambda scheme: RandomizedResponseNB(method=scheme.undoing),
    "on": lambda noise: ReconstructedTreeClassifier(),
    "max_level": lambda guided: GuidedNB(guided.n_values),
}


class DisguisedClassifier(ClassifierMixin, BaseEstimator):
    """Disguise the training records, learn from what is released, predict clear records.

    ``fit`` does what providers and miner do: the records are disguised, and the scheme's learner
    sees the releases and how the disguise works, nothing else. ``predict`` disguises nothing: a
    provider applies the model at home. So accuracy by cross-validation is that on clear records,
    and a disguise's parameter, which stands once, can be searched: ``disguise__epsilon``.

    Parameters
    ----------
    disguise : Scheme
        Any :class:`ppdm.channel.Scheme`: coins, codes, noise, guidance, a curator's release.
    classifier : classifier, default=None
        What learns from the releases. Where it has a ``scheme``, it is set to the disguise. None is
        the scheme's own: naive Bayes for coins, codes and guided tuples, ByClass for noise. It
        undoes by EM where a number between edges, alone or in a mixed record, is disguised by
        noise: the inverse makes counts of its intervals that are mostly chance. A curator's
        release has none; any classifier learns from it. Of reports a classifier without
        ``scheme`` learns as if they were true.

    Attributes
    ----------
    disguise_, classifier_ : estimator
        As fitted.
    classes_ : ndarray of shape (n_classes,)

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if the disguise is no scheme, there is no classifier for it, or as the scheme
        and its learner say.

    See Also
    --------
    ppdm.utility.disguised_accuracy : For who has no clear test records.

    Notes
    -----
    A pipeline of a disguise and a learner is another thing: it disguises what it predicts, too.
    Cuts and categories belong before the disguise, and are public, never learnt from the records.
    A search over epsilon has no reason to stop before the largest; draw the curve instead. The
    book's page *Cross-validate honestly* does, and says what each mistake costs.

    A disguise with ``random_state=None`` tosses its coins anew at every ``fit``, and so does one
    with a Generator, which clones share. With an int all folds toss the same coins: the spread of
    the scores is then too small.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from ppdm.classifiers import DisguisedClassifier
    >>> from ppdm.datasets import load_voting
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> X, y = load_voting(random_state=0, return_X_y=True)
    >>> coins = RandomizedResponse(0.7, groups=[[j] for j in range(16)], random_state=0)
    >>> scores = cross_val_score(DisguisedClassifier(coins), X, y, cv=5)
    >>> round(float(scores.mean()), 2)
    0.91
    """

    def __init__(self, disguise: Any, classifier: Any = None) -> None:
        self.disguise = disguise
        self.classifier = classifier

    def fit(self, X: ArrayLike, y: ArrayLike) -> DisguisedClassifier:
        """Disguise the records and learn from what is released.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Clear records, as the scheme takes them.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        DisguisedClassifier
        """
        rule = "disguise must be a scheme, what has disguise(X, y) (of a ColumnTransformer or a "
        rule += "Pipeline: MixedResponse({column: scheme, ...}) puts schemes side by side)"
        legal = hasattr(self.disguise, "disguise") and not isinstance(self.disguise, type)
        check.demand(legal, rule, self.disguise, TypeError)
        self.disguise_: Any = clone(self.disguise)
        released, classes = self.disguise_.disguise(X, y)
        chosen = learner_of(self.disguise_) if self.classifier is None else self.classifier
        rule = "classifier must be given where what is released is no report of a channel"
        check.demand(chosen is not None, rule, self.disguise)
        self.classifier_: Any = clone(check.having(chosen, "classifier", "fit", "predict"))
        if "scheme" in self.classifier_.get_params(deep=False):
            self.classifier_.set_params(scheme=self.disguise_)
        self.classifier_.fit(released, classes)
        self.classes_: AnyArray = self.classifier_.classes_
        return self

    def predict(self, X: ArrayLike) -> AnyArray:
        """Return the class of each clear record of X (n_samples, n_features), (n_samples,)."""
        check.fitted(self)
        return np.asarray(self.classifier_.predict(check.of_names(self.disguise_, X, "X")))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class, (n_samples, n_classes), where the learner can."""
        check.fitted(self)
        return np.asarray(self.classifier_.predict_proba(check.of_names(self.disguise_, X, "X")))

    @property
    def n_features_in_(self) -> int:
        """Number of attributes of a clear record."""
        check.fitted(self)
        return int(self.disguise_.n_features_in_)

    @property
    def feature_names_in_(self) -> AnyArray:
        """Their names, where the records had names."""
        check.fitted(self)
        return np.asarray(self.disguise_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        """Say that the input is as the scheme's, and the coins random."""
        tags = super().__sklearn_tags__()
        theirs = getattr(self.disguise, "__sklearn_tags__", None)
        if theirs is not None:
            tags.input_tags = theirs().input_tags
        tags.non_deterministic = True
        return tags


def learner_of(scheme: Any) -> Any:
    """Return the learner that undoes a scheme, by what the scheme can be asked, or None."""
    return next((make(scheme) for asked, make in LEARNERS.items() if hasattr(scheme, asked)), None)

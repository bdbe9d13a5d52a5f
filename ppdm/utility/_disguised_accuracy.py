"""How much is kept: what a classifier learnt from disguised records is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.randomized_response import ProportionEstimate
from ppdm.randomized_response._signed import read_reports, record_scores
from ppdm.typing import AnyArray, Bits, BoolArray, ClassGroup, FloatArray, Groups


@dataclass(frozen=True, kw_only=True)
class AccuracyEstimate:
    """What disguised test records say about a classifier's accuracy on clear ones.

    Attributes
    ----------
    accuracy : float
        The unbiased estimate; it may lie outside [0, 1] and is kept as it is.
    standard_error : float
        Of the accuracy in the population the test records are a random sample of.
    disguise_error : float
        Of the accuracy on these test records' true values: the coins' part alone.
    n : int
        Number of test records.
    """

    accuracy: float
    standard_error: float
    disguise_error: float
    n: int


def disguised_accuracy(
    predict: Callable[[Bits], ArrayLike] | Any,
    X: ArrayLike,
    y: ArrayLike,
    theta: float | None = None,
    *,
    groups: Groups = None,
    class_group: ClassGroup = None,
    epsilon: float | None = None,
) -> AccuracyEstimate:
    """Estimate a classifier's accuracy on clear records from disguised test records.

    Each test record is classified as it was disguised and with every choice of groups
    reversed (the class too, where it was disguised). The shares of correct answers are
    related to those on the true records as reports are to the truth, so that the channel's
    inverse gives the accuracy (DZ03, section 4.3; ZCM04, section 3.5).

    Parameters
    ----------
    predict : callable or classifier
        A function, or an object with a method ``predict``, from bits of shape (m,
        n_attributes) to m classes. It is called once, with each pattern once.
    X : array-like of shape (n, n_attributes)
        Disguised bits.
    y : array-like of shape (n,)
        The disguised classes; zeros and ones unless the class is public.
    theta : float in [0, 1], not 1/2, default=None
        The probability with which each provider told the truth; this or ``epsilon`` is given.
    groups, class_group : default=None
        Who shared a coin, as in :class:`ppdm.randomized_response.RandomizedResponse`.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what each answer spent, as in
        :class:`ppdm.randomized_response.RandomizedResponse`.

    Returns
    -------
    AccuracyEstimate
        ``accuracy``, ``standard_error``, ``disguise_error``, ``n``; the errors as in
        :func:`ppdm.randomized_response.estimate_proportion`.

    Raises
    ------
    TypeError
        If ``predict`` can neither be called nor has a method ``predict``, or if it returns
        texts where ``y`` holds numbers or the other way round.
    ValueError
        As :func:`ppdm.randomized_response.signed_records`, and if ``predict`` returns another
        number of classes than it got records, or if a class is missing.

    Notes
    -----
    Eq. 7 of ZCM04 lists its vectors as (cc, c'c', c'c, cc'), c' standing for a reversed
    group, while its matrix M2 is laid out for (cc, cc', c'c, c'c') as in Eq. 4. Taken
    literally it mixes the one-group errors with the two-group ones and is biased. Here each
    combination meets its own entry, theta^(kept) (1 - theta)^(reversed).

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> from ppdm.utility import disguised_accuracy
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (20000, 2))
    >>> R, y = RandomizedResponse(0.8, random_state=rng).disguise(X, X[:, 0])
    >>> estimate = disguised_accuracy(lambda bits: bits[:, 0] & bits[:, 1], R, y, theta=0.8)
    >>> round(estimate.accuracy, 2), round(estimate.standard_error, 3)
    (0.75, 0.004)
    """
    answer = getattr(predict, "predict", predict)
    if not callable(answer) or isinstance(answer, type):
        raise TypeError(f"predict must be a function or have a method predict, got {predict!r}")

    disguised = check.bits(X, "X", ndim=2)
    given = check.class_values(y, "y", len(disguised))

    def is_correct(bits: Bits, classes: AnyArray | None) -> BoolArray:
        return _correct(answer(bits), check.class_values(classes, "y", len(bits)))

    reports = read_reports(
        disguised, theta, y=given, groups=groups, class_group=class_group, epsilon=epsilon
    )
    scores = record_scores(is_correct, *reports)
    correct = ProportionEstimate.from_scores(scores)
    return AccuracyEstimate(
        accuracy=correct.proportion,
        standard_error=correct.standard_error,
        disguise_error=correct.disguise_error,
        n=correct.n,
    )


def accuracy_over_disguises(
    model: Any,
    disguise: Callable[[Any, Any], tuple[Any, Any]],
    train: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    *,
    repeats: int,
) -> FloatArray:
    """Repeat an experiment in which only the disguise of the training records is drawn anew.

    The papers' measurement: disguise the training records, learn from them, classify the
    clear test records, and do so 50 (DZ03, section 5.1) or 100 times (ZCM04, section 4.2).

    Parameters
    ----------
    model : classifier
        Fitted anew each time, on what ``disguise`` returns.
    disguise : callable
        From training records and classes to disguised ones, such as the method ``disguise``
        of a :class:`ppdm.randomized_response.RandomizedResponse`. Its coins must differ from
        call to call: give the scheme a Generator, not an integer seed.
    train, test : pair of array-like
        Records of shape (n, n_attributes) and classes of shape (n,), both clear.
    repeats : int
        How often.

    Returns
    -------
    ndarray of shape (repeats,)
        The accuracies; their mean and variance are what the papers plot.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.classifiers import RandomizedResponseNB
    >>> from ppdm.datasets import load_breast_cancer_wisconsin
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> X, y = load_breast_cancer_wisconsin(binary=True, return_X_y=True)
    >>> test = np.arange(len(X)) % 5 == 4
    >>> scheme = RandomizedResponse(0.9, random_state=np.random.default_rng(0))
    >>> accuracies = accuracy_over_disguises(
    ...     RandomizedResponseNB(0.9), scheme.disguise, (X[~test], y[~test]), (X[test], y[test]),
    ...     repeats=20,
    ... )
    >>> round(float(accuracies.mean()), 2)
    0.96
    """
    n = check.integer(repeats, "repeats", low=1, most=check.MOST_DRAWS)
    check.having(model, "model", "fit", "predict")
    check.function(disguise, "disguise")
    check.sequence(train, "train", "records and classes", 2)
    records, classes = check.sequence(test, "test", "records and classes", 2)
    truth = check.class_values(classes, "test")
    accuracies = np.empty(n)
    for i in range(accuracies.size):
        model.fit(*check.sequence(disguise(*train), "disguise's answer", "tables", 2))
        accuracies[i] = _correct(model.predict(records), truth).mean()
    return accuracies


def _correct(answers: Any, classes: AnyArray) -> BoolArray:
    """Compare classes that are told apart: texts with texts and numbers with numbers."""
    predicted = check.class_values(answers, "the classes of predict", len(classes))
    if isinstance(predicted.flat[0], str) != isinstance(classes.flat[0], str):
        raise TypeError(
            f"predict must return classes as those of y, {classes.dtype}, got {predicted.dtype}"
        )
    return np.asarray(predicted == classes)
